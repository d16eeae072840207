"""The tables of the book's page on quality: our five-fold test means beside published values.

    fivefold run quality
    python3 tools/quality.py runs/quality
    fivefold run quality-tuned
    python3 tools/quality.py runs/quality-tuned

Reads per_query.csv of the results folder, and the published values of each fold from the folder that FIVEFOLD_DATA names
(ohsumed/baselines, mq2008-systems/published). Needs Python 3.9 and nothing else.
"""

import csv
import os
import sys
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

# How much lower a mean may be and still count as met.
TOLERANCE = 0.003

CELLS = [
    ("OHSUMED", "ap", "MAP"),
    ("OHSUMED", "ndcg@10", "NDCG@10"),
    ("MQ2008", "ap", "MAP"),
    ("MQ2008", "meanndcg", "MeanNDCG"),
]

# Method, label in the experiment (two: of OHSUMED, of MQ2008), what it is held to, published means in the order of CELLS
# (None: none published), and the files of the published folds: OHSUMED's, MQ2008's.
METHODS = [
    ("RankBoost", "RankBoost", "RankBoost", [0.4403, 0.4356, 0.4752, 0.4835], "rankboost", "MAP_Mq2008_RankBoost"),
    ("AdaRank on AP, `accumulate`", "AdaRank-AP", "AdaRank on AP", [0.4419, 0.4385, 0.4766, 0.4854], "adarank_map", "MAP_Mq2008_AdaRank"),
    ("AdaRank on NDCG, `accumulate`", "AdaRank-NDCG", "AdaRank on NDCG", [0.4424, 0.4369, 0.4775, 0.4866], "adarank_ndcg", "NDCG_Mq2008_AdaRank"),
    ("ListNet", "ListNet", "ListNet", [0.4496, 0.4489, 0.4415, 0.4554], "listnet", "MAP_Mq2008_ListNet"),
    ("RankNet", "RankNet", "RankNet", [None, None, 0.4522, 0.4633], None, "MAP_Mq2008_RankNet"),
    ("LambdaRank", "LambdaRank", "none published", [None, None, None, None], None, None),
    ("Coordinate ascent", "CoordAsc", "Ranking SVM", [0.4469, 0.4411, 0.4716, 0.4851], "ranksvm", "MAP_Mq2008_svm_rank"),
    ("Ridge", "Ridge", "scikit-learn", [0.4503, 0.4454, 0.4757, 0.4874], None, None),
    ("L2 logistic", ("L2LR-.0003", "L2LR-.01"), "scikit-learn", [0.4495, 0.4519, 0.4843, 0.4943], None, None),
    ("LambdaMART", "LMART", "LightGBM", [0.4459, 0.4469, 0.4768, 0.4898], None, None),
    ("Random forest", "RForest", "scikit-learn", [0.4347, 0.4113, 0.4684, 0.4824], None, None),
]


def fold_means(folder):
    """{(data set, method, measure): [mean of fold 1, ...]}; an undefined value is 0, as in LETOR's scripts."""
    values = {}
    with open(Path(folder) / "per_query.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["documents"] != "all":
                continue
            for _, measure, _ in CELLS:
                text = row[measure]
                value = float(text) if text and text != "NaN" else 0.0
                folds = values.setdefault((row["dataset"], row["ranker"], measure), {})
                folds.setdefault(int(row["fold"]), []).append(value)
    return {key: [sum(v) / len(v) for _, v in sorted(folds.items())] for key, folds in values.items()}


def published_ohsumed(data, name):
    """NDCG@10 and MAP of each fold of the test parts."""
    lines = (data / "ohsumed/baselines" / f"algorithms_{name}.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines]
    heads = [i for i, row in enumerate(rows) if row[0] == "Trials"]
    take = lambda head, column: [float(row[column]) for row in rows[head + 1 : head + 6]]
    return {"ndcg@10": take(heads[0], 10), "ap": take(heads[2], 1)}


def published_mq2008(data, name):
    """MeanNDCG and MAP of each fold of the test parts."""
    text = (data / "mq2008-systems/published" / name).read_text()
    part = text.split("performance on testing set")[1].split("Performance on")[0]
    rows = [line.split() for line in part.splitlines() if line.startswith("Fold") and not line.startswith("Folds")]
    return {"meanndcg": [float(r[11]) for r in rows[:5]], "ap": [float(r[11]) for r in rows[5:10]]}


def number(value):
    return f"{value:.4f}".replace("0.", ".", 1)


def main(folder):
    data = Path(os.environ["FIVEFOLD_DATA"])
    ours = fold_means(folder)
    heads = [f"{dataset} {measure}" for dataset, _, measure in CELLS]
    print("| method | reference | " + " | ".join(heads) + " |\n|" + "---|" * (len(heads) + 2))
    short = []
    for method, label, rival, published, ohsumed, mq2008 in METHODS:
        row = []
        for (dataset, measure, title), value in zip(CELLS, published):
            own = label if isinstance(label, str) else label[dataset == "MQ2008"]
            # A tuned ranker needs no setting of its own for each data set.
            own = own if (dataset, own, measure) in ours else own.split("-")[0]
            folds = ours[dataset, own, measure]
            mean = sum(folds) / len(folds)
            if value is None:
                row.append(number(mean))
                continue
            # As published: to four decimals.
            met = round(mean, 4) >= round(value - TOLERANCE, 4)
            row.append(f"{number(mean)} / {number(value)} {'met' if met else '**short**'}")
            if not met:
                source = ohsumed if dataset == "OHSUMED" else mq2008
                read = published_ohsumed if dataset == "OHSUMED" else published_mq2008
                theirs = read(data, source)[measure] if source else None
                short.append((f"{method}, {dataset} {title}", folds, theirs))
        print(f"| {method} | {rival} | " + " | ".join(row) + " |")
    if not short:
        return
    print("\nThe values of each fold, for the cells that fall short (`-`: the reference has no values of folds):\n")
    print("| cell | values | fold 1 | fold 2 | fold 3 | fold 4 | fold 5 |\n|---|---|---|---|---|---|---|")
    for cell, folds, theirs in short:
        print(f"| {cell} | ours | " + " | ".join(map(number, folds)) + " |")
        print("| | reference | " + " | ".join(map(number, theirs) if theirs else ["-"] * 5) + " |")


if __name__ == "__main__":
    main(sys.argv[1])
