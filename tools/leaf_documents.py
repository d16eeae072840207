"""The choice of LambdaMART's defaults for `leaf_documents` and `min_documents`, on validation parts only.

    pip install numpy scipy
    python3 tools/leaf_documents.py runs/leaf-documents
    python3 tools/leaf_documents.py runs/leaf-documents --seeds 10 --collection ohsumed mq2008

The script cuts every validation part in two halves of its queries. Each
candidate is trained with one half as its validation part, for early stopping, and measured on the
other half (nDCG@10); then the halves change places. Test parts are not read. OHSUMED, MQ2008, the
MSLR sample and a made collection, five folds each, all else LambdaMART's defaults.

Prints the means over folds, halves and seeds, and the difference of each candidate to the first
one. The ten halves have no query in common, so that a difference is averaged over the seeds first,
and its standard error is taken over the ten halves. The mean over the collections has a 95 %
interval by Student's t (Satterthwaite's degrees of freedom).

The script does not repeat what it has done. It needs the program `fivefold` (or the one that
FIVEFOLD names) and the data in the folder that FIVEFOLD_DATA names.
"""

import argparse
import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
from scipy import stats

CANDIDATES = [(rule, documents) for rule in ("counted", "by-hessian") for documents in (20, 40, 60)]
COLLECTIONS = ["ohsumed", "mq2008", "mslr-sample", "made"]
MADE = ["make", "--shape", "mslr-web30k", "--queries", "60", "--seed", "1"]
PROGRAM = os.environ.get("FIVEFOLD", "fivefold")


def halves(text):
    """Every second query, and the others."""
    queries, last = [], None
    for line in filter(str.strip, text.splitlines()):
        query = line.split()[1]
        if query != last:
            queries.append("")
            last = query
        queries[-1] += line + "\n"
    return "".join(queries[::2]), "".join(queries[1::2])


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
    text = f'name = "leaf-documents"\nseed = {seed}\ndialect = "paper"\n'
    for half in ("ab", "ba"):
        text += f'\n[[dataset]]\npath = "{half}"\nlayout = "fold-dirs"\nlabel = "{half}"\nuninformative = 10\nideal = 10\n'
    for number, (rule, documents) in enumerate(CANDIDATES):
        params = f'leaf_documents = "{rule}", min_documents = {documents}'
        text += f'\n[[ranker]]\nlabel = "{number}"\nkind = "lambdamart"\nparams = {{ {params} }}\n'
    return text + '\n[evaluation]\nmeasures = ["ndcg@10"]\ncutoffs = []\nversions = ["original"]\n'


def measured(name, folder, seed):
    """Means over the queries of a fold and half under a seed: [candidate][fold and half]."""
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
    return np.array(json.loads(done.read_text()))


def over_collections(differences):
    """The mean over collections of mean differences, and half of its 95 % interval."""
    variances = np.array([stats.sem(of_halves) ** 2 for of_halves in differences])
    freedom = variances.sum() ** 2 / sum(v**2 / (len(d) - 1) for v, d in zip(variances, differences))
    half = stats.t.ppf(0.975, freedom) * variances.sum() ** 0.5 / len(differences)
    return np.mean([of_halves.mean() for of_halves in differences]), half


def number(value):
    return f"{value:.4f}".replace("0.", ".", 1)


def report(found):
    heads = " | ".join(found)
    print(f"| leaf_documents | min_documents | {heads} | mean |\n|" + "---|" * (len(found) + 3))
    for candidate, (rule, documents) in enumerate(CANDIDATES):
        means = [values[candidate].mean() for values in found.values()]
        cells = [number(mean) for mean in [*means, np.mean(means)]]
        if candidate:
            differences = [values[candidate] - values[0] for values in found.values()]
            for i, of_halves in enumerate(differences):
                cells[i] += f" ({of_halves.mean():+.4f} ± {stats.sem(of_halves):.4f})"
            mean, half = over_collections(differences)
            cells[-1] += f" ({mean - half:+.4f} to {mean + half:+.4f})"
        print(f"| {rule} | {documents} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where halves, experiments and results go")
    parser.add_argument("--seeds", type=int, default=5, help="how many seeds, from 1")
    parser.add_argument("--collection", choices=COLLECTIONS, nargs="+", default=COLLECTIONS)
    options = parser.parse_args()
    found = {name: [] for name in options.collection}
    for seed in range(1, options.seeds + 1):
        for name, of_seeds in found.items():
            of_seeds.append(measured(name, options.folder / name, seed))
    report({name: np.mean(of_seeds, axis=0) for name, of_seeds in found.items()})


if __name__ == "__main__":
    main()
