"""Far from balance, and at the edges of what is allowed: right values or a clear refusal."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from shared import reference, refused

from mipbook import mis

REFERENCE = reference("mis")


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize(("n", "d", "nu", "value"), REFERENCE["gaussian_mean"])
def test_the_gaussian_mean_at_50_digits(n, d, nu, value):
    # The answer bends with nu like exp(sqrt(n) log gamma), and nu is a double.
    tolerance = 1e-12 + 1e-17 * math.sqrt(n)
    assert mis.gaussian_mean_delta(n, d, nu) == pytest.approx(float(value), rel=tolerance)


def test_the_gaussian_mean_at_its_other_edges():
    # Two coordinates have a closed form.
    for n, nu in ((5, 1e-6), (5, 1e-30), (100, 0.45), (10**4, 0.499)):
        gamma, root = nu / (1 - nu), math.sqrt(n)
        bar = math.log(gamma) + math.log1p(-1 / n)
        closed = math.exp(root * bar) * (root / (root - 1) - 1) / (2 * gamma)
        assert mis.gaussian_mean_delta(n, 2, nu) == pytest.approx(closed, rel=2e-12)
    for n, d in ((2, 10**6), (5, 10**6), (3, 10**5)):
        assert mis.gaussian_mean_delta(n, d) == pytest.approx(1.0, abs=1e-12)
    # lam does what nu does.
    assert mis.gaussian_mean_delta(7, 3, 0.5, 1 - 1e-9) == pytest.approx(
        mis.gaussian_mean_delta(7, 3, 1e-9), rel=1e-7
    )
    for nu in (1e-300, 1e-200, 1 - 1e-16):
        assert 0 <= mis.gaussian_mean_delta(10**12, 1, nu) < 1e-12
        assert 0 < mis.gaussian_mean_delta(2, 300, nu) <= 1


@pytest.mark.parametrize(("name", "n", "nu", "value"), REFERENCE["worst_case"])
def test_theorem_14_at_50_digits(name, n, nu, value):
    p, truth = REFERENCE["laws"][name], float(value)
    found = mis.worst_case_delta(p, n, nu)
    # A threshold next to a count is only known as well as gamma n p is.
    assert found == pytest.approx(truth, rel=1e-10, abs=1e-300)


def test_the_product_learner_in_fractions():
    for p, n in ((Fraction(1, 2), 5), (Fraction(9, 10), 3), (Fraction(1, 1000), 2)):
        for nu in (Fraction(1, 2**60), Fraction(1, 3), Fraction(2, 3), 1 - Fraction(1, 2**40)):
            gamma, ones = nu / (1 - nu), p**n
            member = {(1, 1): ones, (0, 1): p - ones, (1, 0): 0, (0, 0): 1 - p}
            fresh = {(1, 1): ones * p, (0, 1): (1 - ones) * p, (1, 0): ones * (1 - p)}
            fresh[0, 0] = (1 - ones) * (1 - p)
            if gamma >= 1:
                exact = sum(max(member[c] - gamma * fresh[c], 0) for c in member)
            else:
                exact = sum(max(fresh[c] - member[c] / gamma, 0) for c in member)
            found = mis.product_delta(float(p), n, float(nu))
            assert found == pytest.approx(float(exact), rel=1e-9, abs=1e-15)


def test_outputs_that_differ_by_rounding_are_one():
    p = [0.5, 0.3, 0.2]
    by_floats = mis.learner_delta(lambda c: (0.1 * c[0] + 0.2 * c[1] + 0.3 * c[2]) / 5, p, 5)
    by_counts = mis.learner_delta(lambda c: c[0] + 2 * c[1] + 3 * c[2], p, 5)
    assert by_floats == pytest.approx(by_counts, rel=1e-12)
    assert by_counts == pytest.approx(0.1701, abs=5e-5)
    nested = mis.learner_delta(lambda c: ("mean", ((0.1 * c[0] + 0.2 * c[1] + 0.3 * c[2]),)), p, 5)
    assert nested == pytest.approx(by_counts, rel=1e-12)
    # What really differs is not merged.
    assert mis.learner_delta(lambda c: 1 + 1e-9 * c[0], p, 5) == pytest.approx(
        mis.learner_delta(lambda c: c[0], p, 5), rel=1e-12
    )
    for nothing in (lambda c: float("nan"), lambda c: (np.nan, 1), lambda c: 0.0 * (-1) ** c[0]):
        assert mis.learner_delta(nothing, p, 5) == 0.0
    model = mis.finite_model(lambda c: (0.1 * c[0] + 0.2 * c[1] + 0.3 * c[2]) / 5, p, 5)
    seen = mis.play(model, 20_000, np.random.default_rng(0))
    right = seen.right(model.best_attack()).mean()
    assert right == pytest.approx(float(model.best_accuracy()), abs=0.015)


def test_the_universal_constant_of_many_coordinates():
    assert mis.universal_constant("gaussian", dimension=2) == pytest.approx(0.5, rel=1e-15)
    for d in (99, 319, 320, 321, 10**6, 10**12):
        at = mis.universal_constant("gaussian", dimension=d)
        # Gamma(x + 1/2) / Gamma(x) is within 1/(8x) of sqrt(x), from below.
        assert math.sqrt(d / 2 / math.pi) * (1 - 1 / (4 * d)) * (1 - 1e-15) <= at
        assert at <= math.sqrt(d / 2 / math.pi) * (1 - 1 / (4 * d) + 1 / (30 * d * d)) * (1 + 1e-15)


def test_a_masked_count_is_no_count():
    refused("counts", mis.plug_in_diversity, np.ma.array([5, 5, 1000], mask=[0, 0, 1]))


def test_far_from_balance_nothing_breaks():
    """No warning, no nan, nothing above the balanced value, for weights from 1e-299 up."""
    rng = np.random.default_rng(1)
    mixes = [0.5, 1e-290, 1e-16, 1e-9, 0.1, 0.499999, 0.51, 0.9, 1 - 1e-9, 1 - 1e-15]
    for _ in range(300):
        p = rng.dirichlet(np.full(rng.integers(1, 12), rng.choice([0.05, 0.5, 5.0])))
        n, d = int(rng.choice([1, 2, 7, 1000, 10**6, 10**9])), int(rng.choice([1, 3, 100, 10**6]))
        nu, lam = rng.choice(mixes), rng.choice([0.5, 0.1, 1 - 1e-9])
        assert 0 <= mis.worst_case_delta(p, n, nu, lam) <= mis.worst_case_delta(p, n) * (1 + 1e-9)
        assert 0 <= mis.gaussian_mean_delta(n, d, nu, lam) <= (1 + 1e-9) * mis.gaussian_mean_delta(n, d)
        assert mis.generator([0.0, 1.0], nu, lam).max() >= 0
        assert mis.generator(1e300, nu, lam) > 0
        if n > 1:
            away = float(rng.choice([0.0, 1e-9, 1.0, 100.0, 1e6]))
            bound = mis.near_gaussians_bound(n, away, d)
            assert 0 <= mis.near_gaussians_tv(n, away, d) <= bound * (1 + 1e-9)
