"""Docstrings say what the registries say; here they are compared with what the program lists."""

import inspect
import re
import subprocess
import sys

import pytest

import fivefold as ff


def words(text):
    """A text in one line."""
    return " ".join(text.split())


def test_evaluate_lists_every_measure_and_every_dialect(program):
    doc = words(ff.evaluate.__doc__)
    measures, dialects = program("measures", "--json"), program("dialects", "--json")
    listed = [measure for measure in measures if measure["name"] in ff.measures()]
    # Only measures of subtopics are not for runs with plain qrels.
    assert {measure["asks"][:9] for measure in measures if measure not in listed} <= {"subtopics"}
    assert len(listed) > 20 and set(ff.measures()) == {measure["name"] for measure in listed}
    for measure in listed:
        assert words(f"{measure['name']} : {measure['summary']} Cutoff: {measure['cutoff']}.") in doc
        for own in measure["parameters"]:
            assert words(f"{own['name']} : default {own['default']} {own['help']}; {own['values']}") in doc, own
    assert ff.dialects() == {dialect["name"]: dialect["summary"] for dialect in dialects}
    for dialect in dialects:
        assert words(f"{dialect['name']} : {dialect['summary']}") in doc
    for convention in dialects[0]["conventions"]:
        [default] = re.findall(rf"(?<= ){convention} : default (.*?)(?= [a-z_]+ : default |$)", doc.partition("Conventions:")[2])
        for dialect in dialects:
            assert str(dialect["conventions"][convention]) in default, (convention, dialect["name"])


def test_a_ranker_documents_every_parameter(program):
    rankers = {ranker["name"]: ranker for ranker in program("rankers", "--json")}
    assert len(ff.rankers.CLASSES) > 10
    for ranker in ff.rankers.CLASSES.values():
        told, doc = rankers[ranker.kind], words(ranker.__doc__)
        assert doc.lower().startswith(told["summary"].lower())
        arguments = inspect.signature(ranker).parameters
        for own in told["parameters"]:
            argument = own["name"] + ("_" if own["name"] == "lambda" else "")
            default = "unset" if own["default"] is None else repr(own["default"])
            assert words(f"{argument} : default {default} {own['help']}") in doc
            assert arguments[argument].default == own["default"]
        assert ranker.presets == {preset["name"]: preset["summary"] for preset in told["presets"]}
        for name, summary in ranker.presets.items():
            assert words(f"{name} : {summary}") in doc.partition("Presets")[2]
        assert set(arguments) == {own["name"].replace("lambda", "lambda_") for own in told["parameters"]} | {"seed", "threads"}


def test_other_functions_list_what_can_be_asked_for(program):
    fuse, told = words(ff.fuse.__doc__), words(program("fuse", "--help"))
    for option in ("--method", "--normalise"):
        part = told.partition(f"{option} <NAME>")[2].partition("Possible values: ")[2]
        listed = re.findall(r"- ([a-z-]+): (.*?)(?= - [a-z-]+: | \[default| --)", part.partition(" <")[0])
        assert len(listed) >= 6
        for name, summary in listed:
            assert f" {name} : {summary} " in fuse, name
    assert " k : default 60 " in fuse and " phi : default 0.8 " in fuse
    compare, told = words(ff.Evaluation.compare.__doc__), words(program("compare", "--help"))
    for option, argument in (("--test", "test"), ("--correction", "correction")):
        [names] = re.findall(rf"{option} <NAME> .*?\[possible values: ([a-z, -]+)\]", told)
        assert re.findall(r" ([a-z-]+) : ", compare.partition(f" {argument} : str ")[2])[: len(names.split(", "))] == names.split(", ")
    # A policy that the docstring names is taken, and no other.
    named = re.findall(r" (error|first|last|highest) : ", words(ff.evaluate.__doc__).partition("duplicates : str")[2].partition("seed : int")[0])
    for policy in named:
        ff.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "ap", duplicates=policy)
    with pytest.raises(ff.ConfigError, match=", ".join(named)):
        ff.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "ap", duplicates="none")


@pytest.mark.skipif(sys.flags.optimize > 1, reason="python -OO has no docstrings")
def test_no_marker_is_left_and_every_name_has_a_docstring():
    for name in ff.__all__:
        own = getattr(ff, name)
        if callable(own):
            assert own.__doc__ and "[[" not in own.__doc__, name
            members = [getattr(own, member) for member in dir(own) if not member.startswith("_")]
            assert all(member.__doc__ for member in members if inspect.isfunction(member)), name


def test_the_package_works_without_docstrings():
    code = "import fivefold as ff; print(ff.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}, 'ap').mean(), ff.LambdaMART(trees=2))"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1.0 LambdaMART(trees=2)\n"
