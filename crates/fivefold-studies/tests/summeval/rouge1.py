"""ROUGE-1 of SummEval with its expected value: the fixture of the tests of `kind = "ratings"`.

    pip install rouge-score==0.1.2 scipy
    python rouge1.py ANNOTATIONS > rouge1.csv

ANNOTATIONS is SummEval's folder `model_output_annotations`. The fixture has no text: a row has the
matches, the tokens of the summary and of the first reference, and the matches that are expected of as
many tokens drawn from the article as the reference has (model `unigram`). The stemmer is that of
rouge-score (`use_stemmer=True`). ROUGE-1 is F1, 2 matches / (summary + reference); its expected value
is expected / reference.
"""

import collections
import json
import pathlib
import sys

from rouge_score import tokenize
from nltk.stem import porter
from scipy.stats import binom

STEMMER = porter.PorterStemmer()


def tokens(text):
    return tokenize.tokenize(text, STEMMER)


def expected(source, reference):
    """E[M] = sum over words of the reference of E[min(X, r)] with X ~ Binomial(m, c / N)."""
    counts, m = collections.Counter(source), len(reference)
    total = 0.0
    for word, r in sorted(collections.Counter(reference).items()):
        if counts[word]:
            p = counts[word] / len(source)
            total += r - sum((r - x) * binom.pmf(x, m, p) for x in range(r))
    return float(total)


def main():
    print("item,system,matches,summary,reference,expected")
    known = {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*_outputs_annotations.jsonl")):
        system = path.name.split("_")[0]
        for line in path.open(encoding="utf-8"):
            row = json.loads(line)
            if row["id"] not in known:
                reference = tokens(row["references"][0])
                known[row["id"]] = reference, expected(tokens(row["text"]), reference)
            reference, chance = known[row["id"]]
            summary = tokens(row["decoded"])
            matches = sum((collections.Counter(summary) & collections.Counter(reference)).values())
            print(f"{row['id']},{system},{matches},{len(summary)},{len(reference)},{chance!r}")


main()
