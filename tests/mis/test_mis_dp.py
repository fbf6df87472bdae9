"""From differential privacy to security: bounds, their sharpness, and a private count."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from shared import refused

from mipbook import mis


def subset_mechanism(kinds, size, epsilon):
    """Each answer is an arc of ``size`` kinds; arcs that hold the record are likelier."""
    inside = (np.arange(kinds) - np.arange(kinds)[:, None]) % kinds < size
    table = np.where(inside, 1.0, math.exp(-epsilon))
    return table / table.sum(axis=1, keepdims=True)


def one_record(table, nu=0.5, lam=0.5):
    """Delta of a learner that sees one record, uniform over the rows of a table."""
    return float(np.mean(mis.divergence(table, table.mean(axis=0), nu, lam)))


@pytest.mark.parametrize(
    ("epsilon", "published", "two_sided", "sharp", "uneven"),
    # 25-digit arithmetic; the last column has gamma = 3/2.
    [
        (0.5, 0.64872127070012815, 0.24491866240370913, 0.12435300177159620, 0.0054170923774651658),
        (1.0, 1.7182818284590452, 0.46211715726000976, 0.24491866240370913, 0.10461379745361034),
        (2.0, 6.3890560989306502, 0.76159415595576489, 0.46211715726000976, 0.34913649333892459),
    ],
)
def test_reference_values(epsilon, published, two_sided, sharp, uneven):
    assert mis.delta_from_dp(epsilon, bound="published") == pytest.approx(published, rel=1e-14)
    assert mis.delta_from_dp(epsilon, bound="two-sided") == pytest.approx(two_sided, rel=1e-14)
    one_sided = mis.delta_from_dp(epsilon, bound="one-sided")
    assert one_sided == pytest.approx(1 - math.exp(-epsilon), rel=1e-14)
    assert mis.delta_from_dp(epsilon) == pytest.approx(sharp, rel=1e-14)
    # nu = 0.6 is gamma = 3/2, and nu = 0.4 is its mirror image.
    for nu in (0.6, 0.4):
        assert mis.delta_from_dp(epsilon, nu=nu) == pytest.approx(uneven, rel=1e-12)


def test_bounds_stand_in_order_and_stay_in_range():
    eps = np.concatenate([[0.0], np.geomspace(1e-12, 800, 60), [math.inf]])
    for delta in (0.0, 1e-12, 0.01, 0.5, 1.0):
        values = [mis.delta_from_dp(eps, delta, bound=b) for b in mis.DP_BOUNDS]
        for lower, upper in pairwise(values):
            assert (lower <= upper * (1 + 1e-15)).all()
        for b in mis.DP_BOUNDS:
            kept = mis.security_from_dp(eps, delta, bound=b)
            assert ((kept >= 0) & (kept <= 1)).all()
            assert (np.diff(kept) <= 1e-15).all()
    assert mis.delta_from_dp(0.0, 0.0) == 0.0
    assert mis.delta_from_dp(math.inf) == 1.0
    assert mis.security_from_dp(math.inf, bound="published") == 0.0


def test_delta_is_added_sharply():
    # With chance delta the record itself is published, otherwise an arc of the best size.
    epsilon, delta, kinds = 2 * math.log(2), 0.1, 300
    arcs = subset_mechanism(kinds, kinds // 3, epsilon)
    table = np.concatenate([(1 - delta) * arcs, delta * np.eye(kinds)], axis=1)
    worst = np.maximum(table[0] - math.exp(epsilon) * table[1], 0).sum()
    assert worst <= delta + 1e-12
    value, bound = one_record(table), mis.delta_from_dp(epsilon, delta)
    assert bound - delta / kinds - 1e-12 <= value <= bound
    # tanh(eps/4) + delta alone is more than needed, tanh(eps/4) is less.
    assert bound == pytest.approx(1 / 3 + 0.1 * 2 / 3)


def test_epsilon_from_security_is_the_inverse():
    security = np.array([0.999, 0.9, 0.5, 0.1, 1e-6])
    for delta in (0.0, 1e-7):
        for nu in (0.5, 0.6, 0.05):
            eps = mis.epsilon_from_security(security, delta, nu=nu)
            np.testing.assert_allclose(mis.security_from_dp(eps, delta, nu=nu), security, rtol=1e-9)
    np.testing.assert_allclose(mis.epsilon_from_security(0.8), 4 * math.atanh(0.2), rtol=1e-14)
    assert mis.epsilon_from_security(1.0) == 0.0
    assert mis.epsilon_from_security(0.0) == math.inf
    assert mis.epsilon_from_security(1.0, nu=0.75) == pytest.approx(math.log(3))
    # Near the balanced case the two formulas meet.
    assert mis.epsilon_from_security(0.9, nu=0.5 + 1e-9) == pytest.approx(
        mis.epsilon_from_security(0.9), rel=1e-7
    )


def test_epsilon_from_a_tiny_security_keeps_its_digits():
    """B = 1 less something: e^(eps/2) = (sqrt(G) + sqrt(B(G - 1 + B))) / (1 - B), in 400 digits."""
    with localcontext() as context:
        context.prec = 400
        for security in (0.7, 0.3, 1e-3, 1e-15, 3.3e-16, 1e-40, 1e-300, 5e-324):
            for delta in (0.0, 1e-5, 0.2):
                for nu in (0.5, 0.3):
                    a, b = (Decimal(float(w)) for w in mis.weights(nu))
                    odds = max(a / b, b / a)
                    rest = Decimal(security) / (1 - Decimal(delta))
                    share = 1 - rest
                    root = odds.sqrt() + (share * (odds - 1 + share)).sqrt()
                    exact = float(2 * (root / rest).ln())
                    got = mis.epsilon_from_security(security, delta, nu)
                    assert got == pytest.approx(exact, rel=2e-15, abs=0)
    # What two roundings leave of 1 - security - delta is not noise.
    near = mis.epsilon_from_security(0.3, 1 - 0.3 - 1e-15)
    left = 1 - Fraction(0.3) - Fraction(1 - 0.3 - 1e-15)
    assert near == pytest.approx(4 * float(left / (left + Fraction(0.3))), rel=1e-13)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0, math.inf])
def test_geometric_laws_against_enumeration_and_the_definition_of_dp(epsilon):
    n, p = 6, 0.3
    distance = np.abs(np.arange(-60, 67)[:, None] - np.arange(n + 1))
    noise = np.where(distance == 0, 1.0, np.exp(-min(epsilon, 1e6) * distance))
    noise /= noise.sum(axis=0)

    def learner(counts):
        return dict(enumerate(noise[:, counts[1]].tolist()))

    tol = 1e-12 if epsilon >= 0.3 or epsilon == 0 else 1e-8
    for nu in (0.5, 0.4):
        exact = mis.learner_delta(learner, [1 - p, p], n, nu)
        got = mis.geometric_count_delta(n, p, epsilon, nu)
        assert got == pytest.approx(exact, abs=max(tol, 1e-8))
    laws = mis.geometric_count_laws(n, p, epsilon)
    np.testing.assert_allclose(laws.sum(axis=1), 1.0, rtol=1e-14)
    if 0 < epsilon < 10:
        assert np.abs(np.log(laws[1] / laws[0])).max() <= epsilon + 1e-12


def test_geometric_counts_broadcast():
    epsilon, nu = np.array([0.0, 0.7, math.inf]), np.array([[0.5], [0.4]])
    every = mis.geometric_count_delta(7, 0.3, epsilon, nu)
    alone = [[mis.geometric_count_delta(7, 0.3, e, float(v)) for e in epsilon] for v in nu[:, 0]]
    np.testing.assert_allclose(every, alone, rtol=1e-14)
    assert mis.geometric_count_laws(7, 0.3, epsilon).shape == (3, 2, 8)
    refused(r"(?s)^epsilon = .*at most 200 numbers", mis.geometric_count_laws, 100_000, 0.3, np.ones(201))


def test_bad_arguments_are_named():
    refused("^epsilon = ", mis.delta_from_dp, -1.0)
    refused("^delta = ", mis.delta_from_dp, 1.0, 1.5)
    refused("^delta = ", mis.delta_from_dp, [1.0, 2.0], [0.1, 0.2, 0.3])
    refused("^delta = ", mis.epsilon_from_security, 0.99, 0.02)
