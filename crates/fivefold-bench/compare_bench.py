"""What `compare` and `scaling` share: programs, data, and running one piece of work in a process of its own."""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


class UnavailableError(Exception):
    """Something that a row needs is not there."""


PEERS = (
    "lightgbm xgboost catboost scikit-learn scipy numpy numba ranx ir_measures pytrec_eval-terrier fastrank matplotlib"
).split()


# Programs that need an older version of what the others need, each with an environment of its own.
APART = {"lleaves": ["lleaves", "llvmlite<0.45", "lightgbm", "numpy"]}


REAL_TIME = "runs all sides at real-time priority (chrt, as root): they have the processors to themselves, under any load"


class Bench:
    """Programs, data and how to run one side of a row."""

    def __init__(self, folder, build=True, ranklib=None, real_time=False):
        self.folder = folder
        self.before = ["chrt", "-f", "5"] if real_time else []
        self.ranklib = ranklib
        self.fivefold = TARGET / "release" / "fivefold"
        self.measure = TARGET / "release" / "examples" / "measure"
        folder.mkdir(parents=True, exist_ok=True)
        if build:
            for package in (["fivefold"], ["fivefold-bench", "--example", "measure"]):
                subprocess.run(["cargo", "build", "--release", "--quiet", "-p", *package], cwd=ROOT, check=True)
        self.python = self._environment("venv", PEERS)

    def _environment(self, name, packages):
        venv = self.folder / name
        if not (venv / "complete").exists():
            tell(f"installing {', '.join(packages)} in {venv}")
            subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
            subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", *packages], check=True)
            (venv / "complete").touch()
        return venv / "bin" / "python"

    def run(self, command, env=None, output=True):
        """Runs a command to its end. Its last line as JSON, with the whole process's CPU seconds and peak memory in MB."""
        command = [*self.before, *command]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.perf_counter()
            process = subprocess.Popen(
                [str(word) for word in command], stdout=out, stderr=err, cwd=ROOT, env={**os.environ, **(env or {})}
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            wall = time.perf_counter() - start
            out.seek(0), err.seek(0)
            text, errors = out.read().decode(), err.read().decode()
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{errors[-2000:]}")
        measured = json.loads(text.splitlines()[-1]) if output else {}
        whole = {"process_cpu": usage.ru_utime + usage.ru_stime, "process_wall": wall, "peak": usage.ru_maxrss * 1024 / 1e6}
        return measured | whole

    def ours(self, *arguments):
        return self.run([self.measure, *arguments])

    def theirs(self, work, apart=None, **arguments):
        threads = str(arguments.get("threads", 1))
        env = {name: threads for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
        arguments = {name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()}
        python = self._environment(f"venv-{apart}", APART[apart]) if apart else self.python
        return self.run([python, HERE / "compare_peers.py", work, json.dumps(arguments)], env)

    def path(self, name):
        return self.folder / name

    def made(self, name, make):
        """The file `name` of the data folder, made by `make(path)` unless it is there."""
        path = self.folder / "data" / name
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            unfinished = path.with_name("unfinished-" + path.name)
            tell(f"making {name}")
            make(unfinished)
            unfinished.rename(path)
        return path

    def collection(self, queries, seed, features=136):
        """A made collection of MSLR-WEB30K's shape as LETOR text."""
        make = lambda path: self.ours("make", "mslr-web30k", features, queries, seed, path)  # noqa: E731
        return self.made(f"made-{queries}-{features}-{seed}.txt", make)

    def real(self, name, parts):
        """Parts of a real collection in one file."""
        if "FIVEFOLD_DATA" not in os.environ:
            raise UnavailableError("FIVEFOLD_DATA is not set")
        folder = Path(os.environ["FIVEFOLD_DATA"]) / name
        text = lambda path: path.write_bytes(b"".join((folder / part).read_bytes() for part in parts))  # noqa: E731
        return self.made(f"{name}-{'-'.join(part.removesuffix('.txt') for part in parts)}.txt", text)

    def arrays(self, text):
        """The prefix of a collection's arrays, for other programs."""
        prefix = str(text.with_suffix(""))
        if not Path(prefix + ".sizes").exists():
            self.ours("arrays", text, prefix)
        return prefix

    def ndcg(self, scores, text):
        """nDCG@10 of a file of scores, by one program for all sides."""
        return self.theirs("ndcg", prefix=self.arrays(text), scores=scores)["ndcg"]


def median(runs):
    """The median of each number; other things as in the first run."""
    number = lambda value: isinstance(value, (int, float))  # noqa: E731
    return {
        key: statistics.median(run[key] for run in runs) if number(value) else value for key, value in runs[0].items()
    }


def session():
    """Date, machine and commit, to stand above a table."""
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "")
    commit = subprocess.run(["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True).stdout
    facts = [f"{os.cpu_count()} processors ({model})", f"Python {platform.python_version()}", f"commit {commit.strip()}"]
    return ", ".join([time.strftime("%Y-%m-%d"), *facts])


def tell(text):
    print(text, file=sys.stderr, flush=True)


def put(page, marker, text):
    """Replaces what stands between `<!-- marker -->` and `<!-- /marker -->` of a page."""
    before, opening, rest = page.read_text().partition(f"<!-- {marker} -->\n")
    _, closing, after = rest.partition(f"<!-- /{marker} -->")
    if not closing:
        raise SystemExit(f"{page} has no place marked {marker}")
    page.write_text(f"{before}{opening}{text.strip()}\n{closing}{after}")
