"""Reference values for the tests of fivefold-stats, from scipy, statsmodels, numpy and plain enumeration.

    pip install scipy==1.17.1 statsmodels numpy
    python tests/reference.py > tests/reference.json

Inputs stand beside the values, so that the Rust tests read both.
"""

import itertools
import json
import math

import numpy as np
import scipy
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

rng = np.random.default_rng(20260101)
out = {"scipy": scipy.__version__, "numpy": np.__version__}


def grid(n, step=0.05, shift=0.0):
    """Values on a grid, so that there are ties and zeros."""
    return np.round(rng.beta(2, 2, n) / step) * step + shift


# One comparison: the tests, effect sizes and intervals.
pairs = []
for n, kind in [(5, "real"), (8, "real"), (10, "grid"), (12, "real"), (13, "grid"), (30, "real"), (50, "real"), (51, "real"), (200, "grid"), (400, "real")]:
    if kind == "real":
        a, b = rng.beta(2, 2, n), 0.9 * rng.beta(2, 2, n)
    else:
        a, b = grid(n), grid(n)
    d = a - b
    if kind == "grid":
        d = np.round(d, 10)
        a, b = d, np.zeros(n)
    t = stats.ttest_rel(a, b)
    ci = t.confidence_interval(0.9)
    k, m = int((d > 0).sum()), int((d != 0).sum())
    case = {
        "a": a.tolist(), "b": b.tolist(), "difference": d.mean(), "t": t.statistic, "t_p": t.pvalue,
        "low": ci.low, "high": ci.high,
        "sign_p": stats.binomtest(k, m, 0.5).pvalue, "sign_k": k, "sign_m": m,
        "dz": d.mean() / d.std(ddof=1),
        "g": d.mean() / d.std(ddof=1) * math.exp(math.lgamma((n - 1) / 2) - math.lgamma((n - 2) / 2)) / math.sqrt((n - 1) / 2),
        "cliff": float(np.sign(a[:, None] - b[None, :]).mean()),
        "superiority": float(((a > b) + 0.5 * (a == b)).mean()),
    }
    # scipy: exact without ties and zeros up to 50, all signs up to 13 with them, else the normal approximation. Between, ours
    # is exact with ties, which scipy is not: no such case here.
    w = stats.wilcoxon(a, b)
    case["wilcoxon"], case["wilcoxon_p"] = w.statistic, w.pvalue
    if n <= 13:
        p = stats.permutation_test((d,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=np.inf, vectorized=True)
        case["permutation_p"] = p.pvalue
    # Studentised bootstrap (Sakai 2006) with draws of its own: equal within the error of both.
    if n >= 30 and n <= 200:
        B, x = 200_000, d - d.mean()
        t0, hits = abs(d.mean() / (d.std(ddof=1) / math.sqrt(n))), 0
        for _ in range(B // 10_000):
            y = x[rng.integers(0, n, (10_000, n))]
            hits += int((np.abs(y.mean(1) / (y.std(1, ddof=1) / math.sqrt(n))) >= t0).sum())
        case["bootstrap_p"], case["bootstrap_draws"] = hits / B, B
    pairs.append(case)
out["pairs"] = pairs

# Families: randomised Tukey HSD over all orders, and max-T over all signs.
systems = np.array([[0.31, 0.52, 0.12, 0.94, 0.43], [0.22, 0.43, 0.05, 0.51, 0.14], [0.93, 0.41, 0.82, 0.96, 0.64]])
ranges = []
orders = list(itertools.permutations(range(3)))
for choice in itertools.product(orders, repeat=5):
    sums = [sum(systems[choice[q][s], q] for q in range(5)) for s in range(3)]
    ranges.append((max(sums) - min(sums)) / 5)
ranges = np.array(ranges)
index = [(0, 1), (0, 2), (1, 2)]
out["tukey"] = {"systems": systems.tolist(), "p": [float((ranges >= abs((systems[i] - systems[j]).mean()) - 1e-12).mean()) for i, j in index]}


def t_of(d):
    return abs(d.mean() / (d.std(ddof=1) / math.sqrt(len(d))))


wide = rng.beta(2, 2, (4, 9)) + np.array([0, 0.05, 0.2, 0.5])[:, None]
index = list(itertools.combinations(range(4), 2))
D = [wide[i] - wide[j] for i, j in index]
observed = np.array([t_of(d) for d in D])
drawn = np.array([[t_of(np.array(s) * d) for d in D] for s in itertools.product([1, -1], repeat=9)])
order, adjusted, before = np.argsort(-observed), np.zeros(len(D)), 0.0
for rank, j in enumerate(order):
    before = max(before, float((drawn[:, order[rank:]].max(axis=1) >= observed[j] - 1e-9).mean()))
    adjusted[j] = before
out["max_t"] = {"systems": wide.tolist(), "p": adjusted.tolist()}

# Corrections.
corrections = []
for p in [[0.01, 0.04, 0.03, 0.05], [0.010, 0.011], rng.beta(0.5, 3, 28).tolist(), [0.2] * 5 + [0.001], [1.0, 0.5]]:
    corrections.append({"p": p, **{ours: multipletests(p, method=theirs)[1].tolist() for ours, theirs in [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh")]}})
out["corrections"] = corrections

# Independent samples.
two = []
for n, m in [(2, 2), (10, 7), (300, 40)]:
    a, b = rng.normal(0, 1, n), rng.normal(0.3, 2, m)
    pooled, welch = stats.ttest_ind(a, b), stats.ttest_ind(a, b, equal_var=False)
    two.append({"a": a.tolist(), "b": b.tolist(), "pooled": [pooled.statistic, pooled.df, pooled.pvalue], "welch": [welch.statistic, welch.df, welch.pvalue]})
out["two_sample"] = two

# Friedman.
friedman = []
for k, n, step in [(3, 10, None), (8, 50, None), (4, 30, 0.2), (5, 6, 0.5)]:
    x = rng.beta(2, 2, (k, n)) + 0.05 * np.arange(k)[:, None]
    if step:
        x = np.round(x / step) * step
    chi, p = stats.friedmanchisquare(*x)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    ranks = stats.rankdata(-x, axis=0).mean(axis=1)
    cd = stats.studentized_range.isf(0.05, k, np.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n))
    friedman.append({"systems": x.tolist(), "chi_square": chi, "p": p, "f": f, "f_p": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))), "ranks": ranks.tolist(), "cd": cd})
out["friedman"] = friedman

# Studentised range; degrees null: infinite. (scipy takes 100,000 and more for infinite, we do not.)
out["studentised_range"] = [
    {"q": q, "k": k, "degrees": None if v == np.inf else v, "p": float(stats.studentized_range.cdf(q, k, v))}
    for q, k, v in [(0.5, 2, 1), (3.5, 3, 10), (17.97, 2, 1), (4.29, 8, np.inf), (1.0, 8, 2), (5.0, 20, 60), (4.0, 100, np.inf), (3.3, 3, 5e4), (8.0, 5, 5)]
]

# Power of the paired t-test, both tails: noncentral t. Queries: the fewest that reach it.
power = []
for dz, n in [(0.1, 20), (0.5, 30), (0.02, 10_000), (1.0, 3), (0.8, 2), (0.05, 5000)]:
    c, shift = stats.t.isf(0.025, n - 1), dz * math.sqrt(n)
    power.append({"dz": dz, "n": n, "power": float(stats.nct.sf(c, n - 1, shift) + stats.nct.cdf(-c, n - 1, shift))})
out["power"] = power
out["queries_needed"] = [
    {"dz": dz, "alpha": alpha, "power": p, "n": math.ceil(TTestPower().solve_power(effect_size=dz, alpha=alpha, power=p, alternative="two-sided") - 1e-9)}
    for dz, alpha, p in [(0.1, 0.05, 0.8), (0.5, 0.05, 0.9), (0.02, 0.01, 0.8), (1.0, 0.05, 0.8)]
]

# Rank correlations.
correlations = []
for x, y in [(rng.permutation(8), rng.permutation(8)), (rng.permutation(20), rng.permutation(20)), (rng.integers(0, 4, 10), rng.integers(0, 4, 10)), ([1, 0, 0], [0, 0, 1]), (np.arange(8), np.array([0, 1, 2, 3, 4, 5, 7, 6]))]:
    x, y = np.asarray(x, float), np.asarray(y, float)
    case = {"x": x.tolist(), "y": y.tolist(), "tau_b": float(stats.kendalltau(x, y).statistic), "weighted_tau": float(stats.weightedtau(x, y).statistic)}
    if len(set(x)) == len(x) and len(set(y)) == len(y):
        o = np.argsort(-x)
        c = [sum(y[o[j]] > y[o[i]] for j in range(i)) / i for i in range(1, len(x))]
        case["tau_ap"] = float(2 / (len(x) - 1) * sum(c) - 1)
    correlations.append(case)
out["correlations"] = correlations

print(json.dumps(out))
