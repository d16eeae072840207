"""Makes dialects/ndeval.json: values of ndeval for made topics with subtopics.

    python3 -m venv venv && venv/bin/pip install pyndeval==0.0.8
    venv/bin/python diversity.py

NaN (nNRBP of a topic without a relevant document) is written as null. Cutoff 1 is left out: there ndeval does not divide ERR-IA and
alpha-DCG.
"""

import json
import math
import random
from pathlib import Path

import pyndeval

CUT = ["ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec"]
MEASURES = [f"{name}@{k}" for name in CUT for k in (2, 5, 20)] + ["NRBP", "nNRBP", "MAP-IA"]
rng = random.Random(19)
cases = []
for _ in range(150):
    subtopics = rng.randint(1, 6)
    ids = [f"d{rng.randint(0, 10**6):06}" for _ in range(rng.randint(1, 30))]
    pool = {d: [s for s in range(subtopics) if rng.random() < rng.choice([0, 0.2, 0.6])] for d in dict.fromkeys(ids)}
    run = rng.sample(list(pool), rng.randint(1, len(pool))) + [f"x{i}" for i in range(rng.randint(0, 10))]
    rng.shuffle(run)
    # A document without a subtopic is judged not relevant to subtopic 0.
    qrels = [("q", str(s), d, 1) for d, own in pool.items() for s in own] + [("q", "0", d, 0) for d, own in pool.items() if not own]
    ranked = [("q", d, -float(place)) for place, d in enumerate(run)]
    values = pyndeval.ndeval(qrels, ranked, measures=MEASURES)["q"]
    values = [None if math.isnan(values[name]) else values[name] for name in MEASURES]
    cases.append({"pool": pool, "run": run, "values": values})
target = Path(__file__).parent / "dialects/ndeval.json"
lines = ",\n".join(json.dumps(case) for case in cases)
target.write_text(f'{{"measures": {json.dumps(MEASURES)},\n"cases": [\n{lines}\n]}}\n')
