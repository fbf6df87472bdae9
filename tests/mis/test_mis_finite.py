"""Security of finite learners, by brute force and the game played; bounds from privacy, from overfitting."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import game, mis
from mipbook.mis.overfitting import accuracy_from_rates, stopping_terms

P3 = [0.5, 0.3, 0.2]
P5 = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16]


def histogram(counts):
    return counts


def noisy_majority(counts):
    share = 0.5 + 0.3 * (2 * counts[0] > sum(counts))
    return {"yes": share, "no": 1 - share}


def first(data):
    return data[0]


def test_weights_are_the_accuracies_of_the_constants():
    assert mis.weights() == (0.5, 0.5)
    assert mis.weights(0.7, 0.7) == (0.5, 0.5)
    # Exact fractions of convention A.
    for nu, lam, a in ((1 / 3, 1 / 2, 2 / 3), (1 / 2, 3 / 5, 3 / 5), (1 / 4, 1 / 3, 3 / 5)):
        got = mis.weights(nu, lam)
        np.testing.assert_allclose(got, (a, 1 - a), rtol=1e-15)
        assert mis.weight_ratio(nu, lam) == pytest.approx((1 - a) / a, rel=1e-14)
    model = mis.finite_model(histogram, P3, 3)
    for said, weight in zip((1, 0), mis.weights(0.2, 0.6), strict=True):
        assert model.accuracy(np.full(model.given.shape, said), 0.2, 0.6) == pytest.approx(weight)


def test_divergence_is_the_best_of_all_events_and_the_mean_of_its_generator():
    rng = np.random.default_rng(0)
    for _ in range(60):
        p, q = rng.dirichlet(np.full(5, 0.5), size=2)
        nu, lam = rng.uniform(0.1, 0.9, 2)
        a, b = mis.weights(nu, lam)
        events = np.array(list(product([0.0, 1.0], repeat=5)))
        best = ((events @ (a * p - b * q)).max() - max(a - b, 0)) / min(a, b)
        value = mis.divergence(p, q, nu, lam)
        assert value == pytest.approx(best, abs=1e-13)
        assert value == pytest.approx(float(q @ mis.generator(p / q, nu, lam)), abs=1e-12)


def test_divergence_at_the_edges():
    assert mis.divergence([1.0, 0.0], [0.0, 1.0], 0.01, 0.99) == 1.0
    assert mis.divergence([0.5, 0.5], [0.5, 0.5]) == 0.0
    assert mis.divergence([1.0], [1.0], 0.3) == 0.0
    assert mis.divergence([0.5, 0.5, 0], [0, 0.5, 0.5], 1 - 1e-6, 5e-301) == 0.5
    # Ratios of the weights beyond the doubles' range are refused.
    for function, *given in ((mis.weights,), (mis.weight_ratio,), (mis.generator, 1.0)):
        refused("lam = .*1e-307", function, *given, nu=0.5, lam=1e-320)
    table = mis.divergence(np.eye(3), np.full((3, 3), 1 / 3), np.array([0.2, 0.5, 0.8]))
    assert table.shape == (3,)
    np.testing.assert_allclose(table[1], 2 / 3)


def brute_force(learner, p, n, ordered):
    """P(theta, point | member) and P(theta, point | fresh) from the definition, one by one."""
    member, fresh = {}, {}
    kinds = range(len(p))
    for data in product(kinds, repeat=n):
        chance = float(np.prod([p[z] for z in data]))
        counts = tuple(data.count(k) for k in kinds)
        answer = learner(data if ordered else counts)
        for theta, share in (answer if isinstance(answer, dict) else {answer: 1.0}).items():
            for z in data:
                member[theta, z] = member.get((theta, z), 0) + chance * share / n
            for z in kinds:
                fresh[theta, z] = fresh.get((theta, z), 0) + chance * share * p[z]
    return member, fresh


LEARNERS = [(histogram, False), (noisy_majority, False), (first, True)]


@pytest.mark.parametrize(("learner", "ordered"), LEARNERS)
def test_no_attack_beats_theorem_6(learner, ordered):
    p, n = [0.6, 0.4], 3
    member, fresh = brute_force(learner, p, n, ordered)
    model = mis.finite_model(learner, p, n, ordered=ordered)
    inside, outside = np.array([(member.get(cell, 0.0), fresh[cell]) for cell in fresh]).T
    attacks = np.array(list(product([0.0, 1.0], repeat=len(fresh))))
    for nu, lam in ((0.5, 0.5), (0.3, 0.5), (0.6, 0.3)):
        a, b = mis.weights(nu, lam)
        best = (a * attacks @ inside + b * (1 - attacks @ outside)).max()
        assert model.best_accuracy(nu, lam) == pytest.approx(best, abs=1e-13)
        assert model.accuracy(model.best_attack(nu, lam), nu, lam) == pytest.approx(best, abs=1e-13)
        assert model.security(nu, lam) == pytest.approx((1 - best) / min(a, b), rel=1e-12)
    # The corner of the ROC curve with the largest advantage is the balanced best attack.
    fpr, tpr = model.roc()
    assert (tpr - fpr).max() == pytest.approx(model.delta(), abs=1e-13)


def test_the_game_played_agrees_with_the_enumeration():
    rng, nu = np.random.default_rng(3), 0.3
    for learner, ordered in LEARNERS:
        model = mis.finite_model(learner, P3, 4, ordered=ordered)
        seen, attack = mis.play(model, 40_000, rng, nu), model.best_attack()
        assert abs(seen.member.mean() - 0.7) < 0.02
        for truth, flags in zip(model.rates(attack), (seen.member, ~seen.member), strict=True):
            right = int(seen.right(attack)[flags].sum())
            low, high = game.clopper_pearson(right, int(flags.sum()), 1 - 1e-6)
            assert low <= truth <= high < low + 0.05


def test_symmetry_and_redundancy_gaps():
    rng = np.random.default_rng(4)
    x = rng.standard_normal(12)
    for function, order, copies in ((np.std, 0, 0), (lambda v: v.var(ddof=1), 0, 1), (lambda v: v[-1], 1, 0)):
        assert (mis.symmetry_gap(function, x, rng) > 1e-3) == order
        assert (mis.redundancy_gap(function, x, 3) > 1e-3) == copies


def test_bad_arguments_are_named():
    refused("^nu = ", mis.weights, 0.0)
    refused("^lam = ", mis.weights, 0.5, 1.0)
    refused("^lam = ", mis.weights, [0.5, 0.5], [0.1, 0.2, 0.3])
    refused("^q = ", mis.divergence, [0.5, 0.5], [1.0])
    refused("^p = ", mis.finite_model, histogram, [0.5, 0.5, 0.0], 3)
    refused("^n = ", mis.finite_model, histogram, P5, 200)
    refused("^learner = ", mis.finite_model, lambda c: {"a": 0.5}, P3, 2)
    refused("^learner = ", mis.finite_model, lambda c: np.ones(2), P3, 2)
    refused("^attack = ", mis.finite_model(histogram, P3, 2).rates, np.ones((2, 2)))


# --- From differential privacy, and from overfitting ------------------------------------------------

# 25-digit arithmetic, at gamma = 3/2.
UNEVEN = {0.5: 0.0054170923774651658, 1.0: 0.10461379745361034, 2.0: 0.34913649333892459}


@pytest.mark.parametrize("epsilon", UNEVEN)
def test_delta_from_dp_reference_values(epsilon):
    for bound, value in {
        "published": math.expm1(epsilon),
        "two-sided": math.tanh(epsilon / 2),
        "one-sided": -math.expm1(-epsilon),
        "sharp": math.tanh(epsilon / 4),
    }.items():
        assert mis.delta_from_dp(epsilon, bound=bound) == pytest.approx(value, rel=1e-14)
    assert mis.delta_from_dp(epsilon) == mis.delta_from_dp(epsilon, bound="sharp")
    # With chance delta the record itself is told, and otherwise what epsilon allows.
    sharp = 0.1 + 0.9 * math.tanh(epsilon / 4)
    assert mis.delta_from_dp(epsilon, 0.1) == pytest.approx(sharp, rel=1e-14)
    # nu = 0.6 is gamma = 3/2, and nu = 0.4 is its mirror image.
    for nu in (0.6, 0.4):
        assert mis.delta_from_dp(epsilon, nu=nu) == pytest.approx(UNEVEN[epsilon], rel=1e-12)


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
    refused("^delta = ", mis.delta_from_dp, [1.0, 2.0], [0.1, 0.2, 0.3])
    refused("^delta = ", mis.epsilon_from_security, 0.99, 0.02)
    assert mis.delta_from_dp(0.0, 0.0) == 0.0
    assert mis.delta_from_dp(math.inf) == 1.0
    assert mis.security_from_dp(math.inf, bound="published") == 0.0


def test_epsilon_from_a_tiny_security_keeps_its_digits():
    """B = 1 less something: e^(eps/2) = (sqrt(G) + sqrt(B(G - 1 + B))) / (1 - B), in 400 digits."""
    with localcontext() as context:
        context.prec = 400
        tiny = (0.7, 0.3, 1e-3, 1e-15, 3.3e-16, 1e-40, 1e-300, 5e-324)
        for security, delta, nu in product(tiny, (0.0, 1e-5, 0.2), (0.5, 0.3, 0.6)):
            a, b = (Decimal(float(w)) for w in mis.weights(nu))
            odds = max(a / b, b / a)
            rest = Decimal(security) / (1 - Decimal(delta))
            share = 1 - rest
            root = odds.sqrt() + (share * (odds - 1 + share)).sqrt()
            got = mis.epsilon_from_security(security, delta, nu)
            assert got == pytest.approx(float(2 * (root / rest).ln()), rel=2e-15, abs=0)
    assert mis.epsilon_from_security(1.0) == 0.0
    assert mis.epsilon_from_security(0.0) == math.inf
    assert mis.epsilon_from_security(1.0, nu=0.75) == pytest.approx(math.log(3))
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

    exact = mis.learner_delta(learner, [1 - p, p], n)
    assert mis.geometric_count_delta(n, p, epsilon) == pytest.approx(exact, abs=1e-8)
    laws = mis.geometric_count_laws(n, p, epsilon)
    np.testing.assert_allclose(laws.sum(axis=1), 1.0, rtol=1e-14)
    if 0 < epsilon < 10:
        assert np.abs(np.log(laws[1] / laws[0])).max() <= epsilon + 1e-12
    assert mis.geometric_count_laws(7, 0.3, np.array([0.0, epsilon])).shape == (2, 2, 8)
    refused(r"(?s)^epsilon = .*at most 200 numbers", mis.geometric_count_laws, 100_000, 0.3, np.ones(201))


def test_known_fractions():
    assert mis.overfitting_fraction(10, 0.25) == 0.8
    assert mis.overfitting_fraction(100, 0.01) == 1.0
    # 100 * 0.07 is above 7 in floating point.
    assert mis.overfitting_fraction(100, 0.07) == pytest.approx(0.94)
    assert np.shape(mis.overfitting_fraction([10, 20], 0.25)) == (2,)
    assert mis.overfitting_security(1.0, 1.0) == 1.0
    assert mis.overfitting_security(0.1, 0.0, nu=0.2) == pytest.approx(0.4)
    refused("n = 2.5", mis.overfitting_fraction, 2.5, 0.5)
    refused("nu and lam", mis.overfitting_security, 0.2, [0.1, 0.2], [0.1, 0.2, 0.3])


def test_the_two_terms_of_the_law():
    epsilon = np.geomspace(1e-8, 10, 50)
    both = sum(stopping_terms(1e-4, 4.0, epsilon))
    assert both == pytest.approx(1e-4 / epsilon + 8 * np.sqrt(epsilon))
    # Uncapped, where the bound says no more than that security is at most 1.
    np.testing.assert_array_equal(mis.stopping_security(1e-4, 4.0, epsilon), np.minimum(both, 1))
    assert mis.stopping_security(0.0, 4.0) == 0.0
    assert mis.stopping_security(1e100, 1e100) == mis.stopping_security(1.0, 4.0, 5e-324) == 1.0


def test_an_accuracy_from_rates_is_that_of_the_losses():
    rng = np.random.default_rng(4)
    members, others = rng.exponential(0.1, 40), rng.exponential(size=300)
    attack = mis.threshold_attack(members, others, 0.2, 0.9)
    wrong = int((others <= 0.2).sum())
    assert attack == accuracy_from_rates((members <= 0.2).mean(), wrong, 300, 0.9)
    low, high = stats.beta.ppf([0.05, 0.95], [wrong, wrong + 1], [301 - wrong, 300 - wrong])
    caught = (members <= 0.2).mean()
    assert (attack.low, attack.high) == pytest.approx(((caught + 1 - high) / 2, (caught + 1 - low) / 2))
