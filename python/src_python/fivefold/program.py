"""Whole experiments: the program `fivefold`, in a process of its own."""

import json
import os
import shutil
import subprocess

from ._fivefold import ConfigError


class JobFailed(RuntimeError):
    """A command of the program that did not end well, with its message."""


def program():
    """The path of the program: `FIVEFOLD_PROGRAM`, or `fivefold` on the path."""
    found = os.environ.get("FIVEFOLD_PROGRAM") or shutil.which("fivefold")
    if not found:
        raise ConfigError(
            "the program fivefold is not there: `cargo install --path crates/fivefold` puts it on the path, "
            "or FIVEFOLD_PROGRAM says where it is"
        )
    return found


def _call(arguments):
    done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise JobFailed(done.stderr.strip() or f"the program ended with {done.returncode}")
    return json.loads(done.stdout), done


def run(experiment, out=None, *arguments):
    """Runs an experiment file, or one that comes with the program; returns what `--json` prints."""
    place = [] if out is None else ["--out", out]
    return _call(["run", experiment, *place, *arguments, "--json"])[0]


def tune(*arguments):
    """Searches for the parameters of a ranker, as `fivefold tune`; returns what `--json` prints."""
    return _call(["tune", *arguments, "--json"])[0]
