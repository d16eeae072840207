"""The rows of `compare`: what is done, by whom, with which settings, and what the project promises.

A work is our side and its peers; a side is a function of the bench that does the work once and returns what it measured.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from compare_bench import ROOT, median

TRAIN, TEST = 2000, 650  # queries of the made collection of MSLR-WEB30K's shape; 119 documents each
SEED = 1
SEEDS = [1, 2, 3, 4, 5]
THREADS = 1


@dataclass
class Peer:
    """Another program (or ourselves on one thread), and how many times better we are to be."""

    name: str
    run: Callable
    ratio: float | None = None


@dataclass
class Work:
    """One kind of work. `value` is what is compared: a cost, or with `higher` a rate.

    nDCG may be lower by `margin`, or where both sides ran over seeds, by two standard errors; `paired`: a seed gives
    both sides the same data.
    """

    name: str
    title: str
    settings: str
    unit: str
    value: Callable
    ours: Callable
    peers: list
    higher: bool = False
    limit: float | None = None
    slow: bool = False
    margin: float = 0.0
    paired: bool = False

    def target(self, peer):
        limit = [] if self.limit is None else [f"{'>=' if self.higher else '<='} {self.limit:g}"]
        return " and ".join(limit + ([] if peer.ratio is None else [f">= {peer.ratio:g}x"]))


def train_text(bench, seed=SEED):
    return bench.collection(TRAIN, seed)


def test_text(bench, seed=SEED):
    return bench.collection(TEST, seed + 1)


def over_seeds(run):
    """A side that does `run(bench, seed)` under every seed: medians, and nDCG@10 under each."""

    def all_seeds(bench):
        runs = [run(bench, seed) for seed in SEEDS]
        return median(runs) | {"ndcgs": [run["ndcg"] for run in runs]}

    return all_seeds


def mq2008(bench):
    """Fold 1: training and test part."""
    return bench.real("mq2008", ["S1.txt", "S2.txt", "S3.txt"]), bench.real("mq2008", ["S5.txt"])


# Reading.


def without_query_ids(bench):
    """The training text as LightGBM can read it, with the documents a query in a file beside it."""
    text = train_text(bench)

    def strip(path):
        sizes, last = [], None
        with open(text) as lines, open(path, "w") as out:
            for line in lines:
                grade, query, rest = line.split("#")[0].split(" ", 2)
                out.write(f"{grade} {rest.rstrip()}\n")
                sizes = sizes + [0] if query != last else sizes
                sizes[-1] += 1
                last = query
        bench.path("data/lightgbm.txt.query").write_text("".join(f"{size}\n" for size in sizes))

    return bench.made("lightgbm.txt", strip)


def read_ours(bench, threads=THREADS):
    return bench.ours("read", train_text(bench), threads)


def read_theirs(work, text=train_text, file=None):
    """A peer reads `text`, or `file`, which has the same documents in another form."""

    def run(bench):
        read = (file or text)(bench)
        matrix = Path(bench.arrays(text(bench)) + ".features").stat().st_size / 1e6
        sizes = {"megabytes": read.stat().st_size / 1e6, "matrix": matrix}
        return bench.theirs(work, file=read, threads=THREADS) | sizes

    return run


def small_text(bench):
    return bench.collection(200, SEED)


def open_ours(bench):
    """The second opening; the first fills the cache."""
    command = ["open", train_text(bench), bench.path("cache"), THREADS]
    measured = bench.ours(*command)
    return measured if measured["cached"] else bench.ours(*command)


def open_lightgbm(bench):
    text = train_text(bench)
    save = lambda path: bench.theirs("save_lightgbm", prefix=bench.arrays(text), file=path)  # noqa: E731
    measured = bench.theirs("open_lightgbm", file=bench.made("lightgbm.bin", save), threads=THREADS)
    return measured | {"matrix": Path(bench.arrays(text) + ".features").stat().st_size / 1e6}


READ_SETTINGS = f"{TRAIN} queries x 136 features, 1 thread"
READ_PEERS = [
    Peer("fastrank", read_theirs("read_fastrank")),
    Peer("XGBoost", read_theirs("read_xgboost")),
    Peer("CatBoost", read_theirs("read_catboost")),
    Peer("LightGBM (with binning)", read_theirs("read_lightgbm", file=without_query_ids)),
]
READING = [
    Work(
        "read", "LETOR text into the matrix", READ_SETTINGS, "MB a CPU s",
        lambda m: m["megabytes"] / m["cpu"], read_ours,
        [*READ_PEERS, Peer("scikit-learn (200 queries)", read_theirs("read_sklearn", small_text))],
        higher=True, limit=400,
    ),
    Work(
        "read-memory", "peak memory of reading", READ_SETTINGS, "x the f32 matrix",
        lambda m: m["peak"] / m["matrix"], read_ours, READ_PEERS, limit=1.15,
    ),
    Work(
        "read-threads", "reading on two threads", "2 threads, wall", "wall s",
        lambda m: m["wall"], lambda bench: read_ours(bench, 2), [Peer("ours on 1 thread", read_ours, 1.7)],
    ),
]

READING.append(
    Work(
        "open", "second opening, cache checked at once", READ_SETTINGS, "MB of matrix a CPU s",
        lambda m: m["matrix"] / m["cpu"], open_ours, [Peer("LightGBM's binary file (bins only)", open_lightgbm)],
        higher=True, limit=6000,
    )
)

# LambdaMART.

TREES, SOME, FEW = 100, 30, 10


def params(**values):
    return [f"{name}={value}" for name, value in values.items()]


def per_tree(run, trees):
    """Seconds a tree: a run of `trees` less a run of few, so that what is done once does not count."""

    def difference(bench, seed=SEED):
        many, few = run(bench, trees, seed), run(bench, FEW, seed)
        return many | {key: (many[key] - few[key]) / (trees - FEW) for key in ("cpu", "wall")}

    return difference


def lambdamart_ours(leaves, threads=THREADS, judged=True, **more):
    def run(bench, trees, seed):
        scores, test = bench.path("scores.ours"), test_text(bench, seed)
        settings = params(preset="'lightgbm'", trees=trees, leaves=leaves, **more)
        measured = bench.ours("train", "lambdamart", train_text(bench, seed), test, scores, threads, seed, *settings)
        return measured | ({"ndcg": bench.ndcg(scores, test)} if judged and trees == TREES else {})

    return per_tree(run, TREES)


def lambdamart_theirs(work, leaves, trees=SOME, **more):
    """Judged if there are as many trees as of ours."""

    def run(bench, trees, seed):
        scores, test = bench.path("scores.theirs"), test_text(bench, seed)
        files = dict(train=bench.arrays(train_text(bench, seed)), test=bench.arrays(test), scores=scores)
        measured = bench.theirs(work, leaves=leaves, trees=trees, threads=THREADS, **files, **more)
        return measured | ({"ndcg": bench.ndcg(scores, test)} if trees == TREES else {})

    return per_tree(run, trees)


def lambdamart(leaves):
    settings = f"{TREES} trees of {leaves} leaves, 255 bins, rate .1, truncation 30, {TRAIN} queries, 1 thread"
    catboost = [Peer("CatBoost, YetiRank, depth 6", lambdamart_theirs("lambdamart_catboost", None))]
    return [
        Work(
            f"lambdamart-{leaves}", "LambdaMART", settings, "CPU ms a tree", lambda m: m["cpu"] * 1000,
            over_seeds(lambdamart_ours(leaves)),
            [
                Peer("LightGBM", over_seeds(lambdamart_theirs("lambdamart_lightgbm", leaves, TREES)), 2),
                Peer("XGBoost hist", lambdamart_theirs("lambdamart_xgboost", leaves)),
                *(catboost if leaves == 31 else []),
            ],
            slow=True, paired=True,
        ),
        Work(
            f"lambdamart-{leaves}-quantised", "LambdaMART, quantised gradients", settings, "CPU ms a tree",
            lambda m: m["cpu"] * 1000, over_seeds(lambdamart_ours(leaves, gradients="'quantised'")),
            [
                Peer("ours, exact gradients", over_seeds(lambdamart_ours(leaves))),
                Peer(
                    "LightGBM, use_quantized_grad",
                    over_seeds(lambdamart_theirs("lambdamart_lightgbm", leaves, TREES, quantised=True)), 2,
                ),
                Peer("LightGBM", over_seeds(lambdamart_theirs("lambdamart_lightgbm", leaves, TREES)), 2),
            ],
            limit={31: 40, 10: 30}[leaves], slow=True, paired=True,
        ),
        Work(
            f"lambdamart-{leaves}-threads", "LambdaMART on two threads", settings.replace("1 thread", "2 threads, wall"),
            "wall ms a tree", lambda m: m["wall"] * 1000, lambdamart_ours(leaves, 2, judged=False),
            [Peer("ours on 1 thread", lambdamart_ours(leaves, judged=False), 1.8)], slow=True,
        ),
    ]


def recorded(cpu, ndcg=None):
    """RankLib's figure of 2026-11-27 on 2 vCPUs (AMD EPYC, AVX2), OpenJDK 17: CPU seconds of the process, nDCG@10."""
    measured = {"cpu": cpu, "process_cpu": cpu, "version": "2.10.2-SNAPSHOT e43f605, recorded"}
    return lambda bench: measured | ({} if ndcg is None else {"ndcg": ndcg})


def few_trees_lightgbm(bench):
    return bench.theirs(
        "lambdamart_lightgbm", train=bench.arrays(train_text(bench)), test=bench.arrays(test_text(bench)), leaves=31,
        trees=1, threads=THREADS,
    )


def scoring(side):
    """500 trees grown on a tenth of the queries: how they were grown does not alter what scoring costs."""
    trees, leaves = 500, 31
    train = small_text

    def ours(bench):
        settings = params(preset="'lightgbm'", trees=trees, leaves=leaves)
        return bench.ours("train", "lambdamart", train(bench), test_text(bench), "-", THREADS, SEED, *settings)

    def theirs(bench):
        return bench.theirs(
            "lambdamart_lightgbm", train=bench.arrays(train(bench)), test=bench.arrays(test_text(bench)), leaves=leaves,
            trees=trees, threads=THREADS,
        )

    def compiled(bench):
        save = lambda path: bench.theirs(  # noqa: E731
            "lambdamart_lightgbm", train=bench.arrays(train(bench)), test=bench.arrays(test_text(bench)), leaves=leaves,
            trees=trees, threads=THREADS, model=path,
        )
        model = bench.made(f"lightgbm-{trees}-{leaves}.model", save)
        return bench.theirs("score_lleaves", "lleaves", model=model, test=bench.arrays(test_text(bench)), threads=THREADS)

    return {"ours": ours, "theirs": theirs, "compiled": compiled}[side]


TREE_WORKS = [
    *lambdamart(31),
    *lambdamart(10),
    Work(
        "binning", "features into 255 bins", f"{TRAIN} queries x 136 features, 1 thread", "CPU s", lambda m: m["cpu"],
        lambda bench: bench.ours("bin", train_text(bench), 255, THREADS),
        [Peer("LightGBM", lambda bench: (m := few_trees_lightgbm(bench)) | {"cpu": m["bin_cpu"]}, 2)],
    ),
    Work(
        "scoring", "scoring", f"500 trees x 31 leaves, {TEST} queries, 1 thread", "CPU s", lambda m: m["score_cpu"],
        scoring("ours"),
        [Peer("LightGBM", scoring("theirs"), 2), Peer("lleaves (compiled before)", scoring("compiled"), 1)], limit=0.2,
    ),
]

# The other rankers, on fold 1 of MQ2008.


def ranker_ours(ranker, **settings):
    def run(bench, seed=SEED):
        train, test = mq2008(bench)
        scores = bench.path("scores.ours")
        measured = bench.ours("train", ranker, train, test, scores, THREADS, seed, *params(**settings))
        return measured | {"ndcg": bench.ndcg(scores, test)}

    return run


def fastrank(kind, **settings):
    def run(bench, seed=SEED):
        train, test = mq2008(bench)
        files = dict(train_text=train, test_text=test, scores=(scores := bench.path("scores.theirs")))
        measured = bench.theirs("fastrank", kind=kind, seed=seed, settings=settings, **files)
        return measured | {"ndcg": bench.ndcg(scores, test)}

    return run


def ranklib(number, cpu, ndcg):
    """RankLib's program if its jar was given, else its recorded figure."""

    def run(bench):
        if not bench.ranklib:
            return recorded(cpu, ndcg)(bench)
        train, test = mq2008(bench)
        model, scores = bench.path("ranklib.model"), bench.path("scores.ranklib")
        java = ["java", "-cp", bench.ranklib, "ciir.umass.edu.eval.Evaluator"]
        trees = ["-tree", 100] if number == 6 else []
        measured = bench.run(
            [*java, "-ranker", number, *trees, "-metric2t", "NDCG@10", "-train", train, "-save", model], output=False
        )
        bench.run([*java, "-load", model, "-rank", test, "-score", scores], output=False)
        return measured | {"ndcg": bench.ndcg(scores, test), "version": "2.10 (the jar)"}

    return run


MARGIN = 0.01  # what another seed alters on the 156 test queries
BESIDE_RANKLIB = [
    # name, parameters beside the preset, RankLib's number, recorded CPU seconds and nDCG@10, target
    ("random-forest", {}, 8, 44.30, 0.4893, 20),
    ("rankboost", {}, 2, 13.52, 0.4826, 20),
    ("adarank", {}, 3, 10.71, 0.4325, 20),
    ("coordinate-ascent", {"objective": "'ndcg@10'"}, 4, 31.67, 0.4811, 20),
    ("listnet", {}, 7, 28.12, 0.4773, 20),
    ("ranknet", {}, 1, 20.22, 0.4760, 20),
    ("lambdamart", {"trees": 100}, 6, 6.27, 0.4906, None),
]
RANKLIB_FOREST = dict(
    num_trees=300, instance_sampling_rate=1.0, feature_sampling_rate=0.3, min_leaf_support=1, max_depth=8
)
RANKERS = [
    Work(
        f"{name}-ranklib", name, "preset ranklib, MQ2008 fold 1, 1 thread, whole process with reading", "CPU s",
        lambda m: m["process_cpu"], ranker_ours(name, preset="'ranklib'", **more),
        [Peer("RankLib", ranklib(number, cpu, ndcg), ratio)], margin=MARGIN,
    )
    for name, more, number, cpu, ndcg, ratio in BESIDE_RANKLIB
] + [
    Work(
        "coordinate-ascent-exact", "coordinate ascent, exact search", "5 restarts, MQ2008 fold 1, 1 thread, whole process",
        "CPU s", lambda m: m["process_cpu"], ranker_ours("coordinate-ascent", objective="'ndcg@10'", restarts=5),
        [Peer("RankLib", ranklib(4, 31.67, 0.4811))], margin=MARGIN,
    ),
    Work(
        "coordinate-ascent-fastrank", "coordinate ascent", "5 restarts, 25 steps from .05, MQ2008 fold 1", "CPU s",
        lambda m: m["cpu"], ranker_ours("coordinate-ascent", preset="'ranklib'", objective="'ndcg@10'"),
        [Peer("fastrank", fastrank("coordinate-ascent"), 10)], margin=MARGIN,
    ),
    # fastrank counts the root in the depth, so that depth 8 is up to 128 leaves, and tries 2 thresholds a feature.
    Work(
        "forest-fastrank", "random forest", "RankLib's: 300 trees of 100 leaves (fastrank: 128), features .3, MQ2008 fold 1",
        "CPU s", lambda m: m["cpu"], over_seeds(ranker_ours("random-forest", preset="'ranklib'")),
        [Peer("fastrank", over_seeds(fastrank("forest", **RANKLIB_FOREST)), 10)], slow=True,
    ),
    Work(
        "forest-fastrank-defaults", "random forest",
        "fastrank's: 100 trees of 128 leaves, half of the sample, features .25, MQ2008 fold 1", "CPU s", lambda m: m["cpu"],
        over_seeds(ranker_ours("random-forest", bags=100, leaves=128, queries=0.5, features=0.25, min_documents=10)),
        [Peer("fastrank", over_seeds(fastrank("forest")), 10)], slow=True,
    ),
]

# L2 logistic regression of many features. L-BFGS does not converge on raw features, so all sides get standardised ones.

WIDE, WIDE_TRAIN, WIDE_TEST = 1000, 60, 20  # features; queries, so few that peers end in seconds


def wide(bench):
    """Training and test part as text."""
    train, test = bench.collection(WIDE_TRAIN, SEED, WIDE), bench.collection(WIDE_TEST, SEED + 1, WIDE)
    of_train = bench.arrays(train)

    def standard(part):
        make = lambda path: bench.theirs("standardise", train=of_train, other=bench.arrays(part), file=path)  # noqa: E731
        return bench.made(f"standard-{part.name}", make)

    return standard(train), standard(test)


def l2_ours(bench):
    train, test = wide(bench)
    scores = bench.path("scores.ours")
    return bench.ours("train", "l2-logistic", train, test, scores, THREADS, SEED) | {"ndcg": bench.ndcg(scores, test)}


def l2_theirs(solver, tolerance):
    def run(bench):
        train, test = wide(bench)
        files = dict(train=bench.arrays(train), test=bench.arrays(test), scores=(scores := bench.path("scores.theirs")))
        measured = bench.theirs("l2_logistic", solver=solver, tolerance=tolerance, threads=THREADS, **files)
        return measured | {"ndcg": bench.ndcg(scores, test)}

    return run


L2_LOGISTIC = Work(
    "l2-logistic-wide", "L2 logistic", f"{WIDE} features, {WIDE_TRAIN} queries, standardised, C = 1, 1 thread", "CPU s",
    lambda m: m["cpu"], l2_ours,
    [
        Peer("scikit-learn lbfgs, tol 1e-6", l2_theirs("lbfgs", 1e-6), 1),
        Peer("scikit-learn lbfgs, tol 1e-4", l2_theirs("lbfgs", 1e-4)),
        Peer("LIBLINEAR (in scikit-learn)", l2_theirs("liblinear", 1e-4), 1),
    ],
    margin=MARGIN,
)

# A whole experiment.


def experiment(bench):
    """All tables of MQ2008 at RankLib's settings; nothing is there from an earlier run."""
    mq2008(bench)
    results = bench.path("results")
    shutil.rmtree(results, ignore_errors=True)
    file = ROOT / "experiments" / "mq2008-ranklib.toml"
    measured = bench.run([bench.fivefold, "run", file, "--threads", 2, "--out", results], output=False)
    return measured | {"wall": measured["process_wall"]}


def ranklib_alone(bench):
    seconds = 5 * sum(row[3] for row in BESIDE_RANKLIB)
    return recorded(seconds)(bench) | {"wall": seconds}


EXPERIMENT = Work(
    "experiment", "mq2008-ranklib.toml, whole run", "8 rankers, 5 folds, all tables, 2 threads, wall", "wall s",
    lambda m: m["wall"], experiment, [Peer("RankLib (CPU s, training of 7 only, 5 x fold 1)", ranklib_alone)],
    limit=60, slow=True,
)

# Evaluation and significance.

QUERIES, DOCUMENTS = 10_000, 119


def graded(bench):
    """Grades and scores of 10,000 queries of 119 documents; the prefix of the two files."""
    scores = bench.path("data/graded.scores")
    make = dict(scores=scores, queries=QUERIES, documents=DOCUMENTS)
    grades = bench.made("graded.grades", lambda path: bench.theirs("make_graded", grades=path, **make))
    return str(grades.with_suffix(""))


def evaluate_ours(*more):
    return lambda bench: bench.ours("evaluate", graded(bench) + ".grades", graded(bench) + ".scores", DOCUMENTS, *more)


def evaluate_theirs(work):
    def run(bench):
        measured = bench.theirs(work, prefix=graded(bench), documents=DOCUMENTS)
        return measured | {"documents": QUERIES * DOCUMENTS}

    return run


EVALUATORS = [
    Peer("numpy (2 columns)", evaluate_theirs("evaluate_numpy")),
    Peer("pytrec_eval (2 columns)", evaluate_theirs("evaluate_pytrec_eval")),
    Peer("ranx (2 columns)", evaluate_theirs("evaluate_ranx")),
    Peer("ir_measures (2 columns)", evaluate_theirs("evaluate_ir_measures")),
]


def millions(m):
    return m["documents"] / m["cpu"] / 1e6


SYSTEMS, DRAWS = 8, 1000
SHAPE = dict(systems=SYSTEMS, draws=DRAWS)


def systems(bench):
    return bench.made("systems", lambda path: bench.theirs("make_systems", file=path, systems=SYSTEMS, queries=QUERIES))


def significance(test, limit, peer):
    settings = f"28 pairs x 5 cutoffs x {QUERIES} queries" + ("" if test == "t" else f", B = {DRAWS}")
    return Work(
        f"significance-{test}", f"significance: {test}", settings, "CPU ms", lambda m: m["cpu"] * 1000,
        lambda bench: bench.ours("significance", test, systems(bench), SYSTEMS, DRAWS),
        [Peer(peer, lambda bench: bench.theirs("significance", file=systems(bench), test=test, **SHAPE))],
        limit=limit,
    )


JUDGING = [
    Work(
        "evaluate", "ndcg at 5 cutoffs + ap, original, V1, V2, ties averaged",
        f"18 columns, {QUERIES} queries x {DOCUMENTS}, 1 thread", "M documents a CPU s", millions, evaluate_ours(),
        EVALUATORS, higher=True, limit=20,
    ),
    Work(
        "evaluate-two", "ndcg@10 + ap", f"2 columns, {QUERIES} queries x {DOCUMENTS}, 1 thread", "M documents a CPU s",
        millions, evaluate_ours("twice"), EVALUATORS, higher=True,
    ),
    significance("t", 10, "scipy"),
    significance("bootstrap", 100, "numpy, shared draws; scipy"),
    significance("permutation", 100, "numpy, shared flips; scipy"),
    significance("tukey-hsd", 500, "numpy; scipy"),
]

WORKS = [*READING, *TREE_WORKS, *RANKERS, L2_LOGISTIC, EXPERIMENT, *JUDGING]
