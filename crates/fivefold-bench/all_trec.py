"""CPU time of all measures of trec_eval for the 38 runs of TREC DL 2019: fivefold beside pytrec_eval.

    FIVEFOLD_DATA=~/letor python3 crates/fivefold-bench/all_trec.py FIVEFOLD PYTHON [REPEATS]

FIVEFOLD is the program (a release build), PYTHON a Python with pytrec_eval-terrier. All sides run in turn, each as a whole
process with reading, on one thread. All compute the values of every topic. Of these, pytrec_eval prints none, fivefold the
summary of each run, and with -q each topic, too. Printed are the medians of user and system time, and the load of the machine.
"""

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

program, python = sys.argv[1:3]
repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 11
data = Path(os.environ["FIVEFOLD_DATA"]) / "trec/dl19"
runs = sorted(map(str, (data / "runs").glob("*.txt")))
script = Path(__file__).parents[2] / "tests/trec_eval.py"
ours = [program, "eval", "--qrels", str(data / "qrels.txt"), "--runs", *runs, "--format", "trec_eval", "-m", "all_trec"]
sides = {"fivefold": ours, "fivefold -q": [*ours, "-q"], "pytrec_eval": [python, str(script), "--time"]}
environment = {**os.environ, "RAYON_NUM_THREADS": "1"}


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


times = {side: [] for side in sides}
for _ in range(repeats):
    for side, command in sides.items():
        times[side].append(cpu(command))
medians = {side: statistics.median(values) for side, values in times.items()}
for side, median in medians.items():
    print(f"{side}: {median:.3f} CPU s, {medians['pytrec_eval'] / median:.2f}x")
print(f"load {os.getloadavg()[0]:.1f}")
