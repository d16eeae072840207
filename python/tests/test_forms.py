"""Forms in which data come in and tables go out."""

import json
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import fivefold as ff
from fivefold import dataset as module


@pytest.fixture
def data():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    return ff.Dataset(X, rng.integers(0, 3, 60), np.repeat([f"q{query}" for query in range(12)], 5), max_grade=4)


def same(one, other):
    return one.X.tobytes() == other.X.tobytes() and one.y.tolist() == other.y.tolist() and one.query_ids == other.query_ids


def test_a_parquet_file_keeps_a_data_set_to_the_bit(data, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    data.to_parquet(tmp_path / "d.parquet")
    assert same(ff.Dataset.from_parquet(tmp_path / "d.parquet"), data)
    assert parquet.read_schema(tmp_path / "d.parquet").names == ["qid", "grade", "f1", "f2", "f3"]
    # A file of pandas, with other names and a column that is no feature.
    frame = pd.DataFrame(data.X.astype(float), columns=["a", "b", "c"]).assign(label=data.y, query=np.repeat(range(12), 5), url="u")
    frame.to_parquet(tmp_path / "frame.parquet")
    read = ff.Dataset.from_parquet(tmp_path / "frame.parquet", qid="query", grade="label", features=["c", "a"])
    assert np.array_equal(read.X, data.X[:, [2, 0]]) and read.query_ids == [str(query) for query in range(12)]
    for given, said in [({"qid": "topic"}, "no column 'topic'"), ({"qid": "query", "grade": "label"}, "'url' holds .*string")]:
        with pytest.raises(ff.DataError, match=said):
            ff.Dataset.from_parquet(tmp_path / "frame.parquet", **given)
    (tmp_path / "text.parquet").write_text("no parquet")
    for path in ("text.parquet", "none.parquet"):
        with pytest.raises(ff.DataError, match=path):
            ff.Dataset.from_parquet(tmp_path / path)
    frame.loc[7, "b"] = math.nan
    frame.to_parquet(tmp_path / "gap.parquet")
    with pytest.raises(ff.DataError, match="feature 1 of document 7"):
        ff.Dataset.from_parquet(tmp_path / "gap.parquet", qid="query", grade="label", features=["a", "b"])


def test_without_pyarrow_the_error_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['pyarrow'] = None\nimport fivefold as ff\n"
        "for call in (lambda: ff.Dataset.from_parquet('d.parquet'), lambda: ff.Dataset([[1.0]], [1], [1]).to_parquet('d.parquet')):\n"
        "    try: call()\n    except ff.ConfigError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == ["Parquet files need the package pyarrow: pip install pyarrow"] * 2


def test_an_npz_file_keeps_a_data_set_to_the_bit(data, tmp_path):
    data.to_npz(tmp_path / "d.npz")
    assert same(ff.Dataset.from_npz(tmp_path / "d.npz"), data)


def test_files_keep_the_ids_of_documents(data, tmp_path):
    pytest.importorskip("pyarrow")
    ids = [f"d{place}" for place in range(data.documents)]
    named = ff.Dataset(data.X, data.y, group=data.group, document_ids=ids)
    named.to_parquet(tmp_path / "d.parquet")
    named.to_npz(tmp_path / "d.npz")
    for read in (ff.Dataset.from_parquet(tmp_path / "d.parquet"), ff.Dataset.from_npz(tmp_path / "d.npz"), named.select(range(len(named)))):
        assert read.document_ids == ids and same(read, named)
    assert data.document_ids is None and named.select([11, 0]).document_ids == ids[55:] + ids[:5]


@pytest.mark.parametrize("kind", ["csr_matrix", "csr_array", "csc_matrix", "coo_array"])
def test_sparse_matrices_are_converted(data, kind):
    sparse = pytest.importorskip("scipy.sparse")
    X = np.where(data.X > 0, data.X, 0)
    for dtype in (np.float32, np.float64):
        made = ff.Dataset(getattr(sparse, kind)(X.astype(dtype)), data.y, group=data.group)
        assert made.X.tobytes() == X.tobytes()


def test_a_large_copy_is_said(data, monkeypatch, recwarn):
    sparse = pytest.importorskip("scipy.sparse")
    monkeypatch.setattr(module, "LARGE_COPY", data.X.nbytes - 1)
    contiguous = np.ascontiguousarray(data.X)
    ff.Dataset(contiguous, data.y, group=data.group)
    assert not recwarn.list
    for X, said in [(data.X.astype(float), "float64"), (np.asfortranarray(data.X), "not C"), (sparse.csr_matrix(data.X), "sparse")]:
        with pytest.warns(UserWarning, match=f"{said}.* were copied"):
            ff.Dataset(X, data.y, group=data.group)


def test_a_feature_that_is_no_number_is_named_in_any_block(data, monkeypatch):
    monkeypatch.setattr(module, "CHECKED", 7)
    X = data.X.copy()
    X[58, 2] = np.inf
    with pytest.raises(ff.DataError, match="feature 2 of document 58"):
        ff.Dataset(X, data.y, group=data.group)


def test_folds_are_those_of_an_experiment(data, program, tmp_path):
    data.to_letor(tmp_path / "all.txt")
    for seed in (0, 7):
        (tmp_path / "e.toml").write_text(
            f'name = "e"\nseed = 1\n[[dataset]]\nlabel = "d"\npath = "all.txt"\nlayout = "one-file"\nfold_seed = {seed}\n'
            '[[ranker]]\nkind = "linear"\n[evaluation]\nmeasures = ["ap"]\ncutoffs = [5]\n'
        )
        found = ff.run(tmp_path / "e.toml", out=tmp_path / f"out{seed}", progress=False)
        tested = found.per_query.groupby("fold")["query"].unique()
        folds = data.folds(seed)
        assert len(folds) == 5
        for fold, queries in zip(folds, tested):
            assert set(fold.test.query_ids) == set(queries)
            parts = [fold.train.query_ids, fold.valid.query_ids, fold.test.query_ids]
            assert sorted(sum(parts, [])) == sorted(data.query_ids) and len(parts[1]) in (2, 3)
    assert same(data.train, data.folds()[0].train) and same(data.valid, data.folds(0)[0].valid) and len(data.test) in (2, 3)
    assert data.train.max_grade == 4
    with pytest.raises(ff.DataError, match="5"):
        data.select([0, 1]).folds()


def test_a_fit_takes_a_validation_part_after_the_training_part(data):
    made = lambda: ff.LambdaMART(trees=60, early_stopping=1, min_documents=1, leaves=3)
    fits = [made().fit(data.train, data.valid), made().fit(data.train, valid=data.valid), made().fit(data.train)]
    one, other, without = (fit.model_.to_text() for fit in fits)
    assert one == other != without
    for given in [(data.train, data.y), (data.train, data.valid, data.query_ids)]:
        with pytest.raises(ff.ConfigError, match=r"fit\(train, valid\)"):
            ff.LambdaMART(trees=5).fit(*given)


def tables(made, letor):
    """A table of each kind."""
    found = ff.evaluate(*made, ["ndcg@10", "ap"])
    train, valid = (ff.Dataset.from_letor(letor / f"{name}.txt") for name in ("train", "valid"))
    search = ff.tune(ff.Linear(), {"lambda": [0.1, 1.0]}, train, valid, measure="ap")
    return [found, found.compare("ap"), ff.explain(made[0], made[1]["a"], query="q2", measure="ap")["ranking"], search]


def test_every_table_has_every_form(made, letor, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for table in tables(made, letor):
        kind = type(table).__name__
        frame = table.frame
        assert list(frame.columns) == list(table.columns) and len(frame) == len(table) > 0, kind
        table.to_csv(tmp_path / "t.csv")
        assert (tmp_path / "t.csv").read_text() == table.to_csv()
        read = pd.read_csv(tmp_path / "t.csv", keep_default_na=False)
        assert list(read.columns) == list(table.columns) and len(read) == len(table)
        table.to_parquet(tmp_path / "t.parquet")
        stored = parquet.read_table(tmp_path / "t.parquet")
        assert stored.column_names == list(table.columns)
        assert json.loads(stored.schema.metadata[b"fivefold"])["notes"] == list(table.notes)
        for name in table.columns:
            for kept, value in zip(stored[name].to_pylist(), (row[list(table.columns).index(name)] for row in table._values())):
                assert kept == value or kept == repr(value), (kind, name)
        assert table.to_markdown().count("\n") >= len(table) + 1
        assert table.to_html(digits=2).startswith("<table>") and table._repr_html_() == table.to_html()
        assert table.to_latex(digits=2).count(r"\\") == len(table) + 1


def test_digits_are_those_that_are_asked_for(made):
    found = ff.evaluate(*made, ["ap"])
    mean = found.mean("a", "ap")
    for digits in (1, 4, 9):
        assert f"| a | {mean:.{digits}f} |" in found.to_markdown(digits) and f"a & {mean:.{digits}f} " in found.to_latex(digits)
    assert f"a,{mean!r}\n" in found.to_csv() and r"\begin{tabular}{lr}" in found.to_latex()
    assert found.notes[0] in found.to_markdown() and found.notes[0] in found.to_latex()
