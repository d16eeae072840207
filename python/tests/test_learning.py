"""Data sets, rankers and models: those of the program."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import pytest

import fivefold as ff

#: Parameters that make fits short, or that a ranker must be given.
PARAMS = {
    "feature": {"feature": 1},
    "mart": {"trees": 20},
    "lambdamart": {"trees": 20},
    "random-forest": {"bags": 5},
    "ranknet": {"epochs": 4},
    "listnet": {"epochs": 4},
    "lambdarank": {"epochs": 4},
    "adarank": {"rounds": 20},
    "rankboost": {"rounds": 20},
    "coordinate-ascent": {"restarts": 2, "passes": 2},
}


#: Each ranker with its defaults, and with each preset.
SETTINGS = [(ranker, preset) for ranker in ff.rankers.CLASSES.values() for preset in (None, *ranker.presets)]


@pytest.mark.parametrize("ranker, preset", SETTINGS, ids=lambda own: getattr(own, "kind", own or "defaults"))
def test_models_are_those_of_the_program(ranker, preset, letor, program, tmp_path):
    params = PARAMS.get(ranker.kind, {})
    given = [f"--param={name}={value}" for name, value in params.items()] + ([f"--param=preset={preset}"] if preset else [])
    files = ["--train", letor / "train.txt", "--valid", letor / "valid.txt"]
    program("train", "--ranker", ranker.kind, *given, *files, "--seed", 5, "-o", tmp_path / "m.json")
    expected = json.loads((tmp_path / "m.json").read_text())
    train, valid = (ff.Dataset.from_letor(letor / f"{name}.txt") for name in ("train", "valid"))
    made = ranker.preset(preset, **params, seed=5, threads=2) if preset else ranker(**params, seed=5, threads=2)
    fitted = made.fit(train, valid=valid)
    found = json.loads(fitted.model_.to_text())
    assert found["model"] == expected["model"]
    assert found["header"] == expected["header"]
    again = ff.load_model(tmp_path / "m.json")
    assert again.predict(valid).tobytes() == fitted.predict(valid).tobytes()
    fitted.save(tmp_path / "own.json")
    scores = [program("score", "--model", tmp_path / name, "--data", letor / "valid.txt") for name in ("m.json", "own.json")]
    assert scores[0] == scores[1]
    assert np.array_equal(np.array(scores[0].split(), dtype=float), fitted.predict(valid))


def test_data_sets_of_every_form_are_the_same(letor, tmp_path):
    file = ff.Dataset.from_letor(letor / "train.txt")
    X, y, qid = file.X, file.y, np.repeat(file.query_ids, file.group)
    frame = pd.DataFrame(X, columns=[f"f{column}" for column in range(X.shape[1])]).assign(qid=qid, grade=y)
    np.savez(tmp_path / "d.npz", X=X, y=y, group=file.group)
    strided = np.zeros((len(X), 8), dtype=np.float64)
    strided[:, ::2] = X
    forms = [
        ff.Dataset(X, y, qid),
        ff.Dataset(np.asfortranarray(X), y.astype(float), group=file.group),
        ff.Dataset(strided[:, ::2], y.tolist(), qid),
        ff.Dataset.from_frame(frame),
        ff.Dataset.from_npz(tmp_path / "d.npz"),
    ]
    expected = ff.Linear().fit(file).predict(file)
    for data in forms:
        assert (len(data), data.documents, data.width, data.max_grade) == (30, 360, 4, 2)
        assert ff.Linear().fit(data).predict(data).tobytes() == expected.tobytes()
    assert file.select([3, 1]).query_ids == [file.query_ids[3], file.query_ids[1]]
    found = ff.evaluate(file, expected, ["ndcg@10"])
    assert found.mean() > 0.6
    with pytest.raises(ff.DataError, match="359"):
        ff.evaluate(file, expected[1:], ["ndcg@10"])


def test_a_contiguous_matrix_is_not_copied():
    X = np.arange(12, dtype=np.float32).reshape(6, 2).copy()
    data = ff.Dataset(X, [0, 1] * 3, [1, 1, 1, 2, 2, 2])
    X[0, 0] = 99
    assert data.X[0, 0] == 99
    del X
    assert data.X[5, 1] == 11


def test_wrong_data_are_refused_by_place():
    X = np.zeros((3, 2), dtype=np.float32)
    for given, said in [
        ((X, [0, 1, 0], [1, 2, 1]), "sort the documents"),
        ((X, [0, 0.5, 0], [1, 1, 1]), "document 1"),
        ((X, [0, 1], [1, 1, 1]), "grades"),
        ((np.array([[0, 1], [np.nan, 0], [0, 0]]), [0, 1, 0], [1, 1, 1]), "feature 0 of document 1"),
        ((X[0], [0], [1]), "documents x features"),
        ((X, [0, 1, 0]), "qid"),
        ((np.array([["a"]]), [0], [1]), "numbers"),
    ]:
        with pytest.raises(ff.DataError, match=said):
            ff.Dataset(*given)
    with pytest.raises(ff.ConfigError, match="leafs; did you mean leaves"):
        ff.LambdaMART(leafs=3)
    with pytest.raises(ff.ConfigError, match="0 or more in `trees = \"many\"`"):
        ff.LambdaMART(trees="many").fit(ff.Dataset(X, [0, 1, 0], [1, 1, 1]))
    for read, said in [(ff.load_model, "model file"), (ff.Dataset.from_npz, "npz"), (ff.Dataset.from_letor, "cannot be read")]:
        with pytest.raises(ff.DataError, match=f"none.x.*{said}"):
            read("none.x")
    with pytest.raises(ff.ConfigError, match="trees"):
        ff.LambdaMART(trees=0).fit(ff.Dataset(X, [0, 1, 0], [1, 1, 1]))
    with pytest.raises(ff.FitError, match="one grade|grade"):
        ff.LambdaMART().fit(ff.Dataset(X, [1, 1, 1], [1, 1, 1]))
    with pytest.raises(ff.FitError, match="not fitted"):
        ff.LambdaMART().predict(X)


def test_the_habits_of_scikit_learn():
    ranker = ff.LambdaMART(trees=7)
    assert ranker.get_params()["trees"] == 7 and repr(ranker) == "LambdaMART(trees=7)"
    assert ranker.set_params(leaves=4) is ranker and ranker.leaves == 4
    clone = pytest.importorskip("sklearn.base").clone
    copy = clone(ranker)
    assert copy is not ranker and copy.get_params() == ranker.get_params()
    assert "trees" in (ff.LambdaMART.__doc__ or "")
    preset = ff.LambdaMART.preset("ranklib", trees=7, seed=2)
    assert (preset.leaves, preset.trees, preset.seed) == (10, 7, 2) != (ranker.leaves, ff.LambdaMART().trees, 1)
    assert clone(preset).get_params() == preset.get_params()
    with pytest.raises(ff.ConfigError, match="no preset ranklab; its presets: ranklib, lightgbm"):
        ff.LambdaMART.preset("ranklab")
    with pytest.raises(ff.ConfigError, match="did you mean trees"):
        ff.LambdaMART.preset("ranklib", treees=3)


LONG = """
import signal, numpy as np, fivefold as ff
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job of a shell
rng = np.random.default_rng(1)
X, y = rng.normal(size=(4000, 20)).astype(np.float32), rng.integers(0, 3, 4000)
print("ready", flush=True)
ff.LambdaMART(trees=100000, early_stopping=0).fit(X, y, np.repeat(np.arange(100), 40))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_stops_a_fit():
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    assert child.poll() is None
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=30)[1]


def short_fit(seed):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 4)).astype(np.float32), rng.integers(0, 3, 200)
    data = ff.Dataset(X, y, group=[20] * 10)
    return ff.LambdaMART(trees=5, seed=seed).fit(data).predict(data).tobytes()


@pytest.mark.skipif(os.name != "posix", reason="fork")
def test_a_fork_after_a_fit_does_not_hang():
    expected = short_fit(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(short_fit, [1, 1, 1]).get(timeout=60) == [expected] * 3


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_fits_in_processes_and_threads(backend):
    joblib = pytest.importorskip("joblib")
    expected = short_fit(1)
    assert joblib.Parallel(n_jobs=2, backend=backend, timeout=120)(joblib.delayed(short_fit)(1) for _ in range(3)) == [expected] * 3


def test_other_threads_work_during_a_fit():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20000, 20)).astype(np.float32), rng.integers(0, 3, 20000)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    def counted_during(trees):
        before = counted[0]
        ff.LambdaMART(trees=trees, early_stopping=0, threads=1).fit(X, y, np.repeat(np.arange(500), 40))
        return counted[0] - before

    thread = threading.Thread(target=count)
    thread.start()
    try:
        # Had a fit kept Python's lock, the other thread would have counted a few times at most, however long the fit.
        assert any(counted_during(trees) > 20 for trees in (60, 240, 960, 3840))
    finally:
        done.set()
        thread.join()


def test_no_signal_handler_is_installed():
    code = (
        "import signal\nbefore = {own: signal.getsignal(own) for own in signal.valid_signals()}\n"
        # The signals 1 to 31: the C library takes signals above for its threads.
        "caught = lambda: [int(line.split()[1], 16) & 0x7fffffff for line in open('/proc/self/status') if line.startswith('SigCgt')]\n"
        "first = caught()\n"
        "import numpy as np, fivefold as ff\n"
        "ff.LambdaMART(trees=2).fit(np.eye(40, dtype=np.float32), [0, 1] * 20, group=[20, 20])\n"
        "ff.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'ap')\n"
        "assert {own: signal.getsignal(own) for own in signal.valid_signals()} == before and caught() == first\n"
    )
    if not os.path.exists("/proc/self/status"):
        pytest.skip("Linux")
    subprocess.run([sys.executable, "-c", code], check=True)
