"""One piece of work of another program, measured from inside; `compare` runs it, in an environment that has the program.

    python compare_peers.py WORK '{"argument": ...}'

Prints one line of JSON: seconds of wall and CPU time of the work alone, the program's version, and what the row needs to
judge quality. Arrays are the files that `measure arrays` writes: PREFIX.features, .grades, .sizes.
"""

import json
import sys
import time
from importlib.metadata import version

import numpy as np

RATE = 0.1  # learning rate of every boosted model


def arrays(prefix):
    """Features, grades and documents a query."""
    grades, sizes = np.fromfile(prefix + ".grades", np.uint8), np.fromfile(prefix + ".sizes", np.uint32)
    return np.fromfile(prefix + ".features", np.float32).reshape(len(grades), -1), grades, sizes


class Clock:
    """Wall and CPU seconds of a `with` block."""

    def __enter__(self):
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu


def timed(clock, package, **more):
    return {"wall": clock.wall, "cpu": clock.cpu, "version": version(package), **more}


# Reading LETOR text.


def read_sklearn(file, threads):
    from sklearn.datasets import load_svmlight_file

    with Clock() as clock:
        load_svmlight_file(file, query_id=True)
    return timed(clock, "scikit-learn")


def read_lightgbm(file, threads):
    """Reads and bins; the file has neither `qid:` nor comments, which LightGBM cannot read."""
    import lightgbm

    with Clock() as clock:
        lightgbm.Dataset(file, params=dict(max_bin=255, num_threads=threads, verbose=-1, header=False)).construct()
    return timed(clock, "lightgbm")


def read_xgboost(file, threads):
    import xgboost

    with Clock() as clock:
        xgboost.DMatrix(file + "?format=libsvm", nthread=threads)
    return timed(clock, "xgboost")


def read_catboost(file, threads):
    import catboost

    with Clock() as clock:
        catboost.Pool("libsvm://" + file, thread_count=threads)
    return timed(clock, "catboost")


def read_fastrank(file, threads):
    import fastrank

    with Clock() as clock:
        fastrank.CDataset.open_ranksvm(file)
    return timed(clock, "fastrank")


def open_lightgbm(file, threads):
    """LightGBM's binary file: bins and grades, not the features themselves."""
    import lightgbm

    with Clock() as clock:
        data = lightgbm.Dataset(file, params=dict(verbose=-1, num_threads=threads)).construct()
    return timed(clock, "lightgbm", documents=data.num_data())


def save_lightgbm(prefix, file):
    import lightgbm

    features, grades, sizes = arrays(prefix)
    with Clock() as clock:
        lightgbm.Dataset(features, grades, group=sizes, params=dict(max_bin=255, verbose=-1)).construct().save_binary(file)
    return timed(clock, "lightgbm")


# LambdaMART.


def lambdamart_lightgbm(
    train, test, leaves, trees, threads, min_documents=20, seed=1, scores=None, model=None, quantised=False
):
    import lightgbm

    features, grades, sizes = arrays(train)
    settings = dict(
        objective="lambdarank", learning_rate=RATE, num_leaves=leaves, max_bin=255, num_threads=threads, verbose=-1,
        seed=seed, min_data_in_leaf=min_documents, label_gain=[0, 1, 3, 7, 15], force_col_wise=True,
        lambdarank_truncation_level=30, use_quantized_grad=quantised,
    )
    with Clock() as binning:
        data = lightgbm.Dataset(features, grades, group=sizes, params=settings).construct()
    with Clock() as clock:
        trained = lightgbm.train(settings, data, trees)
    if model is not None:
        trained.save_model(model)
    features, _, _ = arrays(test)
    with Clock() as scoring:
        predicted = trained.predict(features, num_threads=threads)
    save(predicted, scores)
    return timed(clock, "lightgbm", bin_cpu=binning.cpu, score_cpu=scoring.cpu)


def score_lleaves(model, test, threads):
    """Scores by LightGBM's trees as machine code. `compile_cpu` is the time of making this code, which is not counted."""
    import lleaves

    features, _, _ = arrays(test)
    features = features.astype(np.float64)  # lleaves would copy other numbers first
    compiled = lleaves.Model(model_file=model)
    with Clock() as compiling:
        compiled.compile()
    with Clock() as scoring:
        compiled.predict(features, n_jobs=threads)
    return timed(scoring, "lleaves", score_cpu=scoring.cpu, compile_cpu=compiling.cpu)


def lambdamart_xgboost(train, test, leaves, trees, threads, scores=None):
    import xgboost

    features, grades, sizes = arrays(train)
    queries = np.repeat(np.arange(len(sizes)), sizes)
    with Clock() as binning:
        data = xgboost.QuantileDMatrix(features, grades, qid=queries, max_bin=256, nthread=threads)
    settings = dict(
        objective="rank:ndcg", eta=RATE, tree_method="hist", grow_policy="lossguide", max_leaves=leaves, max_depth=0,
        max_bin=256, nthread=threads, seed=1, ndcg_exp_gain=True,
    )
    with Clock() as clock:
        model = xgboost.train(settings, data, trees)
    matrix = xgboost.DMatrix(arrays(test)[0], nthread=threads)
    with Clock() as scoring:
        predicted = model.predict(matrix)
    save(predicted, scores)
    return timed(clock, "xgboost", bin_cpu=binning.cpu, score_cpu=scoring.cpu)


def lambdamart_catboost(train, test, leaves, trees, threads, scores=None):
    """YetiRank on symmetric trees of depth 6 (64 leaves), CatBoost's way; the time includes its quantisation."""
    import catboost

    features, grades, sizes = arrays(train)
    data = catboost.Pool(features, grades.astype(float), group_id=np.repeat(np.arange(len(sizes)), sizes))
    settings = dict(
        loss_function="YetiRank", iterations=trees, learning_rate=RATE, depth=6, border_count=254,
        thread_count=threads, random_seed=1, verbose=False, allow_writing_files=False,
    )
    model = catboost.CatBoost(settings)
    with Clock() as clock:
        model.fit(data)
    features, _, _ = arrays(test)
    with Clock() as scoring:
        predicted = model.predict(features, thread_count=threads)
    save(predicted, scores)
    return timed(clock, "catboost", score_cpu=scoring.cpu)


def save(predicted, file):
    if file:
        np.asarray(predicted, np.float64).tofile(file)


# fastrank.


def fastrank(train_text, test_text, kind, seed, settings, scores=None):
    from fastrank import CDataset, TrainRequest

    train, test = CDataset.open_ranksvm(train_text), CDataset.open_ranksvm(test_text)
    request = TrainRequest.coordinate_ascent() if kind == "coordinate-ascent" else TrainRequest.random_forest()
    request.measure = "ndcg@10"
    for name, value in (settings | dict(seed=seed, quiet=True)).items():
        setattr(request.params, name, value)
    with Clock() as clock:
        model = train.train_model(request)
    predicted = model.predict_scores(test)
    save([predicted[row] for row in range(test.num_instances())], scores)
    return timed(clock, "fastrank")


# L2 logistic regression.


def standardise(train, other, file):
    """LETOR text of the arrays `other`, with mean 0 and deviation 1 of each feature over the arrays `train`."""
    features, _, _ = arrays(train)
    mean, deviation = features.mean(0, np.float64), features.std(0, dtype=np.float64)
    features, grades, sizes = arrays(other)
    features = (features - mean) / np.where(deviation > 0, deviation, 1)
    line = " ".join(f"{number + 1}:%.6g" for number in range(features.shape[1]))
    with open(file, "w") as out:
        for grade, query, row in zip(grades, np.repeat(np.arange(len(sizes)), sizes), features):
            out.write(f"{grade} qid:{query} {line % tuple(row)}\n")
    return {}


def l2_logistic(train, test, solver, tolerance, threads, scores=None):
    """scikit-learn's solvers, of which `liblinear` is LIBLINEAR itself, on f64."""
    from sklearn.linear_model import LogisticRegression

    features, grades, _ = arrays(train)
    features, relevant = features.astype(np.float64), grades >= 1
    model = LogisticRegression(C=1.0, solver=solver, tol=tolerance, max_iter=10_000)
    with Clock() as clock:
        model.fit(features, relevant)
    save(model.decision_function(arrays(test)[0]), scores)
    return timed(clock, "scikit-learn")


# The judge of all sides, and what is judged.


def ndcg(prefix, scores, cutoff=10):
    """Mean nDCG: gain 2^grade - 1, log2 discount, ties by file order; a query without a relevant document counts 0."""
    grades, sizes = np.fromfile(prefix + ".grades", np.uint8), np.fromfile(prefix + ".sizes", np.uint32)
    scores = read_scores(scores)
    discounts, values, start = 1 / np.log2(np.arange(2, cutoff + 2)), [], 0
    for size in sizes:
        gains, of_query = 2.0 ** grades[start : start + size] - 1, scores[start : start + size]
        start += size
        order = np.argsort(-of_query, kind="stable")
        ideal, real = (row[:cutoff] @ discounts[: len(row)] for row in (np.sort(gains)[::-1], gains[order]))
        values.append(real / ideal if ideal > 0 else 0.0)
    return {"ndcg": float(np.mean(values))}


def read_scores(file):
    """Scores as f64, or RankLib's lines of query, number and score."""
    if file.endswith(".ranklib"):
        return np.array([float(line.split("\t")[2]) for line in open(file)])
    return np.fromfile(file, np.float64)


def make_graded(grades, scores, queries, documents):
    """Files of grades as in MSLR-WEB30K, and of scores that agree with them in part."""
    rng = np.random.default_rng(3)
    drawn = rng.choice(5, size=(queries, documents), p=[0.52, 0.32, 0.13, 0.02, 0.01]).astype(np.uint8)
    drawn.tofile(grades)
    np.round(drawn * 0.4 + rng.normal(0, 1, drawn.shape), 6).tofile(scores)
    return {}


def make_systems(file, systems, queries):
    """Values of every system, cutoff and query; close together, so that some pairs differ and some do not."""
    rng = np.random.default_rng(3)
    values = rng.beta(2, 2, (1, 1, queries)) + rng.normal(0, 0.1, (systems, 5, queries))
    np.clip(values + 0.002 * np.arange(systems)[:, None, None], 0, 1).tofile(file)
    return {}


# Evaluation: nDCG@10 and AP of queries with the same number of documents.


def values_of(prefix, documents):
    grades = np.fromfile(prefix + ".grades", np.uint8).reshape(-1, documents)
    return grades.astype(np.int64), np.fromfile(prefix + ".scores", np.float64).reshape(-1, documents)


def dictionaries(prefix, documents):
    grades, scores = values_of(prefix, documents)
    names = [f"D{row}" for row in range(documents)]
    both = ({str(query): dict(zip(names, row)) for query, row in enumerate(table.tolist())} for table in (grades, scores))
    return tuple(both)


def evaluate_numpy(prefix, documents):
    grades, scores = values_of(prefix, documents)
    with Clock() as clock:
        ranked = np.take_along_axis(grades, np.argsort(-scores, axis=1, kind="stable"), 1)
        gains, discounts = 2.0**ranked - 1, 1 / np.log2(np.arange(2, 12))
        ideal = -np.sort(-(2.0**grades - 1), axis=1)[:, :10] @ discounts
        ndcg = (gains[:, :10] @ discounts) / np.where(ideal > 0, ideal, 1)
        relevant = ranked > 0
        precision = np.cumsum(relevant, 1) / np.arange(1, documents + 1)
        ap = (precision * relevant).sum(1) / np.maximum(relevant.sum(1), 1)
        means = [float(ndcg.mean()), float(ap.mean())]
    return timed(clock, "numpy", ndcg=means[0], ap=means[1])


def evaluate_pytrec_eval(prefix, documents):
    import pytrec_eval

    grades, scores = dictionaries(prefix, documents)
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"ndcg_cut.10", "map"})
    with Clock() as clock:
        values = evaluator.evaluate(scores)
    ap = float(np.mean([value["map"] for value in values.values()]))
    return timed(clock, "pytrec_eval-terrier", ap=ap)


def evaluate_ir_measures(prefix, documents):
    import ir_measures
    from ir_measures import AP, nDCG

    grades, scores = dictionaries(prefix, documents)
    evaluator = ir_measures.evaluator([nDCG @ 10, AP], grades)
    with Clock() as clock:
        values = evaluator.calc_aggregate(scores)
    return timed(clock, "ir_measures", ap=values[AP])


def evaluate_ranx(prefix, documents):
    """The second evaluation: the first one compiles."""
    from ranx import Qrels, Run, evaluate

    grades, scores = dictionaries(prefix, documents)
    grades, run = Qrels(grades), Run(scores)
    evaluate(grades, run, ["ndcg_burges@10", "map"])
    with Clock() as clock:
        values = evaluate(grades, run, ["ndcg_burges@10", "map"])
    return timed(clock, "ranx", ndcg=float(values["ndcg_burges@10"]), ap=float(values["map"]))


# Significance: all pairs of 8 systems at 5 cutoffs. The file holds systems x cutoffs x queries.


def significance(file, test, systems, draws):
    from scipy import stats

    values = np.fromfile(file, np.float64).reshape(systems, 5, -1)
    queries, rng = values.shape[2], np.random.default_rng(3)
    pairs = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
    differences = np.stack([values[a] - values[b] for a, b in pairs]).reshape(-1, queries).T.copy()
    with Clock() as clock:
        p = TESTS[test](values, differences, pairs, draws, rng, stats)
    return timed(clock, "scipy", p=np.ravel(p).tolist())


def t(values, differences, pairs, draws, rng, stats):
    return [stats.ttest_rel(values[a], values[b], axis=1).pvalue for a, b in pairs]


def bootstrap(values, differences, pairs, draws, rng, stats):
    """Studentised (Sakai 2006); all tests share the draws, as counts times values by BLAS."""
    queries = len(differences)
    means = differences.mean(0)
    observed = np.abs(means / (differences.std(0, ddof=1) / np.sqrt(queries)))
    centred = differences - means
    both, hits = np.concatenate([centred, centred * centred], 1), 0
    for _ in range(0, draws, 100):
        counts = [np.bincount(rng.integers(0, queries, queries), minlength=queries) for _ in range(100)]
        sums = np.stack(counts).astype(np.float64) @ both
        mean = sums[:, : len(means)] / queries
        variance = (sums[:, len(means) :] - queries * mean * mean) / (queries - 1)
        hits = hits + (np.abs(mean / np.sqrt(variance / queries)) >= observed).sum(0)
    return hits / draws


def permutation(values, differences, pairs, draws, rng, stats):
    """Sign flips, shared by all tests."""
    queries, hits = len(differences), 0
    observed = np.abs(differences.mean(0))
    for _ in range(0, draws, 100):
        signs = rng.integers(0, 2, (100, queries)) * 2.0 - 1
        hits = hits + (np.abs(signs @ differences / queries) >= observed).sum(0)
    return hits / draws


def tukey(values, differences, pairs, draws, rng, stats):
    """Randomised Tukey HSD (Carterette 2012), one cutoff at a time."""
    p = []
    for cutoff in range(values.shape[1]):
        table = values[:, cutoff].T
        means = table.mean(0)
        observed, hits = np.array([abs(means[a] - means[b]) for a, b in pairs]), 0
        for _ in range(draws):
            drawn = rng.permuted(table, axis=1).mean(0)
            hits = hits + (drawn.max() - drawn.min() >= observed)
        p.append(hits / draws)
    return np.transpose(p)


TESTS = {"t": t, "bootstrap": bootstrap, "permutation": permutation, "tukey-hsd": tukey}
WORKS = [
    read_sklearn, read_lightgbm, read_xgboost, read_catboost, read_fastrank, open_lightgbm, save_lightgbm, score_lleaves,
    lambdamart_lightgbm, lambdamart_xgboost, lambdamart_catboost, fastrank, standardise, l2_logistic, ndcg,
    make_graded, make_systems, evaluate_numpy, evaluate_pytrec_eval, evaluate_ir_measures, evaluate_ranx, significance,
]

if __name__ == "__main__":
    work = {work.__name__: work for work in WORKS}[sys.argv[1]]
    print(json.dumps(work(**json.loads(sys.argv[2]))), flush=True)
