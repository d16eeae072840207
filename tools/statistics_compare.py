"""The tests of fivefold-stats beside scipy and numpy: 140 comparisons (8 systems, 5 cutoffs) of 10,000 queries, 1,000 draws.

    pip install scipy numpy
    cargo build --release -p fivefold-stats --example statistics_speed
    OPENBLAS_NUM_THREADS=1 python3 tools/statistics_compare.py target/release/examples/statistics_speed

Prints a table of CPU milliseconds, medians of five runs of each side in turn. Ours is the user CPU time of the whole process for 11
repeats less that for one, divided by ten, so that making the data does not count; theirs is the time inside the process
around the test. `shared draws` are the fastest numpy programs we know, matrix products over draws that all
comparisons share; `scipy` and `fresh draws` are what is usually written.
"""

import os
import resource
import statistics
import subprocess
import sys
import time

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy as np
from scipy import stats

SYSTEMS, QUERIES, CUTOFFS, DRAWS, RUNS = 8, 10_000, 5, 1_000, 5
rng = np.random.default_rng(1)
easy = rng.uniform(size=(1, CUTOFFS, QUERIES))
gain = 0.002 * np.arange(SYSTEMS)[:, None, None]
values = np.clip(easy + rng.normal(0, 0.1, (SYSTEMS, CUTOFFS, QUERIES)) + gain, 0, 1)
first, second = np.triu_indices(SYSTEMS, 1)
differences = (values[first] - values[second]).reshape(-1, QUERIES)  # 140 rows


def t():
    return stats.ttest_rel(values[first], values[second], axis=-1).pvalue


def wilcoxon():
    return stats.wilcoxon(differences, axis=-1).pvalue


def sign():
    return [stats.binomtest(int((d > 0).sum()), int((d != 0).sum())).pvalue for d in differences]


def permutation():
    observed, hits = np.abs(differences.sum(1)), 0
    for _ in range(0, DRAWS, 100):
        flips = rng.integers(0, 2, (QUERIES, 100)) * 2.0 - 1
        hits = hits + (np.abs(differences @ flips) >= observed[:, None] - 1e-9).sum(1)
    return (1 + hits) / (1 + DRAWS)


def permutation_scipy():
    """On one comparison; times 140."""
    d = differences[0]
    return stats.permutation_test(
        (d,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=DRAWS, vectorized=True, batch=100
    ).pvalue


def bootstrap():
    centred = differences - differences.mean(1, keepdims=True)
    both = np.concatenate([centred, centred**2])
    observed = np.abs(differences.mean(1) / (differences.std(1, ddof=1) / np.sqrt(QUERIES)))
    hits = 0
    for _ in range(0, DRAWS, 100):
        counts = np.stack([np.bincount(rng.integers(0, QUERIES, QUERIES), minlength=QUERIES) for _ in range(100)], 1)
        sums, squares = np.split(both @ counts.astype(float), 2)
        mean = sums / QUERIES
        deviation = np.sqrt((squares - QUERIES * mean**2) / (QUERIES - 1) / QUERIES)
        hits = hits + (np.abs(mean / deviation) >= observed[:, None]).sum(1)
    return (1 + hits) / (1 + DRAWS)


def bootstrap_fresh():
    """On one comparison; times 140."""
    d = differences[0]
    centred, hits = d - d.mean(), 0
    observed = abs(d.mean() / (d.std(ddof=1) / np.sqrt(QUERIES)))
    for _ in range(0, DRAWS, 100):
        x = centred[rng.integers(0, QUERIES, (100, QUERIES))]
        hits += (np.abs(x.mean(1) / (x.std(1, ddof=1) / np.sqrt(QUERIES))) >= observed).sum()
    return (1 + hits) / (1 + DRAWS)


def tukey():
    p = []
    for cutoff in range(CUTOFFS):
        x = np.ascontiguousarray(values[:, cutoff].T)
        observed = np.abs(x.mean(0)[first] - x.mean(0)[second])
        hits = np.zeros(len(first))
        for _ in range(DRAWS):
            means = rng.permuted(x, axis=1).mean(0)
            hits += means.max() - means.min() >= observed
        p.append((1 + hits) / (1 + DRAWS))
    return p


# Name of our test; then what stands beside it, with the number of comparisons that one call leaves out.
WORK = [
    ("t", [("scipy ttest_rel, all at once", t, 1)]),
    ("wilcoxon", [("scipy wilcoxon, all at once", wilcoxon, 1)]),
    ("sign", [("scipy binomtest, one by one", sign, 1)]),
    ("permutation", [("numpy, shared draws", permutation, 1), ("scipy permutation_test", permutation_scipy, 140)]),
    ("bootstrap", [("numpy, shared draws", bootstrap, 1), ("numpy, fresh draws", bootstrap_fresh, 140)]),
    ("tukey-hsd", [("numpy", tukey, 1)]),
]


def ours(program, test):
    """User CPU milliseconds of one run of a test."""

    def user(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([program, test, str(repeats)], check=True, capture_output=True)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    return (user(11) - user(1)) * 100


def theirs(function, times):
    start = time.process_time()
    function()
    return (time.process_time() - start) * 1000 * times


def main(program):
    print("| test | fivefold, CPU ms | beside it | CPU ms | ratio |\n|---|---|---|---|---|")
    for test, others in WORK:
        runs = [(ours(program, test), [theirs(function, times) for _, function, times in others]) for _ in range(RUNS)]
        our = statistics.median(run[0] for run in runs)
        for number, (name, _, _) in enumerate(others):
            their = statistics.median(run[1][number] for run in runs)
            print(f"| `{test}` | {our:.1f} | {name} | {their:,.0f} | {their / our:.0f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
