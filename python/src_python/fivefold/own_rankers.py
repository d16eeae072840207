"""Objects of Python as rankers of an experiment: each becomes a section `kind = "python"` of the experiment file."""

import ast
import dis
import inspect
import linecache
import sys
import textwrap
import types
from pathlib import Path

from ._fivefold import ConfigError
from .toml import written


def with_rankers(experiment, out, rankers):
    """Writes an experiment with further rankers into the folder `OUT.experiment`; returns its path.

    `experiment` is a path, or the text of an experiment file.
    """
    if out is None:
        raise ConfigError("give out, the results folder: the rankers are written beside it")
    text = str(experiment)
    if "\n" not in text:
        text = Path(experiment).read_text("utf-8")
    folder = Path(f"{out}.experiment")
    folder.mkdir(parents=True, exist_ok=True)
    sections = [_section(label, ranker, folder) for label, ranker in rankers.items()]
    path = folder / "experiment.toml"
    path.write_text("\n\n".join([text.rstrip(), *sections]) + "\n", "utf-8")
    return path


def _section(label, ranker, folder):
    kind = type(ranker)
    place, files = _place(kind, folder)
    params = {"class": place, "python": sys.executable, "params": _params(ranker)}
    if files:
        params["files"] = files
    lines = "\n".join(f"{name} = {written(value)}" for name, value in params.items())
    return f'[[ranker]]\nlabel = {written(label)}\nkind = "python"\n[ranker.params]\n{lines}'


def _params(ranker):
    """The parameters that the ranker was made with: those that differ from the defaults, and are not None."""
    if hasattr(ranker, "get_params"):
        given = ranker.get_params(deep=False)
    else:
        names = inspect.signature(type(ranker)).parameters
        lacking = [name for name in names if not hasattr(ranker, name)]
        if lacking:
            raise ConfigError(
                f"{type(ranker).__name__} keeps no attribute {lacking[0]}: keep each argument under its name, as "
                "scikit-learn does, so that the ranker can be made again"
            )
        given = {name: getattr(ranker, name) for name in names}
    defaults = _defaults(type(ranker))
    return {name: value for name, value in given.items() if value is not None and not _is(value, defaults.get(name))}


def _defaults(kind):
    try:
        return kind().get_params(deep=False)
    except (AttributeError, TypeError):
        return {name: own.default for name, own in inspect.signature(kind).parameters.items()}


def _is(value, default):
    # NaN stands for missing values in XGBoost.
    return type(value) is type(default) and (value == default or (value != value and default != default))


def _place(kind, folder):
    """MODULE:CLASS of a package, or FILE:CLASS of a file, which is copied into the folder."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if kind.__module__ != "__main__" and file and _is_installed(Path(file)):
        return f"{kind.__module__}:{kind.__qualname__}", []
    if kind.__module__ != "__main__" and file and "." not in kind.__module__:
        copy = folder / Path(file).name
        if copy.resolve() != Path(file).resolve():
            copy.write_bytes(Path(file).read_bytes())
        return f"{copy.name}:{kind.__qualname__}", []
    copy = folder / f"{kind.__name__.lower()}_ranker.py"
    copy.write_text(source_of(kind), "utf-8")
    return f"{copy.name}:{kind.__name__}", []


def _is_installed(file):
    return any(part in ("site-packages", "dist-packages") for part in file.parts)


def source_of(kind):
    """The source of a class of a notebook or script, with imports of the modules that it names.

    The source is all that other processes, and keys, know of the class. So a class that uses other names of its
    notebook is refused.
    """
    source = _text_of(kind)
    space = vars(sys.modules[kind.__module__])
    imports, unknown = [], []
    for name in sorted(_globals_of(compile(source, kind.__name__, "exec")) - {kind.__name__}):
        if name not in space or name.startswith("__"):
            continue
        value = space[name]
        if isinstance(value, types.ModuleType):
            imports.append(f"import {value.__name__} as {name}")
        elif getattr(value, "__module__", "__main__") != "__main__" and hasattr(value, "__qualname__"):
            imports.append(f"from {value.__module__} import {value.__qualname__} as {name}")
        else:
            unknown.append(name)
    if unknown:
        raise ConfigError(
            f"{kind.__name__} uses {', '.join(unknown)}, which its source does not hold, so that keys would not know of a "
            "change: move it into the class, pass it as a parameter, or write both into a file and import the class"
        )
    return "\n".join([*imports, "", "", source])


def _text_of(kind):
    """The text of a class, which a notebook keeps under the file names of its methods."""
    try:
        return textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError):
        pass
    for own in vars(kind).values():
        if inspect.isfunction(own):
            cell = "".join(linecache.getlines(own.__code__.co_filename))
            nodes = [node for node in ast.walk(ast.parse(cell)) if isinstance(node, ast.ClassDef) and node.name == kind.__name__]
            for node in nodes:
                return textwrap.dedent(ast.get_source_segment(cell, node, padded=True)) + "\n"
    raise ConfigError(f"the source of {kind.__name__} is not to be had: write the class into a file, and import it")


def _globals_of(code):
    """The global names that code and the functions in it read."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_globals_of(part) for part in code.co_consts if isinstance(part, types.CodeType)))
