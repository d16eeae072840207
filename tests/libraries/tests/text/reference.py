"""Reference values for the tests of fivefold-text, from the package rouge-score and NLTK's stemmer.

    pip install rouge-score==0.1.2
    FIVEFOLD_DATA=... python reference.py reference.json

Holds numbers of SummEval and no text of it: tokens of each text, matches of each candidate with each
reference, and means of the package's own values. The stems are those of made words.
"""

import functools
import json
import os
import sys
from importlib.metadata import version
from pathlib import Path

from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer
from rouge_score.tokenizers import DefaultTokenizer

FOLDER = Path(os.environ["FIVEFOLD_DATA"]) / "text/summeval/model_output_annotations"
SYSTEMS = [f"M{number}" for number in (8, 9, 10, 11, 12, 13, 14, 15, 17, 20, 22, 23)]
TYPES = ["rouge1", "rouge2", "rougeL"]


def read(system):
    with open(FOLDER / f"{system}_outputs_annotations.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


class Cached(DefaultTokenizer):
    """The package's tokens; each text is cut once."""

    def __init__(self, use_stemmer):
        super().__init__(use_stemmer)
        self.tokenize = functools.cache(super().tokenize)


def units(kind, tokens):
    return max(tokens - int(kind[-1]) + 1, 0) if kind != "rougeL" else tokens


def summeval(use_stemmer):
    """By document: tokens of its references and candidates; by type, the matches [reference][system].
    Then means of the package's values: first, mean and max over references."""
    tokenizer = Cached(use_stemmer)
    scorer = rouge_scorer.RougeScorer(TYPES, tokenizer=tokenizer)
    # score_multi calls score again, for the same pairs.
    scorer.score = functools.lru_cache(20)(scorer.score)
    systems = [read(system) for system in SYSTEMS]
    documents = []
    means = {f"{kind} {references}": [0.0] * 3 for kind in TYPES for references in ("first", "mean", "max")}
    for rows in zip(*systems):
        references = rows[0]["references"]
        candidates = [row["decoded"] for row in rows]
        lengths = [[len(tokenizer.tokenize(text)) for text in texts] for texts in (references, candidates)]
        matches = {kind: [[0] * len(candidates) for _ in references] for kind in TYPES}
        for s, candidate in enumerate(candidates):
            scores = [scorer.score(reference, candidate) for reference in references]
            best = scorer.score_multi(references, candidate)
            for kind in TYPES:
                for r, score in enumerate(scores):
                    exact = score[kind].recall * units(kind, lengths[0][r])
                    assert abs(exact - round(exact)) < 1e-9
                    matches[kind][r][s] = round(exact)
                ways = {"first": [scores[0][kind]], "mean": [score[kind] for score in scores], "max": [best[kind]]}
                for name, chosen in ways.items():
                    for place in range(3):
                        value = sum((one.fmeasure, one.recall, one.precision)[place] for one in chosen) / len(chosen)
                        means[f"{kind} {name}"][place] += value / 1200
        by_type = [matches[kind] for kind in TYPES]
        documents.append({"references": lengths[0], "candidates": lengths[1], "matches": by_type})
    return {"means": means, "documents": documents}


def fnv(lines):
    """FNV-1a of 64 bits, as a number that tests compute too."""
    value = 0xCBF29CE484222325
    for byte in "".join(lines).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def words_of_summeval():
    tokenizer = DefaultTokenizer(False)
    words = set()
    for system in SYSTEMS:
        for row in read(system):
            for text in [row["text"], row["decoded"], *row["references"]]:
                words.update(tokenizer.tokenize(text))
    return sorted(word for word in words if len(word) > 3)


def made_words():
    """Beginnings with all kinds of letters before the end, and the endings that rules look at."""
    beginnings = """tr sk rel oper form hop hopp fall hiss fizz fil enjo happ tri conflat troubl siz y by syzyg us use
        val feudal sens electr adjust oa a e n9""".split()
    endings = """ s es ies sses ss ed eed ied ing ings ying y ey ly ally alli ationally ational tional enci ency anci ancy
        izer iser bli ably entli ently eli ely ousli ously ization ation ator alism iveness fulness ousness aliti ality
        iviti ivity biliti bility fulli fully logi logy icate ative alize iciti icity ical ful ness al ance ence er ic
        able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ee le ll lle yy yyy tte""".split()
    return sorted({beginning + ending for beginning in beginnings for ending in ["", *endings]})


def main():
    stemmer = PorterStemmer()
    fixed = sorted(stemmer.pool)
    words = words_of_summeval()
    out = {
        "rouge_score": version("rouge-score"),
        "nltk": version("nltk"),
        "systems": SYSTEMS,
        "stems": " ".join(f"{word}:{stemmer.stem(word)}" for word in fixed + made_words()),
        "summeval_words": {"count": len(words), "fnv1a": fnv(f"{word} {stemmer.stem(word)}\n" for word in words)},
        "porter": summeval(True),
        "none": summeval(False),
    }
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(out, file, separators=(",", ":"))
        file.write("\n")


main()
