"""LambdaMART against LightGBM at equal settings, on the test parts of five folds: MQ2008, the MSLR sample and made data.

    pip install lightgbm numpy
    python3 docs/lightgbm_compare.py runs/lightgbm
    python3 docs/lightgbm_compare.py runs/lightgbm --collection mslr-sample --bins $(seq 90 6 252)
    python3 docs/lightgbm_compare.py runs/lightgbm --collection made --queries 1000 --seeds $(seq 10)

MQ2008 and the sample are compared at five numbers of bins, made data of MSLR-WEB30K's shape under five seeds. Trains
LightGBM, writes its scores and an experiment that holds them beside our own models (preset `lightgbm`, whose ties are drawn
under another seed at every setting), runs that with the
program `fivefold` (or the one that FIVEFOLD names), and prints the five-fold means. Reads mq2008/ and mslr-sample/ in the
folder that FIVEFOLD_DATA names.
"""

import argparse
import csv
import os
import re
import subprocess
import tempfile
from pathlib import Path

import lightgbm
import numpy as np

BINS = [255, 254, 200, 128, 64]
SEEDS, MADE_BINS = [1, 2, 3, 4, 5], 255
LEAVES = [31, 10]
TREES, RATE = 100, 0.1
MEASURE = "ndcg@10"
PROGRAM = os.environ.get("FIVEFOLD", "fivefold")


def parts_of(name):
    """The files of a collection's parts S1 to S5."""
    return [Path(os.environ["FIVEFOLD_DATA"]) / name / f"S{number}.txt" for number in range(1, 6)]


def read(path):
    """Features, grades and the sizes of the queries of a LETOR file that writes every feature."""
    lines = path.read_text().splitlines()
    table = np.array([np.fromstring(re.sub(r"\S+:", "", line.split("#")[0]), sep=" ") for line in lines])
    starts = np.flatnonzero(np.diff(table[:, 1], prepend=-1))
    return table[:, 2:].astype(np.float32), table[:, 0], np.diff(starts, append=len(table))


def train(paths, bins, folder):
    """LightGBM's scores of each fold's test part: folder/BINS-LEAVES/FoldN.score. `paths` are the parts S1 to S5."""
    parts = [read(path) for path in paths]
    for fold in range(5):
        learn = [parts[(fold + i) % 5] for i in range(3)]
        features, grades, sizes = (np.concatenate([part[i] for part in learn]) for i in range(3))
        for count in bins:
            for leaves in LEAVES:
                settings = dict(
                    objective="lambdarank", num_leaves=leaves, learning_rate=RATE, max_bin=count, num_threads=1,
                    lambdarank_truncation_level=30, min_data_in_leaf=20, min_sum_hessian_in_leaf=1e-3,
                    force_col_wise=True, deterministic=True, verbose=-1,
                )
                made = lightgbm.Dataset(features, grades, group=sizes, params=settings)
                scores = lightgbm.train(settings, made, TREES).predict(parts[(fold + 4) % 5][0], num_threads=1)
                path = folder / f"{count}-{leaves}" / f"Fold{fold + 1}.score"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(f"{score!r}\n" for score in scores.tolist()))


def experiment(dataset, bins):
    """Both programs at every setting, as an experiment file."""
    text = f'name = "lightgbm"\nseed = 7\nprofile = "paper"\n\n[[dataset]]\n{dataset}\nuninformative = 10\nideal = 10\n'
    for count in bins:
        for leaves in LEAVES:
            text += f'\n[[ranker]]\nlabel = "LightGBM-{count}-{leaves}"\nkind = "scores"\n'
            text += f'params = {{ path = "{count}-{leaves}/Fold{{fold}}.score" }}\n'
            text += f'\n[[ranker]]\nlabel = "ours-{count}-{leaves}"\nkind = "lambdamart"\n'
            text += f'params = {{ preset = "lightgbm", bins = {count}, leaves = {leaves} }}\n'
    return text + f'\n[evaluation]\nmeasures = ["{MEASURE}"]\ncutoffs = []\nversions = ["original"]\n'


def compare(dataset, paths, bins, folder):
    """The value of each test query under each method, an undefined one as 0: {method: {query: value}}."""
    train(paths, bins, folder)
    path = folder / "lightgbm.toml"
    path.write_text(experiment(dataset, bins))
    command = [PROGRAM, "run", str(path), "--out", str(folder / "results")]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    values = {}
    with open(folder / "results" / "per_query.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["documents"] == "all":
                text = row[MEASURE]
                value = float(text) if text and text != "NaN" else 0.0
                values.setdefault(row["ranker"], {})[row["query"]] = value
    return values


def real(name, bins, folder):
    """A collection in parts at every number of bins: {bins: {(method, leaves): {query: value}}}."""
    values = compare(f'name = "{name}"', parts_of(name), bins, folder)
    return {
        count: {(who, leaves): values[f"{who}-{count}-{leaves}"] for who in ("ours", "LightGBM") for leaves in LEAVES}
        for count in bins
    }


def made(queries, seeds, folder):
    """Made collections under every seed: {seed: {(method, leaves): {query: value}}}, queries told apart by the seed."""
    columns = {}
    for seed in seeds:
        # The test part of fold 2 is S1, and so on; that of fold 1 is S5.
        with tempfile.TemporaryDirectory() as data:
            command = ["make", "--shape", "mslr-web30k", "--queries", str(queries), "--seed", str(seed), "--out", data]
            subprocess.run([PROGRAM, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            paths = [Path(data) / f"Fold{fold}" / "test.txt" for fold in (2, 3, 4, 5, 1)]
            dataset = f'path = "{data}"\nlayout = "fold-dirs"\nlabel = "made"'
            values = compare(dataset, paths, [MADE_BINS], folder / str(seed))
        columns[seed] = {
            (who, leaves): {(seed, query): value for query, value in values[f"{who}-{MADE_BINS}-{leaves}"].items()}
            for who in ("ours", "LightGBM")
            for leaves in LEAVES
        }
    return columns


def report(title, head, columns):
    """Prints the means of every column, and the verdict, for each number of leaves."""
    for leaves in LEAVES:
        print(f"\n{title}, {TREES} trees of {leaves} leaves, rate {RATE}, LightGBM {lightgbm.__version__}:\n")
        print(f"| {head} | " + " | ".join(map(str, columns)) + " | mean |\n|" + "---|" * (len(columns) + 2))
        pairs = [(column["ours", leaves], column["LightGBM", leaves]) for column in columns.values()]
        means = np.array([[np.mean(list(values.values())) for values in pair] for pair in pairs]).T
        rows = {"ours": means[0], "LightGBM": means[1]}
        rows["difference"] = rows["ours"] - rows["LightGBM"]
        for name, row in rows.items():
            print(f"| {name} | " + " | ".join(f"{value:.4f}" for value in [*row, row.mean()]) + " |")
        of_query = {}
        for ours, theirs in pairs:
            for query in ours:
                of_query.setdefault(query, []).append(ours[query] - theirs[query])
        over_queries = standard_error([np.mean(differences) for differences in of_query.values()])
        error = standard_error(rows["difference"])
        verdict = "met" if rows["difference"].mean() >= -2 * error else "short"
        print(f"\nPaired standard error of the mean difference {error:.4f} ({over_queries:.4f} over the {len(of_query)}")
        print(f"queries); at least minus two of the former: {verdict}.", flush=True)


def standard_error(values):
    return np.std(values, ddof=1) / len(values) ** 0.5


def main():
    names = ["mq2008", "mslr-sample", "made"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where scores, experiments and results go")
    parser.add_argument("--collection", choices=names, nargs="+", default=names)
    parser.add_argument("--bins", type=int, nargs="+", default=BINS, help="numbers of bins for mq2008 and mslr-sample")
    parser.add_argument("--queries", type=int, default=500, help="queries of a made collection")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="seeds of the made collections")
    options = parser.parse_args()
    for name in options.collection:
        folder = options.folder / name
        if name == "made":
            report(f"{options.queries} made queries", "seed", made(options.queries, options.seeds, folder))
        else:
            report(name, "bins", real(name, options.bins, folder))


if __name__ == "__main__":
    main()
