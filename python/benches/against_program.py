"""CPU time and peak memory of fit and predict: the Python package beside the program.

    python python/benches/against_program.py FIVEFOLD [--queries 300] [--repeats 7] [--check]

FIVEFOLD is the program, a release build of the same sources. The data are synthetic, of MSLR-WEB30K's shape. Each side is a
process of its own with one thread, in turn: `fivefold train` and `fivefold score`, and scripts that read the same file, fit or
predict with the same parameters, and write the same file. A script that only imports the package gives the CPU time and the
memory of the interpreter, which are taken off. Both sides must write the same model and the same scores.

Printed are medians. `array` is a fit of a matrix that numpy holds. Its memory may be the matrix and what the program takes.
With --check the script fails if the package takes over 3 % more CPU time, or more memory.
"""

# Nothing large is imported here: a process begins with the peak of the process that starts it.
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

#: Rankers with parameters that make a fit of some seconds.
RANKERS = {
    "lambdamart": {"trees": 300, "leaves": 31},
    "random-forest": {"bags": 100},
    "ranknet": {"epochs": 40},
}
MOST = 1.03

IMPORT = "import sys, numpy as np, fivefold as ff, fivefold.dataset, fivefold.rankers\n"
RANKER = "made = {entry.kind: entry for entry in ff.rankers.CLASSES.values()}[kind](**params, seed=0, threads=1)\n"
FIT = RANKER + "made.fit(ff.Dataset.from_letor(data, threads=1)).save(out)\n"
FIT_ARRAY = RANKER + (
    "arrays = np.load(data)\nX, y, group = np.ascontiguousarray(arrays['X']), arrays['y'], arrays['group']\n"
    "made.fit(X, y, group=group).save(out)\n"
)
PREDICT = "ff.load_model(kind).predict(ff.Dataset.from_letor(data, threads=1)).tofile(out)\n"
SAME = "assert np.fromfile(out).tolist() == [float(line) for line in open(data)], 'the scores differ'\n"
TO_ARRAYS = "read = ff.Dataset.from_letor(data); np.savez(out, X=read.X, y=read.y, group=read.group); print(read.X.nbytes)\n"


def python(code, kind="", params=None, data="", out=""):
    given = f"kind, params, data, out = {kind!r}, {params or {}!r}, {str(data)!r}, {str(out)!r}\n"
    return [sys.executable, "-c", IMPORT + given + code]


def cost(command):
    """The CPU seconds and the peak of memory, in MB, of a process."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    # `score` warns that the model knows the documents.
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen(list(map(str, command)), env=environment, **quiet)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command[:4]} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def medians(sides, repeats):
    """The median CPU time and peak of each side; the sides run in turn."""
    costs = {side: [] for side in sides}
    for _ in range(repeats):
        for side, command in sides.items():
            costs[side].append(cost(command))
    return {side: tuple(map(statistics.median, zip(*own))) for side, own in costs.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--rankers", nargs="+", default=list(RANKERS), choices=RANKERS)
    parser.add_argument("--check", action="store_true", help="fail above the limits")
    options = parser.parse_args()
    above = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        make = [options.program, "make", "--shape", "mslr-web30k", "--queries", str(options.queries), "--out", folder / "made"]
        subprocess.run(list(map(str, make)), check=True, stdout=subprocess.DEVNULL)
        train = folder / "made/Fold1/train.txt"
        said = subprocess.run(python(TO_ARRAYS, data=train, out=folder / "train.npz"), check=True, capture_output=True, text=True)
        matrix = int(said.stdout) / (1 << 20)
        print(f"matrix {matrix:.0f} MB; CPU s: program, package, ratio; peak MB: program, package without the interpreter")
        for kind in options.rankers:
            params = RANKERS[kind]
            words = [word for name, value in params.items() for word in ("--param", f"{name}={json.dumps(value)}")]
            own, other = folder / "own.json", folder / "other.json"
            learn = [options.program, "train", "--ranker", kind, *words, "--threads", "1", "--train", train, "--replace", "-o", other]
            score = [options.program, "score", "--model", other, "--data", train, "--replace", "-o", folder / "other.txt"]
            sides = {
                "interpreter": python(""),
                "train": learn,
                "fit": python(FIT, kind, params, train, own),
                "array": python(FIT_ARRAY, kind, params, folder / "train.npz", folder / "array.json"),
                "score": score,
                "predict": python(PREDICT, str(other), None, train, folder / "own.bin"),
            }
            found = medians(sides, options.repeats)
            if own.read_bytes() != other.read_bytes():
                raise SystemExit(f"{kind}: the package and the program do not write the same model")
            subprocess.run(python(SAME, data=folder / "other.txt", out=folder / "own.bin"), check=True)
            base = found["interpreter"]
            for side, beside, spare in (("fit", "train", 0), ("array", "train", matrix), ("predict", "score", 0)):
                seconds, peak = found[side][0] - base[0], found[side][1] - base[1]
                theirs, most = found[beside][0], found[beside][1] + spare
                line = f"{kind}, {side}: {theirs:.2f}, {seconds:.2f}, {seconds / theirs:.3f}; {found[beside][1]:.0f}, {peak:.0f}"
                print(line, flush=True)
                if seconds > MOST * theirs or peak > most:
                    above.append(line)
    print(f"load {os.getloadavg()[0]:.1f}")
    if options.check and above:
        raise SystemExit("above the limits: " + "; ".join(above))


if __name__ == "__main__":
    main()
