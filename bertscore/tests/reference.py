#!/usr/bin/env python3
"""BERTScore and its expected values in numpy, written apart from the crate, to test the crate.

    reference.py MODEL DATA OUT [DOCUMENTS]   scores of SummEval's first documents, as JSON

MODEL is the folder of weights, and DATA the folder `summeval` of the data. The output holds numbers
only, no text. Needs numpy and tokenizers.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

SYSTEMS = ["M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"]


def read_safetensors(path):
    """The tensors of a file; the format is a length, a header in JSON, and the numbers."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        if entry["dtype"] == "F32":
            start, end = entry["data_offsets"]
            numbers = np.frombuffer(data[8 + size + start : 8 + size + end], "<f4")
            tensors[name] = numbers.reshape(entry["shape"])
    return tensors


class Erf:
    """The error function, which numpy lacks, from a table by cubic interpolation: error below 1e-12."""

    STEP = 1 / 2048

    def __init__(self):
        grid = np.arange(-6, 6 + self.STEP, self.STEP)
        self.values = np.array([math.erf(x) for x in grid])
        self.slopes = 2 / np.sqrt(np.pi) * np.exp(-(grid**2)) * self.STEP

    def __call__(self, x):
        place = (np.clip(x.astype(np.float64), -5.999, 5.999) + 6) / self.STEP
        left = place.astype(np.int64)
        t = place - left
        a, b, da, db = self.values[left], self.values[left + 1], self.slopes[left], self.slopes[left + 1]
        return a + t * (da + t * (3 * (b - a) - 2 * da - db + t * (2 * (a - b) + da + db)))


class Model:
    def __init__(self, folder):
        folder = Path(folder)
        self.config = json.loads((folder / "config.json").read_text())
        self.weights = read_safetensors(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.erf = Erf()

    def ids(self, text):
        """The ids with [CLS] and [SEP], cut at the last position."""
        ids = self.tokenizer.encode(text).ids
        most = self.config["max_position_embeddings"]
        return ids if len(ids) <= most else ids[: most - 1] + ids[-1:]

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, x):
        centred = x - x.mean(1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(1, keepdims=True) + self.config["layer_norm_eps"])
        return centred / deviation * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def hidden(self, ids, layer=None):
        """The hidden state of each id after a layer [default: the last], as the model gives it."""
        w, heads = self.weights, self.config["num_attention_heads"]
        e = "embeddings."
        x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][: len(ids)]
        x = self.norm(e + "LayerNorm", x + w[e + "token_type_embeddings.weight"][0])
        for number in range(self.config["num_hidden_layers"] if layer is None else layer):
            own = f"encoder.layer.{number}."
            q, k, v = (
                self.linear(own + "attention.self." + part, x).reshape(len(ids), heads, -1).transpose(1, 0, 2)
                for part in ("query", "key", "value")
            )
            weights = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
            weights = np.exp(weights - weights.max(2, keepdims=True))
            weights /= weights.sum(2, keepdims=True)
            context = (weights @ v).transpose(1, 0, 2).reshape(len(ids), -1)
            x = self.norm(own + "attention.output.LayerNorm", self.linear(own + "attention.output.dense", context) + x)
            inner = self.linear(own + "intermediate.dense", x)
            inner = (inner * 0.5 * (1 + self.erf(inner / np.sqrt(2)))).astype(np.float32)
            x = self.norm(own + "output.LayerNorm", self.linear(own + "output.dense", inner) + x)
        return x

    def unit(self, ids, layer=None):
        states = self.hidden(ids, layer).astype(np.float64)
        return states / np.linalg.norm(states, axis=1, keepdims=True)


def score(candidate, reference, special="weightless", weights=None):
    """P, R and F1 of unit vectors, with those of [CLS] and [SEP]; 0 for a text without tokens."""
    if special == "drop":
        candidate, reference = candidate[1:-1], reference[1:-1]
    cosines = candidate @ reference.T
    inner = slice(None) if special == "drop" else slice(1, -1)
    rows, columns = cosines.max(1)[inner], cosines.max(0)[inner]
    if len(rows) == 0 or len(columns) == 0:
        return (0.0, 0.0, 0.0)
    a, b = weights or (np.ones(len(rows)), np.ones(len(columns)))
    p, r = (rows * a).sum() / a.sum(), (columns * b).sum() / b.sum()
    return (p, r, 2 * p * r / (p + r))


def ends(model, source, k):
    """The texts of the most and the least similar tokens of [F23], Algorithm 1."""
    ids = model.ids(source)
    states = model.hidden(ids).astype(np.float64)
    document = states.mean(0)
    cosines = states @ document / np.linalg.norm(states, axis=1) / np.linalg.norm(document)
    # A later occurrence of a token overwrites an earlier one.
    similar = dict(zip(ids[1:-1], cosines[1:-1]))
    best = sorted(similar, key=lambda token: -similar[token])
    worst = sorted(similar, key=lambda token: similar[token])
    return [[ids[0]] + chosen[:k] + [ids[-1]] for chosen in (best, worst)]


def summeval(folder):
    rows = {}
    for system in SYSTEMS:
        path = Path(folder) / "model_output_annotations" / f"{system}_outputs_annotations.jsonl"
        for line in path.read_text().splitlines():
            row = json.loads(line)
            first = {"id": row["id"], "references": row["references"], "source": row["text"], "c": {}}
            rows.setdefault(row["id"], first)["c"][system] = row["decoded"]
    return list(rows.values())


def main(folder, data, out, documents="10"):
    model = Model(folder)
    rows = []
    for document in summeval(data)[: int(documents)]:
        references = [model.unit(model.ids(text)) for text in document["references"]]
        k = len(references[0]) - 2
        texts = ends(model, document["source"], k)
        row = {"id": document["id"], "ends": [score(model.unit(text), references[0]) for text in texts], "systems": {}}
        for system, text in document["c"].items():
            unit = model.unit(model.ids(text))
            scores = [score(unit, reference) for reference in references]
            row["systems"][system] = {
                "first": scores[0],
                "drop": score(unit, references[0], "drop"),
                "mean": np.mean(scores, axis=0).tolist(),
                "max": max(scores, key=lambda scores: scores[2]),
            }
        rows.append(row)
        print(document["id"], file=sys.stderr)
    rounded = json.loads(json.dumps(rows), parse_float=lambda text: round(float(text), 9))
    lines = ",\n".join(json.dumps(row) for row in rounded)
    Path(out).write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
