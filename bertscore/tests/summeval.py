#!/usr/bin/env python3
"""Computes BERTScore of all of SummEval by the program, and prints it beside the known values.

    summeval.py PROGRAM MODEL DATA

MODEL is the folder of all-MiniLM-L6-v2, DATA the folder `summeval` of the data. Means of A, E, V1 and V2 over
the 1,200 summaries; then tau x 66 of the systems' means with the experts' ratings (coherence, consistency,
fluency, relevance) for A, V1 and V2. Ends with 1 if a number is not the known one. Takes some minutes.
"""

import csv
import json
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

DIMENSIONS = ["coherence", "consistency", "fluency", "relevance"]
# Two tokens of nearly one cosine may stand either way round in the text of b2w, by the last bits of a forward pass. One such pair
# moves the mean of E by some 1e-5. ends_of_all.py compares each document with numpy, to 1e-6.
NEAR_TIES = 1e-5
# Options; then A, E, V1, V2, the last three with a tolerance; then tau x 66 of A, V1, V2, with a tolerance for V1 and V2. None: not known.
KNOWN = [
    (["--expected", "b2w"], [0.683488, 0.416345, 0.427572, 0.454171], NEAR_TIES,
     [[14, 14, 32, 30], [14, 14, 32, 30], [14, 18, 32, 30]], 0),
    (["--expected", "w2b"], [0.683488, 0.320883, 0.467966, 0.532225], NEAR_TIES,
     [[14, 14, 32, 30], [14, 14, 32, 30], [18, 18, 32, 34]], 0),
    # Another generator drew the known E, so one pair of systems may stand the other way round.
    (["--expected", "random"], [0.683488, 0.4713, 0.4062, 0.4004], 4e-3,
     [[14, 14, 32, 30], [14, 14, 32, 30], [14, 18, 32, 30]], 2),
    (["--expected", "none", "--combine-references", "max"], None, 0, [[24, 28, 38, 44]], 0),
    (["--expected", "none", "--combine-references", "mean"], None, 0, [[-6, 10, 12, 10]], 0),
]


def v1(a, e, u):
    return a / u * a / (a + e) if a else 0.0


def v2(a, e, u):
    return (a - e) / (u - e) if a >= e else (a - e) / e


def ratings(data):
    sums = {}
    for path in Path(data).glob("model_output_annotations/*.jsonl"):
        system = path.name.split("_")[0]
        for line in path.read_text().splitlines():
            given = json.loads(line)["expert_annotations"]
            for dimension in DIMENSIONS:
                sums.setdefault((system, dimension), []).append(sum(one[dimension] for one in given) / len(given))
    return {key: sum(values) / len(values) for key, values in sums.items()}


def tau66(means, rated, dimension):
    signs = 0
    for a, b in combinations(sorted(means), 2):
        by_metric, by_people = means[a] - means[b], rated[a, dimension] - rated[b, dimension]
        signs += (by_metric * by_people > 0) - (by_metric * by_people < 0)
    return signs


def main(program, model, data):
    rated = ratings(data)
    wrong = False
    for options, known, tolerance, taus, pairs in KNOWN:
        with tempfile.NamedTemporaryFile(suffix=".csv") as out:
            texts = f"{data}/model_output_annotations/*_outputs_annotations.jsonl"
            command = [program, "--model", model, "--texts", texts, "--out", out.name, "--values", "f1", *options]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            rows = list(csv.DictReader(open(out.name)))
        values = [("A", lambda a, *_: a)]
        if "expected" in rows[0]:
            values += [("E", lambda a, e, u: e), ("V1", v1), ("V2", v2)]
        print(" ".join(options), len(rows), "summaries")
        wrong |= len(rows) != 1200
        for number, (name, value) in enumerate(values):
            means = {}
            for row in rows:
                numbers = [float(row.get(key) or 0) for key in ("score", "expected", "upper")]
                means.setdefault(row["system"], []).append(value(*numbers))
            means = {system: sum(of) / len(of) for system, of in means.items()}
            mean = sum(means.values()) / len(means)
            shown = f"  {name:2} {mean:.6f}"
            if known:
                fine = abs(mean - known[number]) < (1e-6 if name == "A" else tolerance)
                wrong |= not fine
                shown += f" known {known[number]:.6f}{'' if fine else '  WRONG'}"
            place = {"A": 0, "V1": 1, "V2": 2}.get(name)
            if place is not None and place < len(taus):
                found = [tau66(means, rated, dimension) for dimension in DIMENSIONS]
                slack = pairs if place else 0
                fine = all(abs(one - other) <= slack for one, other in zip(found, taus[place]))
                wrong |= not fine
                shown += f"  tau x 66 {found} known {taus[place]}{'' if fine else '  WRONG'}"
            print(shown, flush=True)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
