"""Whole experiments and searches for parameters: the program runs them, and its results are shown here."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from html import escape
from pathlib import Path

from ._fivefold import ConfigError, DataError
from .commands import _letor_file
from .own_rankers import with_rankers
from ._program import call_json, check, options, program, workspace
from .rankers import load_model
from .tables import Tables, Tabular
from .toml import written

#: Seconds between two lines of progress.
PAUSE = 2


def run(
    experiment,
    out=None,
    *,
    data_dir=None,
    threads=None,
    only=None,
    isolate=False,
    replace=False,
    rankers=None,
    progress=True,
    arguments=(),
):
    """Run an experiment, as `fivefold run`.

    Jobs whose results are in the folder are not done again. Ctrl-C stops the run; the next call goes
    on from the finished jobs.

    Parameters
    ----------
    experiment : path or str
        A TOML file, or the name of an experiment that comes with the program.
    out : path, optional
        The results folder, by default `runs/NAME`.
    data_dir : path, optional
        The folder with collections, by default that of `FIVEFOLD_DATA`.
    threads : int, optional
    only : str or list of str, optional
        Do only these jobs, and no tables.
    isolate : bool
        Do each fit in a process of its own.
    rankers : dict, optional
        Further rankers of the experiment, by label: objects with `fit` and `predict`, such as
        estimators of scikit-learn or LightGBM. Their classes and parameters are written into the
        folder `OUT.experiment`, and from there they are part of the keys. See `fivefold.ranker`.
    progress : bool
        Show how far the run is.
    arguments : list of str
        Further words of the command line.

    Returns
    -------
    Experiment

    Raises
    ------
    ConfigError
        If the experiment cannot be run.
    """
    only = [only] if isinstance(only, str) else only
    if rankers:
        experiment = with_rankers(experiment, out, rankers)
    words = ["run", os.fspath(experiment), "--json", "--progress", PAUSE if progress else 0]
    words += options(out=out, data_dir=data_dir, threads=threads, only=only, isolate=isolate, replace=replace)
    lines = Lines() if progress else None
    told = json.loads(_watched([*words, *arguments], lines))
    if lines:
        lines.end()
    return Experiment(told.get("folder", out), told)


def results(folder):
    """The results folder of a run or a study that ended."""
    return Experiment(folder)


class Experiment:
    """A results folder.

    Attributes
    ----------
    folder : Path
    told : dict
        What the run prints with `--json`; empty for a folder that was only opened.
    tables : Tables
    """

    def __init__(self, folder, told=None):
        self.folder, self.told = Path(folder), told or {}
        path = self.folder / "tables.json"
        if not self.folder.is_dir():
            raise DataError(f"there is no results folder {self.folder}")
        self.tables = Tables(json.loads(path.read_text("utf-8"))["tables"] if path.exists() else [])

    @property
    def failed(self):
        """The jobs that failed."""
        return self.told.get("failed", [])

    @property
    def result(self):
        """The hash of every value of every query."""
        return self.told.get("result")

    def find(self, table):
        """The table with a number of the paper, or whose id is, or begins with, a text."""
        start = f"table-{table:02d}-" if isinstance(table, int) else str(table)
        found = [own for own in self.tables if own.id == start] or [own for own in self.tables if own.id.startswith(start)]
        if len(found) == 1:
            return found[0]
        ids = [own.id for own in found or self.tables]
        what = f"{len(found)} tables begin with {start}" if found else f"no table begins with {start}"
        raise ConfigError(f"{what}; {'choose one of' if found else 'there are'} {', '.join(ids)}")

    def table(self, table):
        """A DataFrame of a table, by its number in the paper, or by its id or the beginning of its id."""
        return self.find(table).frame

    @property
    def per_query(self):
        """A DataFrame with the values of each query and ranker."""
        import pandas as pd

        return pd.read_csv(self.folder / "per_query.csv", comment="#", dtype={"query": str, "documents": str})

    @property
    def page(self):
        """The page of the run, as HTML."""
        return (self.folder / "report.html").read_text("utf-8")

    def _repr_html_(self):
        if not (self.folder / "report.html").exists():
            return f"<pre>{escape(repr(self))}</pre>"
        # A document of its own: its styles and scripts must not reach the notebook.
        frame = 'style="width:100%;height:640px;border:1px solid #ccc" sandbox="allow-scripts"'
        return f'<iframe srcdoc="{escape(self.page)}" {frame}></iframe>'

    def __repr__(self):
        told = self.told
        head = f"Experiment({str(self.folder)!r}): {len(self.tables)} tables"
        if "jobs" not in told:
            return head
        failed = f", {len(self.failed)} failed: {', '.join(map(str, self.failed))}" if self.failed else ""
        return f"{head}, {told['jobs']} jobs ({told['reused']} reused{failed}); result hash {told['result']}"


class Lines:
    """Shows how far a run is: in a notebook as one line that changes, else as lines on standard error."""

    FAR = re.compile(r"^(\d+) of (\d+) jobs")

    def __init__(self):
        self._handle = None
        self._of = 0
        self._display = _notebook_display()

    def __call__(self, line):
        if self._display is None:
            print(line, file=sys.stderr, flush=True)
        elif far := self.FAR.match(line):
            self._show(line, int(far[1]), int(far[2]))

    def end(self):
        """All jobs are done: a line of a notebook would else stay at the job before."""
        if self._handle is not None:
            self._show(f"{self._of} of {self._of} jobs", self._of, self._of)

    def _show(self, line, done, of):
        self._of = of
        content = {"text/plain": line, "text/html": f'<progress value="{done}" max="{of}"></progress> {escape(line)}'}
        if self._handle is None:
            self._handle = self._display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)


def _notebook_display():
    """IPython's `display`, within a kernel; else None."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    return display


def _watched(words, shown):
    """Does a command; gives each line that it says to `shown`, and returns what it prints.

    The command has a process group of its own, so that Ctrl-C reaches it once: from here.
    """
    words = [program(), *map(str, words)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    own_group = {"start_new_session": True} if os.name == "posix" else {}
    child = subprocess.Popen(words, **pipes, **own_group, text=True, encoding="utf-8", errors="replace")
    said, printed = [], []

    def listen():
        for line in child.stderr:
            said.append(line)
            if shown:
                shown(line.rstrip("\n"))

    threads = [threading.Thread(target=listen), threading.Thread(target=lambda: printed.append(child.stdout.read()))]
    for thread in threads:
        thread.start()
    try:
        child.wait()
    except BaseException:
        _stop(child)
        raise
    finally:
        for thread in threads:
            thread.join()
        child.stdout.close()
        child.stderr.close()
    check(child.returncode, printed[0], "".join(said))
    return printed[0]


def _stop(child):
    """Asks a command to stop, and waits; a second Ctrl-C ends it at once."""
    while child.poll() is None:
        try:
            child.send_signal(signal.SIGINT)
            child.wait()
        except KeyboardInterrupt:
            continue


def tune(
    ranker,
    params,
    train,
    valid,
    *,
    measure="ndcg@10",
    draws=None,
    dialect=None,
    normalise=None,
    threads=None,
):
    """Search for the parameters of a ranker: each setting learns from `train` and is measured on `valid`.

    Parameters
    ----------
    ranker : Ranker
        Its own parameters are fixed.
    params : dict
        For each parameter a list of values, or a range such as
        `{"low": 0.01, "high": 0.3, "scale": "log"}`.
    train, valid : Dataset, or path of a LETOR file
    measure : str
    draws : int, optional
        Try this many seeded draws instead of all combinations.

    Returns
    -------
    Tuned
    """
    with workspace() as folder:
        files = [_letor_file(train, folder, "train.txt"), _letor_file(valid, folder, "valid.txt")]
        words = ["--ranker", ranker.kind, "--seed", ranker.seed, "--train", files[0], "--valid", files[1]]
        for name, value in ranker.changed().items():
            words += ["--param", f"{name}={written(value)}"]
        for name, values in params.items():
            words += ["--try", f"{name}={written(values)}"]
        words += options(measure=measure, draws=draws, dialect=dialect, normalise=normalise, threads=threads)
        told = call_json("tune", *words, "--out", folder / "model.json")
        return Tuned(told, load_model(folder / "model.json"))


class Tuned(Tabular):
    """The end of a search. As a table, a row for each setting.

    Attributes
    ----------
    params : dict
        The best setting.
    value : float
        Its value on the validation part.
    model : Model
        The best setting, fitted.
    settings : list of dict
        Each setting with its value.
    """

    def __init__(self, told, model):
        self.measure, self.model, self.settings = told["measure"], model, told["settings"]
        self.params, self.value = told["chosen"]["setting"], told["chosen"]["value"]

    @property
    def columns(self):
        """The parameters, and the measure."""
        return [*self.settings[0]["setting"], self.measure]

    def _values(self):
        return [[*own["setting"].values(), own["value"]] for own in self.settings]

    def predict(self, X):
        """The scores of the best model."""
        return self.model.predict(X)

    def __repr__(self):
        return f"Tuned({self.params}, {self.measure} {self.value:.4f} of {len(self.settings)} settings)"
