"""Noise along a norm: its law, what it delivers, and the algorithms that set its size."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import mip
from mipbook.mip import norms as delivered


@pytest.mark.parametrize("M", [1.0, 2.0, 3.0, 8.0, 64.0, math.inf])
def test_directions_have_length_one_and_the_cone_measure(M):
    rng = np.random.default_rng(1)
    sigma = np.array([1.0, 10.0])
    u = mip.cone_directions(sigma, M, rng, 40_000)
    np.testing.assert_allclose(mip.weighted_norm(u, sigma, M), 1.0, rtol=1e-12)
    # Scaling the coordinates scales the cone measure with them: both shares are alike.
    share = np.abs(u / sigma)
    first = (share[:, 0] > share[:, 1]).mean()
    assert abs(first - 0.5) < 0.01
    # Directions uniform on the ellipse's surface give 0.697 for M = 2: the test tells them apart.
    surface = rng.standard_normal((40_000, 2))
    other = np.abs(surface / sigma)
    assert abs((other[:, 0] > other[:, 1]).mean() - 0.5) > 0.1


@pytest.mark.parametrize(("d", "M"), [(1, 2.0), (3, 2.0), (8, 16.0), (5, math.inf), (4, 1.0)])
def test_noise_length_is_gamma_and_the_laplace_radius_is_rejected(d, M):
    rng = np.random.default_rng(2)
    sigma = np.linspace(1.0, 3.0, d)
    c = float(mip.noise_scale(0.1))
    length = mip.weighted_norm(mip.sample_noise(sigma, 0.1, M, rng, 20_000), sigma, M)
    assert stats.kstest(length, stats.gamma(d, scale=c).cdf).pvalue > 1e-3
    published = mip.sample_noise(sigma, 0.1, M, rng, 20_000, radius="laplace")
    scale = float(mip.noise_scale(0.1, M=min(M, 1e9), as_published=True))
    length = mip.weighted_norm(published, sigma, M)
    assert stats.kstest(length, stats.expon(scale=scale).cdf).pvalue > 1e-3
    if d > 1:
        assert stats.kstest(length / scale * c, stats.gamma(d, scale=c).cdf).pvalue < 1e-12


def test_norm_of_large_exponents_and_of_zero():
    assert mip.weighted_norm([1e-200, 2e-200], [1.0, 1.0], 200.0) == pytest.approx(
        2e-200 * 0.5 ** (1 / 200), rel=1e-12
    )
    assert mip.weighted_norm([0.0, 0.0], [1.0, 2.0]) == 0.0
    assert mip.weighted_norm([[3.0, 1.0]], [1.0, 2.0], math.inf).tolist() == [3.0]


def test_corollary_10_fails_where_the_report_says():
    for eta, last_safe in ((0.1, 99_274), (0.25, 52_843), (0.4, 84_988)):
        assert mip.delivered_eta(last_safe, 2, eta).value <= eta
        assert mip.delivered_eta(last_safe + 1, 2, eta).value > eta
    for d, value in ((2, 7.8494e-4), (100, 6.71061e-3), (10**5, 0.1002495894), (10**9, 0.498802)):
        assert mip.delivered_eta(d, 2, 0.1).value == pytest.approx(value, rel=1e-5)
    for d, eta in ((2, 4.194566e-5), (3, 0.0073432), (4, 0.0357752), (20, 0.382282)):
        assert mip.delivered_eta(d, math.inf, eta).value == pytest.approx(eta, rel=2e-6)
        assert mip.delivered_eta(d, math.inf, 0.9 * eta).value > 0.9 * eta


def test_simulation_agrees_with_the_exact_laws():
    """The estimator, run where the exact value is known."""
    from mipbook.mip.norms import _simulated

    rng = np.random.default_rng(5)
    for d, eta, published in ((3, 0.3, True), (4, 0.2, False)):
        scale = float(mip.noise_scale(eta, M=2, as_published=published))
        radius = "laplace" if published else "gamma"
        exact = mip.delivered_eta(d, 2, eta, radius).value
        found = _simulated(d, 2.0, scale, published, rng)
        assert found.low - 1e-4 <= exact <= found.high + 1e-4


def leave_one(rows):
    return float(np.mean(rows))


def test_a_calibration_with_less_noise_would_break_the_promise():
    """The worst query is met with equality, so there is no slack for an error to hide in."""
    data = np.array([0.0, 1.0])
    rng = np.random.default_rng(8)

    def is_in(rows):
        return 1.0 if (np.asarray(rows) == 1.0).any() else -1.0

    found = mip.calibrate_scale(data, is_in, 0.1, rng, fits=200_000 // 10, pilot=101)
    scale = found.scale * found.weights[0]
    eta = mip.laplace_eta([1.0, -1.0], mip.subsets(2), scale)
    assert 0.07 < eta <= 0.1
    assert mip.laplace_eta([1.0, -1.0], mip.subsets(2), 0.7 * scale) > 0.1


def test_calibrated_noise_has_its_law():
    rng = np.random.default_rng(9)
    data = rng.standard_normal((40, 3)) * [1.0, 2.0, 5.0]
    mean = lambda rows: np.mean(rows, axis=0)  # noqa: E731
    for noise in ("gamma", "gaussian"):
        found = mip.calibrate_scale(data, mean, 0.2, rng, fits=800, noise=noise)
        draws = found.draw(rng, 20_000)
        length = mip.weighted_norm(draws, found.weights, 2)
        if noise == "gamma":
            assert stats.kstest(length, stats.gamma(3, scale=found.scale).cdf).pvalue > 1e-3
        else:
            for column, weight in zip(draws.T, found.weights, strict=True):
                law = stats.norm(scale=found.scale * math.sqrt(3) * weight)
                assert stats.kstest(column, law.cdf).pvalue > 1e-3
        assert found.draw(rng).shape == (3,)


def test_fits_do_not_depend_on_the_number_of_processes():
    data = np.arange(10.0)
    one, two = (
        mip.fit_on_halves(data, leave_one, 40, np.random.default_rng(1), n_jobs=jobs) for jobs in (None, 2)
    )
    assert (one == two).all()


RNG = np.random.default_rng(0)


def test_bad_input_is_named():
    refused("^dimension = ", mip.delivered_eta, 1000, 8, 0.1, "laplace", RNG)
    refused("^data = ", mip.published_release, np.arange(6.0), leave_one, 0.1, 5, RNG)
    refused("^data = ", mip.fit_on_halves, np.arange(5.0), leave_one, 2, RNG)
    refused(r"^fit\(data\) = ", mip.fit_on_halves, np.arange(4.0), lambda r: np.nan, 2, RNG)
    refused("^rng = ", mip.delivered_eta, 3, 8, 0.1)
    refused("^fit = ", mip.fit_on_halves, np.arange(4.0), lambda r: r[r > 1], 9, RNG)
    refused("^fits = ", mip.calibrate_scale, np.arange(4.0), leave_one, 0.001, RNG)
    refused("^fit = ", mip.calibrate_scale, np.ones(4), leave_one, 0.1, RNG)
    refused("^M = ", mip.calibrate_scale, np.arange(4.0), leave_one, 0.1, RNG, noise="gaussian", M=3)


def sphere_by_quadrature(d, c, gamma=False):
    """P(|X_1| <= 1)/2 with X = r U at thirty digits, over the logit of U_1^2."""
    with mpmath.workdps(30):
        half, b, c = mpmath.mpf(1) / 2, mpmath.mpf(d - 1) / 2, mpmath.mpf(c)

        def part(x):
            share = 1 / (1 + mpmath.exp(-x))
            reach = 1 / (c * mpmath.sqrt(share))
            chance = mpmath.gammainc(d, 0, reach, regularized=True) if gamma else -mpmath.expm1(-reach)
            return share**half * (1 - share) ** b * chance

        middle = -math.log(d)
        ends = [middle - 2 * (math.log(c) + 40)]
        ends += [middle + k for k in (-60, -30, -15, -8, -4, -2, 0, 2, 4, 8, 20, 60)]
        return float(mpmath.quad(part, sorted(ends)) / mpmath.beta(half, b) / 2)


@pytest.mark.parametrize(
    ("d", "eta"), [(2, 0.4), (2, 0.01), (2, 1e-3), (2, 1e-6), (3, 0.01), (100, 1e-3), (10**5, 1e-4)]
)
def test_delivered_eta_has_its_digits_at_small_promises(d, eta):
    c = (6.16 / eta) ** 2
    want = sphere_by_quadrature(d, c)
    assert mip.delivered_eta(d, 2, eta).value == pytest.approx(want, abs=0, rel=1e-10)
    if d <= 3 and eta >= 1e-3:
        want = sphere_by_quadrature(d, -1 / math.log1p(-2 * eta), gamma=True)
        got = mip.delivered_eta(d, 2, eta, "gamma").value
        assert got == pytest.approx(want, abs=0, rel=1e-10)


@pytest.mark.parametrize("eta", [1e-6, 1e-3, 0.1])
def test_delivered_eta_in_the_sup_norm_at_small_promises(eta):
    with mpmath.workdps(30):
        c = mpmath.mpf(6.16 / eta)
        # d = 2: E[rho / (1 + rho)] = 1 - e^(1/c) E_1(1/c) / c for rho ~ Exp(c).
        want = (1 - mpmath.exp(-1 / c) + mpmath.e1(1 / c) / c) / 2
    got = mip.delivered_eta(2, math.inf, eta).value
    assert got == pytest.approx(float(want), abs=0, rel=1e-10)


def test_the_band_of_a_simulated_value_covers_rare_events(monkeypatch):
    """A spot of noise near zero decides; drawn plainly, it is rarely seen and never believed."""
    monkeypatch.setattr(delivered, "_MOST", 1500)
    monkeypatch.setattr(delivered, "_LEAST", 1500)
    known = mip.delivered_eta(2, 2, 1e-3).value
    scale = float(mip.noise_scale(1e-3, as_published=True))
    covered = plain = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = delivered._simulated(2, 2.0, scale, True, rng)
        covered += found.low <= known <= found.high
        lengths = rng.exponential(scale, 20_000)
        other = np.linalg.norm(
            mip.cone_directions(np.ones(2), 2, rng, 20_000) * lengths[:, None] + 2.0, axis=1
        ) / math.sqrt(2)
        edge = (lengths - other) / scale + np.log(lengths / other)
        gain = -np.expm1(np.minimum(edge, 0)) / 2
        plain += abs(gain.mean() - known) <= 1.96 * gain.std() / math.sqrt(20_000)
    assert covered >= 52
    assert plain < 45


def test_published_breach_at_a_tiny_promise():
    found = mip.delivered_eta(2, 128.0, 1e-6, "laplace", np.random.default_rng(3))
    assert found.low < 1.0249e-6 < found.high
    assert found.low > 1e-6, "the promise is broken"
