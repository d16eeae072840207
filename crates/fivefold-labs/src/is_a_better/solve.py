"""A start for lab 5: reads the tables. Fill in the rest; nothing in this file is graded."""

import csv
from itertools import product
from math import sqrt

from tools import power, student_p


def columns(path):
    """The columns of a table, by name: a list of texts for each."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


eight = columns("eight.csv")
# Hundredths as whole numbers: sums of floating-point numbers rarely come out equal.
differences = [round(100 * float(a)) - round(100 * float(b)) for a, b in zip(eight["A"], eight["B"])]
print("differences in hundredths:", differences)

# Part 1: for signs in product([1, -1], repeat=8): ...

# Part 2: power(0.5, 8)

# Part 4
random = columns("random.csv")
baseline = [float(value) for value in random["baseline"]]
print("mean of the baseline:", sum(baseline) / len(baseline))
