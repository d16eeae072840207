"""Makes tests/dialects/*.json: values that evaluation programs give for made and for real queries.

    python3 -m venv venv && venv/bin/pip install lightgbm xgboost-cpu catboost scikit-learn ranx ir_measures pytrec_eval-terrier
    FIVEFOLD_DATA=~/letor venv/bin/python dialects.py [TOOL ...]

`mslr` needs Microsoft's eval-score-mslr.pl in the variable MSLR_SCRIPT, `ranklib` a folder with RankLib's scores and values of
queries in RANKLIB (`-score` and `-idv` of its LambdaMART model on MQ2008, fold 1: lambdamart.scores.txt, lambdamart.NDCG@10.txt, ...).
Names of measures are ours. A value is null where the program gives none. Made queries are in made.json: a score is null where
the document is judged and not retrieved, a grade where it is retrieved and not judged; only programs for runs are given those. Of real data
the program's values alone are kept.
"""

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent / "dialects"
CUTOFFS = [1, 3, 5, 10]


def made_queries():
    """Grades 0-4, lists of 1 to 13, many ties, pairs that differ by 1e-9, every sixth query without a relevant document."""
    queries = []
    for i in range(1, 43):
        n = 1 + (7 * i) % 13
        grades = [0 if i % 6 == 0 else max(0, (i * j * j + 3 * j + i) % 7 - 2) for j in range(n)]
        levels = [3, 50, 8][i % 3]
        scores = [((5 * j * j + i * j) % levels) / 4 - 1 + (1e-9 * (j % 3) if i % 4 == 0 else 0) for j in range(n)]
        if i > 34:
            scores = [None if (j + i) % 4 == 0 else score for j, score in enumerate(scores)]
            grades = [None if (j + i) % 4 == 2 else grade for j, grade in enumerate(grades)]
        queries.append({"id": str(i), "documents": [f"d{j}" for j in range(n)], "grades": grades, "scores": scores})
    # One that the run lacks.
    queries[40]["scores"] = [None] * len(queries[40]["scores"])
    return queries


def real_queries(name):
    """Queries of a file of FIVEFOLD_DATA with scores: a file of scores beside it, or one feature."""
    data = Path(os.environ["FIVEFOLD_DATA"])
    path, scores = REAL[name]
    scored = None if isinstance(scores, int) else [float(line) for line in (data / scores).read_text().split()]
    queries, row = {}, 0
    for line in (data / path).read_text().splitlines():
        grade, qid, *features = line.split("#")[0].split()
        query = queries.setdefault(qid[4:], {"id": qid[4:], "documents": [], "grades": [], "scores": []})
        query["documents"].append(f"d{len(query['documents'])}")
        query["grades"].append(int(grade))
        query["scores"].append(float(features[scores - 1].split(":")[1]) if scored is None else scored[row])
        row += 1
    return list(queries.values())


# Many ties; and grades 0-4, with queries longer than 100 documents.
REAL = {
    "mq2008": ("mq2008/S5.txt", "mq2008-systems/RankBoost/Fold1.score"),
    "mslr": ("mslr-sample/S1.txt", 130),
}


def complete(query):
    return None not in query["grades"] and None not in query["scores"]


def binary(grades):
    return [int(grade > 0) for grade in grades]


def lightgbm(query):
    import lightgbm
    import numpy

    features = numpy.arange(len(query["grades"]), dtype=float).reshape(-1, 1)
    quiet = {"verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(features, label=query["grades"], group=[len(features)], params={**quiet, "min_data_in_bin": 1},
                            init_score=numpy.array(query["scores"]))
    booster = lightgbm.Booster({"objective": "lambdarank", "metric": ["ndcg", "map"], "eval_at": CUTOFFS, **quiet}, data)
    return {name.replace("map", "ap"): value for _, name, value, _ in booster.eval_train()}


def xgboost(query):
    import numpy
    import xgboost

    values = {}
    for metric, ours in (("ndcg", "ndcg"), ("map", "ap"), ("pre", "p")):
        grades = query["grades"] if metric == "ndcg" else binary(query["grades"])
        data = xgboost.DMatrix(numpy.zeros((len(grades), 1)), label=grades, qid=[0] * len(grades),
                               base_margin=query["scores"], nthread=1)
        names = [f"{metric}@{k}" for k in CUTOFFS] + ([metric] if metric != "pre" else [])
        options = {"objective": "rank:pairwise", "eval_metric": names, "nthread": 1}
        # Without a cutoff it looks at 32 documents.
        for word in xgboost.train(options, data, num_boost_round=0).eval(data).split("\t")[1:]:
            name, value = word.removeprefix("eval-").split(":")
            name = name.replace(metric, ours)
            values[name if "@" in name else f"{name}@32"] = float(value)
    return values


def catboost(query):
    from catboost.utils import eval_metric

    names = {"NDCG": "ndcg", "NDCG:type=Exp": "ndcg(gain=exp2)", "DCG": "dcg", "MAP:border=0.5": "ap",
             "PrecisionAt:border=0.5": "p", "MRR:border=0.5": "rr"}
    values = {}
    for name, ours in names.items():
        for k in CUTOFFS + ([] if ours == "p" else [-1]):
            metric = f"{name}{';' if ':' in name else ':'}top={k}"
            found = eval_metric(query["grades"], query["scores"], metric, group_id=[0] * len(query["grades"]), thread_count=1)
            values[ours if k == -1 else f"{ours}@{k}"] = found[0]
    return values


def sklearn(query):
    from sklearn.metrics import average_precision_score, dcg_score, ndcg_score

    values = {"ap": float(average_precision_score(binary(query["grades"]), query["scores"]))}
    if len(query["grades"]) > 1:
        for k in [None] + CUTOFFS:
            at = "" if k is None else f"@{k}"
            values[f"ndcg{at}"] = float(ndcg_score([query["grades"]], [query["scores"]], k=k))
            values[f"dcg{at}"] = float(dcg_score([query["grades"]], [query["scores"]], k=k))
    return values


def judged_and_run(query):
    """What is judged, and what is retrieved."""
    judged = {d: g for d, g in zip(query["documents"], query["grades"]) if g is not None}
    return judged, {d: s for d, s in zip(query["documents"], query["scores"]) if s is not None}


def trec_eval(query):
    import pytrec_eval

    judged, run = judged_and_run(query)
    cutoffs = ",".join(map(str, CUTOFFS))
    measures = {"map", "ndcg", "recip_rank", "bpref", "infAP", "Rprec", "binG", "Rprec_mult.0.2,1.5"}
    measures |= {f"{name}.{cutoffs}" for name in ("map_cut", "ndcg_cut", "P", "recall", "relative_P", "success")}
    values = pytrec_eval.RelevanceEvaluator({"q": judged}, measures).evaluate({"q": run})["q"] if run else {}
    names = {"map": "ap", "map_cut": "ap", "ndcg_cut": "ndcg", "P": "p", "recip_rank": "rr", "infAP": "infap", "Rprec": "rprec",
             "binG": "bing", "relative_P": "relp", "Rprec_mult_0.20": "rprec(x=0.2)", "Rprec_mult_1.50": "rprec(x=1.5)"}
    def ours(name):
        stem, _, k = name.rpartition("_")
        return f"{names.get(stem, stem)}@{k}" if k.isdigit() else names.get(name, name)
    return {ours(name): value for name, value in values.items()}


def ranx(query):
    from ranx import Qrels, Run, evaluate

    judged, run = judged_and_run(query)
    if not run:
        return {}
    names = {"ndcg": "ndcg", "ndcg_burges": "ndcg(gain=exp2)", "map": "ap", "precision": "p", "mrr": "rr"}
    asked = {f"{name}@{k}": f"{ours}@{k}" for name, ours in names.items() for k in CUTOFFS}
    asked |= {name: ours for name, ours in names.items() if ours != "p"}
    values = evaluate(Qrels({"q": judged}), Run({"q": run}), list(asked))
    return {asked[name]: float(value) for name, value in values.items()}


def gdeval(query):
    import ir_measures

    judged, run = judged_and_run(query)
    values = {}
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = Path(folder, "qrels"), Path(folder, "run")
        qrels.write_text("".join(f"1 0 {d} {g}\n" for d, g in judged.items()))
        runs.write_text("".join(f"1 Q0 {d} 0 {s!r} tag\n" for d, s in run.items()))
        script = Path(ir_measures.__file__).parent / "bin" / "gdeval.pl"
        for k in [5, 20]:
            printed = subprocess.run(["perl", script, qrels, runs, str(k)], capture_output=True, text=True).stdout
            for line in printed.splitlines()[1:]:
                _, _, ndcg, err = line.split(",")
                values |= {f"ndcg@{k}": float(ndcg), f"err@{k}": float(err)}
    return values


def mslr(query):
    with tempfile.TemporaryDirectory() as folder:
        data, scores, out = (Path(folder, name) for name in ("data", "scores", "out"))
        data.write_text("".join(f"{grade} qid:1 1:0\n" for grade in query["grades"]))
        scores.write_text("".join(f"{score!r}\n" for score in query["scores"]))
        subprocess.run(["perl", os.environ["MSLR_SCRIPT"], data, scores, out, "1"], check=True, capture_output=True)
        precision, ndcg = (block.splitlines()[1].split("\t")[1:] for block in out.read_text().split("\n\n")[:2])
    values = {f"p@{k}": float(precision[k - 1]) for k in CUTOFFS} | {"ap": float(precision[10])}
    # The script prints nothing at all beyond the list, which then counts as 0 in its mean.
    return values | {f"ndcg@{k}": float(ndcg[k - 1] or 0) for k in CUTOFFS} | {"meanndcg": float(ndcg[10])}


# Name, program and version, decimals that it prints (12 where it gives floats), whether it takes runs.
TOOLS = {
    "lightgbm": (lightgbm, lambda: f"LightGBM {version('lightgbm')}", 12, False),
    "xgboost": (xgboost, lambda: f"XGBoost {version('xgboost-cpu')}", 12, False),
    "catboost": (catboost, lambda: f"CatBoost {version('catboost')}", 12, False),
    "sklearn": (sklearn, lambda: f"scikit-learn {version('scikit-learn')}", 12, False),
    "trec_eval": (trec_eval, lambda: f"pytrec_eval-terrier {version('pytrec_eval-terrier')}", 12, True),
    "ranx": (ranx, lambda: f"ranx {version('ranx')}", 12, True),
    "gdeval": (gdeval, lambda: "gdeval.pl 1.2a", 5, True),
    "mslr": (mslr, lambda: "eval-score-mslr.pl of 12 June 2010", 4, False),
}


def table(run, queries, digits):
    """Each measure's values, one a query, null where there is none."""
    found = [{} if query is None else run(query) for query in queries]
    names = sorted({name for values in found for name in values})
    rounded = lambda value: None if value is None else round(float(value), digits)
    return {name: [rounded(values.get(name)) for values in found] for name in names}


def ranklib():
    """Values that RankLib gave for MQ2008, fold 1, and the scores that it gave them for."""
    folder = Path(os.environ["RANKLIB"])
    names = {"NDCG@5": "ndcg@5", "NDCG@10": "ndcg@10", "DCG@10": "dcg@10", "P@10": "p@10", "MAP": "ap", "RR@10": "rr@10",
             "ERR@10": "err(max_grade=2)@10"}
    values = {}
    for name, ours in names.items():
        rows = [line.split() for line in (folder / f"lambdamart.{name}.txt").read_text().splitlines() if line]
        values[ours] = {query: round(float(value), 12) for _, query, value in rows if query != "all"}
    ids = [query["id"] for query in real_queries("mq2008")]
    import numpy
    scores = [float(str(numpy.float32(line))) for line in (folder / "lambdamart.scores.txt").read_text().split()]
    real = {"mq2008": {ours: [of_query[i] for i in ids] for ours, of_query in values.items()}}
    return {"tool": "RankLib, 2.10 line", "digits": 12, "made": {}, "real": real, "scores": scores}


def write(name, value):
    text = json.dumps(value, indent=1)
    # Lists of numbers on one line each.
    import re
    text = re.sub(r"\[[^\[\]{}]*\]", lambda match: re.sub(r"\s+", " ", match.group()), text)
    (HERE / f"{name}.json").write_text(text + "\n")


def main():
    made = made_queries()
    write("made", made)
    for name in sys.argv[1:] or [*TOOLS, "ranklib"]:
        if name == "ranklib":
            write(name, ranklib())
            continue
        run, tool, digits, takes_runs = TOOLS[name]
        queries = [query if takes_runs or complete(query) else None for query in made]
        real = {of: table(run, real_queries(of), min(digits, 9)) for of in REAL}
        write(name, {"tool": tool(), "digits": digits, "made": table(run, queries, digits), "real": real})
        print(name, "done")


if __name__ == "__main__":
    main()
