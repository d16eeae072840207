"""Makes tests/end_to_end/trec_eval/dl19.json: all measures of trec_eval 9.0.8 for the 38 runs of TREC DL 2019.

    python3 -m venv venv && venv/bin/pip install pytrec_eval-terrier==0.5.11
    FIVEFOLD_DATA=~/letor venv/bin/python trec_eval.py

Each measure has a number for each run, by the name of its file: the sum over topics for counts, the geometric mean for gm_map
and gm_bpref, else the mean. Without an argument the file is written; with `--time` only the values are computed, for timing.
"""

import json
import math
import os
import sys
from pathlib import Path

import pytrec_eval

DATA = Path(os.environ["FIVEFOLD_DATA"]) / "trec/dl19"


def read(path, column, kind):
    topics = {}
    for line in path.read_text().splitlines():
        fields = line.split()
        topics.setdefault(fields[0], {})[fields[2]] = kind(fields[column])
    return topics


def summary(name, values):
    if name.startswith("num_"):
        return sum(values)
    mean = math.fsum(values) / len(values)
    return math.exp(mean) if name.startswith("gm_") else mean


measures = pytrec_eval.supported_measures - {"relstring", "runid"}
evaluator = pytrec_eval.RelevanceEvaluator(read(DATA / "qrels.txt", 3, int), measures)
found = [evaluator.evaluate(read(path, 4, float)) for path in sorted((DATA / "runs").glob("*.txt"))]
if sys.argv[1:] != ["--time"]:
    names = list(next(iter(found[0].values())))
    table = {name: [summary(name, [topic[name] for topic in run.values()]) for run in found] for name in names}
    lines = [f"{json.dumps(name)}: {json.dumps(values)}" for name, values in table.items()]
    target = Path(__file__).parent / "tests/end_to_end/trec_eval/dl19.json"
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
