"""The exact eta of Laplace noise, against quadrature, references and bounds."""

from math import comb, sqrt

import mpmath
import numpy as np
import pytest
from shared import reference, refused

from mipbook import mip
from mipbook.mip.laplace import _by_blocks, _by_doubling, faded_sums
from mipbook.mip.reciprocal import _mean_and_second

REFERENCE = reference("mip")


@pytest.mark.parametrize("row", REFERENCE["scales"], ids=lambda r: f"n{r['n']}-{r['eta']}")
def test_minimal_scale_of_the_reciprocal_sum(row):
    outputs, members = mip.reciprocal_outputs(row["n"])
    scale = mip.minimal_laplace_scale(outputs, members, row["eta"])
    assert scale == pytest.approx(float(row["scale"]), abs=0, rel=1e-12 if row["digits"] == 18 else 1e-11)


def test_limits():
    members = mip.subsets(4)
    outputs = np.array([0.3, -1.2, 4.0, 4.0, 2.2, 0.9])
    # Every record is in one of the two halves that answer 4.0, so a third of the mass cancels.
    assert mip.laplace_eta(outputs, members, 0.0) == pytest.approx(1 / 3, abs=0, rel=1e-15)
    assert mip.laplace_eta(np.arange(6.0), members, 0.0) == pytest.approx(0.5, abs=0, rel=1e-15)
    assert mip.laplace_eta(outputs, members, np.inf) == 0.0
    assert mip.laplace_eta(np.zeros(6), members, 1.0) < 1e-16
    assert mip.minimal_laplace_scale(np.zeros(6), members, 0.1) == 0.0
    pair = [[True, False], [False, True]]
    assert mip.laplace_eta([-1e300, 1e300], pair, 1e-300) == 0.5
    assert mip.laplace_eta([1e308, -1e308], pair, 1e308) == pytest.approx(-np.expm1(-1) / 2)
    refused("^eta = 1e-300: .*finite", mip.minimal_laplace_scale, [1e10, -1.0], pair, 1e-300)
    refused("^outputs = .*further apart than 1e-290", mip.minimal_laplace_scale, [0.0, 1e-291], pair, 0.1)
    refused("^members = ", mip.laplace_eta, [1.0, 2.0], [[True, False], [True, True]], 1.0)


def by_many_digits(outputs, members, scale):
    """Eta at 130 digits, from the definition: sums of exponentials, then areas in closed form."""
    worst = mpmath.mpf(0)
    with mpmath.workdps(130):
        for column in members.T:
            chance = np.where(column, 1, -1) * mpmath.mpf(2) / len(column)
            places = sorted(set(outputs.tolist()))
            z = [mpmath.mpf(x) / mpmath.mpf(scale) for x in places]
            atoms = [(chance[outputs == x].sum(), y) for x, y in zip(places, z, strict=True)]
            left = [mpmath.fsum(m * mpmath.exp(y - x) for m, y in atoms if y <= x) for x in z]
            right = [mpmath.fsum(m * mpmath.exp(x - y) for m, y in atoms if y >= x) for x in z]
            total = abs(right[0]) + abs(left[-1])
            for i in range(len(z) - 1):
                low, high, e = left[i], right[i + 1], mpmath.exp(z[i] - z[i + 1])
                if low * high < 0 and min(abs(low), abs(high)) > max(abs(low), abs(high)) * e:
                    total += (abs(low) + abs(high)) * (1 + e) - 4 * mpmath.sqrt(abs(low * high) * e)
                else:
                    total += abs(low + high) * (1 - e)
            worst = max(worst, total / 8)
    return worst


@pytest.mark.parametrize("scale", [1e-6, 0.03, 0.7, 12.0, 1e3, 1e10, 1e50])
def test_eta_has_all_its_digits_at_every_scale(scale):
    rng = np.random.default_rng(3)
    for n in (4, 6):
        members = mip.subsets(n)
        for outputs in (members @ rng.normal(size=n), members @ np.arange(1.0, n + 1) ** 2):
            want = float(by_many_digits(outputs, members, scale))
            assert mip.laplace_eta(outputs, members, scale) == pytest.approx(want, abs=0, rel=1e-14)


@pytest.mark.parametrize("eta", [0.4, 0.1, 1e-6, 1e-10, 1e-15, 1e-17, 1e-60])
def test_the_scale_is_rounded_up_at_many_digits(eta):
    outputs, members = mip.reciprocal_outputs(6)
    scale = mip.minimal_laplace_scale(outputs, members, eta)
    assert by_many_digits(outputs, members, scale) <= eta
    assert by_many_digits(outputs, members, scale * (1 - 1e-12)) > eta


@pytest.mark.parametrize("scan", [faded_sums, _by_blocks, _by_doubling])
def test_every_way_gives_the_loops_sums(scan):
    rng = np.random.default_rng(1)
    crowds = np.sort(np.concatenate([rng.random(300) * 1e-3, 1e7 + rng.random(300) * 50]))
    every = [np.sort(rng.random(700)) * reach for reach in (1e-3, 1.0, 1e2, 1e4, 1e7)]
    for places in every if scan is _by_blocks else [*every, crowds]:
        weights = rng.standard_normal((len(places), 3))
        sums = weights.copy()
        for i in range(1, len(sums)):
            sums[i] += np.exp(places[i - 1] - places[i]) * sums[i - 1]
        np.testing.assert_allclose(scan(places, weights), sums, atol=1e-11)


@pytest.mark.parametrize("row", REFERENCE["moments"], ids=lambda row: f"n{row['n']}")
def test_moments(row):
    assert _mean_and_second(row["n"])[0] == pytest.approx(float(row["mean"]), abs=0, rel=2e-14)
    assert mip.reciprocal_variance(row["n"]) == pytest.approx(float(row["variance"]), abs=0, rel=2e-14)


@pytest.mark.parametrize("n", [4, 6, 10, 14, 16])
@pytest.mark.parametrize("M", [1, 2, 3, 4, 5, 8])
def test_absolute_moments_against_enumeration(n, M):
    outputs, _ = mip.reciprocal_outputs(n)
    spread = (np.abs(outputs - outputs.mean()) ** M).mean() ** (1 / M)
    assert mip.reciprocal_absolute_moment(n, M) == pytest.approx(spread, abs=0, rel=1e-12)


@pytest.mark.parametrize("n", [20, 24])
def test_first_moment_beyond_enumeration(n):
    """Integers with a given number of one-bits, summed in exact fractions of a few blocks."""
    k, size = n // 2, comb(n, n // 2)
    whole = np.arange(1 << (n - 1), dtype=np.int64)
    ones = np.bitwise_count(whole)
    root = 1 / sqrt(size)
    sums = np.concatenate([whole[ones == k], whole[ones == k - 1] - (2 ** (k - 1) - 1) + root])
    assert sums.size == size
    answers = 1 / sums
    mean = answers.sum() / size
    assert _mean_and_second(n)[0] == pytest.approx(mean, abs=0, rel=1e-12)
    first = np.abs(answers - mean).sum() / size
    assert mip.reciprocal_absolute_moment(n, 1) == pytest.approx(first, abs=0, rel=1e-12)


EXACT = [row for row in REFERENCE["crossings"] if row["sigma"] is None]


@pytest.mark.parametrize("row", EXACT, ids=lambda r: f"n{r['n']}")
def test_crossings(row):
    found = mip.noise_crossings(row["n"])
    assert (found is None) == (row["low"] is None)
    if found:
        assert found.low == pytest.approx(float(row["low"]), abs=0, rel=1e-11)
        assert found.high_gap_log == pytest.approx(float(row["high_gap_log"]), abs=0, rel=1e-11)
        assert found.low < found.high <= 0.5


@pytest.mark.parametrize("scale", [1e-3, 0.4, 30.0])
def test_the_posterior_is_bayes_rule(scale):
    outputs, members = mip.reciprocal_outputs(6)

    def density(y, seen):
        return np.exp(-np.abs(y - seen) / scale).mean() / (2 * scale)

    for y in (0.2, outputs.max()):
        both = np.array([[density(y, outputs[flags == way]) for way in (True, False)] for flags in members.T])
        inside = both[:, 0] / both.sum(axis=1)
        np.testing.assert_allclose(mip.laplace_posterior(outputs, members, scale, [y])[0], inside, rtol=1e-9)
    refused("scale", mip.laplace_posterior, outputs, members, 0.0, [0.2])
