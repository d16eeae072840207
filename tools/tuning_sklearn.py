"""The choices of scikit-learn's grid search on MQ2008, beside which a test puts those of `[ranker.tune]`.

    python3 tools/tuning_sklearn.py

Ridge and logistic regression on raw features. In each fold, a PredefinedSplit fits on the training part and measures on the
validation part. The measure is fivefold's: each candidate's scores go through `fivefold eval`. Prints, for each ranker and
fold, the chosen parameter and its value. Needs scikit-learn, the program `fivefold` (or the one that FIVEFOLD names) and
`mq2008/` in the folder that FIVEFOLD_DATA names. The choices are in tests/tests/end_to_end/tune.rs.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

if "--help" in sys.argv:
    print(__doc__)
    sys.exit()

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, PredefinedSplit

DATA = Path(os.environ["FIVEFOLD_DATA"]) / "mq2008"
PROGRAM = os.environ.get("FIVEFOLD", "fivefold")
LAMBDAS = [0.1, 1.0, 10.0, 100.0, 1000.0]
CS = [1.0, 0.1, 0.01, 0.001]


def read(number):
    """Grades and features of a part."""
    grades, rows = [], []
    for line in (DATA / f"S{number}.txt").read_text().splitlines():
        fields = line.split("#")[0].split()
        grades.append(int(fields[0]))
        rows.append([float(field.split(":")[1]) for field in fields[2:]])
    return np.array(grades), np.array(rows)


def measured(part, scores):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(f"{score!r}\n" for score in map(float, scores))
        file.flush()
        command = [PROGRAM, "eval", "--data", DATA / f"S{part}.txt", "--scores", file.name, "--measures", "ndcg@10", "--json"]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["means"][0]["mean"]


def main():
    parts = {number: read(number) for number in range(1, 6)}
    for name, estimator, grid, labels, score in [
        ("linear", Ridge(), {"alpha": LAMBDAS}, lambda y: y.astype(float), lambda e, x: e.predict(x)),
        (
            "l2-logistic",
            LogisticRegression(tol=1e-9, max_iter=100_000),
            {"C": CS},
            lambda y: (y >= 1).astype(int),
            lambda e, x: e.decision_function(x),
        ),
    ]:
        for fold in range(5):
            train = [parts[(fold + i) % 5 + 1] for i in range(3)]
            validation = (fold + 3) % 5 + 1
            y = np.concatenate([labels(grades) for grades, _ in train] + [labels(parts[validation][0])])
            x = np.concatenate([rows for _, rows in train] + [parts[validation][1]])
            is_validation = np.full(len(y), -1)
            is_validation[-len(parts[validation][0]) :] = 0
            scorer = lambda fitted, rows, _: measured(validation, score(fitted, rows))
            search = GridSearchCV(estimator, grid, scoring=scorer, cv=PredefinedSplit(is_validation), refit=False)
            search.fit(x, y)
            chosen = list(search.best_params_.values())[0]
            print(f'("{name}", {fold + 1}, {chosen}, {search.best_score_:.6f}),')


if __name__ == "__main__":
    main()
