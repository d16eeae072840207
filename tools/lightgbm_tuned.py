"""LightGBM tuned on OHSUMED's validation parts, with the rows of the training queries in file order and in random orders.

    pip install lightgbm numpy
    python3 tools/lightgbm_tuned.py 5

The argument is the number of random orders. 5 and 10 leaves, rates .05 and .1, 30 to 250 trees, the rest LightGBM's defaults,
raw features. Prints test NDCG@10 (as LETOR's scripts, means over five folds) of the setting with the best mean over the
validation parts, of the best setting of each fold's own validation part, and the highest of all settings, which nobody who
tunes on validation parts can know. Reads ohsumed/ in the folder that FIVEFOLD_DATA names.
"""

import os
import sys
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

import lightgbm
import numpy as np

from quality_seeds import read

LEAVES, RATES, TREES = (5, 10), (0.05, 0.1), (30, 60, 100, 170, 250)
DISCOUNTS = np.concatenate([[1.0], 1 / np.log2(np.arange(2, 11))])


def queries(sizes):
    return np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])


def ndcg(grades, scores, rows):
    """NDCG@10 of a query; 0 where no document is relevant."""
    gains = 2.0 ** grades[rows] - 1
    dcg = lambda sorted_gains: (sorted_gains[:10] * DISCOUNTS[: len(sorted_gains)]).sum()
    ideal = dcg(np.sort(gains)[::-1])
    return dcg(gains[np.argsort(-scores[rows], kind="stable")]) / ideal if ideal else 0.0


def fold_values(parts, order):
    """{setting: (validation NDCG@10, test NDCG@10)} of one fold; `order` gives the rows of a training query a new order."""
    features, grades, sizes = parts[0]
    rows = np.concatenate([order(query) for query in queries(sizes)])
    values = {}
    for leaves in LEAVES:
        for rate in RATES:
            made = lightgbm.Dataset(features[rows], grades[rows], group=sizes)
            settings = dict(
                objective="lambdarank", num_leaves=leaves, learning_rate=rate, num_threads=1, deterministic=True, verbose=-1
            )
            model = lightgbm.train(settings, made, max(TREES))
            for trees in TREES:
                means = []
                for x, y, counts in parts[1:]:
                    scores = model.predict(x, num_iteration=trees, num_threads=1)
                    means.append(np.mean([ndcg(y, scores, query) for query in queries(counts)]))
                values[leaves, rate, trees] = tuple(means)
    return values


def main(orders):
    folder = Path(os.environ["FIVEFOLD_DATA"]) / "ohsumed"
    files = ["trainingset.txt", "validationset.txt", "testset.txt"]
    folds = [[read(folder / f"Fold{number}" / file) for file in files] for number in range(1, 6)]
    print("| order of rows | one setting for all folds | its NDCG@10 | one setting for each fold | highest of all |\n|" + "---|" * 5)
    for number in range(orders + 1):
        rng = np.random.default_rng(number)
        found = [fold_values(parts, rng.permutation if number else lambda rows: rows) for parts in folds]
        means = {setting: np.mean([values[setting] for values in found], axis=0) for setting in found[0]}
        best = max(means, key=lambda setting: means[setting][0])
        by_fold = np.mean([max(values.values(), key=lambda pair: pair[0])[1] for values in found])
        leaves, rate, trees = best
        cells = [f"{value:.4f}".lstrip("0") for value in (means[best][1], by_fold, max(test for _, test in means.values()))]
        name = f"random {number}" if number else "file"
        print(f"| {name} | {leaves} leaves, rate {rate}, {trees} trees | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
