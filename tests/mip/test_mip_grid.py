"""Noise in whole numbers: its law, what it costs, and sums that are exact."""

import math

import mpmath
import numpy as np
import pytest
from scipy import stats

from mipbook import mip
from mipbook.mip import grid
from mipbook.mip.laplace import _by_blocks, _by_doubling, faded_sums


def law(kind, width, reach):
    """The chances of the integers from -reach to reach, by fifty digits."""
    with mpmath.workdps(50):
        rate = (
            (lambda z: abs(z) / mpmath.mpf(width))
            if kind == "laplace"
            else (lambda z: mpmath.mpf(z) ** 2 / (2 * width**2))
        )
        mass = [mpmath.exp(-rate(z)) for z in range(-reach, reach + 1)]
        total = mpmath.fsum(mass)
        return [m / total for m in mass]


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("width", [1, 2, 7])
def test_the_draws_have_the_law_they_claim(kind, width):
    draw = getattr(grid, f"discrete_{kind}")
    z = draw(np.full(60_000, width), np.random.default_rng(width))
    reach = int(4 * width)
    inside = np.abs(z) <= reach
    counts = np.bincount(z[inside] + reach, minlength=2 * reach + 1)
    chance = np.array([float(p) for p in law(kind, width, 60 * width)])
    chance = chance[len(chance) // 2 - reach : len(chance) // 2 + reach + 1]
    expected = chance / chance.sum() * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > 1e-3
    # Planted: a width one tenth larger is told apart, where there are enough places to see it.
    if width == 7:
        wrong = np.exp(-((np.arange(-reach, reach + 1) / 7.7) ** 2) / 2)
        assert stats.chisquare(counts, wrong / wrong.sum() * counts.sum()).pvalue < 1e-6


def test_the_midpoint_rule_costs_what_the_docstring_says():
    """Rounded against discrete normal law: 0.0605 / s^2 and not much less."""
    with mpmath.workdps(50):
        for s in (2, 4, 16):
            discrete = law("gaussian", s, 12 * s)
            places = range(-12 * s, 12 * s + 1)
            half = mpmath.mpf("0.5")
            rounded = [mpmath.ncdf((z + half) / s) - mpmath.ncdf((z - half) / s) for z in places]
            gap = mpmath.fsum(abs(a - b) for a, b in zip(discrete, rounded, strict=True)) / 2
            assert gap <= mpmath.mpf(1) / (16 * s**2)
            assert gap >= mpmath.mpf(1) / (60 * s**2), "the bound is of the right size"


@pytest.mark.parametrize("noise", ["gaussian", "gamma"])
@pytest.mark.parametrize("bits", [3, 5])
def test_eta_on_a_coarse_grid_stays_within_the_counted_cost(monkeypatch, noise, bits):
    """Enumerated exactly, for values anywhere between two steps; without the cost it fails."""
    monkeypatch.setattr(grid, "BITS", bits)
    eta, worst = 0.1, 0.0
    # The two-point query for which a scale of 1, a whole number of steps, is just enough.
    need = mip.gaussian_sigma_for_mip(1.0, eta) if noise == "gaussian" else mip.noise_scale(eta)
    scale, half = 1.0, 1 / float(need)
    steps, widths = grid.grid_steps(np.array([scale]))
    kind = "gaussian" if noise == "gaussian" else "laplace"
    reach = 40 * int(widths[0])
    mass = np.array([float(p) for p in law(kind, int(widths[0]), reach)])
    for shift in np.linspace(0, float(steps[0]), 41):
        low, high = (round(end / float(steps[0])) for end in (shift - half, shift + half))
        k = high - low
        moved = np.concatenate([np.zeros(k), mass[:-k]])
        worst = max(worst, float(np.abs(mass - moved).sum()) / 4)
    assert worst <= eta + grid.grid_cost(1, 1.0)
    assert worst > eta, "a coarse grid does cost something"


def test_the_grid_is_public_and_the_sum_exact():
    one = np.ones(1)
    noise = mip.Calibration(0.3, 0.1, "gaussian", 2.0, one, np.zeros(1), 0, 1.0)
    step = float(noise.steps[0])
    assert math.frexp(step)[0] == 0.5
    assert 2.0**-26 < step / 0.3 <= 2.0**-24
    rng = np.random.default_rng(0)
    for value in (0.0, 0.1, -1e6 / 3, 3e10, 1e300):
        released = noise.release(np.full((200, 1), value), rng)[:, 0]
        assert (released % step == 0).all()
        assert abs(released - value).max() < 2 + 1e-15 * abs(value)


def test_a_sum_beyond_64_bits_is_exact():
    step = np.array([2.0**-40])
    value = np.array([2.0**40 + 2.0**-12])
    assert grid.on_grid(value, np.array([-(2**28)]), step)[0] == 2.0**40


# --- Sums with fading memory, against the plain loop, for gaps of every size ----------------------


def by_loop(places, weights):
    sums = weights.copy()
    for i in range(1, len(sums)):
        sums[i] += np.exp(places[i - 1] - places[i]) * sums[i - 1]
    return sums


@pytest.mark.parametrize("scan", [faded_sums, _by_blocks, _by_doubling])
@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e2, 1e4, 1e7])
def test_every_way_gives_the_loops_sums(scan, reach):
    rng = np.random.default_rng(1)
    places = np.sort(rng.random(700)) * reach
    weights = rng.standard_normal((700, 3))
    np.testing.assert_allclose(scan(places, weights), by_loop(places, weights), atol=1e-11)


@pytest.mark.parametrize("scan", [faded_sums, _by_doubling])
def test_crowds_far_apart(scan):
    rng = np.random.default_rng(2)
    places = np.sort(np.concatenate([rng.random(300) * 1e-3, 1e7 + rng.random(300) * 50]))
    weights = rng.standard_normal((600, 2))
    np.testing.assert_allclose(scan(places, weights), by_loop(places, weights), atol=1e-11)
