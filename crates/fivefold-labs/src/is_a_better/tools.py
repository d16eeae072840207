"""Tools for lab 5: tails of Student's t, and the power of the paired t-test.

Python's standard library has no t distribution, so this file has one. You need not read it.
"""

from math import erf, exp, lgamma, log, pi, sqrt


def student_p(t, degrees):
    """The two-sided p-value of t: the mass of Student's distribution beyond -t and t."""
    front = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)

    def density(x):
        return front * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    return max(0.0, 1 - 2 * simpson(density, 0.0, abs(t)))


def power(effect, topics, alpha=0.05):
    """The probability that the paired t-test finds the effect (mean / sd of the differences)."""
    degrees = topics - 1
    low, high = 0.0, 1000.0
    for _ in range(60):  # the t whose two-sided p-value is alpha
        middle = (low + high) / 2
        low, high = (middle, high) if student_p(middle, degrees) > alpha else (low, middle)
    critical, shift = high, effect * sqrt(topics)

    def term(s):  # s: the deviation that the test estimates, divided by the true one
        density = exp(log(2) + degrees / 2 * log(degrees / 2) - lgamma(degrees / 2)
                      + (degrees - 1) * log(s) - degrees * s * s / 2)
        return density * (below(shift - critical * s) + below(-shift - critical * s))

    width = 8 / sqrt(2 * degrees)
    return simpson(term, max(1e-9, 1 - width), 1 + width)


def below(x):
    """The mass of the standard normal distribution below x."""
    return (1 + erf(x / sqrt(2))) / 2


def simpson(function, low, high, steps=2000):
    """The integral of a function by Simpson's rule."""
    width = (high - low) / steps
    total = function(low) + function(high)
    for step in range(1, steps):
        total += (4 if step % 2 else 2) * function(low + step * width)
    return total * width / 3
