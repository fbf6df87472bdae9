"""Noise along a norm and in whole numbers: its law, what it delivers, and what sets its size."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import mip
from mipbook.mip import grid, norms


@pytest.mark.parametrize("M", [1.0, 2.0, 3.0, 8.0, 64.0, math.inf])
def test_directions_have_length_one_and_the_cone_measure(M):
    rng = np.random.default_rng(1)
    sigma = np.array([1.0, 10.0])
    u = mip.cone_directions(sigma, M, rng, 40_000)
    np.testing.assert_allclose(mip.weighted_norm(u, sigma, M), 1.0, rtol=1e-12)
    # Scaling the coordinates scales the cone measure with them: both shares are alike.
    share = np.abs(u / sigma)
    assert (share[:, 0] > share[:, 1]).mean() == pytest.approx(0.5, abs=0.01)


def test_norm_of_large_exponents_and_of_zero():
    tiny = mip.weighted_norm([1e-200, 2e-200], [1.0, 1.0], 200.0)
    assert tiny == pytest.approx(2e-200 * 0.5 ** (1 / 200), rel=1e-12)
    assert mip.weighted_norm([0.0, 0.0], [1.0, 2.0]) == 0.0


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


def test_corollary_10_fails_where_the_report_says():
    for eta, last_safe in ((0.1, 99_274), (0.25, 52_843), (0.4, 84_988)):
        assert mip.delivered_eta(last_safe, 2, eta).value <= eta
        assert mip.delivered_eta(last_safe + 1, 2, eta).value > eta
    for d, value in ((2, 7.8494e-4), (100, 6.71061e-3), (10**5, 0.1002495894), (10**9, 0.498802)):
        assert mip.delivered_eta(d, 2, 0.1).value == pytest.approx(value, rel=1e-5)
    for d, eta in ((2, 4.194566e-5), (3, 0.0073432), (4, 0.0357752), (20, 0.382282)):
        assert mip.delivered_eta(d, math.inf, eta).value == pytest.approx(eta, rel=2e-6)
        assert mip.delivered_eta(d, math.inf, 0.9 * eta).value > 0.9 * eta


def test_simulation_agrees_with_the_exact_law_of_the_proven_noise():
    exact = mip.delivered_eta(4, 2, 0.2, "gamma").value
    scale = float(mip.noise_scale(0.2, M=2))
    found = norms._simulated(4, 2.0, scale, False, np.random.default_rng(5))
    assert found.low - 1e-4 <= exact <= found.high + 1e-4


def test_a_calibration_with_less_noise_would_break_the_promise():
    """The worst query is met with equality, so there is no slack for an error to hide in."""
    rng = np.random.default_rng(8)
    # Whether the record 1 is in.
    found = mip.calibrate_scale(
        [0.0, 1.0], lambda rows: 2 * np.max(rows) - 1, 0.1, rng, fits=20_000, pilot=101
    )
    scale = found.scale * found.weights[0]
    eta = mip.laplace_eta([1.0, -1.0], mip.subsets(2), scale)
    assert 0.07 < eta <= 0.1
    assert mip.laplace_eta([1.0, -1.0], mip.subsets(2), 0.7 * scale) > 0.1


def column_means(rows):
    return np.mean(rows, axis=0)


def test_fits_do_not_depend_on_the_number_of_processes():
    one, two = (
        mip.fit_on_halves(np.arange(10.0), column_means, 40, np.random.default_rng(1), n_jobs=jobs)
        for jobs in (None, 2)
    )
    assert (one == two).all()


def test_calibrated_noise_has_its_law():
    rng = np.random.default_rng(9)
    data = rng.standard_normal((40, 3)) * [1.0, 2.0, 5.0]
    found = mip.calibrate_scale(data, column_means, 0.2, rng, fits=800, noise="gaussian")
    assert found.draw(rng).shape == (3,)
    for column, weight in zip(found.draw(rng, 20_000).T, found.weights, strict=True):
        law = stats.norm(scale=found.scale * math.sqrt(3) * weight)
        assert stats.kstest(column, law.cdf).pvalue > 1e-3
    one = mip.calibrate_scale(data[:, 0], np.mean, 0.2, rng, fits=800)
    law = stats.laplace(scale=one.scale * one.weights[0])
    assert stats.kstest(one.draw(rng, 20_000)[:, 0], law.cdf).pvalue > 1e-3


def test_bad_input_is_named():
    rng, four = np.random.default_rng(0), np.arange(4.0)
    refused("^dimension = ", mip.delivered_eta, 1000, 8, 0.1, "laplace", rng)
    refused("^rng = ", mip.delivered_eta, 3, 8, 0.1)
    refused("^data = ", mip.published_release, np.arange(6.0), np.mean, 0.1, 5, rng)
    refused("^data = ", mip.fit_on_halves, np.arange(5.0), np.mean, 2, rng)
    refused(r"^fit\(data\) = ", mip.fit_on_halves, four, lambda r: np.nan, 2, rng)
    refused("^fit = ", mip.fit_on_halves, four, lambda r: r[r > 1], 9, rng)
    refused("^fit = ", mip.calibrate_scale, np.ones(4), np.mean, 0.1, rng)
    refused("^noise = ", mip.calibrate_scale, np.ones((4, 2)), column_means, 0.1, rng)
    refused("^noise = ", mip.Calibration, 1.0, 0.1, "laplace", np.ones(2), np.zeros(2), 0, 0.9)
    refused("^noise = 'gamma'", mip.Calibration, 1.0, 0.1, "gamma", np.ones(1), np.zeros(1), 0, 0.9)


def test_a_seed_draws_one_stream():
    drawn = [
        mip.calibrate_scale(np.arange(8.0), np.mean, 0.2, rng, fits=200, confidence=0.9, swaps=100)
        for rng in (3, np.random.default_rng(3))
    ]
    assert drawn[0].scale == drawn[1].scale


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
    want = sphere_by_quadrature(d, (6.16 / eta) ** 2)
    assert mip.delivered_eta(d, 2, eta).value == pytest.approx(want, abs=0, rel=1e-10)
    if d <= 3 and eta >= 1e-3:
        want = sphere_by_quadrature(d, -1 / math.log1p(-2 * eta), gamma=True)
        assert mip.delivered_eta(d, 2, eta, "gamma").value == pytest.approx(want, abs=0, rel=1e-10)


@pytest.mark.parametrize("eta", [1e-6, 1e-3, 0.1])
def test_delivered_eta_in_the_sup_norm_at_small_promises(eta):
    with mpmath.workdps(30):
        c = mpmath.mpf(6.16 / eta)
        # d = 2: E[rho / (1 + rho)] = 1 - e^(1/c) E_1(1/c) / c for rho ~ Exp(c).
        want = float((1 - mpmath.exp(-1 / c) + mpmath.e1(1 / c) / c) / 2)
    assert mip.delivered_eta(2, math.inf, eta).value == pytest.approx(want, abs=0, rel=1e-10)


def test_the_band_of_a_simulated_value_covers_rare_events(monkeypatch):
    """A spot of noise near zero decides."""
    monkeypatch.setattr(norms, "_MOST", 1500)
    monkeypatch.setattr(norms, "_LEAST", 1500)
    known = mip.delivered_eta(2, 2, 1e-3).value
    scale = float(mip.noise_scale(1e-3, as_published=True))
    found = [norms._simulated(2, 2.0, scale, True, np.random.default_rng(seed)) for seed in range(60)]
    assert sum(each.low <= known <= each.high for each in found) >= 52


def test_published_breach_at_a_tiny_promise():
    found = mip.delivered_eta(2, 128.0, 1e-6, "laplace", np.random.default_rng(3))
    assert found.low < 1.0249e-6 < found.high
    assert found.low > 1e-6, "the promise is broken"


def law(kind, width, reach):
    """The chances of the integers from -reach to reach, by fifty digits."""
    with mpmath.workdps(50):
        steps = [abs(mpmath.mpf(z)) / width for z in range(-reach, reach + 1)]
        mass = [mpmath.exp(-s if kind == "laplace" else -s * s / 2) for s in steps]
        total = mpmath.fsum(mass)
        return [m / total for m in mass]


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("width", [1, 2, 7])
def test_the_draws_have_the_law_they_claim(kind, width):
    z = getattr(grid, f"discrete_{kind}")(np.full(60_000, width), np.random.default_rng(width))
    reach = 4 * width
    counts = np.bincount(z[np.abs(z) <= reach] + reach, minlength=2 * reach + 1)
    expected = np.array(law(kind, width, reach), dtype=float) * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > 1e-3


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("bits", [3, 5])
def test_eta_on_a_coarse_grid_stays_within_the_counted_cost(monkeypatch, noise, bits):
    """Enumerated exactly, for values anywhere between two steps; without the cost it fails."""
    monkeypatch.setattr(grid, "BITS", bits)
    eta, worst = 0.1, 0.0
    # The two-point query for which a scale of 1, a whole number of steps, is just enough.
    need = mip.gaussian_sigma_for_mip(1.0, eta) if noise == "gaussian" else mip.noise_scale(eta)
    scale, half = 1.0, 1 / float(need)
    steps, widths = grid.grid_steps(np.array([scale]))
    reach = 40 * int(widths[0])
    mass = np.array(law(noise, int(widths[0]), reach), dtype=float)
    for shift in np.linspace(0, float(steps[0]), 41):
        low, high = (round(end / float(steps[0])) for end in (shift - half, shift + half))
        moved = np.concatenate([np.zeros(high - low), mass[: low - high]])
        worst = max(worst, float(np.abs(mass - moved).sum()) / 4)
    assert worst <= eta + grid.grid_cost(1, 1.0)
    assert worst > eta, "a coarse grid does cost something"


def test_the_grid_is_public_and_the_sum_exact():
    one = np.ones(1)
    noise = mip.Calibration(0.3, 0.1, "gaussian", one, np.zeros(1), 0, 1.0)
    step = float(noise.steps[0])
    assert math.frexp(step)[0] == 0.5
    assert 2.0**-26 < step / 0.3 <= 2.0**-24
    rng = np.random.default_rng(0)
    for value in (0.0, 0.1, -1e6 / 3, 3e10, 1e300):
        released = noise.release(np.full((200, 1), value), rng)[:, 0]
        assert (released % step == 0).all()
        assert abs(released - value).max() < 2 + 1e-15 * abs(value)
    # A sum beyond 64 bits.
    step, value = np.array([2.0**-40]), np.array([2.0**40 + 2.0**-12])
    assert grid.on_grid(value, np.array([-(2**28)]), step)[0] == 2.0**40
