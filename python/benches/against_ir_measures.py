"""CPU time of evaluating the 38 runs of TREC DL 2019 from Python: fivefold beside ir_measures.

    FIVEFOLD_DATA=~/letor python python/benches/against_ir_measures.py [--repeats 21] [--check]

Runs are dicts, and then frames of pandas, which lie in memory before the clock starts. Both sides compute the values of every
topic under four measures that trec_eval computes, on one thread, in turn. ir_measures parses the qrels once for all runs, as
fivefold does. Values are compared first. Printed are the medians of CPU time, and their ratio. With --check the script fails if
a ratio is below its target. Dicts are also read by calls of Python's stable interface alone, as
where Python's layout is not known. Where there is a C compiler, `walk.c` walks the dicts by the
same calls, reads each text and adds each score, and does nothing else.
"""

import argparse
import gc
import importlib.util
import os
import shutil
import statistics
import subprocess
import sysconfig
import tempfile
import time
from pathlib import Path

import ir_measures
from ir_measures import AP, RR, P, nDCG

import fivefold as ff
from fivefold._fivefold import read_dicts_from_memory

MEASURES = [nDCG @ 10, AP, RR, P @ 10]
NAMES = ["ndcg@10", "ap", "rr", "p@10"]
#: How many times as fast fivefold must be.
TARGETS = {"dicts": 10, "frames": 5}


def read(data):
    """The qrels and the runs, as frames and as dicts."""
    import pandas as pd

    qrels = pd.DataFrame(ir_measures.read_trec_qrels(str(data / "qrels.txt")))
    paths = sorted((data / "runs").glob("*.txt"))
    runs = {path.stem: pd.DataFrame(ir_measures.read_trec_run(str(path))) for path in paths}
    return {
        "dicts": (of_frame(qrels, "relevance"), {name: of_frame(run, "score") for name, run in runs.items()}),
        "frames": (qrels, runs),
    }


def of_frame(frame, numbers):
    found = {}
    for topic, document, number in zip(frame["query_id"].tolist(), frame["doc_id"].tolist(), frame[numbers].tolist()):
        found.setdefault(topic, {})[document] = number
    return found


def ours(qrels, runs):
    return ff.evaluate(qrels, runs, NAMES, dialect="trec_eval")


def by_calls(qrels, runs):
    read_dicts_from_memory(False)
    try:
        return ours(qrels, runs)
    finally:
        read_dicts_from_memory(True)


def theirs(qrels, runs):
    evaluator = ir_measures.evaluator(MEASURES, qrels)
    return {name: list(evaluator.iter_calc(run)) for name, run in runs.items()}


def compare_values(qrels, runs):
    """Fails if a value of a topic differs by more than rounding; returns how many there are."""
    found, count = ours(qrels, runs), 0
    values = found.values
    for system, name in enumerate(found.systems):
        place = {query: number for number, query in enumerate(found.queries)}
        for metric in theirs(qrels, {name: runs[name]})[name]:
            own = values[system, place[metric.query_id], MEASURES.index(metric.measure)]
            assert abs(own - metric.value) < 1e-9, (name, metric, own)
            count += 1
    return count


def walk_in_c(folder):
    """The walk of `walk.c`; None without a C compiler."""
    if not shutil.which("cc"):
        return None
    library = Path(folder) / "walk.so"
    headers = sysconfig.get_paths()["include"]
    source = Path(__file__).with_name("walk.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{headers}", str(source), "-o", str(library)], check=True)
    spec = importlib.util.spec_from_file_location("walk", library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda qrels, runs: module.walk(runs)


def seconds(work, *given):
    gc.collect()
    begin = time.process_time()
    work(*given)
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--check", action="store_true", help="fail below the targets")
    options = parser.parse_args()
    forms = read(Path(os.environ["FIVEFOLD_DATA"]) / "trec/dl19")
    print(f"{compare_values(*forms['dicts'])} values are equal")
    slow = []
    with tempfile.TemporaryDirectory() as folder:
        walk = walk_in_c(folder)
    for form, (qrels, runs) in forms.items():
        others = [side for side in (by_calls, walk) if side and form == "dicts"]
        times = {side: [] for side in (ours, theirs, *others)}
        for _ in range(options.repeats):
            for side, taken in times.items():
                taken.append(seconds(side, qrels, runs))
        own, other, *further = (statistics.median(taken) for taken in times.values())
        print(f"{form}: fivefold {own * 1e3:.1f} ms, ir_measures {other * 1e3:.1f} ms of CPU time, {other / own:.1f}x")
        for side, taken in zip(others, further):
            name = "fivefold, by calls" if side is by_calls else "a walk in C"
            print(f"  {name} {taken * 1e3:.1f} ms, {other / taken:.1f}x")
        if other / own < TARGETS[form]:
            slow.append(f"{form}: {other / own:.1f}x is below {TARGETS[form]}x")
    print(f"load {os.getloadavg()[0]:.1f}")
    if options.check and slow:
        raise SystemExit("; ".join(slow))


if __name__ == "__main__":
    main()
