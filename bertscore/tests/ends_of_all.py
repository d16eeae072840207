#!/usr/bin/env python3
"""Compares E by b2w of all documents of SummEval with numpy.

    ends_of_all.py MODEL DATA VALUES

MODEL is the folder of weights, DATA the folder `summeval` of the data, VALUES the table that the program writes by
`--values f1 --expected b2w`. Ends with 1 if a document differs by more than 1e-6. Takes some three minutes.
"""

import csv
import sys

import reference


def main(folder, data, values):
    model = reference.Model(folder)
    with open(values) as file:
        ours = {row["item"]: float(row["expected"]) for row in csv.DictReader(file)}
    worst = 0.0
    documents = reference.summeval(data)
    for document in documents:
        unit = model.unit(model.ids(document["references"][0]))
        text = reference.ends(model, document["source"], len(unit) - 2)[0]
        worst = max(worst, abs(reference.score(model.unit(text), unit)[2] - ours[document["id"]]))
    print(f"{len(documents)} documents, largest difference {worst:.1e}")
    return int(worst > 1e-6)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
