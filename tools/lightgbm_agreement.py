"""How far our LambdaMART and LightGBM agree document by document, where nothing but arithmetic should tell them apart.

    pip install lightgbm numpy
    python3 tools/lightgbm_agreement.py runs/agreement

Takes parts S1 to S3 of mslr-sample/ in the folder that FIVEFOLD_DATA names, replaces every feature by its number among 50
quantiles (so that both programs have the same bins), trains both with 10 leaves, documents of equal score in file order (as
LightGBM has them, ours with `ties = "input"`), and prints the largest difference and the correlation of the scores of the
training documents. Three times: lists cut after 30 documents and leaves of one document or
more; leaves of 20 or more, which both estimate from the hessians; whole lists, where LightGBM's ideal nDCG is that of the
top 30 and ours that of the list.
"""

import subprocess
import sys
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

import lightgbm
import numpy as np

from quality_seeds import PROGRAM, RATE, parts_of, read

TREES = [1, 10, 30, 100]
LEAVES, TRUNCATION, QUANTILES = 10, 30, 50
CASES = [("lists of 30, leaves of 1", 30, 1), ("lists of 30, leaves of 20", 30, 20), ("whole lists, leaves of 1", None, 1)]


def load(longest):
    """Quantile numbers of the features, grades and sizes of the queries, each cut after `longest` documents."""
    parts = [read(path) for path in parts_of("mslr-sample")[:3]]
    features, grades, sizes = (np.concatenate([part[i] for part in parts]) for i in range(3))
    starts = np.cumsum(sizes) - sizes
    sizes = np.minimum(sizes, longest) if longest else sizes
    kept = np.concatenate([np.arange(start, start + size) for start, size in zip(starts, sizes)])
    features, grades = features[kept], grades[kept]
    for column in features.T:
        cuts = np.unique(np.quantile(column, np.linspace(0, 1, QUANTILES), method="nearest"))
        column[:] = np.searchsorted(cuts, column)
    return features, grades, sizes


def write(path, features, grades, sizes):
    """The same as a LETOR file."""
    with open(path, "w") as file:
        for row, grade, query in zip(features, grades, np.repeat(np.arange(len(sizes)), sizes)):
            file.write(f"{grade:g} qid:{query} " + " ".join(f"{i + 1}:{value:g}" for i, value in enumerate(row)) + "\n")


def theirs(data, trees, documents):
    settings = dict(
        objective="lambdarank", num_leaves=LEAVES, learning_rate=RATE, min_data_in_leaf=documents, min_data_in_bin=1,
        lambdarank_truncation_level=TRUNCATION, num_threads=1, force_col_wise=True, deterministic=True, verbose=-1,
    )
    features, grades, sizes = data
    return lightgbm.train(settings, lightgbm.Dataset(features, grades, group=sizes, params=settings), trees).predict(features)


def ours(path, trees, documents):
    model = path.with_suffix(".json")
    values = ["preset=lightgbm", "ties=input", f"leaves={LEAVES}", f"trees={trees}", f"min_documents={documents}"]
    train = [PROGRAM, "train", "--ranker", "lambdamart", *(f"--param={value}" for value in values)]
    subprocess.run([*train, "--train", path, "--out", model], check=True, capture_output=True)
    score = [PROGRAM, "score", "--model", model, "--data", path]
    return np.array(subprocess.run(score, check=True, capture_output=True, text=True).stdout.split(), dtype=float)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    print("| | " + " | ".join(f"{trees} tree{'s' * (trees > 1)}" for trees in TREES) + " |\n|" + "---|" * (len(TREES) + 1))
    for title, longest, documents in CASES:
        data = load(longest)
        path = folder / "train.txt"
        write(path, *data)
        cells = []
        for trees in TREES:
            left, right = ours(path, trees, documents), theirs(data, trees, documents)
            cells.append(f"{np.abs(left - right).max():.0e}, {np.corrcoef(left, right)[0, 1]:.6f}")
        print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
