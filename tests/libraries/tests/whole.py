"""Makes dialects/whole.json: values of measures of whole rankings, and of nERR, for made runs.

    python3 -m venv venv && venv/bin/pip install ir_measures==0.4.3 cwl-eval==1.0.12
    venv/bin/python whole.py

INST, BPM and NERR8 to NERR11 are those of ir_measures, which asks cwl_eval (INST: Moffat, Bailey, Scholer & Thomas, ADCS 2015; BPM: Zhang et
al., SIGIR 2017; NERR8 to NERR11: Azzopardi, Mackenzie & Moffat, ICTIR 2021). No program at hand has nERR, so it is the formula of Chapelle,
Metzler, Zhang & Grinspan, CIKM 2009, written below, over that of the documents of the pool by falling grade (Sakai, NTCIR). Names of measures
are ours. A grade of a pool is null in `run` if the document was not judged.
"""

import json
import random
from pathlib import Path

import ir_measures
from ir_measures import BPM, INST, NERR8, NERR9, NERR10, NERR11, Qrel, ScoredDoc

# A power of two: thirds, added as floats, would miss a target that they reach.
HIGHEST = 4
TARGETS = [0.5, 1.0, 3.0]
MEASURES = {f"inst(T={t})": INST(T=t, max_rel=HIGHEST) for t in TARGETS}
MEASURES |= {f"bpm(T={t})@{k}": BPM(T=t, max_rel=HIGHEST) @ k for t in TARGETS for k in (1, 5, 20)}
MEASURES |= {f"nerr8@{k}": NERR8(max_rel=HIGHEST) @ k for k in (1, 5, 20)}
MEASURES |= {f"nerr9@{k}": NERR9(max_rel=HIGHEST) @ k for k in (1, 5, 20)}
MEASURES |= {f"nerr10(p={p})": NERR10(p=p, max_rel=HIGHEST) for p in (0.5, 0.9)}
MEASURES |= {f"nerr11(T={t})": NERR11(T=t, max_rel=HIGHEST) for t in TARGETS}


def err(grades, k):
    value, reached = 0.0, 1.0
    for rank, grade in enumerate(grades[:k], 1):
        stops = (2**grade - 1) / 2**HIGHEST
        value += reached * stops / rank
        reached *= 1 - stops
    return value


def nerr(run, pool, k):
    best = err(sorted(pool, reverse=True), k)
    return err([grade or 0 for grade in run], k) / best if best else None


rng = random.Random(23)
cases = []
for number in range(120):
    size = rng.choice([1, 3, 8, 30])
    odds = rng.choice([[6, 2, 1, 1, 1], [1, 1, 1, 1, 1], [9, 1, 0, 0, 0], [1, 0, 0, 0, 0]])
    pool = {f"d{i:02}": rng.choices([0, 1, 2, 3, 4], odds)[0] for i in range(size)}
    run = rng.sample(list(pool), rng.randint(1, size)) + [f"x{i}" for i in range(rng.choice([0, 0, 5]))]
    rng.shuffle(run)
    qrels = [Qrel("q", document, grade) for document, grade in pool.items()]
    scored = [ScoredDoc("q", document, -float(place)) for place, document in enumerate(run)]
    values = {}
    for name, measure in MEASURES.items():
        [values[name]] = [found.value for found in ir_measures.iter_calc([measure], qrels, scored)]
    grades = [pool.get(document) for document in run]
    values |= {f"nerr@{k}": nerr(grades, list(pool.values()), k) for k in (1, 5, 20)}
    cases.append({"pool": list(pool.values()), "run": grades, "values": list(values.values())})
target = Path(__file__).parent / "dialects/whole.json"
lines = ",\n".join(json.dumps(case) for case in cases)
target.write_text(f'{{"measures": {json.dumps(list(values))},\n"cases": [\n{lines}\n]}}\n')
