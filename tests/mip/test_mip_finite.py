"""Exact eta of finite mechanisms, the couplings behind the noise theorems, and their bounds."""

import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import refused

from mipbook import mip


def brute_accuracy(laws, flags):
    """The best of all attackers, in fractions: laws and flags one row a data set."""
    outputs = len(laws[0])
    best = Fraction(0)
    for who in product([False, True], repeat=outputs):
        right = sum(
            law[o] for law, flag in zip(laws, flags, strict=True) for o in range(outputs) if who[o] == flag
        )
        best = max(best, Fraction(right, len(laws)))
    return best


@given(st.integers(0, 10**6))
def test_record_accuracies_are_the_best_over_all_attackers(seed):
    rng = np.random.default_rng(seed)
    members = mip.subsets(4)
    counts = rng.integers(0, 5, (6, 3))
    counts[:, 0] += 1
    laws = [[Fraction(int(c), int(row.sum())) for c in row] for row in counts]
    table = np.array([[float(p) for p in row] for row in laws])
    got = mip.record_accuracies(table, members)
    want = [float(brute_accuracy(laws, column.tolist())) for column in members.T]
    np.testing.assert_allclose(got, want, rtol=1e-13)
    assert mip.finite_eta(table, members) == pytest.approx(max(want) - 0.5, abs=1e-13)


def test_other_sizes_than_halves_are_measured_against_the_better_blind_guess():
    members = mip.subsets(5, 2)
    blind = np.ones((10, 1))
    assert mip.finite_eta(blind, members) == 0.0
    assert mip.finite_eta(np.eye(10), members) == pytest.approx(0.4)


VALUES = st.lists(st.floats(-100, 100).map(lambda v: round(v, 3)), min_size=4, max_size=6).filter(
    lambda v: len(v) % 2 == 0
)


@given(VALUES)
def test_sensitivities_are_ordered_and_bound_the_exact_eta(values):
    data = np.array(values)
    members = mip.subsets(len(data))
    outputs = np.array([data[row].max() for row in members])
    swap = mip.average_sensitivity(outputs, members)
    assert swap.max() <= 2 * mip.mean_deviation(outputs) + 1e-9 or len(set(values)) < len(values)
    one_swap = members.astype(int) @ members.T == len(data) // 2 - 1
    largest = np.abs(outputs[:, None] - outputs)[one_swap].max()
    assert mip.largest_sensitivity(outputs, members) == largest
    assert swap.max() <= largest + 1e-9
    for eta in (0.01, 0.1, 0.3):
        scale = float(mip.scale_from_distance(swap.max(), eta))
        assert mip.laplace_eta(outputs, members, max(scale, 1e-300)) <= eta * (1 + 1e-9)


def test_bad_input_is_named():
    refused("^n = ", mip.subsets, 5)
    refused("^k = ", mip.subsets, 4, 4)
    refused("^probabilities = ", mip.finite_eta, np.eye(5), mip.subsets(4))
    refused("^members = ", mip.average_sensitivity, [1.0, 2.0], mip.subsets(4)[[0, 5]])


@pytest.mark.parametrize(("n", "k"), [(20_000, None), (10**6, None), (3_000_000, 1), (28, None)])
def test_too_many_subsets_are_refused_at_once(n, k):
    start = time.process_time()
    refused(f"^n = {n}: ", mip.subsets, n, k)
    assert time.process_time() - start < 2


def test_bad_weights_are_named():
    halves = mip.subsets(4)
    for weights in ("a", [1, 2], [0.5] * 6):
        refused("^weights = ", mip.finite_eta, np.eye(6), halves, weights)


def test_weights_count():
    """Two data sets, one a rare one: the bit they reveal is worth the rarer one's chance."""
    members = [[True, False], [False, True]]
    assert mip.finite_eta(np.eye(2), members, [0.9, 0.1]) == pytest.approx(0.1)
