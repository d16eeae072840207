"""Writes ranx.json: what ranx (PyPI, 0.3.21) makes of six runs of TREC 2019 deep learning.

    python reference.py FOLDER_OF_RUNS > ranx.json

The runs have no two documents of equal score in a topic, because ranx sorts them in no fixed order.
For each method and topic: the number of documents, the sum of the fused scores, the sum of their
squares, and for three topics the ten best documents with their scores.
"""

import glob
import json
import os
import sys

from ranx import Run, fuse

METHODS = {
    "rrf": ("rrf", None, {"k": 60}),
    "rrf --k 7": ("rrf", None, {"k": 7}),
    "isr": ("isr", None, None),
    "log-isr": ("log_isr", None, None),
    "rbc --phi 0.9": ("rbc", None, {"phi": 0.9}),
    "borda": ("bordafuse", None, None),
    "comb-sum --normalise min-max": ("sum", "min-max", None),
    "comb-sum --normalise z-score": ("sum", "zmuv", None),
    "comb-sum --normalise sum": ("sum", "sum", None),
    "comb-sum --normalise max": ("sum", "max", None),
    "comb-sum --normalise rank": ("sum", "rank", None),
    "comb-mnz --normalise min-max": ("mnz", "min-max", None),
    "comb-anz --normalise min-max": ("anz", "min-max", None),
    "comb-max --normalise z-score": ("max", "zmuv", None),
    "comb-min --normalise min-max": ("min", "min-max", None),
    "comb-med --normalise min-max": ("med", "min-max", None),
    "comb-sum --weights 0.1,0.2,0.3,0.4,0.5,0.6": ("wsum", "min-max", {"weights": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}),
}


def read(path):
    topics = {}
    for line in open(path):
        topic, _, document, _, score = line.split()[:5]
        topics.setdefault(topic, {})[document] = float(score)
    assert all(len(set(scores.values())) == len(scores) for scores in topics.values()), path
    return topics


def told(scores, whole):
    best = sorted(scores.items(), key=lambda pair: -pair[1])[:10] if whole else []
    return [len(scores), sum(scores.values()), sum(score * score for score in scores.values()), best]


def main():
    paths = sorted(glob.glob(os.path.join(sys.argv[1], "*.txt")))
    chosen = [path for path in paths if not any(tied in path for tied in ("TASB", "SPLADE"))][::5]
    topics = [read(path) for path in chosen]
    fused = {}
    for ours, (method, norm, params) in METHODS.items():
        run = fuse([Run(own) for own in topics], norm=norm, method=method, params=params)
        ids = sorted(run.run.keys())
        fused[ours] = {topic: told(dict(run.run[topic]), place % 15 == 0) for place, topic in enumerate(ids)}
    json.dump({"runs": [os.path.basename(path) for path in chosen], "fused": fused}, sys.stdout)


main()
