"""The largest chance of right guesses by linear programs, which share nothing with the formulas."""

from math import comb

import numpy as np
from scipy.optimize import linprog


def over_counts(right, guesses, canaries, epsilons, deltas):
    """Return the largest chance if only the number of right guesses matters.

    With one epsilon this is (epsilon, delta)-DP; with several, all of these promises at once.
    """
    r = guesses
    weights = np.array([comb(r - 1, j) for j in range(r)], dtype=float)
    size = 1 + r
    total = size + 2 * r * len(epsilons)
    rows, limits = [], []
    for e, (epsilon, delta) in enumerate(zip(epsilons, deltas, strict=True)):
        start = size + 2 * r * e
        for j in range(r):
            # Per outcome: the chance of a set of guesses with j right, times the others' number.
            up, down = 1 / comb(r, j + 1), 1 / comb(r, j)
            for k, (first, second) in enumerate((((j + 1, up), (j, down)), ((j, down), (j + 1, up)))):
                row = np.zeros(total)
                row[first[0]] += weights[j] * first[1]
                row[second[0]] -= np.exp(epsilon) * weights[j] * second[1]
                row[start + 2 * j + k] = -1.0
                rows.append(row)
                limits.append(0.0)
        row = np.zeros(total)
        row[start : start + 2 * r] = 1.0
        rows.append(row)
        limits.append(delta * canaries / r)
    gain, once = np.zeros(total), np.zeros(total)
    gain[right:size], once[:size] = 1.0, 1.0
    solved = linprog(-gain, A_ub=np.array(rows), b_ub=limits, A_eq=[once], b_eq=[1.0])
    assert solved.status == 0
    return -solved.fun
