"""The built-in rankers, with the habits of scikit-learn: get_params, set_params, fit, predict."""

import difflib
import inspect
import json
import keyword
import os

import numpy as np

from . import _fivefold
from .dataset import Dataset
from .registries import REGISTRIES, parameter_lines, wrapped


class Ranker:
    """A ranker. Each built-in ranker is a subclass, whose arguments are its parameters."""

    kind = None
    #: The presets of the ranker, by name: what each stands for.
    presets: dict = {}
    _defaults: dict = {}
    _presets: dict = {}

    def __init__(self, **params):
        unknown = [name for name in params if name not in self._defaults and name not in ("seed", "threads")]
        if unknown:
            raise self._no_parameter(unknown[0])
        for name, default in {**self._defaults, "seed": 1, "threads": 0}.items():
            setattr(self, name, params.get(name, default))

    @classmethod
    def preset(cls, name, **params):
        """A ranker with the parameters of a preset, some of which may be given; `presets` lists the names."""
        if name not in cls._presets:
            known = ", ".join(cls.presets) or "none"
            raise _fivefold.ConfigError(f"{cls.__name__} has no preset {name}; its presets: {known}")
        return cls(**{**cls._presets[name], **params})

    def get_params(self, deep=True):
        """The parameters, by name."""
        return {name: getattr(self, name) for name in (*self._defaults, "seed", "threads")}

    def set_params(self, **params):
        """Changes parameters; returns the ranker."""
        for name, value in params.items():
            if name not in self.get_params():
                raise self._no_parameter(name)
            setattr(self, name, value)
        return self

    def _no_parameter(self, name):
        names = [*self._defaults, "seed", "threads"]
        near = difflib.get_close_matches(name, names, 1)
        advice = f"did you mean {near[0]}? " if near else ""
        return _fivefold.ConfigError(f"{type(self).__name__} has no parameter {name}; {advice}It has {', '.join(names)}")

    def fit(self, X, y=None, qid=None, *, group=None, valid=None, eval_set=None, eval_group=None):
        """Learns from a `Dataset`, or from a matrix, grades and queries. Returns the ranker.

        `valid` is a `Dataset`, or (X, y, qid), for early stopping and the choice among models; after a
        `Dataset` it may be the second argument. `eval_set` and `eval_group`, as LightGBM names them, are
        the same. Ctrl-C stops the fit.
        """
        if isinstance(X, Dataset) and y is not None:
            if qid is not None or group is not None or valid is not None or not isinstance(y, (Dataset, tuple)):
                raise _fivefold.ConfigError("a Dataset has its grades and queries: give fit(train), or fit(train, valid)")
            y, valid = None, y
        train = X if isinstance(X, Dataset) else Dataset(X, y, qid, group=group)
        if eval_set is not None:
            if valid is not None or len(eval_set) != 1 or eval_group is None or len(eval_group) != 1:
                raise _fivefold.ConfigError("give one validation part: valid, or eval_set and eval_group with an entry each")
            valid = Dataset(*eval_set[0], group=eval_group[0])
        if isinstance(valid, tuple):
            valid = Dataset(*valid)
        core, self.warnings_ = _fivefold.fit(
            self.kind,
            json.dumps(self.changed(), default=_plain),
            train._core,
            None if valid is None else valid._core,
            int(self.seed),
            int(self.threads),
        )
        self.model_ = Model(core)
        self.n_features_in_ = train.width
        return self

    def predict(self, X):
        """The score of each document of a `Dataset` or a matrix."""
        return self.fitted().predict(X)

    def save(self, path):
        """Writes the model file of the last fit."""
        self.fitted().save(path)

    def fitted(self):
        """The model of the last fit."""
        if not hasattr(self, "model_"):
            raise _fivefold.FitError(f"this {type(self).__name__} is not fitted; call fit first")
        return self.model_

    def changed(self):
        """The parameters that differ from their defaults, under the names of the program."""
        params = {name: getattr(self, name) for name in self._defaults}
        return {
            _name(name): value for name, value in params.items() if value is not None and value != self._defaults[name]
        }

    def __sklearn_clone__(self):
        return type(self)(**self.get_params())

    def __repr__(self):
        changed = {
            name: value
            for name, value in self.get_params().items()
            if value != {**self._defaults, "seed": 1, "threads": 0}[name]
        }
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"


class Model:
    """A fitted model."""

    def __init__(self, core):
        self._core = core

    @property
    def kind(self):
        """The kind of the ranker."""
        return self._core.ranker

    @property
    def importance(self):
        """One importance for each feature, or None."""
        found = self._core.importance
        return None if found is None else np.asarray(found)

    def predict(self, X, threads=1):
        """The score of each document of a `Dataset` or a matrix."""
        if not isinstance(X, Dataset):
            rows = len(X)
            X = Dataset(X, np.zeros(rows, dtype=np.uint8), group=[rows] if rows else [])
        return self._core.predict(X._core, threads)

    def to_text(self):
        """The model as the text of a model file, which the program reads, too."""
        return self._core.to_text()

    def save(self, path):
        """Writes the model file."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.to_text())


def load_model(path):
    """A model from a model file of the program or of `Model.save`."""
    try:
        with open(os.fspath(path), encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise _fivefold.DataError(f"{path}: cannot be read: {error}; give a model file of the program or of Model.save") from None
    return Model(_fivefold.load(text))


def _argument(name):
    """A parameter's name as an argument of Python: `lambda` is `lambda_`."""
    return f"{name}_" if keyword.iskeyword(name) else name


def _name(argument):
    """The parameter of an argument."""
    return argument.removesuffix("_") if keyword.iskeyword(argument.removesuffix("_")) else argument


def _plain(value):
    if isinstance(value, np.generic):
        return value.item()
    raise _fivefold.ConfigError(f"a parameter is a number, a text, a bool or a list, not {type(value).__name__}")


#: Names whose capitals are customary.
CUSTOMARY = {
    "adarank": "AdaRank",
    "lambdamart": "LambdaMART",
    "lambdarank": "LambdaRank",
    "listnet": "ListNet",
    "mart": "MART",
    "rankboost": "RankBoost",
    "ranknet": "RankNet",
    "ranksvm": "RankSVM",
    "l2-logistic": "L2Logistic",
}


def _classes():
    made = {}
    for ranker in REGISTRIES["rankers"]:
        kind = ranker["name"]
        name = CUSTOMARY.get(kind) or "".join(part.capitalize() for part in kind.split("-"))
        defaults = {_argument(param["name"]): param["default"] for param in ranker["parameters"]}
        own = type(name, (Ranker,), {"kind": kind, "_defaults": defaults, "__doc__": _doc(ranker), "__module__": __name__})
        own.presets = {preset["name"]: preset["summary"] for preset in ranker["presets"]}
        own._presets = {
            preset["name"]: {_argument(param): value for param, value in preset["values"].items()} for preset in ranker["presets"]
        }
        keywords = [
            inspect.Parameter(param, inspect.Parameter.KEYWORD_ONLY, default=default)
            for param, default in {**defaults, "seed": 1, "threads": 0}.items()
        ]
        own.__signature__ = inspect.Signature(keywords)
        made[name] = own
    return made


def _doc(ranker):
    """The docstring of a class, in which the registry describes the ranker."""
    summary = ranker["summary"]
    lines = [f"{summary[:1].upper()}{summary[1:]}.", "", "    Parameters", "    ----------"]
    for param in ranker["parameters"]:
        default = "unset" if param["default"] is None else repr(param["default"])
        lines += parameter_lines(_argument(param["name"]), default, param["help"], "    ")
    lines += parameter_lines("seed", 1, "the seed of everything that is drawn; a whole number, 0 or more", "    ")
    lines += parameter_lines("threads", 0, "how many threads work; 0: one for each processor", "    ")
    if ranker["presets"]:
        lines += ["", "    Presets, for `preset(name)`:", ""]
        for preset in ranker["presets"]:
            lines += wrapped(f"{preset['name']} : {preset['summary']}", "    ", "        ")
    return "\n".join([*lines, ""])


CLASSES = _classes()
globals().update(CLASSES)
