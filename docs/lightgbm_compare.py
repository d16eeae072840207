"""LambdaMART against LightGBM on the five folds of MQ2008, at equal settings and five numbers of bins.

    pip install lightgbm numpy
    python3 docs/lightgbm_compare.py runs/lightgbm

Trains LightGBM, writes its scores of the test parts and an experiment that holds them beside our own models (preset
`lightgbm`), runs that with the program `fivefold` (or the one that FIVEFOLD names), and prints the five-fold means. Reads
mq2008/ in the folder that FIVEFOLD_DATA names.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

import lightgbm
import numpy as np

BINS = [255, 254, 200, 128, 64]
LEAVES = [31, 10]
TREES, RATE = 100, 0.1
FEATURES = 46
MEASURE = "ndcg@10"


def read(path):
    """Features, grades and the sizes of the queries of a LETOR file."""
    rows, grades, queries = [], [], []
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        grades.append(int(words[0]))
        queries.append(words[1])
        rows.append([float(word.split(":")[1]) for word in words[2:]])
    starts = [i for i in range(len(queries)) if i == 0 or queries[i] != queries[i - 1]]
    features = np.array(rows, dtype=np.float32)
    assert features.shape[1] == FEATURES
    return features, np.array(grades), np.diff(starts + [len(queries)])


def train(data, folder):
    """LightGBM's scores of each fold's test part: folder/BINS-LEAVES/FoldN.score."""
    parts = [read(data / "mq2008" / f"S{number}.txt") for number in range(1, 6)]
    for fold in range(5):
        learn = [parts[(fold + i) % 5] for i in range(3)]
        features, grades, sizes = (np.concatenate([part[i] for part in learn]) for i in range(3))
        for bins in BINS:
            for leaves in LEAVES:
                settings = dict(
                    objective="lambdarank", num_leaves=leaves, learning_rate=RATE, max_bin=bins, num_threads=1,
                    label_gain=[0, 1, 3], force_col_wise=True, deterministic=True, verbose=-1,
                )
                made = lightgbm.Dataset(features, grades, group=sizes, params=settings)
                scores = lightgbm.train(settings, made, TREES).predict(parts[(fold + 4) % 5][0], num_threads=1)
                path = folder / f"{bins}-{leaves}" / f"Fold{fold + 1}.score"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f"{score!r}\n" for score in scores.tolist()))


def experiment():
    """Both programs at every setting, as an experiment file."""
    text = 'name = "lightgbm"\nseed = 7\nprofile = "paper"\n\n[[dataset]]\nname = "mq2008"\n'
    for bins in BINS:
        for leaves in LEAVES:
            text += f'\n[[ranker]]\nlabel = "LightGBM-{bins}-{leaves}"\nkind = "scores"\n'
            text += f'params = {{ path = "{bins}-{leaves}/Fold{{fold}}.score" }}\n'
            text += f'\n[[ranker]]\nlabel = "ours-{bins}-{leaves}"\nkind = "lambdamart"\n'
            text += f'params = {{ preset = "lightgbm", bins = {bins}, leaves = {leaves} }}\n'
    text += f'\n[evaluation]\nmeasures = ["{MEASURE}"]\ncutoffs = []\nversions = ["original"]\n'
    return text + "\n[query_sets]\nuninformative = 300\nideal = 300\n"


def means(folder):
    """Mean over all test queries of each method."""
    values = {}
    with open(folder / "per_query.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["documents"] == "all":
                text = row[MEASURE]
                values.setdefault(row["ranker"], []).append(float(text) if text and text != "NaN" else 0.0)
    return {name: float(np.mean(v)) for name, v in values.items()}


def main(folder):
    train(Path(os.environ["FIVEFOLD_DATA"]), folder)
    path = folder / "lightgbm.toml"
    path.write_text(experiment())
    program = os.environ.get("FIVEFOLD", "fivefold")
    subprocess.run([program, "run", str(path), "--out", str(folder / "results")], check=True, stdout=subprocess.DEVNULL)
    mean = means(folder / "results")
    for leaves in LEAVES:
        print(f"\n{TREES} trees of {leaves} leaves, rate {RATE}, LightGBM {lightgbm.__version__}:\n")
        print("| bins | " + " | ".join(map(str, BINS)) + " | mean |\n|" + "---|" * (len(BINS) + 2))
        rows = {name: np.array([mean[f"{name}-{bins}-{leaves}"] for bins in BINS]) for name in ("ours", "LightGBM")}
        rows["difference"] = rows["ours"] - rows["LightGBM"]
        for name, row in rows.items():
            print(f"| {name} | " + " | ".join(f"{value:.4f}" for value in [*row, row.mean()]) + " |")
        error = rows["difference"].std(ddof=1) / len(BINS) ** 0.5
        verdict = "met" if rows["difference"].mean() >= -2 * error else "short"
        print(f"\nPaired standard error of the mean difference {error:.4f}; at least minus two of them: {verdict}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
