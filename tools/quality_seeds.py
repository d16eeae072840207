"""LambdaMART with the preset `lightgbm` beside LightGBM under many seeds.

    pip install lightgbm numpy scipy
    python3 tools/quality_seeds.py runs/seeds
    python3 tools/quality_seeds.py runs/seeds --collection mslr-sample --seeds 120
    python3 tools/quality_seeds.py runs/seeds --done

Collections: MQ2008, OHSUMED, the MSLR sample and made data. Under each seed LightGBM is trained on
rows that are shuffled within their queries by the seed, and our ranker, which draws its ties, with
the seed. Both have LightGBM's settings (100 trees of 31 leaves of 20 documents, rate .1, truncation
30). The value is nDCG@10 over the test queries of five folds, an undefined one as 0, as `fivefold`
measures both.

Prints the distributions and the 95 % interval (Student's) of the mean paired difference, and draws
the distributions into seeds.svg. With --done only seeds that were done before count. The script
does not repeat what it has done. It needs the program `fivefold` (or the one that FIVEFOLD names)
and the data in the folder that FIVEFOLD_DATA names.
"""

import argparse
import csv
import json
import os
import re
import subprocess
from pathlib import Path

import lightgbm
import numpy as np
from scipy import stats

TREES, LEAVES, RATE, DOCUMENTS, TRUNCATION = 100, 31, 0.1, 20, 30
MEASURE = "ndcg@10"
MADE = ["make", "--shape", "mq2007", "--queries", "200", "--seed", "1"]
COLLECTIONS = ["mq2008", "ohsumed", "mslr-sample", "made"]
# The least lower end of the interval that counts as level.
LIMIT = -0.002
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


def made(folder):
    """The folder of the made collection."""
    data = (folder / "data").resolve()
    if not (data / "Fold5/test.txt").exists():
        subprocess.run([PROGRAM, *MADE, "--out", data], check=True, capture_output=True)
    return data


def folds(name, folder):
    """Training and test data of each fold."""
    if name in ("ohsumed", "made"):
        place = made(folder) if name == "made" else Path(os.environ["FIVEFOLD_DATA"]) / name
        train, test = ("train", "test") if name == "made" else ("trainingset", "testset")
        return [[read(place / f"Fold{fold}" / f"{part}.txt") for part in (train, test)] for fold in range(1, 6)]
    parts = [read(path) for path in parts_of(name)]
    together = lambda chosen: tuple(np.concatenate([part[i] for part in chosen]) for i in range(3))
    return [(together([parts[(fold + i) % 5] for i in range(3)]), parts[(fold + 4) % 5]) for fold in range(5)]


def theirs(data, seed, folder):
    """LightGBM's scores of each fold's test part: folder/FoldN.score."""
    for fold, ((features, grades, sizes), (unseen, _, _)) in enumerate(data, 1):
        rng = np.random.default_rng(seed)
        queries = np.split(np.arange(len(grades)), np.cumsum(sizes)[:-1])
        rows = np.concatenate([rng.permutation(query) for query in queries])
        settings = dict(
            objective="lambdarank", num_leaves=LEAVES, learning_rate=RATE, min_data_in_leaf=DOCUMENTS, num_threads=1,
            lambdarank_truncation_level=TRUNCATION, force_col_wise=True, deterministic=True, verbose=-1,
        )
        made = lightgbm.Dataset(features[rows], grades[rows], group=sizes, params=settings)
        scores = lightgbm.train(settings, made, TREES).predict(unseen, num_threads=1)
        (folder / f"Fold{fold}.score").write_text("".join(f"{score!r}\n" for score in scores.tolist()))


def experiment(name, folder, seed):
    dataset = f'path = "{made(folder)}"\nlayout = "fold-dirs"\nlabel = "made"' if name == "made" else f'name = "{name}"'
    return f"""name = "seeds"
seed = {seed}
dialect = "paper"

[[dataset]]
{dataset}
uninformative = 10
ideal = 10

[[ranker]]
label = "LightGBM"
kind = "scores"
params = {{ path = "Fold{{fold}}.score" }}

[[ranker]]
label = "ours"
kind = "lambdamart"
params = {{ preset = "lightgbm" }}

[evaluation]
measures = ["{MEASURE}"]
cutoffs = []
versions = ["original"]
"""


def measured(name, folder, seed, data):
    """The mean of both under a seed."""
    place = folder / str(seed)
    place.mkdir(parents=True, exist_ok=True)
    done = place / "means.json"
    if not done.exists():
        if not (place / "Fold5.score").exists():
            theirs(data(), seed, place)
        path = place / "seeds.toml"
        path.write_text(experiment(name, folder, seed))
        command = [PROGRAM, "run", path, "--out", place / "results", "--threads", "1"]
        subprocess.run(command, check=True, capture_output=True)
        values = {}
        with open(place / "results/per_query.csv", newline="") as file:
            for row in csv.DictReader(file):
                text = row[MEASURE] if row["documents"] == "all" else None
                if text is not None:
                    values.setdefault(row["ranker"], []).append(float(text) if text not in ("", "NaN") else 0.0)
        done.write_text(json.dumps({who: float(np.mean(of_query)) for who, of_query in values.items()}))
    return json.loads(done.read_text())


def drawn(found):
    """The distributions as an SVG, each collection on its own axis of one scale: a dot a seed, a box
    from quartile to quartile, its median, and the mean as a diamond."""
    width, left, row, axis = 760, 170, 30, 34
    step, spans = 0.01, {}
    for name, pair in found.items():
        values = np.concatenate(list(pair.values()))
        spans[name] = (values.min() + values.max()) / 2, np.ptp(values)
    # One scale, so that the spreads can be compared between collections.
    unit = (width - left - 40) / max(span for _, span in spans.values())
    height = (2 * row + axis) * len(found) + 40
    font = 'font-family="sans-serif" font-size="12"'
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {font}>']
    out.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    top = 22
    for name, pair in found.items():
        middle = spans[name][0]
        x = lambda value: left + (width - left - 20) / 2 + (value - middle) * unit
        y = top
        for who, values in pair.items():
            colour = "#0072b2" if who == "ours" else "#d55e00"
            one, median, three = (x(value) for value in np.percentile(values, (25, 50, 75)))
            out.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{name}, {who}</text>')
            # Dots in rows of fixed heights, so that close values stay apart; the same on every machine.
            for place, value in enumerate(values):
                at = f'cx="{x(value):.1f}" cy="{y - 8 + place * 7 % 17}"'
                out.append(f'<circle {at} r="2.2" fill="{colour}" fill-opacity=".45"/>')
            box = f'x="{one:.1f}" y="{y - 10}" width="{three - one:.1f}" height="20"'
            out.append(f'<rect {box} fill="none" stroke="{colour}"/>')
            out.append(f'<path d="M{median:.1f} {y - 10}v20" stroke="{colour}" stroke-width="2"/>')
            mean = x(values.mean())
            out.append(f'<path d="M{mean:.1f} {y - 5}l5 5l-5 5l-5 -5z" fill="{colour}" stroke="white"/>')
            y += row
        y += axis - row
        out.append(f'<path d="M{left} {y - 12}H{width - 20}" stroke="#999"/>')
        half = (width - left - 20) / 2 / unit
        for value in np.arange(np.ceil((middle - half) / step), (middle + half) / step) * step:
            out.append(f'<path d="M{x(value):.1f} {y - 12}v4" stroke="#999"/>')
            text = number(value)[:3]
            out.append(f'<text x="{x(value):.1f}" y="{y + 5}" text-anchor="middle" fill="#444">{text}</text>')
        top = y + axis - 6
    centre = left + (width - left - 20) / 2
    out.append(f'<text x="{centre}" y="{height - 8}" text-anchor="middle">nDCG@10, test parts</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def number(value):
    return f"{value:.4f}".replace("0.", ".", 1)


def report(found):
    print("| collection | | lowest | first quartile | median | third quartile | highest | mean |\n|" + "---|" * 8)
    for name, pair in found.items():
        for who, values in pair.items():
            cells = [*np.percentile(values, (0, 25, 50, 75, 100)), values.mean()]
            print(f"| {name} | {who} | " + " | ".join(map(number, cells)) + " |")
    heads = "seeds | ours minus LightGBM | standard deviation | 95 % interval"
    print(f"\n| collection | {heads} | lower end above {number(LIMIT)} | seeds needed |\n|" + "---|" * 7)
    for name, pair in found.items():
        difference = pair["ours"] - pair["LightGBM"]
        count, mean, spread = len(difference), difference.mean(), difference.std(ddof=1)
        half = spread / count**0.5 * stats.t.ppf(0.975, count - 1)
        verdict = "met" if mean - half > LIMIT else "**not shown**"
        takes = int(np.ceil((1.96 * spread / (mean - LIMIT)) ** 2)) if mean > LIMIT else "none"
        cells = [count, f"{mean:+.4f}", number(spread), f"{mean - half:+.4f} to {mean + half:+.4f}", verdict, takes]
        print(f"| {name} | " + " | ".join(map(str, cells)) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where scores, experiments and results go")
    parser.add_argument("--collection", choices=COLLECTIONS, nargs="+", default=COLLECTIONS)
    parser.add_argument("--seeds", type=int, default=30, help="how many seeds, from 1")
    parser.add_argument("--done", action="store_true", help="take the seeds that are done, and do none")
    options = parser.parse_args()
    found = {}
    for name in options.collection:
        folder, loaded = options.folder / name, []

        def data():
            if not loaded:
                loaded.append(folds(name, folder))
            return loaded[0]

        seeds = range(1, options.seeds + 1)
        if options.done:
            seeds = sorted(int(place.parent.name) for place in folder.glob("*/means.json"))
        means = [measured(name, folder, seed, data) for seed in seeds]
        found[name] = {who: np.array([mean[who] for mean in means]) for who in ("LightGBM", "ours")}
    report(found)
    (options.folder / "seeds.svg").write_text(drawn(found))


if __name__ == "__main__":
    main()
