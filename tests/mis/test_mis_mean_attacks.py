"""Attacks on a noisy mean: exact rates against closed forms and against played games."""

import math

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import game, mis

FPR = np.array([0.001, 0.01, 0.1])


def _played(n, d, tau, draws, rng):
    """Return records, releases with and without them, of the mean with noise."""
    z = rng.standard_normal((draws, d))
    outside = rng.standard_normal((draws, d)) * math.sqrt(1 / n + tau**2)
    inside = z / n + rng.standard_normal((draws, d)) * math.sqrt((n - 1) / n**2 + tau**2)
    return z, inside, outside


def _check(scores_in, scores_out, found, what):
    member = np.repeat([True, False], [len(scores_in), len(scores_out)])
    band = game.roc(np.concatenate([scores_in, scores_out]), member).tpr_band(FPR, 0.999)
    assert (band.low <= found).all(), what
    assert (found <= band.high).all(), what
    assert (band.high - band.low < 0.03).all()


@pytest.mark.parametrize(("n", "d", "tau"), [(10, 1, 0.0), (10, 20, 0.3), (50, 5, 0.1)])
def test_every_attack_has_the_rates_of_the_game(n, d, tau):
    rng, draws = np.random.default_rng(n + d), 200_000
    z, inside, outside = _played(n, d, tau, draws, rng)
    v0, v1 = 1 / n + tau**2, (n - 1) / n**2 + tau**2
    length = np.linalg.norm(z, axis=1)

    def best(release):
        gap = (release**2).sum(axis=1) / v0 - ((release - z / n) ** 2).sum(axis=1) / v1
        return gap

    def projection(release):
        return (release * z).sum(axis=1) / length

    def online(release):
        s = projection(release)
        return stats.norm.logpdf(s, length / n, v1**0.5) - stats.norm.logpdf(s, 0, v0**0.5)

    scores = {
        "best": best,
        "lira": online,
        "offline": projection,
        "two-sided": lambda release: np.abs(projection(release)),
        "loss": lambda release: -((release - z) ** 2).sum(axis=1),
    }
    assert set(scores) == set(mis.MEAN_ATTACKS)
    for attack, score in scores.items():
        found = mis.mean_attack_tpr(FPR, n, d, tau, attack)
        _check(score(inside), score(outside), found, attack)


def test_in_two_dimensions_the_best_curve_is_a_power():
    for n in (2, 10, 1000):
        rho = n**-0.5
        most = (1 - rho) / 2
        fpr = most * np.array([1e-9, 1e-4, 0.1, 0.9])
        closed = 0.5 * (fpr / most) ** (1 / (1 + rho))
        assert mis.mean_attack_tpr(fpr, n, 2) == pytest.approx(closed, rel=1e-11)


def test_reference_values():
    # By a chi-square quadrature and a root, without the code under test.
    rows = {
        ("best", 0.0): [0.04939316226070908, 0.18381699080199967, 0.5622325953127086],
        ("lira", 0.0): [0.046259245141556715, 0.17471257975855528, 0.547173036677253],
        ("offline", 0.0): [0.041148544206994556, 0.1699919654547765, 0.5468923675864775],
        ("two-sided", 0.0): [0.026018824231558345, 0.11314884730294597, 0.4002386933027867],
        ("best", 0.3): [0.02073352066984435, 0.09768039973601374, 0.39856941097096843],
        ("lira", 0.3): [0.020178355662668155, 0.0955580745026911, 0.3932861291350897],
    }
    for (attack, tau), expected in rows.items():
        found = mis.mean_attack_tpr(FPR, 10, 20, tau, attack)
        assert found == pytest.approx(expected, rel=1e-9), attack
    two = mis.mean_attack_tpr(FPR, 10, 20, attack="offline", shadows=2)
    assert two == pytest.approx([0.0236758879626509, 0.11382227926132633, 0.4428285185522294])


def test_few_shadows_reach_the_exact_limits():
    rng, draws = np.random.default_rng(11), 300_000
    for attack, limit, shadows in (
        ("offline, pooled", "offline", 8),
        ("online, pooled", "lira", 10**6),
        ("online, each", "lira", 10**6),
        ("offline, each", "offline", 10**6),
    ):
        scores = mis.few_shadow_scores(shadows, 10, 20, rng, attack=attack, draws=draws, tau=0.1)
        at = {"shadows": shadows} if limit == "offline" else {}
        found = mis.mean_attack_tpr(FPR, 10, 20, 0.1, limit, **at)
        _check(*scores, found, attack)


def test_few_shadows_are_real_shadow_models():
    # The same attack on models that are trained: K releases with the record and K without.
    rng, n, d, half, draws = np.random.default_rng(12), 10, 5, 3, 60_000
    z = rng.standard_normal((draws, d))
    z /= (length := np.linalg.norm(z, axis=1))[:, None]
    models = rng.standard_normal((2, half, draws)) * math.sqrt(1 / n)
    models[0] = (length / n)[None] + rng.standard_normal((half, draws)) * math.sqrt(n - 1) / n
    centre, spread = models.mean(axis=1), models.std(axis=1, ddof=1)
    seen_out = rng.standard_normal(draws) / math.sqrt(n)
    seen_in = length / n + rng.standard_normal(draws) * math.sqrt(n - 1) / n
    inside, outside = (
        stats.norm.logpdf(seen, centre[0], spread[0]) - stats.norm.logpdf(seen, centre[1], spread[1])
        for seen in (seen_in, seen_out)
    )
    simulated = mis.few_shadow_scores(2 * half, n, d, rng, attack="online, each", draws=draws)
    assert stats.ks_2samp(inside, simulated[0]).pvalue > 1e-4
    assert stats.ks_2samp(outside, simulated[1]).pvalue > 1e-4


def test_refusals():
    refused("shadows", mis.mean_attack_tpr, 0.1, 10, shadows=8)
    refused("fpr", mis.mean_attack_tpr, 1e-13, 10)
    assert mis.mean_attack_tpr([0.0, 1.0], 10, 3).tolist() == [0.0, 1.0]
