"""The exponential mechanism on a pool: every half counted, against counts that share nothing."""

import time
from itertools import combinations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import refused

from mipbook import mechanisms, mip, pmp


def by_hand(losses, epsilon, sensitivity, digits=40):
    """Return eps~ by plain enumeration in many digits."""
    with mpmath.workdps(digits):
        count, objects = losses.shape
        n = count // 2
        t = mpmath.mpf(epsilon) / (2 * mpmath.mpf(sensitivity))
        inside = [[mpmath.mpf(0)] * objects for _ in range(count)]
        without = [[mpmath.mpf(0)] * objects for _ in range(count)]
        for half in combinations(range(count), n):
            sums = [sum(mpmath.mpf(losses[i, w]) for i in half) / n for w in range(objects)]
            weights = [mpmath.exp(-t * s) for s in sums]
            total = mpmath.fsum(weights)
            for x in range(count):
                side = inside if x in half else without
                for w in range(objects):
                    side[x][w] += weights[w] / total
        return float(
            max(
                abs(mpmath.log(a / b))
                for row_a, row_b in zip(inside, without, strict=True)
                for a, b in zip(row_a, row_b, strict=True)
            )
        )


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 4),
    objects=st.integers(2, 4),
    epsilon=st.floats(0.01, 4000.0),
)
def test_all_halves_against_many_digits(seed, n, objects, epsilon):
    losses = np.random.default_rng(seed).normal(size=(2 * n, objects))
    expected = by_hand(losses, epsilon, 1.0, digits=60)
    got = pmp.exponential_epsilon(losses, epsilon, 1.0)
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("epsilon", [0.5, 20.0, 700.0])
def test_all_halves_against_the_finite_table(epsilon):
    rng, n = np.random.default_rng(1), 5
    losses, halves = rng.normal(size=(2 * n, 6)), mip.subsets(2 * n)
    table = mechanisms.exponential_probabilities(halves @ losses / n, epsilon, 1.0)
    log_in, log_out = pmp.exponential_laws(losses, epsilon, 1.0)
    for x in range(2 * n):
        member = halves[:, x]
        np.testing.assert_allclose(np.exp(log_in[x]), table[member].mean(axis=0), rtol=1e-11)
        np.testing.assert_allclose(np.exp(log_out[x]), table[~member].mean(axis=0), rtol=1e-11)
    accuracies = mip.record_accuracies(table, halves)
    assert pmp.exponential_risks(losses, epsilon, 1.0)[1] == pytest.approx(accuracies.max())


def test_both_methods_agree_on_two_objects():
    rng = np.random.default_rng(3)
    for n, epsilon in ((1, 0.1), (2, 5.0), (5, 300.0), (7, 5000.0)):
        losses = rng.normal(size=(2 * n, 2))[:, [0, 1, 0]]
        one, two = (pmp.exponential_risks(losses, epsilon, 1.0, method=m) for m in ("subsets", "spectral"))
        assert one[0] == pytest.approx(two[0], rel=1e-11, abs=1e-13)
        assert one[1] == pytest.approx(two[1], rel=1e-12)


def test_equal_objects_are_merged_and_change_nothing_else():
    rng = np.random.default_rng(4)
    losses = rng.normal(size=(8, 3))
    doubled = losses[:, [0, 1, 1, 2]]
    table = mechanisms.exponential_probabilities(mip.subsets(8) @ doubled / 4, 6.0, 1.0)
    expected = pmp.finite_pmp_epsilon(table, mip.subsets(8))
    assert pmp.exponential_epsilon(doubled, 6.0, 1.0) == pytest.approx(expected, rel=1e-12)
    assert pmp.exponential_epsilon(doubled, 6.0, 1.0) != pytest.approx(
        pmp.exponential_epsilon(losses, 6.0, 1.0), rel=1e-3
    )
    log_in, _ = pmp.exponential_laws(doubled, 6.0, 1.0)
    assert np.exp(log_in).sum(axis=1) == pytest.approx(1.0)


def test_huge_and_tiny_arguments():
    rng = np.random.default_rng(5)
    losses = rng.random((12, 10))
    assert pmp.exponential_risks(losses, 0.0, 1.0) == (0.0, 0.5)
    assert pmp.exponential_epsilon(np.ones((6, 4)), 50.0, 1.0) == 0.0
    tiny = pmp.exponential_epsilon(losses, 1e-9, 1.0)
    assert 0 < tiny < 1e-9
    huge = pmp.exponential_epsilon(losses, 1e6, 1.0)
    assert 1000 < huge <= pmp.epsilon_cap(losses, 1e6, 1.0)
    # The spread sigma = 0.01 of the paper's first figure, where p(w|D) is below 1e-400.
    drawn = pmp.exponential_trial(sigma=0.01, rng=np.random.default_rng(6))
    assert 0.2 < drawn.pmp / drawn.surrogate < 0.7


def test_bad_input_is_refused():
    start = time.process_time()
    refused("it has 3", pmp.exponential_epsilon, np.ones((3, 2)), 1.0, 1.0)
    refused("finite", pmp.exponential_epsilon, [[np.inf, 1.0], [0.0, 1.0]], 1.0, 1.0)
    refused("4 distinct", pmp.exponential_epsilon, np.eye(4), 1.0, 1.0, method="spectral")
    refused("all subsets would take about", pmp.exponential_epsilon, np.eye(60), 1.0, 1.0)
    refused("exponential_epsilon_estimate", pmp.exponential_laws, np.eye(60), 1.0, 1.0)
    refused("use epsilon_cap", pmp.subset_epsilon, np.eye(40), 1.0, 1.0)
    refused("of dimension 1", pmp.norm_losses, [[1.0]], [[1.0, 0.0]])
    refused("even number", pmp.local_sensitivity, np.ones((3, 2)))
    assert time.process_time() - start < 1.0


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
    assert pmp.true_epsilon_bound(objects, n, 1.0, 1.0 / n) == 1.0


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


def test_a_trial_holds_what_it_says():
    for held, place in (("surrogate", 2), ("subset", 3), ("epsilon", 0)):
        drawn = pmp.exponential_trial(held=held, subset=True, rng=np.random.default_rng(12))
        assert drawn[place] == pytest.approx(5.0, rel=1e-9), held
    wide = pmp.exponential_trial(convention="triangle", rng=np.random.default_rng(12))
    same = pmp.exponential_trial(rng=np.random.default_rng(12))
    assert wide.pmp == pytest.approx(same.pmp)
    assert wide.epsilon / same.epsilon == pytest.approx(20 / 11)
