"""Makes the tables of the book's page on random orders: how much of each measure a random order gets, and how many pairs of systems a paired
t-test tells apart under a measure and under its V2.

    FIVEFOLD_DATA=~/letor python3 tools/random_order.py [PATH OF fivefold]

A scorer that gives all documents one score has the expected value E, so its V1 is E/(2U). The table has 2 V1: E/U on average
over the queries of which V1 is defined, and how many queries these are.
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

DATA = Path(os.environ["FIVEFOLD_DATA"])
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "fivefold"
MEASURES = """ndcg@10 ndcg ap@10 ap p@10 recall@10 success@10 rr@10 rr err@10 nerr@10 rbp pfound@10 q@10 q rprec f@10 bing bpref infap
iprec iprec11 inst nerr8@10 nerr9@10 bpm@10 sdcg@10 insq auc pairacc""".split()
FOLDS = range(1, 6)


def evaluate(folder, arguments):
    """The mean of 2 V1 and the number of queries, for each measure."""
    names = ",".join(name.replace("@", ".v1@") if "@" in name else f"{name}.v1" for name in MEASURES)
    rules = "--sp-upper ideal --sp-expected exact --undefined skip --ties average --format csv"
    command = [PROGRAM, "eval", *arguments, *rules.split(), "--measures", names]
    rows = list(csv.reader(io.StringIO(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)))
    found = [row for row in rows if row and not row[0].startswith("#") and row[0] != "measure"]
    assert len(found) == len(MEASURES), rows
    return [(2 * float(row[-3]), int(row[-2])) for row in found]


def letor(folder, pattern, folds=FOLDS):
    for fold in folds:
        lines = sum(1 for line in open(str(DATA / pattern).format(fold=fold)) if line.strip())
        (folder / f"{fold}.txt").write_text("0\n" * lines)
    return evaluate(folder, ["--data", str(DATA / pattern), "--scores", "{fold}.txt"])


def trec(folder, qrels, run):
    rows = (line.split() for line in run.read_text().splitlines())
    (folder / "run").write_text("".join(f"{topic} Q0 {document} 1 0 same\n" for topic, _, document, *_ in rows))
    return evaluate(folder, ["--qrels", str(DATA / qrels), "--runs", "run"])


def significant(folder, arguments):
    """For each measure and its V2, how many pairs of systems differ at p < .05 (paired t-test)."""
    versions = [name for measure in MEASURES for name in (measure, measure.replace("@", ".v2@") if "@" in measure else f"{measure}.v2")]
    rules = "--sp-upper ideal --sp-expected exact --undefined skip --ties average --replace --out out"
    counts = {}
    for version in versions:
        command = [PROGRAM, "compare", *arguments, *rules.split(), "--measure", version]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        pairs = list(csv.DictReader(open(folder / "out/pairs.csv")))
        counts[version] = (sum(float(pair["p"] or 1) < 0.05 for pair in pairs), len(pairs))
    return [(counts[before], counts[after]) for before, after in zip(versions[::2], versions[1::2])]


NAMES = ["MQ2008", "OHSUMED", "MSLR sample", "DL19, BM25", "trec_eval's test"]
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    bm25 = sorted((DATA / "trec/dl19/runs").glob("BM25__*"))[0]
    columns = [letor(folder, "mq2008/S{fold}.txt"), letor(folder, "ohsumed/Fold{fold}/testset.txt"), letor(folder, "mslr-sample/S{fold}.txt")]
    columns += [trec(folder, "trec/dl19/qrels.txt", bm25)]
    columns += [trec(folder, "trec/trec_eval/test/qrels.test", DATA / "trec/trec_eval/test/results.test")]
    dl19 = ["--qrels", str(DATA / "trec/dl19/qrels.txt"), "--runs", *map(str, sorted((DATA / "trec/dl19/runs").glob("*.txt")))]
    mq2008 = ["--dataset", "mq2008", "--data-dir", str(DATA), "--scores", str(DATA / "mq2008-systems/*/Fold{fold}.score")]
    power = [significant(folder, arguments) for arguments in (mq2008, dl19)]
print(f"| measure | {' | '.join(NAMES)} |\n|---|{'---|' * len(NAMES)}")
for measure, *values in zip(MEASURES, *columns):
    print(f"| `{measure}` | " + " | ".join(f"{share:.2f} ({queries})" for share, queries in values) + " |")
print("\n| measure | MQ2008, 28 pairs | DL19, 703 pairs |\n|---|---|---|")
for measure, *values in zip(MEASURES, *power):
    print(f"| `{measure}` | " + " | ".join(f"{before[0]} / {after[0]}" for before, after in values) + " |")
