"""Dicts of every kind give the values of the same data in files, to the bit."""

import math
import random
import sys
from collections import OrderedDict, defaultdict
from decimal import Decimal
from types import MappingProxyType

import numpy as np
import pytest

import fivefold as ff
from fivefold import _fivefold

MEASURES = ["ndcg@10", "ndcg@3", "ap", "ap.v2", "rr", "p@5", "bpref", "judged@10", "rbp", "ndcg.v1@5"]


@pytest.fixture(params=[True, False], ids=["from memory", "by calls"], autouse=True)
def way(request):
    """Every test runs in both ways of reading dicts."""
    _fivefold.read_dicts_from_memory(request.param)
    yield
    _fivefold.read_dicts_from_memory(True)


def test_dicts_are_read_from_memory_where_the_layout_is_known():
    usual = sys.implementation.name == "cpython" and object.__basicsize__ == 16 and not hasattr(sys, "gettotalrefcount")
    known = (3, 11) <= sys.version_info < (3, 14) and usual and sys.maxsize == 2**63 - 1
    assert _fivefold.read_dicts_from_memory(True) == known
    assert not _fivefold.read_dicts_from_memory(False)


def ids(rng):
    """Ids of every length, of which many differ in one letter alone, and some are not ASCII."""
    lengths = [*range(1, 20), 25, 40]
    made = {f"{'d' * (length - 1)}{letter}" for length in lengths for letter in "abé"}
    made |= {f"{letter}{'d' * (length - 1)}" for length in lengths for letter in "xyz"}
    made |= {f"clueweb09-en{rng.randrange(10**4):04}-{rng.randrange(99):02}-{rng.randrange(10**5):05}" for _ in range(20)}
    made |= {str(rng.randrange(10**7)) for _ in range(40)}
    return sorted(made)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Qrels, and a run with ties, scores that are equal as 32-bit floats alone, negative scores, and unjudged documents."""
    rng = random.Random(11)
    qrels, run = {}, {}
    for topic in range(12):
        known = rng.sample(ids(rng), 90)
        qrels[str(topic)] = {document: rng.choice([0, 0, 0, 1, 2, 3, -1]) for document in known[:60]}
        scores = [0.5, 0.5 + 1e-9, -3.0, 0.0, -0.0, 7.0, *[rng.gauss(0, 1) for _ in range(20)]]
        run[str(topic)] = {document: rng.choice(scores) for document in rng.sample(known, 70)}
    # One topic without ties, in the order of its scores.
    run["3"] = {document: 100.0 - place for place, document in enumerate(run["3"])}
    return qrels, run, tmp_path_factory.mktemp("dicts")


def of_files(qrels, run, folder, dialect, **settings):
    """The values of the same data from files."""
    lines = [f"{topic} 0 {document} {grade}\n" for topic, own in qrels.items() for document, grade in own.items()]
    (folder / "qrels").write_text("".join(lines), "utf-8")
    lines = [f"{topic} Q0 {document} 0 {float(score)!r} x\n" for topic, own in run.items() for document, score in own.items()]
    (folder / "run").write_text("".join(lines), "utf-8")
    return ff.evaluate(folder / "qrels", folder / "run", MEASURES, dialect=dialect, **settings)


def same(one, other):
    assert one.queries == other.queries
    assert one.values.tobytes() == other.values.tobytes()
    remarks = [[note.partition(": ")[2] for note in found.notes if "documents" in note] for found in (one, other)]
    assert remarks[0] == remarks[1]


@pytest.mark.parametrize("dialect", ff.dialects())
def test_a_dict_has_the_values_of_a_file(data, dialect):
    qrels, run, folder = data
    for conventions in ({}, {"unjudged": "removed"}, {"ties": "average"}, {"scores": "f32"}):
        expected = of_files(qrels, run, folder, dialect, conventions=conventions)
        for threads in (1, 2):
            same(ff.evaluate(qrels, run, MEASURES, dialect=dialect, conventions=conventions, threads=threads), expected)


class Text(str):
    """A text whose hash and equality are its own."""

    __hash__ = str.__hash__

    def __eq__(self, other):
        return str.__eq__(self, other)


class Number(float):
    """A number that says another number, which does not count."""

    def __float__(self):
        return 0.0


class Reversed(dict):
    """A dict that gives its items in another order."""

    def items(self):
        return reversed(super().items())


def mapped(table, kind, key=lambda key: key, value=lambda value: value):
    return kind({key(topic): kind({key(document): value(own) for document, own in table[topic].items()}) for topic in table})


@pytest.mark.parametrize("dialect", ["trec_eval", "paper", "ranklib"])
def test_values_do_not_depend_on_the_types(data, dialect):
    qrels, run, folder = data
    expected = of_files(qrels, run, folder, dialect)
    kinds = [OrderedDict, MappingProxyType, lambda table: defaultdict(dict, table)]
    forms = [(mapped(qrels, kind), mapped(run, kind)) for kind in kinds]
    forms += [(mapped(qrels, dict, Text), mapped(run, dict)), (qrels, mapped(run, dict, Text))]
    forms += [(mapped(qrels, dict, value=kind), run) for kind in (np.int64, np.int32)]
    forms += [(qrels, mapped(run, dict, value=kind)) for kind in (np.float64, Decimal)]
    # Topics that are numbers stand for their texts, in both or in one.
    number = lambda table: {int(topic): own for topic, own in table.items()}
    forms += [(number(qrels), number(run)), (number(qrels), run), (qrels, number(run))]
    # One topic of another kind than the others; the text of True is no topic of the qrels.
    forms += [(qrels, {**run, True: {"d": 1.0}}), (qrels, {True: {"d": 1.0}, **run}), (qrels, {**run, 3.5: {"d": 1.0}})]
    forms += [(qrels, {**run, "4": Reversed(run["4"])}) for _ in range(dialect != "ranklib")]
    for one, other in forms:
        same(ff.evaluate(one, other, MEASURES, dialect=dialect), expected)


class Fields:
    """Objects whose dicts share their keys."""


def fields(documents):
    own = Fields()
    for document, number in documents.items():
        setattr(own, document, number)
    return vars(own)


def with_a_history(documents):
    """The same dict, from which others were removed: at its ends and between."""
    grown = {}
    for place, (document, number) in enumerate(documents.items()):
        grown[f"removed {place}"] = 9.0
        grown[document] = number
    grown["last"] = 9.0
    return without(grown, documents)


def without(grown, documents):
    for document in [own for own in grown if own not in documents]:
        del grown[document]
    return grown


@pytest.mark.parametrize("dialect", ["trec_eval", "paper"])
def test_values_do_not_depend_on_how_a_dict_came_about(data, dialect):
    qrels, run, folder = data
    # All ids are plain ASCII in half of the topics.
    ascii_only = lambda table: {
        topic: {document: own for document, own in table[topic].items() if document.isascii() or int(topic) % 2} for topic in table
    }
    qrels, run = ascii_only(qrels), ascii_only(run)
    expected = of_files(qrels, run, folder, dialect)
    anew = lambda documents: {"".join(list(document)): own for document, own in documents.items()}
    once_with_a_number = lambda documents: without({**documents, 7: 9.0}, documents)
    for made in (anew, with_a_history, fields, once_with_a_number, lambda documents: documents.copy()):
        of_all = lambda table: {topic: made(own) for topic, own in table.items()}
        for one, other in [(qrels, of_all(run)), (of_all(qrels), run), (of_all(qrels), of_all(run))]:
            same(ff.evaluate(one, other, MEASURES, dialect=dialect), expected)
    same(ff.evaluate(folder / "qrels", run, MEASURES, dialect=dialect), expected)


def test_dicts_of_every_size(data):
    *_, folder = data
    for size in [*range(1, 14), 21, 22, 43, 85, 86, 170, 171, 1000, 50_000]:
        run = {"q": {f"d{number}": float(-number) for number in range(size)}}
        qrels = {"q": {f"d{number}": number % 3 for number in range(0, 2 * size, 3)}}
        same(ff.evaluate(qrels, run, MEASURES, dialect="trec_eval"), of_files(qrels, run, folder, "trec_eval"))


@pytest.mark.parametrize("dialect", ["trec_eval", "paper"])
def test_whole_numbers_bools_and_numbers_of_other_kinds_are_scores(data, dialect):
    qrels, run, folder = data
    whole = mapped(run, dict, value=lambda score: round(score * 2))
    expected = of_files(qrels, whole, folder, dialect)
    kinds = [int, float, np.int32, np.float32, Number, lambda score: float(score) if score % 2 else score]
    for kind in kinds:
        same(ff.evaluate(qrels, mapped(whole, dict, value=kind), MEASURES, dialect=dialect), expected)
    signs = mapped(run, dict, value=lambda score: score > 0)
    same(ff.evaluate(qrels, signs, MEASURES, dialect=dialect), of_files(qrels, signs, folder, dialect))


def test_documents_that_are_numbers_stand_for_their_texts():
    texts = ff.evaluate({"q": {"1": 2, "10": 1}}, {"q": {"10": 2.0, "1": 1.0}}, MEASURES, dialect="trec_eval")
    same(ff.evaluate({"q": {1: 2, 10: 1}}, {"q": {10: 2.0, 1: 1.0}}, MEASURES, dialect="trec_eval"), texts)
    same(ff.evaluate({"q": {"1": 2, "10": 1}}, {"q": {10: 2.0, "1": 1.0}}, MEASURES, dialect="trec_eval"), texts)


@pytest.mark.parametrize("threads", [1, 2])
def test_faults_are_named(threads):
    qrels, good = {"q": {"d": 1}, "r": {"d": 1}}, {"q": {"d": 1.0}}
    for run, said in [
        ({"q": {"d": 1.0, "e": math.nan}}, "NaN|finite"),
        ({"x": {"d": math.nan}, "q": {"d": 1.0}}, "NaN|finite"),
        ({"q": {"d": 1.0}, "r": {"d": -math.inf}}, "inf|finite"),
        ({"q": {"d": 10**400}}, "large|range|finite"),
        ({"q": {"1": 1.0, 1: 2.0}}, "twice|stands"),
        ({1: {"d": 1.0}, "1": {"d": 2.0}}, "twice|stands"),
        ({"q": {}}, "no document|empty"),
        ({"x": {"d": 1.0}}, "no topic of the run is in the qrels"),
        ({"q": {"\ud800": 1.0}}, "surrogate|utf"),
        ({"q": {"d": "1.0"}}, "str|number"),
        ({"q": {"d": None}}, "None|number"),
    ]:
        with pytest.raises((ff.DataError, TypeError, ValueError, OverflowError), match=said):
            ff.evaluate(qrels, {"good": good, "bad": run}, ["ap"], threads=threads)
    # Where a document may stand twice, the rule decides, as in a file.
    for rule, value in [("first", 0.5), ("last", 1.0), ("highest", 1.0)]:
        found = ff.evaluate(qrels, {"q": {"d": 1.0, "e": 2.0, Text("e2"): 0.0}}, "rr", duplicates=rule)
        assert found.values[0, 0, 0] == 0.5
        found = ff.evaluate(qrels, {1: {"x": 1.0}, "q": {"e": 2.0, "1": 1.0, 1: 3.0, "d": 2.5}}, "rr", duplicates=rule)
        assert found.values[0, 0, 0] == {"first": 1.0, "last": 0.5, "highest": 0.5}[rule]


def test_other_runs_keep_their_values_beside_a_slow_one(data):
    qrels, run, folder = data
    slow = {**run, "5": OrderedDict(run["5"]), "6": {document: Decimal(score) for document, score in run["6"].items()}}
    other = {topic: dict(reversed(own.items())) for topic, own in run.items()}
    for threads in (1, 2):
        found = ff.evaluate(qrels, {"a": other, "slow": slow, "b": run}, MEASURES, dialect="trec_eval", threads=threads)
        expected = of_files(qrels, run, folder, "trec_eval").values
        assert found.systems == ["a", "slow", "b"] and found.values.tobytes() == np.concatenate([expected] * 3).tobytes()
