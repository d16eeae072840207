"""Evaluation of runs against qrels, and of scores against the grades of a data set."""

import json
import os
from collections.abc import Mapping

import numpy as np

from . import _fivefold
from .dataset import Dataset
from .forms import DOCUMENT, GRADE, SCORE, TOPIC, columns_of, is_frame, plain
from .registries import summaries, with_registries
from .tables import Tabular

#: Columns of names of systems.
NAME = ("name", "system", "run", "tag")


@with_registries
def evaluate(
    qrels,
    runs,
    measures=("ndcg@10", "ap", "rr"),
    *,
    dialect="paper",
    conventions=None,
    max_grade=None,
    duplicates="error",
    seed=0,
    threads=1,
):
    """Measure systems.

    Parameters
    ----------
    qrels : path, dict, DataFrame or Dataset
        A TREC file, `{topic: {document: grade}}`, a frame with columns of topics, documents and
        grades (as ir_measures or ranx name them), or a `Dataset`, whose grades are then taken.
    runs : path, dict or DataFrame, or a dict of systems
        One system or `{name: system}`. A system is a TREC file, `{topic: {document: score}}` or a
        frame. With a `Dataset`, a system is an array of scores, one for each document in its order.
    measures : str or list of str
        Measures in any spelling that the program reads: `ndcg@10`, `ap.v2`, `P_10`, `nDCG@10`,
        `ndcg(gain=linear)@10`. The measures and their parameters are listed below.
    dialect : str
        The conventions of a program or paper, listed below.
    conventions : dict, optional
        Single conventions that override the dialect, such as `{"gain": "linear"}`, listed below.
    max_grade : int, optional
        The highest possible grade; by default the highest grade in the data.
    duplicates : str
        What to do with a document that stands twice under a topic:

        [[duplicates]]
    seed : int
        The seed of ties that are shuffled, and of drawn orders.
    threads : int
        How many threads work; 0 for one on each processor. Values do not depend on it.

    Returns
    -------
    Evaluation

    Raises
    ------
    DataError
        If the data cannot be read or do not fit together.
    ConfigError
        If a measure, a dialect or a convention is not known.

    Notes
    -----
    Measures, each with its parameters. A default that depends on the dialect is first that of most
    dialects, then those of the others:

    [[measures]]

    Dialects:

    [[dialects]]

    Conventions:

    [[conventions]]
    """
    # Measures of ir_measures, too, which tell their names.
    measures = [str(own) for own in ([measures] if isinstance(measures, str) or not hasattr(measures, "__iter__") else measures)]
    overrides = json.dumps(dict(conventions or {}))
    if isinstance(qrels, Dataset):
        systems = runs if isinstance(runs, Mapping) else {"scores": runs}
        scores = [(str(name), _scores(name, values)) for name, values in systems.items()]
        core = _fivefold.evaluate_scores(
            qrels._core, scores, measures, dialect, overrides, max_grade, seed, threads
        )
        return Evaluation(core)
    systems = [(name, _form(system, SCORE)) for name, system in _systems(runs)]
    core = _fivefold.evaluate_runs(
        _form(qrels, GRADE), systems, measures, dialect, overrides, max_grade, duplicates, seed, threads
    )
    return Evaluation(core)


def _scores(name, values):
    scores = np.ascontiguousarray(values, dtype=np.float64)
    if scores.ndim != 1:
        raise _fivefold.DataError(f"{name}: scores are a row of numbers, not an array of shape {scores.shape}")
    return scores


def _systems(runs):
    """Pairs of a name and a system."""
    if isinstance(runs, Mapping):
        first = next(iter(runs.values()), None)
        is_one = isinstance(first, Mapping) and not any(isinstance(value, Mapping) for value in first.values())
        if is_one:
            return [("run", runs)]
        for name, system in runs.items():
            if not (isinstance(system, (Mapping, str, os.PathLike)) or is_frame(system)):
                raise _fivefold.DataError(f"run {name!r} is of type {type(system).__name__}; give a path, a dict or a frame")
        return [(str(name), system) for name, system in runs.items()]
    if isinstance(runs, (str, os.PathLike)):
        return [(os.fspath(runs), runs)]
    if is_frame(runs):
        names = [column for column in NAME if column in runs.columns]
        if names:
            return [(str(name), frame) for name, frame in runs.groupby(names[0], sort=False)]
        return [("run", runs)]
    if isinstance(runs, (list, tuple)):
        if not all(isinstance(run, (str, os.PathLike)) for run in runs):
            raise _fivefold.DataError("a list of runs is a list of paths; give other runs as a dict of names")
        return [(os.fspath(run), run) for run in runs]
    raise _fivefold.DataError(f"a run is a path, a dict or a frame, not {type(runs).__name__}")


def _form(source, numbers):
    """A source as the extension takes it: a path, a dict, or three columns."""
    if is_frame(source):
        return columns_of(source, TOPIC, DOCUMENT, numbers)
    if isinstance(source, Mapping):
        return plain(source)
    if isinstance(source, (str, os.PathLike)):
        return source
    raise _fivefold.DataError(f"qrels and runs are paths, dicts or frames, not {type(source).__name__}")


class Evaluation(Tabular):
    """The values of systems on queries. As a table, the means of the systems.

    Attributes
    ----------
    measures, systems, queries : list of str
    notes : list of str
        The conventions of the numbers and remarks on the data, a line each.
    """

    def __init__(self, core):
        self._core = core
        self.measures, self.systems, self.queries = core.measures, core.systems, core.queries
        self.notes = core.notes
        self.columns = ["system", *self.measures]

    def _values(self):
        # A mean of no query is missing.
        means = [[self.mean(system, measure) for measure in self.measures] for system in self.systems]
        return [[system, *(None if mean is None or mean != mean else mean for mean in row)] for system, row in zip(self.systems, means)]

    @property
    def values(self):
        """Systems x queries x measures; NaN where a value is undefined."""
        return self._core.values()

    def mean(self, system=None, measure=None):
        """The mean of a system under a measure; the first of each if there is only one."""
        return self._core.mean(self._place(self.systems, system), self._place(self.measures, measure))[0]

    def counts(self, system=None, measure=None):
        """How many queries are in the mean, and how many of all have an undefined value."""
        return self._core.mean(self._place(self.systems, system), self._place(self.measures, measure))[1:]

    @staticmethod
    def _place(names, name):
        if name is None and len(names) == 1:
            return 0
        if name in names:
            return names.index(name)
        raise _fivefold.ConfigError(f"{name!r} is none of {', '.join(names)}")

    @property
    def means(self):
        """A DataFrame of means: systems x measures."""
        import pandas as pd

        rows = [[self.mean(system, measure) for measure in self.measures] for system in self.systems]
        return pd.DataFrame(rows, index=pd.Index(self.systems, name="system"), columns=self.measures)

    @property
    def per_query(self):
        """A DataFrame with a row for each system and query, and a column for each measure.

        NaN stands for an undefined value. `left_out` says whether the means leave the query out.
        """
        import pandas as pd

        index = pd.MultiIndex.from_product([self.systems, self.queries], names=["system", "query"])
        values = self.values.reshape(-1, len(self.measures))
        frame = pd.DataFrame(values, index=index, columns=self.measures)
        frame["left_out"] = np.concatenate([np.asarray(own, dtype=bool) for own in self._core.left_out()])
        return frame

    @with_registries
    def compare(
        self,
        measure=None,
        *,
        baseline=None,
        test="t",
        correction="none",
        draws=1000,
        confidence=0.95,
        seed=1,
        threads=1,
    ):
        """Test the differences between systems under a measure.

        All pairs are compared, or each system with `baseline`. A query counts if its value counts
        in the means of all systems.

        Parameters
        ----------
        measure : str, optional
            One of the measures; may be left out if there is one.
        baseline : str, optional
            The system with which the others are compared.
        test : str
            The test of significance:

            [[tests]]
        correction : str
            The correction of p-values for the number of comparisons:

            [[corrections]]
        draws : int
            How many draws a test takes that draws at random.
        confidence : float
            The level of the intervals of differences.
        seed : int
            The seed of the draws.
        threads : int
            How many threads work; 0 for one on each processor.

        Returns
        -------
        Comparison
        """
        column = self._place(self.measures, measure)
        counted = [self._core.counted(system, column) for system in range(len(self.systems))]
        kept = [query for query in range(len(self.queries)) if all(own[query] is not None for own in counted)]
        values = [[own[query] for query in kept] for own in counted]
        place = None if baseline is None else self._place(self.systems, baseline)
        rows = _fivefold.compare(values, place, test, correction, draws, confidence, seed, threads)
        note = f"{self.measures[column]}; test: {test}; correction: {correction}; {len(kept)} of {len(self.queries)} queries"
        return Comparison(rows, self.systems, [note, *self.notes])

    def __repr__(self):
        head = f"{len(self.queries)} queries, {len(self.systems)} systems"
        lines = [
            f"{system}: " + ", ".join(f"{measure} {self.mean(system, measure):.4f}" for measure in self.measures)
            for system in self.systems
        ]
        return "\n".join([head, *lines, *(f"  {note}" for note in self.notes)])


class Comparison(Tabular):
    """Tests of the differences between systems.

    Attributes
    ----------
    rows : list of dict
        A row for each comparison. `adjusted_p` is p after the correction, `low` and `high` are the ends
        of the interval of the difference, and None stands for what is not defined.
    notes : list of str
        The conventions, a line each.
    """

    columns = ("first", "second", "queries", "difference", "statistic", "p", "adjusted_p", "effect", "low", "high", "method")

    def __init__(self, rows, systems, notes):
        self.notes = notes
        told = [(systems[row[0]], systems[row[1]], *row[2:8], *(row[8] or (None, None)), row[9]) for row in rows]
        self.rows = [dict(zip(self.columns, row, strict=True)) for row in told]

    def _values(self):
        return [list(row.values()) for row in self.rows]

    def __repr__(self):
        return self.to_markdown()


def dialects():
    """The dialects: a dict of names and what each stands for."""
    return summaries("dialects")


def measures():
    """The measures: a dict of names and what each means."""
    return summaries("measures")
