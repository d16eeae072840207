"""Single trees of LightGBM, where it estimates the documents of a leaf from hessians: writes lightgbm_trees.txt.

    pip install lightgbm numpy
    python3 lightgbm_trees.py > lightgbm_trees.txt

One tree a setting, grown by LightGBM on gradients and hessians that it is given (a custom objective), so that nothing but the
growing is compared. A feature has at most 40 values, each a bin in both programs; nan is a missing value. The first line holds
the settings (leaves/min_data_in_leaf), each other one a document: features; gradient; hessian; its leaf's value under each setting.
"""

import lightgbm
import numpy as np

SETTINGS = [(6, 1), (6, 5), (8, 20), (8, 40), (4, 60)]
DOCUMENTS = 240


def tree(features, first, second, leaves, documents):
    settings = dict(
        objective=lambda *_: (first, second), num_leaves=leaves, min_data_in_leaf=documents, min_sum_hessian_in_leaf=1e-3,
        learning_rate=1.0, min_data_in_bin=1, num_threads=1, deterministic=True, force_col_wise=True, verbose=-1,
    )
    made = lightgbm.Dataset(features, np.zeros(len(first)), params=settings)
    return lightgbm.train(settings, made, 1).predict(features)


def main():
    rng = np.random.default_rng(1)
    # LightGBM has no rest of rounded bins to give to a bin of missing values where the first bin is not the most frequent.
    features = np.floor(rng.random((DOCUMENTS, 5)) ** 0.5 * [3, 8, 40, 40, 12])
    features[rng.random(DOCUMENTS) < 0.2, 4] = np.nan
    # Hessians as of lambda gradients: of a few documents large, of most next to nothing.
    second = (rng.random(DOCUMENTS) ** 6 + 1e-4).astype(np.float32)
    signal = features[:, 0] - features[:, 2] / 20 + np.nan_to_num(features[:, 4], nan=3) / 8
    first = ((signal - signal.mean() + rng.normal(size=DOCUMENTS)) * np.sqrt(second)).astype(np.float32)
    values = [tree(features, first, second, *setting) for setting in SETTINGS]
    print(" ".join(f"{leaves}/{documents}" for leaves, documents in SETTINGS))
    for row in range(DOCUMENTS):
        parts = [features[row], [first[row]], [second[row]], [value[row] for value in values]]
        print("; ".join(" ".join(f"{float(number):.9g}" for number in part) for part in parts))


if __name__ == "__main__":
    main()
