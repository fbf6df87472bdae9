"""DP inside the pool and everywhere, sensitivities, and the published simulations."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from mipbook import mechanisms, mip, pmp


def test_subset_epsilon_by_hand():
    rng = np.random.default_rng(9)
    for n in (1, 2, 3):
        for objects in (2, 3, 4):
            for epsilon in (0.5, 10.0, 2000.0):
                losses = rng.normal(size=(2 * n, objects))
                if objects == 3:
                    losses[:, 2] = losses[:, 0]
                halves = mip.subsets(2 * n)
                near = (halves[:, None] != halves[None]).sum(axis=2) == 2
                exponents = -epsilon / 2 * halves @ losses / n
                logs = exponents - np.logaddexp.reduce(exponents, axis=1, keepdims=True)
                expected = np.abs(logs[:, None] - logs[None])[near].max()
                got = pmp.subset_epsilon(losses, epsilon, 1.0)
                assert got == pytest.approx(expected, rel=1e-11)
                cap = pmp.epsilon_cap(losses, epsilon, 1.0)
                assert got <= cap * (1 + 1e-12)
                assert pmp.exponential_epsilon(losses, epsilon, 1.0) <= got * (1 + 1e-9)
                assert cap <= pmp.surrogate_epsilon(losses, 2 * epsilon, 1.0) * (1 + 1e-12)


def test_cap_is_attained_by_one_swap():
    # With one record the cap is the largest change of a log probability, less its average.
    losses = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert pmp.epsilon_cap(losses, 8.0, 1.0) == pytest.approx(8.0)
    assert pmp.subset_epsilon(losses, 8.0, 1.0) == pytest.approx(4.0)


def test_true_bound_holds_for_far_records_and_is_nearly_attained():
    rng, n, epsilon, clip = np.random.default_rng(10), 3, 300.0, 40.0
    objects = np.array([[1.0], [-1.0]])
    sensitivity = pmp.norm_sensitivity(n, clip)
    bound = pmp.true_epsilon_bound(objects, n, epsilon, sensitivity)
    largest = 0.0
    for others in (rng.uniform(-clip, clip, (400, n - 1)), np.full((1, n - 1), clip)):
        for rest in others:
            pair = [np.append(rest, end)[:, None] for end in (-clip, clip)]
            losses = [pmp.norm_losses(values, objects).mean(axis=0) for values in pair]
            logs = np.log(mechanisms.exponential_probabilities(losses, epsilon, sensitivity))
            largest = max(largest, np.abs(logs[0] - logs[1]).max())
    assert 0.95 * bound < largest <= bound * (1 + 1e-12)
    assert bound < epsilon


def test_sensitivities_and_the_surrogate():
    assert pmp.norm_sensitivity(6, 10.0) == pytest.approx(11 / 6)
    assert pmp.norm_sensitivity(6, 10.0, "triangle") == pytest.approx(20 / 6)
    assert pmp.norm_sensitivity(6, 0.25) == pytest.approx(0.5 / 6)
    rng = np.random.default_rng(11)
    x = rng.normal(size=(2000, 2))
    x *= 4.0 / np.linalg.norm(x, axis=1, keepdims=True)
    w = np.array([[1.0, 0.0]])
    spread = np.ptp(np.linalg.norm(np.vstack([x, w]) - w, axis=1))
    assert spread <= 5.0
    assert spread == pytest.approx(5.0, abs=0.01)


# From the published settings, exact count for each data set, 400 to 1,000 data sets.
FIGURES = [
    ({"sigma": 1.0}, 0.3853, 0.1062),
    ({"sigma": 3.0}, 0.1444, 0.0851),
    ({"dimension": 5, "objects": 32, "clip": 50.0, "outliers": 2, "epsilon": 10.0}, 0.01202, 0.01171),
    ({"dimension": 5, "epsilon": 2.0}, 0.185, 0.0515),
]


@pytest.mark.parametrize(("case", "to_surrogate", "to_nominal"), FIGURES)
def test_figures_reproduce(case, to_surrogate, to_nominal):
    (drawn,) = pmp.sweep(pmp.exponential_trial, [case], trials=250, seed=5)
    for values, expected in (
        ([t.pmp / t.surrogate for t in drawn], to_surrogate),
        ([t.pmp / t.epsilon for t in drawn], to_nominal),
    ):
        error = np.std(values, ddof=1) / math.sqrt(len(values))
        assert abs(np.mean(values) - expected) < 4.5 * error + 0.002 * expected


def test_a_trial_holds_what_it_says():
    for held, place in (("surrogate", 2), ("subset", 3), ("epsilon", 0)):
        drawn = pmp.exponential_trial(held=held, subset=True, rng=np.random.default_rng(12))
        assert drawn[place] == pytest.approx(5.0, rel=1e-9), held
    wide = pmp.exponential_trial(convention="triangle", rng=np.random.default_rng(12))
    same = pmp.exponential_trial(rng=np.random.default_rng(12))
    assert wide.pmp == pytest.approx(same.pmp)
    assert wide.epsilon / same.epsilon == pytest.approx(20 / 11)


def test_exact_fractions_of_a_tiny_pool():
    """Weights that are powers of two make every probability a fraction."""
    losses = np.array([[0, 1], [0, 3], [0, 0], [0, 2]], dtype=float)
    # epsilon / (2 sensitivity n) = ln 2, so p(w1|D) = 2**-s / (1 + 2**-s).
    epsilon = 4 * math.log(2)
    tables = {True: [Fraction(0)] * 2, False: [Fraction(0)] * 2}
    for half in combinations(range(4), 2):
        weight = Fraction(1, 2 ** int(losses[list(half), 1].sum()))
        for w, share in enumerate((1 / (1 + weight), weight / (1 + weight))):
            tables[1 in half][w] += share
    expected = max(abs(math.log(a / b)) for a, b in zip(tables[True], tables[False], strict=True))
    log_in, log_out = pmp.exponential_laws(losses, epsilon, 1.0)
    assert np.abs(log_in - log_out)[1].max() == pytest.approx(expected, rel=1e-14)
