"""Makes compare.json: what numpy and scipy find of per-query values, for tests/compare.rs to hold `kind = "compare"` to.

Run: FIVEFOLD_DATA=... python3 compare.py > compare.json. Needs numpy and scipy; nothing of fivefold is used. The file in the repository was
made with the versions that it names.
"""
import itertools
import json
import os
import pathlib
from fractions import Fraction

import numpy as np
import scipy
from scipy import stats

DATA = pathlib.Path(os.environ["FIVEFOLD_DATA"])
ALPHA = 0.05


def table(path):
    """Values of queries (rows) by systems (columns)."""
    return np.loadtxt(path, delimiter=",", skiprows=1)


def letor(paths):
    """Per query, in the order of the files: grades and texts of the features by id."""
    queries = {}
    for path in paths:
        for line in path.read_text().splitlines():
            fields = line.split("#")[0].split()
            features = dict(field.split(":") for field in fields[2:])
            queries.setdefault(fields[1], []).append((int(fields[0]), features))
    return list(queries.values())


def groups(scores):
    """Positions from the highest score on, equal scores together, rows within them in order."""
    order = sorted(range(len(scores)), key=lambda row: -scores[row])
    return [list(group) for _, group in itertools.groupby(order, key=lambda row: scores[row])]


def ndcg(grades, scores, k):
    """nDCG@k with gain 2^y - 1, averaged over the orders of ties; 0 without a relevant document."""
    gains = [2.0**grade - 1 for grade in grades]
    discount = [1 / np.log2(rank + 1) if rank <= k else 0.0 for rank in range(1, len(grades) + 1)]
    dcg, start = 0.0, 0
    for group in groups(scores):
        mean = sum(gains[row] for row in group) / len(group)
        dcg += mean * sum(discount[start : start + len(group)])
        start += len(group)
    ideal = sum(gain * by for gain, by in zip(sorted(gains, reverse=True), discount))
    return dcg / ideal if ideal > 0 else 0.0


def precision(grades, scores, k, averaged):
    """P@k, divided by k; ties averaged, or in the order of rows."""
    found, start = 0.0, 0
    for group in groups(scores):
        relevant = [grades[row] > 0 for row in group]
        places = max(0, min(k - start, len(group)))
        found += sum(relevant) * places / len(group) if averaged else sum(relevant[:places])
        start += len(group)
    return found / k


def average_precision(grades, scores):
    """AP over the whole list, ties in the order of rows; 0 without a relevant document."""
    found, total = 0, 0.0
    for rank, row in enumerate(itertools.chain(*groups(scores)), 1):
        if grades[row] > 0:
            found += 1
            total += found / rank
    return total / found if found else 0.0


def significant(values):
    """One truth a pair of columns: whether a paired t-test finds them different."""
    pairs = itertools.combinations(range(values.shape[1]), 2)
    differences = [(values[:, a] - values[:, b]) for a, b in pairs]
    return np.array([bool(d.any()) and stats.ttest_1samp(d, 0).pvalue < ALPHA for d in differences])


def pad(means):
    pairs = [(a, b) for a, b in itertools.combinations(means, 2) if max(a, b) != 0]
    return float(np.mean([abs(a - b) / max(a, b) * 100 for a, b in pairs]))


def swaps(one, other):
    pairs = list(itertools.combinations(range(len(one)), 2))
    return sum((one[a] - one[b]) * (other[a] - other[b]) < 0 for a, b in pairs) / len(pairs)


def winning(collections):
    """WN and IWN of each system over collections, `{system: mean}` each, of which not all need have all systems."""
    won = {}
    for means in collections:
        for one, other in itertools.permutations(means, 2):
            wins, ideal = won.get(one, [0, 0])
            # What rounding parts is equal.
            won[one] = [wins + (means[one] - means[other] > 1e-12), ideal + 1]
    return {system: [int(wins), ideal] for system, (wins, ideal) in won.items()}


def tau_ap(order, reference):
    """tau-AP of an order with a reference, the mean over all orders of what is tied in either: each pair by the probability that
    the second item stands above the first, at each place that the first can have, and that the reference agrees."""
    total = 0.0
    for item, own in enumerate(order):
        others = [other for other in range(len(order)) if other != item]
        agrees = {other: float(np.heaviside(reference[other] - reference[item], 0.5)) for other in others}
        above = [other for other in others if order[other] > own]
        tied = [other for other in others if order[other] == own]
        for before in range(len(tied) + 1):
            if above or before:
                found = sum(agrees[other] for other in above)
                if tied:
                    found += sum(agrees[other] for other in tied) * before / len(tied)
                total += found / (len(above) + before) / (len(tied) + 1)
    return float(2 * total / (len(order) - 1) - 1)


def order_of(values):
    """Means for all that asks for their order only: means that are equal must tie, whatever the sums' last bits."""
    return values.mean(0).round(12)


def of_measure(values):
    means = values.mean(0)
    # Sums in another order part what is equal in the last bit; ranks would see it.
    chi = stats.friedmanchisquare(*values.round(12).T).statistic
    half = stats.t.ppf(1 - ALPHA / 2, len(values) - 1) * stats.sem(values, axis=0)
    deviations = sorted((values[:, a] - values[:, b]).std(ddof=1) for a, b in itertools.combinations(range(values.shape[1]), 2))
    return {
        "means": means.tolist(),
        "half_widths": half.tolist(),
        "power": int(significant(values).sum()),
        "pad": pad(means),
        "chi_square": float(chi),
        "median_sd": float(deviations[len(deviations) // 2]),
    }


def of_classes(values, classes):
    """Powers, PAD and swap rates on all rows and on classes of them."""
    parts = {"all": values} | {name: values[rows] for name, rows in classes.items()}
    return {
        "power": {name: int(significant(part).sum()) for name, part in parts.items()},
        "pad": {name: pad(part.mean(0)) for name, part in parts.items()},
        "swaps": {f"{a} {b}": swaps(order_of(parts[a]), order_of(parts[b])) for a, b in itertools.combinations(parts, 2)},
        "tau": {f"{a} {b}": tau(parts[a], parts[b]) for a, b in itertools.combinations(parts, 2)},
    }


def tau(one, other):
    return float(stats.kendalltau(order_of(one), order_of(other)).statistic)


def check_order(path, values):
    """The order of the rounded means is that of the sums of the decimals in the file, as fractions."""
    rows = [[Fraction(cell) for cell in line.split(",")] for line in path.read_text().split("\n")[1:] if line.strip()]
    exact, rounded = [sum(column) for column in zip(*rows)], order_of(values)
    for a, b in itertools.combinations(range(len(exact)), 2):
        assert (exact[a] > exact[b]) - (exact[a] < exact[b]) == np.sign(rounded[a] - rounded[b]), (path, a, b)


def of_two(one, other):
    return {
        "tau": tau(one, other),
        "weighted_tau": float(stats.weightedtau(order_of(one), order_of(other)).statistic),
        # Of the order in a column with that of the row, as the table has it.
        "tau_ap": tau_ap(order_of(other), order_of(one)),
        "tau_ap_reversed": tau_ap(order_of(one), order_of(other)),
        "conflicts": int((significant(one) != significant(other)).sum()),
        "both": int((significant(one) & significant(other)).sum()),
    }


def swap_method(values, trials=4000):
    """The share of pairs, over random halves, whose order on one half is reversed on the other."""
    random = np.random.default_rng(1)
    first, second = np.triu_indices(values.shape[1], 1)
    reversed_, compared = 0, 0
    for _ in range(trials):
        order = random.permutation(len(values))
        half = len(values) // 2
        one, other = values[order[:half]].mean(0), values[order[half : 2 * half]].mean(0)
        d, e = one[first] - one[second], other[first] - other[second]
        reversed_ += int((d * e < 0).sum())
        compared += len(d)
    return 100 * reversed_ / compared


def quantiles(values, parts):
    order = np.argsort(values.mean(1), kind="stable")
    names = {2: ["hardest", "easiest"], 3: ["hardest", "middle", "easiest"]}[parts]
    return {name: np.sort(order[len(order) * i // parts : len(order) * (i + 1) // parts]) for i, name in enumerate(names)}


def trec8():
    paths = [DATA / f"trec/trec8/adhoc8_{name}.csv" for name in ["ap", "p10"]]
    ap, p10 = map(table, paths)
    check_order(paths[0], ap)
    check_order(paths[1], p10)
    names = (DATA / "trec/trec8/adhoc8_ap.csv").read_text().split("\n")[0].strip().split(",")
    odd = {"odd": np.arange(0, 50, 2), "even": np.arange(1, 50, 2)}
    hard = quantiles(ap, 3)
    return {
        "ap": of_measure(ap),
        "p10": of_measure(p10),
        "between": of_two(ap, p10),
        "by_file": of_classes(ap, odd),
        "by_difficulty": of_classes(ap, hard),
        "p10_by_difficulty": of_classes(p10, hard),
        "tau_by_difficulty": {name: tau(ap[rows], p10[rows]) for name, rows in hard.items()},
        "conflicts_of_hardest": int((significant(ap[hard["hardest"]]) != significant(p10[hard["hardest"]])).sum()),
        # The halves as two collections.
        "winning": winning([dict(zip(names, ap[rows].mean(0))) for rows in odd.values()]),
        "swap_method": swap_method(ap),
    }


def mq2008():
    names = sorted(path.name for path in (DATA / "mq2008-systems").iterdir() if path.name != "published")
    values = {"ndcg@10": [], "p@10": []}
    folds = []
    for fold, part in zip(range(1, 6), "51234"):
        queries = letor([DATA / f"mq2008/S{part}.txt"])
        scores = [
            [float(line) for line in (DATA / f"mq2008-systems/{name}/Fold{fold}.score").read_text().split()] for name in names
        ]
        row = 0
        for query in queries:
            grades = [grade for grade, _ in query]
            own = [of_system[row : row + len(query)] for of_system in scores]
            values["ndcg@10"].append([ndcg(grades, s, 10) for s in own])
            values["p@10"].append([precision(grades, s, 10, True) for s in own])
            row += len(query)
        means = np.array(values["ndcg@10"][-len(queries) :]).mean(0)
        # In each fold another system is not there.
        folds.append({name: mean for place, (name, mean) in enumerate(zip(names, means)) if place != fold})
    ndcgs, ps = (np.array(v) for v in values.values())
    return {
        "systems": names,
        "ndcg": of_measure(ndcgs),
        "p": of_measure(ps),
        "between": of_two(ndcgs, ps),
        "winning": winning(folds),
    }


def mq2007():
    """The rank lists of MQ2007-agg's part A1 as systems: a smaller rank is better, NULL is last."""
    queries = letor([DATA / "mq2007-agg/A1.txt"])
    score = lambda text: -1e6 if text == "NULL" else -float(text)
    aps, ps = [], []
    for query in queries:
        grades = [grade for grade, _ in query]
        systems = [[score(features[str(feature)]) for _, features in query] for feature in range(1, 22)]
        aps.append([average_precision(grades, s) for s in systems])
        ps.append([precision(grades, s, 10, False) for s in systems])
    aps, ps = np.array(aps), np.array(ps)
    return {
        "queries": len(queries),
        "ap": of_measure(aps),
        "p": of_measure(ps),
        "between": of_two(aps, ps),
        "by_difficulty": of_classes(aps, quantiles(aps, 2)),
        # The first and the second half of the queries as two collections.
        "winning": winning([dict(enumerate(half.mean(0), 1)) for half in np.split(aps, [len(aps) // 2])]),
    }


print(
    json.dumps(
        {
            "made_by": f"numpy {np.__version__}, scipy {scipy.__version__}",
            "trec8": trec8(),
            "mq2008": mq2008(),
            "mq2007": mq2007(),
        },
        indent=1,
    )
)
