"""fivefold within ir_measures and PyTerrier."""

import numpy as np
import pandas as pd
import pytest

import fivefold as ff

ir_measures = pytest.importorskip("ir_measures")


@pytest.fixture
def irm():
    from fivefold import irm

    before = list(ir_measures.DefaultPipeline.providers)
    yield irm
    ir_measures.DefaultPipeline.providers[:] = before


def test_values_are_those_of_the_other_providers(irm, made):
    pytest.importorskip("pytrec_eval")
    from ir_measures import AP, P, RR, nDCG

    qrels, runs = made
    asked = [nDCG @ 10, nDCG @ 3, AP, AP @ 5, RR, P @ 5, AP(rel=2), P(rel=2) @ 5]
    theirs = {(own.query_id, own.measure): own.value for own in ir_measures.iter_calc(asked, qrels, runs["a"])}
    ours = {(own.query_id, own.measure): own.value for own in irm.provider.iter_calc(asked, qrels, runs["a"])}
    assert theirs.keys() == ours.keys() and len(ours) == 12 * len(asked)
    for key, value in theirs.items():
        assert np.isclose(value, ours[key], rtol=1e-12, atol=1e-15), key


def test_ir_measures_asks_us_first(irm, made):
    irm.install()
    qrels, runs = made
    assert ir_measures.DefaultPipeline.providers[0] is irm.provider
    found = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, runs["b"])[ir_measures.nDCG @ 10]
    # ir_measures counts a topic that the run lacks as 0.
    assert np.isclose(found, ff.evaluate(qrels, runs["b"], "ndcg@10", dialect="trec_eval", conventions={"missing_topics": "zero"}).mean())
    assert ff.evaluate(qrels, runs["a"], [ir_measures.nDCG @ 10]).measures
    assert not irm.provider.supports(ir_measures.define(lambda qrels, run: 0.0, name="own"))


def test_pyterrier_measures_and_learns_with_us(irm):
    pt = pytest.importorskip("pyterrier")
    irm.install()
    rng = np.random.default_rng(4)
    rows = [(f"q{query}", f"d{query}-{place}", rng.integers(0, 3)) for query in range(12) for place in range(8)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label"])
    frame = qrels[["qid", "docno"]].assign(query="text", rank=0, score=0.0)
    frame["features"] = [np.array([label + rng.normal(), rng.normal()]) for label in qrels["label"]]
    learned = pt.ltr.apply_learned_model(ff.LambdaMART(trees=10), form="ltr")
    half = frame["qid"].isin([f"q{query}" for query in range(6)])
    learned.fit(frame[half], qrels, frame[~half], qrels)
    scored = learned.transform(frame[~half])
    assert scored["score"].nunique() > 1
    topics = frame[~half][["qid", "query"]].drop_duplicates()
    table = pt.Experiment([scored], topics, qrels[~half], ["ndcg_cut_5", "map"], names=["ours"])
    run = {qid: dict(zip(own["docno"], own["score"])) for qid, own in scored.groupby("qid")}
    graded = {qid: dict(zip(own["docno"], own["label"])) for qid, own in qrels[~half].groupby("qid")}
    found = ff.evaluate(graded, run, ["ndcg@5", "ap"], dialect="trec_eval")
    assert np.isclose(table["ndcg_cut_5"][0], found.mean(None, "ndcg@5")) and np.isclose(table["map"][0], found.mean(None, "ap"))
