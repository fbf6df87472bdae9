"""Empirical means: quadratures against 60-digit arithmetic, bounds, and the digit example."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.stats import norm
from shared import refused

from mipbook import mip, mis
from mipbook.mis.known import agreement_laws


def test_edges_of_the_gaussian_mean():
    assert mis.gaussian_mean_delta(1, 5) == 1.0
    assert mis.gaussian_mean_delta(10, 1, nu=0.999999) < 1e-5
    assert mis.gaussian_mean_delta(10, 1, nu=1e-6) < 1e-5
    assert mis.gaussian_mean_delta(10**12) * 1e6 == pytest.approx(1 / math.pi, rel=1e-9)
    assert mis.gaussian_mean_delta(2, 10**6) == pytest.approx(1.0)
    # At equal weights nu does not matter; elsewhere the balanced case is the worst.
    assert mis.gaussian_mean_delta(10, 2, 0.3, 0.3) == pytest.approx(mis.gaussian_mean_delta(10, 2))
    around = [mis.gaussian_mean_delta(30, 2, nu) for nu in np.linspace(0.3, 0.7, 21)]
    assert np.argmax(around) == 10
    assert (np.diff(around[:11]) > 0).all()
    assert (np.diff(around[10:]) < 0).all()


def test_the_constant_of_mean_and_variance():
    found = mis.universal_constant("mean and variance")
    assert found == pytest.approx(0.454279196935908125, rel=1e-13)
    z = np.random.default_rng(2).standard_normal(400_000)
    length = np.sqrt(z**2 + (z**2 - 1) ** 2 / 2)
    assert length.mean() / math.sqrt(2 * math.pi) == pytest.approx(found, rel=0.005)


def test_mean_and_variance_released():
    # An independent two-dimensional quadrature.
    for n, scaled in ((5, 0.581), (10, 0.494), (20, 0.471), (50, 0.461), (1000, 0.4546)):
        assert math.sqrt(n) * mis.mean_variance_delta(n) == pytest.approx(scaled, abs=6e-4)
    limit = mis.universal_constant("mean and variance")
    assert 100 * mis.mean_variance_delta(10_000) == pytest.approx(limit, rel=2e-4)
    # More is released than the mean alone.
    assert mis.mean_variance_delta(10) > 1.3 * mis.gaussian_mean_delta(10)


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


def by_enumeration(n, digits):
    chance = stats.binom.pmf(np.arange(n + 1), n, 0.5)
    mass, ratio = np.ones(1), np.ones(1)
    for _ in range(digits):
        mass = np.outer(mass, chance).ravel()
        ratio = np.outer(ratio, 2 * np.arange(n + 1) / n).ravel()
    return 1 - mass @ np.minimum(ratio, 1)


@pytest.mark.parametrize(("n", "digits"), [(20, 1), (20, 3), (5, 7), (2, 10), (1, 5), (3, 8)])
def test_digit_sums_against_enumeration(n, digits):
    found, truth = mis.digit_delta(n, digits), by_enumeration(n, digits)
    assert found.value == pytest.approx(truth, abs=1e-8)
    assert found.low - 1e-12 <= truth <= found.high + 1e-12
    assert not found.low <= 1.01 * truth <= found.high or truth > 0.99


def test_the_digits_can_be_read_and_the_attack_works():
    rng, n, digits = np.random.default_rng(4), 20, 40
    scores = []
    for game in range(400):
        bits = rng.integers(0, 2, (n, digits))
        sums = mis.digit_sums_of(mis.digit_total(bits), n, digits)
        np.testing.assert_array_equal(sums, bits.sum(axis=0))
        target = bits[0] if game % 2 else rng.integers(0, 2, digits)
        agree = np.where(target == 1, sums, n - np.array(sums))
        scores.append(bool((agree > 0).all() and np.log(2 * agree / n).sum() > 0))
    right = np.mean(np.array(scores) == (np.arange(400) % 2 == 1))
    expected = (1 + mis.digit_delta(n, digits).value) / 2
    assert right == pytest.approx(expected, abs=3 * 0.5 / math.sqrt(400))
    assert expected > 0.7


def test_bad_input_is_named():
    refused("^p", mis.universal_constant, law="one-hot")
    refused("^p", mis.universal_constant, law="gaussian", p=[1.0])
    refused("^p", mis.universal_constant, law="one-hot", p=[0.5])
    refused("^samples", mis.universal_constant_from_samples, samples=np.ones(50))
    refused("^s", mis.universal_constant_from_samples, samples=np.arange(50.0)[:, None] ** [1, 1])
    refused("^bits", mis.digit_total, bits=[[0.5]])
    refused("^total", mis.digit_sums_of, total=-1, n=2, digits=2)
    refused("^bits", mis.digit_total, bits=np.zeros((1, 101)))
    refused("^total", mis.digit_sums_of, total=10**6, n=2, digits=2)
    refused("^agree", agreement_laws, n=5, agree=[6.0])


def test_the_laws_of_one_digit():
    for n in (1, 2, 7, 40):
        agree = np.arange(n + 1)
        without, given = agreement_laws(n, agree)
        assert without == pytest.approx(stats.binom.pmf(agree, n, 0.5), rel=1e-11)
        assert given == pytest.approx(stats.binom.pmf(agree - 1, n - 1, 0.5), rel=1e-11)
        between, _ = agreement_laws(n, agree[:-1] + 0.5)
        assert (between > np.minimum(without[:-1], without[1:])).all()


VALUES = [0.0, 1.0, 4.0]


def peer(values, n, sigma):
    """The same by lists of all data sets and a quadrature of the densities."""

    def density(means):
        return lambda x: norm.pdf(x, np.array(means), sigma).mean()

    every = density([np.mean(d) for d in itertools.product(values, repeat=n)])
    found = []
    for value in values:
        with_it = [np.mean([value, *d]) for d in itertools.product(values, repeat=n - 1)]
        one = density(with_it)
        ends = min(values) - 12 * sigma, max(values) + 12 * sigma
        gap = lambda x, one=one: abs(one(x) - every(x))  # noqa: E731
        found.append(quad(gap, *ends, limit=400, points=np.linspace(*ends, 30))[0] / 2)
    return found


@pytest.mark.parametrize(("n", "sigma"), [(1, 0.4), (2, 0.3), (3, 0.8), (4, 2.0)])
def test_delta_of_a_noisy_mean_is_that_of_all_data_sets(n, sigma):
    got = mis.noisy_mean_deltas(VALUES, n, sigma)
    np.testing.assert_allclose(got, peer(VALUES, n, sigma), atol=1e-7)
    assert mis.noisy_mean_delta(VALUES, n, sigma) == pytest.approx(got.mean(), abs=1e-15)


def test_without_noise_it_is_that_of_the_plain_mean():
    # Two values, two records: the mean tells the counts, and the member's value shifts them.
    assert mis.noisy_mean_delta([0.0, 1.0], 2, 1e-6) == pytest.approx(0.25, abs=1e-12)
    assert mis.noisy_mean_delta([0.0, 1.0], 1, 1e-6) == pytest.approx(0.5, abs=1e-12)


def test_one_value_tells_nothing_and_noise_hides_all():
    assert mis.noisy_mean_delta([7.0], 3, 0.1) == 0.0
    assert mis.noisy_mean_delta(VALUES, 3, 1e6) < 1e-5


def test_dp_of_the_same_release_bounds_it():
    for sigma in (0.5, 2.0):
        promised = mip.eta_from_dp(0.0, float(2 * norm.cdf(4 / 3 / sigma / 2) - 1))
        assert mis.noisy_mean_delta(VALUES, 3, sigma) <= 2 * promised


def test_what_is_too_large_is_refused():
    refused("values", mis.noisy_mean_deltas, [], 2, 1.0)
    refused("data sets of 8", mis.noisy_mean_deltas, range(16), 8, 1.0)
