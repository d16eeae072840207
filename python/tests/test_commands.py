"""Commands of the program: numbers are those that it prints."""

import json

import numpy as np
import pandas as pd
import pytest

import fivefold as ff


def numbers(told):
    """All numbers of printed tables, with all digits."""
    return [cell["number"]["value"] for table in told for row in table["rows"] for cell in row if "number" in cell]


def values(tables):
    return [value for table in tables for row in table.rows for value in row if isinstance(value, float)]


def frame(table, name):
    rows = [(topic, document, number) for topic, own in table.items() for document, number in own.items()]
    return pd.DataFrame(rows, columns=["query_id", "doc_id", name])


def test_explain_is_that_of_the_program(made, files, program):
    qrels, runs = made
    for measure, more in [("ndcg@5", {}), ("ap.v2", {"dialect": "trec_eval"}), ("ndcg@5", {"conventions": {"gain": "linear"}})]:
        words = [f"--{name}={value}" for name, value in {**more.get("conventions", {}), "dialect": more.get("dialect", "paper")}.items()]
        given = ["--qrels", files / "qrels.txt", "--run", files / "a.run", "--query", "q2", "--measure", measure, *words]
        said = program("explain", *given, "--json")
        for source, run in [(qrels, runs["a"]), (frame(qrels, "relevance"), frame(runs["a"], "score"))]:
            found = ff.explain(source, run, query="q2", measure=measure, **more)
            assert values(found) == numbers(said) and len(values(found)) > 20
            assert found.ids == [table["id"] for table in said]
    assert f"{ff.evaluate(qrels, runs['a'], 'ndcg@5').per_query.loc[('run', 'q2'), 'ndcg@5']:.4f}" in ff.explain(
        qrels, runs["a"], query="q2", measure="ndcg@5"
    )["ranking"].title


def test_a_model_is_explained(letor, program, tmp_path):
    train = ff.Dataset.from_letor(letor / "train.txt")
    ranker = ff.LambdaMART(trees=5).fit(train)
    ranker.model_.save(tmp_path / "m.json")
    said = program("explain", tmp_path / "m.json", "--data", letor / "train.txt", "--query", "3", "--json")
    assert values(ff.explain(ranker, train, query="3")) == numbers(said)
    scores = ranker.predict(train)
    (tmp_path / "s.txt").write_text("".join(f"{score!r}\n" for score in scores.tolist()))
    given = [letor / "train.txt", tmp_path / "s.txt", "--query", "3", "--measure", "ap"]
    assert values(ff.explain(train, scores, query="3", measure="ap")) == numbers(program("explain", *given, "--json"))


def test_a_data_set_is_written_to_the_bit(letor, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)).astype(np.float32) * np.float32(1e-3)
    data = ff.Dataset(X, rng.integers(0, 3, 40), np.repeat(["b", "a"], 20))
    data.to_letor(tmp_path / "d.txt")
    again = ff.Dataset.from_letor(tmp_path / "d.txt")
    assert again.X.tobytes() == X.tobytes() and again.y.tolist() == data.y.tolist() and again.query_ids == ["b", "a"]


def test_differences_are_those_of_the_program(made, files, tmp_path):
    qrels, runs = made
    found = ff.diff("trec_eval", "paper", qrels=qrels, run=runs["a"], measures=["ndcg@10", "ap"])
    assert found.differs and found.ids == ["means", "rules", "queries"]
    means = [ff.evaluate(qrels, runs["a"], "ap", dialect=dialect).mean() for dialect in ("trec_eval", "paper")]
    assert found["means"].rows[1][1:3] == means
    shares = [row[-1] for row in found["rules"].rows if row[0] == "ap"]
    assert abs(sum(shares) - (means[1] - means[0])) < 1e-12
    same = ff.diff(runs["a"], files / "a.run", qrels=files / "qrels.txt", measures="ap")
    assert not same.differs
    assert ff.diff(runs["a"], frame(runs["a"], "score").assign(score=1.0), qrels=qrels, measures="ap").differs
    assert "<table>" in found._repr_html_() and "Means" in repr(found) and len(found["means"].frame) == 2


def test_problems_are_found(letor, tmp_path, made):
    clean = ff.lint(letor / "train.txt")
    assert not clean and clean.report["parts"][0]["documents"] == 360 and "360" in repr(clean)
    assert ff.lint(ff.Dataset.from_letor(letor / "train.txt")).report["parts"][0]["queries"] == 30
    (tmp_path / "broken.txt").write_text("1 qid:1 1:0.5\n2 qid:1 1:x\n")
    broken = ff.lint(tmp_path / "broken.txt")
    assert broken and broken.count == 1
    qrels, runs = made
    assert not ff.lint(qrels=qrels, runs=runs["a"])


def test_runs_are_fused_as_by_the_program(made, files, program, tmp_path):
    qrels, runs = made
    for method, more in [("rrf", {"k": 10}), ("comb-mnz", {"normalise": "z-score", "weights": [1, 0.25]})]:
        words = [word for name, value in more.items() for word in (f"--{name}", str(value).strip("[]").replace(" ", ""))]
        out = tmp_path / f"{method}.run"
        program("fuse", files / "a.run", files / "b.run", "--method", method, *words, "--out", out, "--json")
        expected = {}
        for line in out.read_text().splitlines():
            topic, _, document, _, score, _ = line.split()
            expected.setdefault(topic, {})[document] = float(score)
        fused = ff.fuse(runs, method=method, **more)
        assert dict(fused) == expected and fused.settings["method"] == method and fused.settings["runs"] == ["a", "b"]
        found = ff.evaluate(qrels, {"fused": fused, **runs}, "ap")
        assert found.mean("fused", "ap") == ff.evaluate(qrels, out, "ap").mean()
    assert "12 topics" in repr(fused) and list(fused.frame.columns) == ["query_id", "doc_id", "score"]


def test_ids_that_a_file_cannot_hold_are_refused(made):
    with pytest.raises(ff.DataError, match="blanks"):
        ff.fuse([{"q 1": {"d": 1.0}}, {"q": {"d": 1.0}}])
    with pytest.raises(ff.ConfigError, match="rrff"):
        ff.fuse(list(made[1].values()), method="rrff")
    with pytest.raises(ff.ConfigError, match="q99"):
        ff.explain(made[0], made[1]["a"], query="q99", measure="ap")


def test_a_search_is_that_of_the_program(letor, program, tmp_path):
    files = ["--train", letor / "train.txt", "--valid", letor / "valid.txt"]
    given = ["--ranker", "linear", "--try", "lambda=[0.01, 1, 100]", "--measure", "ap", "--seed", 3]
    said = program("tune", *given, *files, "--out", tmp_path / "m.json", "--json")
    train, valid = (ff.Dataset.from_letor(letor / f"{name}.txt") for name in ("train", "valid"))
    found = ff.tune(ff.Linear(seed=3), {"lambda": [0.01, 1, 100]}, train, valid, measure="ap")
    assert (found.params, found.value, found.settings) == (said["chosen"]["setting"], said["chosen"]["value"], said["settings"])
    assert found.predict(valid).tobytes() == ff.load_model(tmp_path / "m.json").predict(valid).tobytes()
    assert json.loads((tmp_path / "m.json").read_text())["model"] == json.loads(found.model.to_text())["model"]
    assert len(found.frame) == 3 and "ap" in repr(found)
