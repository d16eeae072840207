"""The program `fivefold` in a process of its own: its command line is the one place where a command is described."""

import json
import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from ._cli import installed
from ._fivefold import ConfigError


class ProgramError(RuntimeError):
    """A command of the program that ended otherwise than by an error of the request."""


def program():
    """The path of the program: `FIVEFOLD_PROGRAM`, the command of this package, or `fivefold` on the path."""
    found = os.environ.get("FIVEFOLD_PROGRAM") or installed() or shutil.which("fivefold")
    if not found:
        raise ConfigError(
            "the command fivefold is not there: install this package with pip, which puts the command on the path, "
            "or say with FIVEFOLD_PROGRAM where it is"
        )
    return found


def call(command, *arguments):
    """Does a command; returns what it prints, and whether it ended with 0: 1 says that something differs or was found."""
    words = [program(), command, *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False, stdin=subprocess.DEVNULL)
    check(done.returncode, done.stdout, done.stderr)
    return done.stdout, done.returncode == 0


def call_json(command, *arguments):
    """Does a command with `--json`; returns what it prints, read."""
    return json.loads(call(command, *arguments, "--json")[0])


def check(code, printed, said):
    """Raises the error that a command ended with."""
    if code == 0 or (code == 1 and printed):
        return
    text = said.strip() or f"the program ended with code {code}"
    raise (ConfigError if code == 2 else ProgramError)(text)


@contextmanager
def workspace():
    """A folder that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="fivefold-") as folder:
        yield Path(folder)


def options(**values):
    """Options of the command line: None and False are left out, True is a flag, and a list is several words."""
    words = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        words.append("--" + name.strip("_").replace("_", "-"))
        if value is not True:
            words += list(map(str, value)) if isinstance(value, (list, tuple)) else [str(value)]
    return words


def conventions_options(dialect, conventions):
    """The options of a dialect, and of the conventions that override it."""
    return options(dialect=dialect, **{name: _word(value) for name, value in (conventions or {}).items()})


def _word(value):
    return str(value).lower() if isinstance(value, bool) else value
