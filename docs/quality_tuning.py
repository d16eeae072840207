"""The choice of parameters for quality.toml, on validation parts only.

    python3 docs/quality_tuning.py runs/tuning

Cuts every validation part of OHSUMED and MQ2008 in two (every second query). Each candidate is trained with one half as its
validation part, for early stopping, and measured on the other, and the reverse; test parts are not read. Prints the five-fold
means. Needs the program `fivefold` (or the one that FIVEFOLD names) and the data in the folder that FIVEFOLD_DATA names.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

Z_SCORE = 'normalise = { method = "z-score", over = "query" }'
RAW = ""

# Kind of ranker, normaliser, parameters of the candidates.
GRID = (
    [("linear", Z_SCORE, f"lambda = {v}") for v in ("1.0", "10.0", "100.0", "1000.0", "3000.0")]
    + [("l2-logistic", Z_SCORE, f"c = {v}") for v in ("1.0", "0.1", "0.01", "0.001", "0.0003")]
    + [("rankboost", n, "") for n in (RAW, Z_SCORE)]
    + [("adarank", n, f'objective = "{v}"') for n in (RAW, Z_SCORE) for v in ("ap", "ndcg@10")]
    + [("listnet", Z_SCORE, v) for v in ("", "sharpness = 2.0", "hidden = [10]", "l2 = 0.1")]
    + [("ranknet", Z_SCORE, v) for v in ("", "hidden = []", "hidden = [10]", "l2 = 0.3")]
    + [
        ("lambdamart", n, f"leaves = {leaves}, learning_rate = {rate}")
        for n in (RAW, Z_SCORE)
        for leaves in (3, 5, 10, 31)
        for rate in (0.02, 0.05, 0.1)
    ]
    + [
        ("lambdamart", Z_SCORE, f"leaves = {leaves}, features = {features}, queries = {queries}")
        for leaves in (3, 5)
        for features, queries in ((0.5, 1.0), (1.0, 0.5), (0.5, 0.5))
    ]
    + [("random-forest", RAW, f"leaves = {v}") for v in (10, 20, 30, 50, 100)]
    + [
        ("adarank", n, f'objective = "{v}", accumulate = true, max_picks = {picks}')
        for n in (RAW, Z_SCORE)
        for v in ("ap", "ndcg@10")
        for picks in (1, 2, 5, 1000)
    ]
    + [("l2-logistic", Z_SCORE, f"c = {v}, threshold = 2") for v in ("1.0", "0.1", "0.01", "0.001", "0.0003")]
)

COLUMNS = [("ohsumed", "ap"), ("ohsumed", "ndcg@10"), ("mq2008", "ap"), ("mq2008", "meanndcg")]


def folds(data):
    """(collection, fold, training text, validation text) of both collections."""
    parts = [(data / "mq2008" / f"S{number}.txt").read_text() for number in range(1, 6)]
    for fold in range(5):
        folder = data / "ohsumed" / f"Fold{fold + 1}"
        yield "ohsumed", fold + 1, (folder / "trainingset.txt").read_text(), (folder / "validationset.txt").read_text()
        train = "".join(parts[(fold + i) % 5] for i in range(3))
        yield "mq2008", fold + 1, train, parts[(fold + 3) % 5]


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


def write_collections(data, folder):
    for collection, fold, train, validation in folds(data):
        first, second = halves(validation)
        for name, stop, measured in (("ab", first, second), ("ba", second, first)):
            place = folder / f"{collection}-{name}" / f"Fold{fold}"
            place.mkdir(parents=True, exist_ok=True)
            for file, text in (("train", train), ("vali", stop), ("test", measured)):
                (place / f"{file}.txt").write_text(text)


def experiment():
    text = 'name = "tuning"\nseed = 7\ndialect = "letor4"\n'
    for collection in ("ohsumed", "mq2008"):
        for name in ("ab", "ba"):
            text += f'\n[[dataset]]\npath = "{collection}-{name}"\nlayout = "fold-dirs"\nlabel = "{collection}-{name}"\n'
    for number, (kind, normaliser, params) in enumerate(GRID):
        text += f'\n[[ranker]]\nlabel = "{number}"\nkind = "{kind}"\n{normaliser}\nparams = {{ {params} }}\n'
    text += '\n[evaluation]\nmeasures = ["ap", "ndcg@10", "meanndcg"]\ncutoffs = []\nversions = ["original"]\n'
    return text + "\n[query_sets]\nuninformative = 10\nideal = 10\n"


def means(folder):
    """{(number of the candidate, collection, measure): mean over folds and halves of the means over queries}."""
    values = {}
    with open(folder / "per_query.csv", newline="") as file:
        for row in csv.DictReader(file):
            collection, half = row["dataset"].split("-")
            for measure in ("ap", "ndcg@10", "meanndcg") if row["documents"] == "all" else ():
                value = float(row[measure]) if row[measure] not in ("", "NaN") else 0.0
                part = values.setdefault((int(row["ranker"]), collection, measure), {})
                part.setdefault((half, row["fold"]), []).append(value)
    mean = lambda numbers: sum(numbers) / len(numbers)
    return {key: mean([mean(v) for v in parts.values()]) for key, parts in values.items()}


def main(folder):
    write_collections(Path(os.environ["FIVEFOLD_DATA"]), folder)
    path = folder / "tuning.toml"
    path.write_text(experiment())
    program = os.environ.get("FIVEFOLD", "fivefold")
    subprocess.run([program, "run", str(path), "--out", str(folder / "results")], check=True, stdout=subprocess.DEVNULL)
    found = means(folder / "results")
    print("| ranker | features | parameters | OHSUMED MAP | NDCG@10 | MQ2008 MAP | MeanNDCG | mean |\n|" + "---|" * 8)
    for number, (kind, normaliser, params) in enumerate(GRID):
        row = [found[number, collection, measure] for collection, measure in COLUMNS]
        cells = " | ".join(f"{value:.4f}".lstrip("0") for value in [*row, sum(row) / len(row)])
        print(f"| {kind} | {'z-score' if normaliser else 'raw'} | {params or 'defaults'} | {cells} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
