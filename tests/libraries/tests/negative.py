"""Makes dialects/negative.json: what trec_eval does with negative grades of the qrels, for all its measures.

    python3 -m venv venv && venv/bin/pip install pytrec_eval-terrier==0.5.11
    venv/bin/python negative.py

A negative grade says that a document is in the pool and was not judged. Grades are -2 to 3; documents of a run may also be missing from the
qrels (null). Each topic is evaluated with grade 1 and with grade 2 as the lowest relevant one, and with and without -J (judged documents only).
Names of measures are those of trec_eval. A topic without a judged document is left out: trec_eval does not come back from it.
NaN, which trec_eval gives for precision at recall 0 of an empty list, is written as null.
"""

import json
import math
import random
from pathlib import Path

import pytrec_eval

FAMILIES = {
    "map_cut": "5 20", "P": "5 20", "recall": "5 20", "relative_P": "5 20", "success": "1 5", "ndcg_cut": "5 20",
    "iprec_at_recall": "0.00 0.50 1.00", "Rprec_mult": "0.20 1.60",
}
SINGLE = "map ndcg recip_rank Rprec bpref infAP binG 11pt_avg set_P set_recall set_F set_map set_relative_P utility".split()
MEASURES = SINGLE + [f"{family}_{x}" for family, all_x in FAMILIES.items() for x in all_x.split()]
ASKED = set(SINGLE) | {f"{family}.{all_x.replace(' ', ',')}" for family, all_x in FAMILIES.items()}
rng = random.Random(29)
cases = []
for number in range(80):
    size = rng.choice([2, 5, 12, 30])
    grades = rng.choice([[-1, 0, 1], [-2, -1, 0, 1, 2, 3], [-1, 1], [-1, -1, 0, 0, 2], [-1]])
    pool = {f"d{i:02}": rng.choice(grades) for i in range(size)}
    if max(pool.values()) < 0:
        continue
    run = rng.sample(list(pool), rng.randint(1, size)) + [f"x{i}" for i in range(rng.choice([0, 3]))]
    rng.shuffle(run)
    scored = {"q": {document: -float(place) for place, document in enumerate(run)}}
    for level in (1, 2):
        for judged_only in (False, True):
            evaluator = pytrec_eval.RelevanceEvaluator({"q": pool}, ASKED, relevance_level=level, judged_docs_only_flag=judged_only)
            values = evaluator.evaluate(scored)["q"]
            case = {"pool": list(pool.values()), "run": [pool.get(document) for document in run], "level": level}
            cases.append(case | {"judged_only": judged_only, "values": [None if math.isnan(values[name]) else values[name] for name in MEASURES]})
target = Path(__file__).parent / "dialects/negative.json"
lines = ",\n".join(json.dumps(case) for case in cases)
target.write_text(f'{{"measures": {json.dumps(MEASURES)},\n"cases": [\n{lines}\n]}}\n')
