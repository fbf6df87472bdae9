"""Security of finite learners: against brute force, exact fractions and the game played."""

from itertools import product

import numpy as np
import pytest
from shared import refused

from mipbook import game, mis

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
    rng = np.random.default_rng(3)
    for learner, ordered in LEARNERS:
        model = mis.finite_model(learner, P3, 4, ordered=ordered)
        for nu, lam in ((0.5, 0.5), (0.3, 0.5)):
            seen = mis.play(model, 40_000, rng, nu)
            attack = model.best_attack(nu, lam)
            right = seen.right(attack)
            exact = model.rates(attack)
            for truth, flags in zip(exact, (seen.member, ~seen.member), strict=True):
                low, high = game.clopper_pearson(int(right[flags].sum()), int(flags.sum()), 1 - 1e-6)
                assert low <= truth <= high
                # Far closer than a game with the wrong nu or learner would be.
                assert high - low < 0.05
            assert abs(seen.member.mean() - (1 - nu)) < 0.02


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
