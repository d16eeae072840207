"""Values are those of the program, to the bit, in every dialect and from every form of data."""

import math

import pandas as pd
import pytest

import fivefold as ff


def names(dialect, made):
    """Every measure in every version that it has, at a cutoff and without."""
    qrels, runs = made
    found = []
    for measure in ff.measures():
        for version in ("", ".v1", ".v2"):
            for cutoff in ("", "@5"):
                name = f"{measure}{version}{cutoff}"
                try:
                    ff.evaluate(qrels, runs, [name], dialect=dialect)
                except (ff.ConfigError, ff.DataError):
                    continue
                found.append(name)
    return found


def same(one, other):
    return one == other or (one is None and math.isnan(other))


@pytest.mark.parametrize("dialect", ff.dialects())
def test_values_are_those_of_the_program(dialect, made, files, program):
    measures = names(dialect, made)
    assert len(measures) > 60
    runs = [f"{name}={files / name}.run" for name in made[1]]
    said = program(
        "eval", "--qrels", files / "qrels.txt", "--runs", *runs, "--dialect", dialect, "--measures", *measures, "-q", "--json"
    )
    found = ff.evaluate(*made, measures, dialect=dialect)
    assert found.measures == measures and found.queries == list(made[0])
    values, place = found.values, {query: place for place, query in enumerate(found.queries)}
    left_out = found._core.left_out()
    compared = 0
    for row in said["values"]:
        system, query = found.systems.index(row["system"]), place[row["query"]]
        value = values[system, query, measures.index(row["measure"])]
        assert row.get("left_out", False) == left_out[system][query]
        if not left_out[system][query]:
            assert same(row["value"], value), row
            compared += 1
    for row in said["means"]:
        assert same(row["mean"], found.mean(row["system"], row["measure"])), row
        assert found.counts(row["system"], row["measure"]) == (row["queries"], row["undefined"])
    assert compared > 1000
    assert said["notes"][0] == found.notes[0]


def test_drawn_values_have_their_standard_error():
    # Twelve documents of one score: too many orders of four grades to take them all.
    qrels = {"q": {f"d{i:02}": i % 4 for i in range(12)}}
    found = ff.evaluate(qrels, {"a": {"q": {document: 1.0 for document in qrels["q"]}}}, ["inst", "ndcg@5"])
    [line] = [note for note in found.notes if "standard error" in note]
    assert line.startswith("inst: ") and "ndcg" not in line


def test_every_form_gives_the_same_values(made, files):
    qrels, runs = made
    expected = ff.evaluate(qrels, runs, ["ndcg@10", "ap.v2"]).values.tobytes()
    rows = lambda table, name: pd.DataFrame(
        [(topic, document, number) for topic, own in table.items() for document, number in own.items()],
        columns=["query_id", "doc_id", name],
    )
    frames = {name: rows(run, "score") for name, run in runs.items()}
    ranx = rows(qrels, "score").rename(columns={"query_id": "q_id"})
    one = pd.concat([frame.assign(name=name) for name, frame in frames.items()])
    paths = {name: files / f"{name}.run" for name in runs}
    for forms in [(rows(qrels, "relevance"), frames), (ranx, one), (files / "qrels.txt", paths), (str(files / "qrels.txt"), runs)]:
        assert ff.evaluate(*forms, ["ndcg@10", "ap.v2"], threads=2).values.tobytes() == expected
    alone = ff.evaluate(qrels, runs["a"], "ndcg@10")
    assert alone.systems == ["run"] and alone.mean() == ff.evaluate(qrels, runs, "ndcg@10").mean("a")


def test_names_of_other_programs_and_single_conventions():
    qrels, run = {"q": {"d1": 2, "d2": 1}}, {"q": {"d2": 0.9, "d1": 0.5}}
    found = ff.evaluate(qrels, run, ["P_5", "ndcg_cut_10"], dialect="trec_eval")
    assert found.measures == ["p@5", "ndcg@10"] and any("P_5" in note for note in found.notes)
    linear = ff.evaluate(qrels, run, "ndcg@10", conventions={"gain": "linear"})
    # (1 + 2 / log2(3)) / (2 + 1 / log2(3))
    assert math.isclose(linear.mean(), (1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), rel_tol=1e-15)
    assert "gain=linear" in linear.notes[0]


def test_frames_and_tables(made):
    found = ff.evaluate(*made, ["ndcg@10", "ap"], dialect="trec_eval")
    frame = found.per_query
    assert frame.shape == (24, 3) and frame["left_out"].sum() == 1
    assert found.means.loc["a", "ap"] == found.mean("a", "ap")
    assert "missing topics" in repr(found)


def test_comparisons(made):
    # The example of the crate of statistics.
    qrels = {f"q{query}": {"d": 1, "e": 0} for query in range(4)}
    found = ff.evaluate(*made, ["ap", "rr"])
    row = found.compare("ap", test="permutation", correction="holm").rows[0]
    assert (row["first"], row["second"], row["queries"]) == ("a", "b", 12)
    assert math.isclose(row["difference"], found.mean("a", "ap") - found.mean("b", "ap"), abs_tol=1e-12)
    table = found.compare("ap", baseline="b")
    assert "| a | b |" in table.to_markdown() or "| b | a |" in table.to_markdown()
    assert r"\toprule" in table.to_latex() and "<table>" in table.to_html() and len(table.frame) == 1
    assert 0 < table.rows[0]["p"] <= 1


def test_errors_teach(made, tmp_path):
    qrels, runs = made
    with pytest.raises(ff.ConfigError, match="ndgc"):
        ff.evaluate(qrels, runs, "ndgc@10")
    with pytest.raises(ff.ConfigError, match="dialect"):
        ff.evaluate(qrels, runs, "ap", dialect="treceval")
    with pytest.raises(ff.ConfigError, match="gains"):
        ff.evaluate(qrels, runs, "ap", conventions={"gains": "linear"})
    with pytest.raises(ff.DataError, match="not finite|NaN|score"):
        ff.evaluate(qrels, {"q1": {"d": float("nan")}}, "ap")
    with pytest.raises(ff.DataError, match="column"):
        ff.evaluate(pd.DataFrame({"topic": ["1"]}), runs, "ap")
    broken = tmp_path / "broken.txt"
    broken.write_text("q1 0 d1 1\nq1 0 d2\n")
    with pytest.raises(ff.DataError, match="broken.txt.*2"):
        ff.evaluate(broken, runs, "ap")
    with pytest.raises(ff.DataError, match="'mine' is of type int"):
        ff.evaluate(qrels, {"mine": 5}, "ap")
    with pytest.raises(ff.DataError):
        ff.evaluate({}, runs, "ap")
