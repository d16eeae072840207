"""Measures of rankings with their conventions, tests of significance, and learning to rank.

Numbers are those of the program `fivefold`, to the bit.

>>> import fivefold as ff
>>> qrels = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}
>>> run = {"q1": {"d1": 0.9, "d2": 0.3}, "q2": {"d4": 0.8, "d3": 0.5}}
>>> found = ff.evaluate(qrels, {"mine": run}, ["ndcg@10", "rr"], dialect="trec_eval")
>>> found.mean("mine", "rr")
0.75
"""

from . import rankers
from ._fivefold import ConfigError, DataError, FitError, __version__
from .dataset import Dataset
from .evaluation import Comparison, Evaluation, dialects, evaluate, measures
from .program import JobFailed, program, run, tune
from .rankers import Model, Ranker, load_model

globals().update(rankers.CLASSES)

__all__ = [
    "Comparison",
    "ConfigError",
    "DataError",
    "Dataset",
    "Evaluation",
    "FitError",
    "JobFailed",
    "Model",
    "Ranker",
    "__version__",
    "dialects",
    "evaluate",
    "load_model",
    "measures",
    "program",
    "rankers",
    "run",
    "tune",
    *rankers.CLASSES,
]
