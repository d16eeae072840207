"""Lab 3: the gradients of three losses. Fill in the functions that raise NotImplementedError.

Each function is given the scores and the grades of the documents of one query, two lists of the same
length, and returns the slope of the loss by each score, a list of this length.

    python3 rank.py check              compares your gradients with finite differences of the losses
    python3 rank.py ranknet train.txt test.txt scores.txt
                                       trains a linear ranker with your gradient, and scores test.txt
"""

import math


def squared(scores, grades):
    """L = sum of (s_i - g_i)^2 over the documents i."""
    raise NotImplementedError


def ranknet(scores, grades):
    """L = sum of log(1 + exp(s_j - s_i)) over all pairs i, j with grade g_i > g_j."""
    raise NotImplementedError


def listnet(scores, grades):
    """L = - sum of P_i log Q_i; P is the softmax of the grades, Q the softmax of the scores."""
    raise NotImplementedError


def lambdas(scores, grades):
    """A bonus. The gradient of RankNet, with each pair's part times |change of nDCG|.

    The change is that of nDCG (gain 2^g - 1, discount 1 / log2(rank + 1), no cutoff) if the two
    documents changed places. The rank is that of the scores, from 1.
    """
    raise NotImplementedError
