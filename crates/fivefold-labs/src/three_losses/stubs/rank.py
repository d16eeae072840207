"""Trains and scores with the gradients of gradients.py. Nothing is to be changed here.

    rank.py check
    rank.py LOSS TRAIN TEST SCORES

The ranker is linear: the score of a document is the sum of weight x feature. Gradient descent goes
100 times over all training queries. The grader asks for more by the ids of queries of TEST:

    case-N              the documents hold no features: feature 1 is a score and feature 2 a grade,
                        and the gradient of the loss is written instead of a score
    weights-N-PASSES    trains on the queries fit-N-1, fit-N-2, ... of TRAIN, and writes 0 and the
                        weights; if the gradient fails there, 1 and zeros

The fits of one run of this program follow each other in one process.
"""

import math
import random
import sys
import traceback

import gradients

LOSSES = ["squared", "ranknet", "listnet", "lambdas"]
PASSES = 100
RATE = {"squared": 0.02, "ranknet": 0.02, "listnet": 0.2, "lambdas": 0.2}


def read(path):
    """The queries of a LETOR file, in order: (id, grades, rows of features)."""
    queries = []
    with open(path) as lines:
        for line in lines:
            words = line.split("#")[0].split()
            if not words:
                continue
            qid = words[1].split(":")[1]
            row = [float(word.split(":")[1]) for word in words[2:]]
            if not queries or queries[-1][0] != qid:
                queries.append((qid, [], []))
            queries[-1][1].append(float(words[0]))
            queries[-1][2].append(row)
    return queries


def checked(gradient, scores, grades):
    """The gradient of the student's function, which must be a list of finite numbers."""
    found = [float(value) for value in gradient(list(scores), list(grades))]
    if len(found) != len(scores):
        raise ValueError(f"{gradient.__name__} returned {len(found)} numbers for {len(scores)} documents")
    if not all(math.isfinite(value) for value in found):
        raise ValueError(f"{gradient.__name__} returned a number that is not finite: {found}")
    return found


def score(weights, row):
    return sum(weight * value for weight, value in zip(weights, row))


def train(gradient, rate, queries, passes):
    # Not 0: equal scores would have no ranks for the lambdas.
    weights = [0.01 * (feature + 1) for feature in range(len(queries[0][2][0]))]
    for _ in range(passes):
        for _, grades, rows in queries:
            slopes = checked(gradient, [score(weights, row) for row in rows], grades)
            for feature in range(len(weights)):
                slope = sum(slope * row[feature] for slope, row in zip(slopes, rows))
                weights[feature] -= rate * slope
    return weights


def fit(name, qid, fits):
    """One fit of many: what `weights-N-PASSES` asks for."""
    _, number, passes = qid.split("-")
    queries = fits[number]
    try:
        return [0.0] + train(getattr(gradients, name), RATE[name], queries, int(passes))
    except Exception:
        traceback.print_exc()
        return [1.0] + [0.0] * len(queries[0][2][0])


def rank(name, train_file, test_file, scores_file):
    gradient = getattr(gradients, name)
    queries, fits, weights = [], {}, None
    for query in read(train_file):
        if query[0].startswith("fit-"):
            fits.setdefault(query[0].split("-")[1], []).append(query)
        else:
            queries.append(query)
    with open(scores_file, "w") as out:
        for qid, _, rows in read(test_file):
            if qid.startswith("weights-"):
                numbers = fit(name, qid, fits)
            elif qid.startswith("case-"):
                numbers = checked(gradient, [row[0] for row in rows], [row[1] for row in rows])
            else:
                weights = weights or train(gradient, RATE[name], queries, PASSES)
                numbers = [score(weights, row) for row in rows]
            out.writelines(f"{number!r}\n" for number in numbers)


def softmax(values):
    powers = [math.exp(value) for value in values]
    return [power / sum(powers) for power in powers]


def loss(name, scores, grades):
    """The loss itself, written as in the worksheet; lambdas have none."""
    n = range(len(scores))
    if name == "squared":
        return sum((s - g) ** 2 for s, g in zip(scores, grades))
    if name == "ranknet":
        return sum(math.log(1 + math.exp(scores[j] - scores[i])) for i in n for j in n if grades[i] > grades[j])
    return -sum(p * math.log(q) for p, q in zip(softmax(grades), softmax(scores)))


def check():
    """Compares each gradient with finite differences on a few drawn queries."""
    draw, step, wrong = random.Random(1), 1e-5, False
    for name in LOSSES[:3]:
        worst = 0.0
        try:
            for _ in range(20):
                grades = [float(draw.randrange(4)) for _ in range(5)]
                scores = [draw.gauss(0, 1) for _ in grades]
                for i, slope in enumerate(checked(getattr(gradients, name), scores, grades)):
                    up, down = list(scores), list(scores)
                    up[i] += step
                    down[i] -= step
                    slopes = (loss(name, up, grades) - loss(name, down, grades)) / (2 * step)
                    worst = max(worst, abs(slope - slopes))
        except NotImplementedError:
            print(f"{name:8} is not filled in")
            wrong = True
            continue
        wrong |= worst > 1e-6
        print(f"{name:8} differs from finite differences by at most {worst:.2g}: {'wrong' if worst > 1e-6 else 'right'}")
    try:
        gradients.lambdas([0.5, 0.0], [1.0, 0.0])
        print("lambdas  have no loss: check that they sum to 0, and compare with a query by hand")
    except NotImplementedError:
        print("lambdas  is not filled in (a bonus)")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        sys.exit(check())
    if len(sys.argv) != 5 or sys.argv[1] not in LOSSES:
        sys.exit(__doc__)
    rank(*sys.argv[1:])
