"""Measures of rankings with their conventions, tests of significance, and learning to rank.

Numbers are those of the program `fivefold`, to the bit.

>>> import fivefold as ff
>>> qrels = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d4": 0.8, "d3": 0.5}}
>>> found = ff.evaluate(qrels, {"mine": run}, ["ndcg@10", "rr"], dialect="trec_eval")
>>> found.mean("mine", "rr")
0.75
"""

from importlib import import_module
from typing import TYPE_CHECKING

from ._fivefold import ConfigError, DataError, FitError, __version__

if TYPE_CHECKING:
    from . import rankers
    from .commands import Difference, Fused, Lint, diff, explain, fuse, lint
    from .dataset import Dataset
    from .evaluation import Comparison, Evaluation, dialects, evaluate, measures
    from .experiments import Experiment, Tuned, results, run, tune
    from ._program import ProgramError, program
    from .rankers import Model, Ranker, load_model
    from .tables import Table, Tables

#: The module of each name. Modules are loaded when they are asked for: the command `fivefold` needs none.
_MODULES = {
    "commands": ("Difference", "Fused", "Lint", "diff", "explain", "fuse", "lint"),
    "dataset": ("Dataset",),
    "evaluation": ("Comparison", "Evaluation", "dialects", "evaluate", "measures"),
    "experiments": ("Experiment", "Tuned", "results", "run", "tune"),
    "_program": ("ProgramError", "program"),
    "rankers": ("Model", "Ranker", "load_model"),
    "tables": ("Table", "Tables"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = ["ConfigError", "DataError", "FitError", "__version__", "rankers", *_PLACES]


def __getattr__(name):
    if name in _PLACES:
        return getattr(import_module(f".{_PLACES[name]}", __name__), name)
    if name == "rankers" or (name[:1].isupper() and name in _rankers()):
        module = import_module(".rankers", __name__)
        return module if name == "rankers" else module.CLASSES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _rankers():
    return import_module(".rankers", __name__).CLASSES


def __dir__():
    return sorted({*globals(), *__all__, *_rankers()})
