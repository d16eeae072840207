"""The choice of LambdaMART's defaults for `leaf_documents` and `min_documents`, on validation parts only.

    python3 docs/leaf_documents.py runs/leaf-documents

As quality_tuning.py: every validation part is cut in two; each candidate is trained with one half as its validation part, for early
stopping, and measured on the other (nDCG@10), and the reverse; test parts are not read. OHSUMED, MQ2008, the MSLR sample and
a made collection, five folds each, all else LambdaMART's defaults. Prints the means over folds, halves and seeds, and standard errors of
the differences to the first candidate. What is done already is not done again. Needs numpy, the program `fivefold` (or the one
that FIVEFOLD names) and the data in the folder that FIVEFOLD_DATA names.
"""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from quality_tuning import halves

CANDIDATES = [(rule, documents) for rule in ("counted", "by-hessian") for documents in (20, 40, 60)]
COLLECTIONS = ["ohsumed", "mq2008", "mslr-sample", "made"]
SEEDS = [1]
MADE = ["make", "--shape", "mslr-web30k", "--queries", "60", "--seed", "1"]
PROGRAM = os.environ.get("FIVEFOLD", "fivefold")


def folds(name, folder):
    """Training and validation text of each fold."""
    data = Path(os.environ["FIVEFOLD_DATA"]) / name
    if name == "made":
        data = folder / "data"
        subprocess.run([PROGRAM, *MADE, "--out", data], check=True, capture_output=True)
    if name in ("ohsumed", "made"):
        train, validation = ("train", "vali") if name == "made" else ("trainingset", "validationset")
        for fold in range(1, 6):
            yield [(data / f"Fold{fold}" / f"{part}.txt").read_text() for part in (train, validation)]
        return
    parts = [(data / f"S{number}.txt").read_text() for number in range(1, 6)]
    for fold in range(5):
        yield "".join(parts[(fold + i) % 5] for i in range(3)), parts[(fold + 3) % 5]


def write_collection(name, folder):
    for fold, (train, validation) in enumerate(folds(name, folder), 1):
        first, second = halves(validation)
        for half, stop, measured in (("ab", first, second), ("ba", second, first)):
            place = folder / half / f"Fold{fold}"
            place.mkdir(parents=True, exist_ok=True)
            for file, text in (("train", train), ("vali", stop), ("test", measured)):
                (place / f"{file}.txt").write_text(text)


def experiment(seed):
    text = f'name = "leaf-documents"\nseed = {seed}\nprofile = "paper"\n'
    for half in ("ab", "ba"):
        text += f'\n[[dataset]]\npath = "{half}"\nlayout = "fold-dirs"\nlabel = "{half}"\nuninformative = 10\nideal = 10\n'
    for number, (rule, documents) in enumerate(CANDIDATES):
        params = f'leaf_documents = "{rule}", min_documents = {documents}'
        text += f'\n[[ranker]]\nlabel = "{number}"\nkind = "lambdamart"\nparams = {{ {params} }}\n'
    return text + '\n[evaluation]\nmeasures = ["ndcg@10"]\ncutoffs = []\nversions = ["original"]\n'


def measured(name, folder):
    """Means over the queries of a fold and half: [candidate][seed, fold and half]."""
    found = []
    for seed in SEEDS:
        done = folder / f"{seed}.json"
        if not done.exists():
            if not (folder / "ba/Fold5/test.txt").exists():
                write_collection(name, folder)
            path = folder / f"{seed}.toml"
            path.write_text(experiment(seed))
            out = folder / f"results-{seed}"
            subprocess.run([PROGRAM, "run", path, "--out", out, "--threads", "1"], check=True, capture_output=True)
            values = [{} for _ in CANDIDATES]
            with open(out / "per_query.csv", newline="") as file:
                for row in csv.DictReader(file):
                    if row["documents"] == "all":
                        value = float(row["ndcg@10"]) if row["ndcg@10"] not in ("", "NaN") else 0.0
                        values[int(row["ranker"])].setdefault((row["dataset"], row["fold"]), []).append(value)
            done.write_text(json.dumps([[sum(v) / len(v) for _, v in sorted(parts.items())] for parts in values]))
        found.append(np.array(json.loads(done.read_text())))
    return np.concatenate(found, axis=1)


def main(folder):
    found = {name: measured(name, folder / name) for name in COLLECTIONS}
    heads = " | ".join(COLLECTIONS)
    print(f"| leaf_documents | min_documents | {heads} | mean |\n|" + "---|" * (len(COLLECTIONS) + 3))
    for number, (rule, documents) in enumerate(CANDIDATES):
        means = [values[number].mean() for values in found.values()]
        cells = [f"{mean:.4f}".lstrip("0") for mean in [*means, sum(means) / len(means)]]
        if number:
            for i, values in enumerate(found.values()):
                difference = values[number] - values[0]
                cells[i] += f" ({difference.mean():+.4f} ± {difference.std(ddof=1) / len(difference) ** 0.5:.4f})"
        print(f"| {rule} | {documents} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
