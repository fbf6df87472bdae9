"""Empirical means: 50- and 60-digit values, bounds, the digit example, and attacks against played games."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm
from shared import reference, refused

from mipbook import game, mis


def test_the_gaussian_mean_at_50_digits():
    for n, d, nu, value in reference("mis")["gaussian_mean"]:
        # The answer bends with nu like exp(sqrt(n) log gamma), and nu is a double.
        close = pytest.approx(float(value), rel=1e-12 + 1e-17 * math.sqrt(n))
        assert mis.gaussian_mean_delta(n, d, nu) == close, (n, d, nu)


def test_edges_of_the_gaussian_mean():
    assert mis.gaussian_mean_delta(1, 5) == 1.0
    assert mis.gaussian_mean_delta(10**12) * 1e6 == pytest.approx(1 / math.pi, rel=1e-9)
    for n, d in ((2, 10**6), (5, 10**6), (3, 10**5)):
        assert mis.gaussian_mean_delta(n, d) == pytest.approx(1.0, abs=1e-12)
    # Two coordinates have a closed form.
    for n, nu in ((5, 1e-6), (5, 1e-30), (100, 0.45), (10**4, 0.499)):
        gamma, root = nu / (1 - nu), math.sqrt(n)
        closed = (
            math.exp(root * (math.log(gamma) + math.log1p(-1 / n))) * (root / (root - 1) - 1) / (2 * gamma)
        )
        assert mis.gaussian_mean_delta(n, 2, nu) == pytest.approx(closed, rel=2e-12)
    # lam does what nu does.
    two = mis.gaussian_mean_delta(7, 3, 0.5, 1 - 1e-9), mis.gaussian_mean_delta(7, 3, 1e-9)
    assert two[0] == pytest.approx(two[1], rel=1e-7)
    for nu in (1e-300, 1e-200, 1 - 1e-16):
        assert 0 <= mis.gaussian_mean_delta(10**12, 1, nu) < 1e-12
        assert 0 < mis.gaussian_mean_delta(2, 300, nu) <= 1


def test_the_universal_constants():
    assert mis.universal_constant("gaussian", dimension=2) == pytest.approx(0.5, rel=1e-15)
    for d in (99, 319, 320, 321, 10**6, 10**12):
        # Gamma(x + 1/2) / Gamma(x) is within 1/(8x) of sqrt(x), from below.
        ratio = mis.universal_constant("gaussian", dimension=d) / math.sqrt(d / 2 / math.pi)
        assert -1e-15 <= ratio - (1 - 1 / (4 * d)) <= 1 / (30 * d * d) + 1e-15
    found = mis.universal_constant("mean and variance")
    assert found == pytest.approx(0.454279196935908125, rel=1e-13)
    refused("^p", mis.universal_constant, law="one-hot")
    refused("^p", mis.universal_constant, law="gaussian", p=[1.0])
    refused("^p", mis.universal_constant, law="one-hot", p=[0.5])


def test_the_constant_from_samples_covers_and_is_affine_invariant():
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(300):
        found = mis.universal_constant_from_samples(rng.standard_normal((500, 2)), 0.9)
        hits.append((found.low <= 0.5 <= found.high, found.high < 0.5 * 1.02))
    covered, wrong = np.mean(hits, axis=0)
    assert 0.85 < covered < 0.95
    # A claim of two percent more than the truth would be noticed.
    assert wrong > 0.05
    table = rng.exponential(size=(1000, 3))
    turned = table @ rng.normal(size=(3, 3)) * [1e6, 1.0, 1e-3] + [0.0, 1e3, 5.0]
    one, two = (mis.universal_constant_from_samples(t) for t in (table, turned))
    assert one[:3] == pytest.approx(two[:3], rel=1e-6)
    assert one.kind == "estimate"
    refused("^samples", mis.universal_constant_from_samples, samples=np.ones(50))
    refused("^samples", mis.universal_constant_from_samples, samples=np.arange(50.0)[:, None] ** [1, 1])


@pytest.mark.parametrize(("n", "digits"), [(20, 1), (20, 3), (5, 7), (2, 10), (1, 5), (3, 8)])
def test_digit_sums_against_enumeration(n, digits):
    chance = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    mass, ratio = np.ones(1), np.ones(1)
    for _ in range(digits):
        mass = np.outer(mass, chance).ravel()
        ratio = np.outer(ratio, 2 * np.arange(n + 1) / n).ravel()
    found, truth = mis.digit_delta(n, digits), 1 - mass @ np.minimum(ratio, 1)
    assert found.value == pytest.approx(truth, abs=1e-8)
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert not found.low <= 1.01 * truth <= found.high or truth > 0.99


def test_the_digits_can_be_read_and_the_attack_works():
    rng, n, digits = np.random.default_rng(4), 20, 40
    scores = []
    for turn in range(400):
        bits = rng.integers(0, 2, (n, digits))
        sums = mis.digit_sums_of(mis.digit_total(bits), n, digits)
        np.testing.assert_array_equal(sums, bits.sum(axis=0))
        target = bits[0] if turn % 2 else rng.integers(0, 2, digits)
        agree = np.where(target == 1, sums, n - np.array(sums))
        scores.append(bool((agree > 0).all() and np.log(2 * agree / n).sum() > 0))
    right = np.mean(np.array(scores) == (np.arange(400) % 2 == 1))
    expected = (1 + mis.digit_delta(n, digits).value) / 2
    assert right == pytest.approx(expected, abs=3 * 0.5 / math.sqrt(400))
    assert expected > 0.7
    for bits in ([[0.5]], np.zeros((1, 101))):
        refused("^bits", mis.digit_total, bits)
    for total in (-1, 10**6):
        refused("^total", mis.digit_sums_of, total, n=2, digits=2)


VALUES = [0.0, 1.0, 4.0]


@pytest.mark.parametrize(("n", "sigma"), [(1, 0.4), (2, 0.3), (3, 0.8), (4, 2.0)])
def test_delta_of_a_noisy_mean_is_that_of_all_data_sets(n, sigma):
    """By lists of all data sets and sums of the densities on a fine grid."""
    x = np.linspace(-12 * sigma, 4 + 12 * sigma, 40_001)

    def density(*sets):
        means = [np.mean(data) for data in itertools.product(*sets)]
        return sum(norm.pdf(x, mean, sigma) for mean in means) / len(means)

    every = density(*[VALUES] * n)
    gaps = [abs(density([value], *[VALUES] * (n - 1)) - every) for value in VALUES]
    found = mis.noisy_mean_deltas(VALUES, n, sigma)
    np.testing.assert_allclose(found, np.trapezoid(gaps, x) / 2, atol=1e-7)


def test_a_noisy_mean_at_its_edges():
    # Two values, two records: the mean tells the counts, and the member's value shifts them.
    for n, delta in ((2, 0.25), (1, 0.5)):
        assert mis.noisy_mean_deltas([0.0, 1.0], n, 1e-6) == pytest.approx(delta, abs=1e-12)
    assert mis.noisy_mean_deltas([7.0], 3, 0.1) == 0.0
    assert mis.noisy_mean_deltas(VALUES, 3, 1e6).mean() < 1e-5
    refused("values", mis.noisy_mean_deltas, [], 2, 1.0)
    refused("data sets of 8", mis.noisy_mean_deltas, range(16), 8, 1.0)


FPR = np.array([0.001, 0.01, 0.1])


def test_reference_values():
    # By a chi-square quadrature and a root, without the code under test.
    rows = {
        ("best", 0.0): [0.04939316226070908, 0.18381699080199967, 0.5622325953127086],
        ("lira", 0.0): [0.046259245141556715, 0.17471257975855528, 0.547173036677253],
        ("offline", 0.0): [0.041148544206994556, 0.1699919654547765, 0.5468923675864775],
        ("two-sided", 0.0): [0.026018824231558345, 0.11314884730294597, 0.4002386933027867],
        ("best", 0.3): [0.02073352066984435, 0.09768039973601374, 0.39856941097096843],
        ("lira", 0.3): [0.020178355662668155, 0.0955580745026911, 0.3932861291350897],
        # The squared distances are multiples of a chi-square.
        ("loss", 0.3): stats.chi2(20).cdf(stats.chi2(20).ppf(FPR) * 1.19 / 0.99),
    }
    for (attack, tau), expected in rows.items():
        found = mis.mean_attack_tpr(FPR, 10, 20, tau, attack)
        assert found == pytest.approx(expected, rel=1e-9), attack
    assert mis.mean_attack_tpr([0.0, 1.0], 10, 3).tolist() == [0.0, 1.0]
    refused("shadows", mis.mean_attack_tpr, 0.1, 10, shadows=8)
    refused("fpr", mis.mean_attack_tpr, 1e-13, 10)
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
        scores = mis.few_shadow_scores(shadows, 10, 20, rng, attack=attack, draws=draws)
        at = {"shadows": shadows} if limit == "offline" else {}
        found = mis.mean_attack_tpr(FPR, 10, 20, attack=limit, **at)
        band = game.roc(np.concatenate(scores), np.arange(2 * draws) < draws).tpr_band(FPR, 0.999)
        assert (band.low <= found).all(), attack
        assert (found <= band.high).all(), attack
        assert (band.high - band.low < 0.03).all()


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
    simulated = mis.few_shadow_scores(2 * half, n, d, rng, attack="online, each", draws=draws)
    for seen, same in zip((seen_in, seen_out), simulated, strict=True):
        near, far = (stats.norm.logpdf(seen, centre[i], spread[i]) for i in (0, 1))
        assert stats.ks_2samp(near - far, same).pvalue > 1e-4
