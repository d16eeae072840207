"""Explain a value, compare two sides, look for problems in data, and combine runs: commands of the program."""

import json
import os
from collections.abc import Mapping

import numpy as np

from .dataset import Dataset
from .forms import GRADE, SCORE, as_file, is_frame
from ._program import call, call_json, conventions_options, options, workspace
from .rankers import Model, Ranker
from .registries import with_registries
from .tables import Tables


def explain(
    source,
    against=None,
    *,
    query,
    measure=None,
    document=None,
    dialect=None,
    conventions=None,
    duplicates="error",
    rows=20,
    seed=0,
):
    """Show the arithmetic of a value, or why a model scores a document as it does.

    Parameters
    ----------
    source : qrels, Dataset, or a model
        Qrels in any form of `evaluate` with a run; a `Dataset` with scores; or a fitted ranker, a
        `Model` or a model file with a `Dataset`.
    against : run, scores or Dataset
    query : str
        The id of the query.
    measure : str
        The measure, such as `ndcg@5`. A model has none.
    document : str or int, optional
        Of a model: the id of the document, or its number in the query from 1. By default the highest.
    rows : int
        How many positions, or features, are shown.

    Returns
    -------
    Tables
    """
    with workspace() as folder:
        if measure is None:
            files = [_model_file(source, folder), "--data", _letor_file(against, folder)]
            more = options(document=document)
        else:
            files = _scored(source, against, folder, "--run", duplicates)
            more = [*options(measure=measure, seed=seed), *conventions_options(dialect, conventions)]
        return Tables(call_json("explain", *files, *options(query=query, rows=rows), *more))


def diff(
    one,
    other,
    *,
    qrels=None,
    run=None,
    data=None,
    scores=None,
    measures=None,
    dialect=None,
    conventions=None,
    data_dir=None,
    without_data=False,
    duplicates="error",
    queries=5,
    seed=0,
):
    """Compare two dialects on the same scores, two systems, or two results folders, and say what makes them differ.

    Parameters
    ----------
    one, other : str, run or scores
        Names of dialects, with `qrels` and `run` or `data` and `scores`; two runs, with `qrels`; two
        arrays of scores, with `data`; or two results folders.
    data : Dataset, optional
    measures : str or list of str, optional
        By default ndcg@10 and ap. Results folders have measures of their own.
    data_dir : path, optional
        Of results folders: the folder with their data; `without_data` compares without.
    queries : int
        How many differing queries are shown.

    Returns
    -------
    Difference
        Tables; `differs` says whether a value differs.
    """
    measures = ",".join([measures] if isinstance(measures, str) else measures) if measures else None
    with workspace() as folder:
        sides = [_side(side, folder, name, data) for side, name in [(one, "one"), (other, "other")]]
        files = []
        if qrels is not None:
            files += ["--qrels", as_file(qrels, folder, "qrels", GRADE), "--duplicates", duplicates]
            files += [] if run is None else ["--run", as_file(run, folder, "run", SCORE)]
        if data is not None:
            files += ["--data", _letor_file(data, folder)]
            files += [] if scores is None else ["--scores", _score_file(scores, folder, "scores")]
        more = options(measures=measures, data_dir=data_dir, without_data=without_data, queries=queries, seed=seed)
        more += [*conventions_options(dialect, conventions), "--json"]
        told, is_same = call("diff", *sides, *files, *more)
    found = Difference(json.loads(told))
    found.differs = not is_same
    return found


class Difference(Tables):
    """The tables of a comparison; `differs` says whether a value differs."""

    differs = False


def lint(*sources, qrels=None, runs=None):
    """Look for all problems of data, and describe what the data hold.

    Parameters
    ----------
    *sources : path or Dataset
        LETOR files, folders of collections, qrels, runs, score files.
    qrels : dict or DataFrame, optional
    runs : dict or DataFrame of one run, optional

    Returns
    -------
    Lint
    """
    with workspace() as folder:
        files = [_letor_file(source, folder, f"data-{number}.txt") for number, source in enumerate(sources, 1)]
        files += [] if qrels is None else [as_file(qrels, folder, "qrels", GRADE)]
        files += [] if runs is None else [as_file(runs, folder, "run", SCORE)]
        return Lint(call_json("lint", *files), call("lint", *files)[0])


class Lint:
    """What `lint` found.

    Attributes
    ----------
    report : dict
        What the program prints with `--json`.
    problems : list
        The problems, each with its file, line and text.
    count : int
        How many problems there are; the program lists the first of each kind.
    """

    def __init__(self, report, text):
        self.report, self._text = report, text
        self.problems, self.count = report["problems"]["listed"], report["problems"]["count"]

    def __bool__(self):
        return self.count > 0

    def __repr__(self):
        return self._text.rstrip()


@with_registries
def fuse(
    runs, *, method="rrf", normalise=None, k=None, phi=None, weights=None, ties=None, depth=None, duplicates="error"
):
    """Combine runs into one.

    Parameters
    ----------
    runs : list, or dict of systems
        Two or more runs, in any form of `evaluate`.
    method : str
        The method:

        [[methods]]
    normalise : str, optional
        How scores are normalised first, by default `min-max`:

        [[normalisers]]
    k, phi : float, optional
        The constant of a method that has one.
    weights : list of float, or dict, optional
        A weight for each run.
    depth : int, optional
        How many documents of a topic are kept.

    Returns
    -------
    Fused
        The run, `{topic: {document: score}}`, which `evaluate` takes as it is.
    """
    named = dict(runs) if isinstance(runs, Mapping) else {f"run-{place}": run for place, run in enumerate(runs, 1)}
    if isinstance(weights, Mapping):
        weights = [weights[name] for name in named]
    with workspace() as folder:
        files = [as_file(run, folder, f"run-{place}", SCORE) for place, run in enumerate(named.values(), 1)]
        weights = None if weights is None else ",".join(repr(float(weight)) for weight in weights)
        more = options(method=method, normalise=normalise, k=k, phi=phi, weights=weights, ties=ties, depth=depth)
        out = folder / "fused.run"
        told = call_json("fuse", *files, *more, *options(duplicates=duplicates, out=out))
        fused = Fused()
        with open(out, encoding="utf-8", newline="") as lines:
            for line in lines:
                topic, _, document, _, score, _ = line.split()
                fused.setdefault(topic, {})[document] = float(score)
    fused.settings = {name: value for name, value in told.items() if name not in ("out", "runs")} | {"runs": list(named)}
    return fused


class Fused(dict):
    """A combined run, `{topic: {document: score}}`; `settings` says how it was made."""

    settings: dict = {}

    @property
    def frame(self):
        """A DataFrame with the columns query_id, doc_id and score."""
        import pandas as pd

        rows = [(topic, document, score) for topic, own in self.items() for document, score in own.items()]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])

    def __repr__(self):
        documents = sum(map(len, self.values()))
        return f"Fused({self.settings.get('method')}: {len(self)} topics, {documents} documents)"


def _scored(source, against, folder, run, duplicates):
    """The arguments for grades with scores: qrels with a run, or LETOR text with a score file."""
    if isinstance(source, Dataset):
        return [_letor_file(source, folder), _score_file(against, folder, "scores")]
    files = ["--qrels", as_file(source, folder, "qrels", GRADE), run, as_file(against, folder, "run", SCORE)]
    return [*files, "--duplicates", duplicates]


def _side(side, folder, name, data):
    """A side of a comparison: a name or a path, or else a file with the run or the scores."""
    if isinstance(side, (str, os.PathLike)):
        return side
    if data is None or isinstance(side, Mapping) or is_frame(side):
        return as_file(side, folder, name, SCORE)
    return _score_file(side, folder, name)


def _letor_file(source, folder, name="data.txt"):
    if not isinstance(source, Dataset):
        return source
    source.to_letor(folder / name)
    return folder / name


def _score_file(scores, folder, name):
    if isinstance(scores, (str, os.PathLike)):
        return scores
    path = folder / f"{name}.txt"
    path.write_text("".join(f"{score!r}\n" for score in np.asarray(scores, dtype=np.float64).tolist()), encoding="utf-8")
    return path


def _model_file(source, folder):
    if isinstance(source, Ranker):
        source = source.fitted()
    if not isinstance(source, Model):
        return source
    source.save(folder / "model.json")
    return folder / "model.json"
