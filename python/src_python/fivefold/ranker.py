"""Runs a class in Python as a ranker of an experiment: `kind = "python"`.

    python -m fivefold.ranker CLASS TRAIN VALIDATION TEST SCORES SEED [NAME=VALUE ...]

CLASS is FILE:CLASS or MODULE:CLASS. The data are LETOR text, and all grades of the test part are 0. The class is made with
the parameters, which are JSON, and learns by the first of these calls that it has arguments for:

- `fit(X, y, qid, valid, seed)`: `qid` has the number of each document's query, from 0, and `valid` is (X, y, qid) of the
  validation part. A class may leave out each of the last three.
- as LightGBM's, XGBoost's and CatBoost's rankers: `group` (documents of each query), `qid` or `group_id`, with `eval_set`
  and the queries of the validation part;
- `fit(X, y)`, as a regressor of scikit-learn.

Then `predict(X)` gives a score for each document of the test part. Parameters of the class that are not given:
`random_state`, `random_seed` or `seed` is the seed, and `n_jobs` or `thread_count` is 1, since several folds run at a
time. Python's and numpy's own random numbers begin with the seed, too.
"""

import importlib
import importlib.util
import inspect
import json
import os
import random
import sys

import numpy as np

from .dataset import Dataset

#: Parameters that are given a value unless the experiment has one.
SEEDS, THREADS = ("random_state", "random_seed", "seed"), ("n_jobs", "thread_count")


def load_class(place):
    """The class FILE:CLASS or MODULE:CLASS."""
    where, _, name = place.rpartition(":")
    if where.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(where)))
        spec = importlib.util.spec_from_file_location(os.path.basename(where).removesuffix(".py"), where)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(where)
    found = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def make(kind, params, seed):
    """The class with its parameters, with a seed and a thread if it takes them."""
    taken = inspect.signature(kind).parameters
    usual = {name: seed for name in SEEDS if name in taken} | {name: 1 for name in THREADS if name in taken}
    module = kind.__module__.split(".")[0]
    if module in ("lightgbm", "xgboost"):
        # Their classes pass on what they do not name.
        usual |= {"random_state": seed, "n_jobs": 1}
    if module == "lightgbm":
        usual |= {"deterministic": True, "force_row_wise": True, "verbosity": -1}
    if module == "catboost":
        usual = {"random_seed": seed, "thread_count": 1, "allow_writing_files": False, "logging_level": "Silent"}
    return kind(**{**usual, **params})


def fit(ranker, train, valid, seed):
    """Lets a ranker learn from data sets."""
    taken = inspect.signature(ranker.fit).parameters
    arguments = {}
    if "valid" in taken:
        arguments["valid"] = (valid.X, valid.y, numbers(valid))
    if "seed" in taken:
        arguments["seed"] = seed
    if type(ranker).__module__.split(".")[0] == "catboost":
        return ranker.fit(train.X, train.y, group_id=numbers(train), eval_set=catboost_pool(valid))
    if "qid" in taken:
        arguments["qid"] = numbers(train)
        if "eval_qid" in taken:
            arguments |= {"eval_set": [(valid.X, valid.y)], "eval_qid": [numbers(valid)], "verbose": False}
    elif "group" in taken:
        arguments["group"] = train.group
        if "eval_group" in taken:
            arguments |= {"eval_set": [(valid.X, valid.y)], "eval_group": [valid.group]}
    return ranker.fit(train.X, train.y, **arguments)


def numbers(data):
    """The number of each document's query."""
    return np.repeat(np.arange(len(data)), data.group)


def catboost_pool(data):
    """A data set as CatBoost's validation data."""
    from catboost import Pool

    return Pool(data.X, data.y, group_id=numbers(data))


def score(ranker, test):
    """The score of each document, as plain numbers."""
    scores = np.asarray(ranker.predict(test.X), dtype=np.float64)
    if scores.shape == (test.documents, 1):
        scores = scores[:, 0]
    if scores.shape != (test.documents,):
        raise ValueError(f"predict gave an array of shape {scores.shape} for {test.documents} documents")
    return scores.tolist()


def parameters(words):
    """NAME=VALUE with JSON; a text needs no quotes."""
    params = {}
    for word in words:
        name, _, text = word.partition("=")
        try:
            params[name] = json.loads(text)
        except json.JSONDecodeError:
            params[name] = text
    return params


def main(place, train, validation, test, scores, seed, *words):
    """Fits the class, and writes the scores."""
    seed = int(seed)
    random.seed(seed)
    np.random.seed(seed)
    train, valid, test = (Dataset.from_letor(path) for path in (train, validation, test))
    ranker = make(load_class(place), parameters(words), seed)
    # A class may return another object than itself.
    fitted = fit(ranker, train, valid, seed)
    found = score(fitted if hasattr(fitted, "predict") else ranker, test)
    with open(scores, "w", encoding="utf-8") as out:
        # The text of a float reads back to the same bits.
        out.writelines(f"{number!r}\n" for number in found)


if __name__ == "__main__":
    main(*sys.argv[1:])
