"""Experiments: the folder is that of the program, to the bit; classes in Python take part."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import fivefold as ff

EXPERIMENT = """
name = "mine"
seed = 3

[[dataset]]
label = "made"
synthetic = { shape = "mq2007", queries = 25 }

[[ranker]]
label = "Ridge"
kind = "linear"

[evaluation]
measures = ["ndcg", "ap"]
cutoffs = [5, 10]
"""

PYTHON = """
[[ranker]]
label = "Own"
kind = "python"
[ranker.params]
class = "mine.py:LeastSquares"
python = "{python}"
params = {{ penalty = 1.0 }}
"""

OWN = '''
import numpy as np


class LeastSquares:
    def __init__(self, penalty=0.5):
        self.penalty = penalty

    def fit(self, X, y, qid, valid, seed):
        assert isinstance(seed, int) and len(qid) == len(y) == len(X)
        assert len(valid) == 3 and len(valid[0]) == len(valid[1]) == len(valid[2])
        A = X.T.astype(float) @ X + self.penalty * np.eye(X.shape[1])
        self.weights = np.linalg.solve(A, X.T.astype(float) @ y)
        return self

    def predict(self, X):
        return X @ self.weights
'''


@pytest.fixture
def experiment(tmp_path):
    (tmp_path / "mine.toml").write_text(EXPERIMENT)
    return tmp_path / "mine.toml"


def test_a_run_is_that_of_the_program(experiment, program, tmp_path, capsys):
    said = program("run", experiment, "--out", tmp_path / "theirs", "--json")
    found = ff.run(experiment, out=tmp_path / "ours")
    assert found.result == said["result"] and not found.failed and found.told["jobs"] == 5
    for name in ("tables.json", "per_query.csv", "report.html", "manifest.json"):
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    assert found.tables.ids == said["tables"]
    assert found.table(7).shape == (2, 3) and found.table("table-03").columns[1] == "method"
    values = found.per_query
    mean = values[values["documents"] == "all"].groupby("ranker")["ndcg@10"].apply(lambda own: own.fillna(0).mean())["Ridge"]
    assert np.isclose(found.table(3)["@10"].iloc[0], mean, rtol=1e-14)
    assert found._repr_html_().startswith("<iframe srcdoc=") and "result hash" in repr(found)
    assert "5 jobs" in capsys.readouterr().err
    assert ff.results(tmp_path / "ours").table(7).equals(found.table(7))
    quiet = ff.run(experiment, out=tmp_path / "ours", progress=False)
    assert quiet.told["reused"] == 5 and capsys.readouterr().err == ""
    with pytest.raises(ff.ConfigError, match="table-03-ndcg-scores-made"):
        found.table(99)


def test_the_command_of_the_wheel_is_the_program(experiment, program, tmp_path):
    own = ff.program()
    assert os.path.basename(own).startswith("fivefold") and "FIVEFOLD_PROGRAM" not in os.environ
    call = lambda *words: subprocess.run([own, *map(str, words)], capture_output=True, text=True, check=False)
    assert call("--version").stdout == program("--version")
    assert call("measures", "--json").stdout.strip() == json.dumps(program("measures", "--json"), indent=2, ensure_ascii=False)
    assert call("nonsense").returncode == 2
    # A job in a process of its own starts the command, not the interpreter.
    assert call("run", experiment, "--out", tmp_path / "isolated", "--isolate").returncode == 0
    assert ff.run(experiment, out=tmp_path / "inside").told["jobs"] == 5
    values = [(tmp_path / name / "per_query.csv").read_bytes() for name in ("isolated", "inside")]
    assert values[0] == values[1]
    module = subprocess.run([sys.executable, "-m", "fivefold", "--version"], capture_output=True, text=True, check=False)
    assert module.stdout == call("--version").stdout


def test_errors_of_experiments_are_those_of_the_program(experiment, tmp_path):
    experiment.write_text(EXPERIMENT.replace("linear", "liniar"))
    with pytest.raises(ff.ConfigError, match="liniar"):
        ff.run(experiment, out=tmp_path / "out")
    with pytest.raises(ff.DataError, match="no results folder"):
        ff.results(tmp_path / "none")


# Python has no KeyboardInterrupt where SIGINT is ignored, as in a background job of a shell.
LONG = """
import signal, sys, fivefold as ff
signal.signal(signal.SIGINT, signal.default_int_handler)
ff.run(sys.argv[1], out=sys.argv[2])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_stops_a_run_and_the_next_goes_on(experiment, tmp_path):
    slow = '[[ranker]]\nkind = "lambdamart"\nparams = { trees = 100000, early_stopping = 0 }\n'
    experiment.write_text(EXPERIMENT.replace("[evaluation]", slow + "[evaluation]"))
    words = [sys.executable, "-c", LONG, experiment, tmp_path / "out"]
    child = subprocess.Popen(list(map(str, words)), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (tmp_path / "out" / "jobs").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)[1]
    assert "Stopped" in said and "KeyboardInterrupt" in said
    experiment.write_text(EXPERIMENT)
    assert ff.run(experiment, out=tmp_path / "out", progress=False).told["failed"] == []


def test_a_class_in_a_file_takes_part(experiment, tmp_path):
    experiment.write_text(EXPERIMENT + PYTHON.format(python=sys.executable))
    (tmp_path / "mine.py").write_text(OWN)
    found = ff.run(experiment, out=tmp_path / "out")
    assert found.told["jobs"] == 10 and not found.failed
    means = found.table(3).set_index("method")["mean"]
    assert abs(means["Own"] - means["Ridge"]) < 0.1
    # The key holds parameters and source.
    assert ff.run(experiment, out=tmp_path / "out").told["reused"] == 10
    experiment.write_text(experiment.read_text().replace("penalty = 1.0", "penalty = 2.0"))
    assert ff.run(experiment, out=tmp_path / "out").told["reused"] == 5
    (tmp_path / "mine.py").write_text(OWN + "\n# another source\n")
    again = ff.run(experiment, out=tmp_path / "out")
    assert again.told["reused"] == 5


def test_the_run_names_what_is_not_in_the_key(experiment, tmp_path, capsys):
    experiment.write_text(EXPERIMENT + PYTHON.format(python=sys.executable))
    (tmp_path / "mine.py").write_text(OWN)
    ff.run(experiment, out=tmp_path / "out")
    said = capsys.readouterr().err
    assert "Own is known by" in said and "mine.py" in said and "trusted unseen" in said and "packages" in said


def test_no_grade_of_the_test_part_is_passed(experiment, tmp_path):
    """A class that looks for grades in all that it is given finds those of train and validation parts alone."""
    spy = textwrap.dedent(
        """
        import gc, glob
        import numpy as np
        from fivefold import Dataset

        class LeastSquares:
            def __init__(self, penalty=0.5):
                self.penalty = penalty

            def fit(self, X, y, qid, valid, seed):
                assert sorted(path for path in glob.glob("*.txt") if "std" not in path) == ["test.txt", "train.txt", "validation.txt"]
                test = Dataset.from_letor("test.txt")
                assert not test.y.any() and test.max_grade == 0
                known = [own for own in gc.get_objects() if isinstance(own, Dataset)]
                assert sum(not own.y.any() for own in known) >= 1
                return self

            def predict(self, X):
                return X[:, 0]
        """
    )
    (tmp_path / "mine.py").write_text(spy)
    experiment.write_text(EXPERIMENT + PYTHON.format(python=sys.executable))
    assert not ff.run(experiment, out=tmp_path / "out").failed


def test_a_fault_of_a_class_is_a_failed_job(experiment, tmp_path):
    (tmp_path / "mine.py").write_text(OWN.replace("return X @ self.weights", "raise ValueError('no idea')"))
    experiment.write_text(EXPERIMENT + PYTHON.format(python=sys.executable))
    found = ff.run(experiment, out=tmp_path / "out")
    assert len(found.failed) == 5 and "no idea" in str(found.failed)


class Mean:
    """A ranker of this file: no fit, and a score that a parameter chooses."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y):
        self.sign_ = np.sign(np.corrcoef(X[:, self.column], y)[0, 1] or 1.0)
        return self

    def predict(self, X):
        return self.sign_ * X[:, self.column]


def test_objects_take_part_and_a_search_chooses(tmp_path):
    linear_model = pytest.importorskip("sklearn.linear_model")
    rankers = {"Mean": Mean(column=3), "sk": linear_model.Ridge(alpha=2.0), "ours": ff.Linear()}
    found = ff.run(EXPERIMENT, out=tmp_path / "out", rankers=rankers)
    assert not found.failed and found.told["jobs"] == 20
    tuned = EXPERIMENT + PYTHON.format(python=sys.executable).replace("1.0", '"{param.penalty}"') + (
        '[ranker.tune]\nmethod = "grid"\nmeasure = "ndcg@10"\n[ranker.tune.params]\npenalty = [0.1, 100.0]\n'
    )
    (tmp_path / "mine.py").write_text(OWN)
    (tmp_path / "tuned.toml").write_text(tuned)
    assert not ff.run(tmp_path / "tuned.toml", out=tmp_path / "tuned").failed


def test_a_notebook_shows_one_line_that_ends_with_all_jobs(monkeypatch):
    from fivefold import experiments

    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(("update", content))

    def display(content, raw, display_id):
        shown.append(("display", content))
        return Handle()

    monkeypatch.setattr(experiments, "_notebook_display", lambda: display)
    lines = experiments.Lines()
    for line in ("2 of 10 jobs after 12s, about 46s left", "a warning", "8 of 10 jobs after 68s, about 17s left"):
        lines(line)
    lines.end()
    assert [how for how, _ in shown] == ["display", "update", "update"]
    assert [content["text/html"].partition("</progress>")[0] for _, content in shown] == [
        f'<progress value="{done}" max="10">' for done in (2, 8, 10)
    ]
    assert shown[-1][1]["text/plain"] == "10 of 10 jobs"
    # A run that ends before its first line shows none.
    experiments.Lines().end()
    assert len(shown) == 3


@pytest.mark.parametrize("package, name", [("lightgbm", "LGBMRanker"), ("xgboost", "XGBRanker"), ("catboost", "CatBoostRanker")])
def test_rankers_of_other_packages_take_part(package, name, tmp_path):
    module = pytest.importorskip(package)
    trees = {"iterations": 5} if package == "catboost" else {"n_estimators": 5}
    found = ff.run(EXPERIMENT, out=tmp_path / "out", rankers={name: getattr(module, name)(**trees)})
    assert not found.failed, found.failed
    again = ff.run(EXPERIMENT, out=tmp_path / "again", rankers={name: getattr(module, name)(**trees)})
    assert again.result == found.result


def test_names_outside_the_source_of_a_class_are_refused(tmp_path):
    from fivefold.own_rankers import source_of

    source = source_of(Mean)
    assert source.startswith("import numpy as np") and "class Mean" in source
    notebook = tmp_path / "cell.py"
    notebook.write_text("helper = 3\n\nclass Uses:\n    def predict(self, X):\n        return X[:, helper]\n")
    spec = importlib.util.spec_from_file_location("cell", notebook)
    module = sys.modules["cell"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(ff.ConfigError, match="helper"):
        source_of(module.Uses)
