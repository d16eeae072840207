"""LightGBM's LambdaRank as a ranker of fivefold.

    python3 rank.py TRAIN VALIDATION TEST SCORES SEED

The first three are LETOR text; one score a line is written to the fourth, in the order of TEST (whose grades are all 0).
Needs what requirements.txt lists (pip install -r requirements.txt).
"""

import sys

import lightgbm
import numpy


def read_letor(path):
    """Features (documents x features), grades, and the number of documents of each query, whose lines stand together."""
    rows, grades, queries, sizes = [], [], [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            grade, qid, *features = line.split("#")[0].split()
            # fivefold writes every feature of every document, in order.
            rows.append([float(feature.split(":")[1]) for feature in features])
            grades.append(int(grade))
            if not queries or queries[-1] != qid:
                queries.append(qid)
                sizes.append(0)
            sizes[-1] += 1
    return numpy.array(rows, dtype=numpy.float32), numpy.array(grades), sizes


def main(train, validation, test, scores, seed):
    parameters = {
        "objective": "lambdarank",
        "metric": "ndcg",
        "eval_at": [10],
        "num_leaves": 15,
        "learning_rate": 0.1,
        "min_data_in_leaf": 20,
        "seed": int(seed),
        # Several folds run at the same time, and the same bytes are to come out every time.
        "num_threads": 1,
        "deterministic": True,
        "force_row_wise": True,
        "verbose": -1,
    }
    features, grades, sizes = read_letor(train)
    learned = lightgbm.Dataset(features, grades, group=sizes)
    features, grades, sizes = read_letor(validation)
    watched = lightgbm.Dataset(features, grades, group=sizes, reference=learned)
    stop = lightgbm.early_stopping(20, verbose=False)
    model = lightgbm.train(parameters, learned, num_boost_round=200, valid_sets=[watched], callbacks=[stop])
    features, _, _ = read_letor(test)
    with open(scores, "w", encoding="utf-8") as out:
        # repr of a float reads back to the same bits.
        out.writelines(f"{score!r}\n" for score in model.predict(features).tolist())


if __name__ == "__main__":
    main(*sys.argv[1:])
