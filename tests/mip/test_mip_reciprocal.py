"""The reciprocal-sum query: sums by polynomials against enumeration and references."""

from fractions import Fraction
from itertools import combinations
from math import comb, sqrt

import mpmath
import numpy as np
import pytest
from shared import reference

from mipbook import mip

REFERENCE = reference("mip")


@pytest.mark.parametrize("row", REFERENCE["moments"], ids=lambda row: f"n{row['n']}")
def test_moments(row):
    assert mip.reciprocal_mean(row["n"]) == pytest.approx(float(row["mean"]), abs=0, rel=2e-14)
    assert mip.reciprocal_variance(row["n"]) == pytest.approx(float(row["variance"]), abs=0, rel=2e-14)


@pytest.mark.parametrize("n", [4, 6, 8])
def test_enumeration_is_exact(n):
    """Every answer from high-precision sums of the printed data set."""
    with mpmath.workdps(40):
        k = n // 2
        a = mpmath.sqrt(mpmath.mpf(1) / comb(n, k)) - (2 ** (k - 1) - 1)
        records = [mpmath.mpf(2) ** i for i in range(n - 1)] + [a]
        exact = [1 / sum(half) for half in combinations(records, k)]
        outputs, members = mip.reciprocal_outputs(n)
        assert members.sum(axis=1).tolist() == [k] * comb(n, k)
        for got, want in zip(outputs, exact, strict=True):
            assert abs(mpmath.mpf(float(got)) / want - 1) < 1e-15


@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_sensitivity_is_the_largest_swap(n):
    outputs, members = mip.reciprocal_outputs(n)
    one_swap = members.astype(int) @ members.T == n // 2 - 1
    gaps = np.abs(outputs[:, None] - outputs)[one_swap]
    assert mip.reciprocal_sensitivity(n) == pytest.approx(gaps.max(), abs=0, rel=1e-14)


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
    assert mip.reciprocal_mean(n) == pytest.approx(mean, abs=0, rel=1e-12)
    first = np.abs(answers - mean).sum() / size
    assert mip.reciprocal_absolute_moment(n, 1) == pytest.approx(first, abs=0, rel=1e-12)


def test_spread_grows_with_the_exponent():
    for n in (8, 36, 60):
        spreads = [mip.reciprocal_absolute_moment(n, M) for M in range(1, 9)]
        assert (np.diff(spreads) > 0).all()
        assert spreads[1] ** 2 == pytest.approx(mip.reciprocal_variance(n), abs=0, rel=1e-12)


def test_variance_stays_below_one_and_large_n_works():
    variances = [mip.reciprocal_variance(n) for n in range(4, 121, 2)]
    assert max(variances) <= 1.0
    assert variances[:16] == sorted(variances[:16])
    # 1 - sigma^2 = 1.1019468e-10 at n = 36; only absolute rounding is left of it.
    assert 1 - mip.reciprocal_variance(36) == pytest.approx(1.1019468e-10, abs=0, rel=1e-5)


@pytest.mark.parametrize("row", REFERENCE["crossings"], ids=lambda r: f"n{r['n']}-{r['sigma']}")
def test_crossings(row):
    found = mip.noise_crossings(row["n"], sigma=row["sigma"])
    if row["low"] is None:
        assert found is None
    else:
        assert found.low == pytest.approx(float(row["low"]), abs=0, rel=1e-11)
        assert found.high_gap_log == pytest.approx(float(row["high_gap_log"]), abs=0, rel=1e-11)
        assert found.low < found.high <= 0.5


def test_half_sum_is_exact_rational():
    """The fatal half of n = 4 is {1, a}; without the root its integers cancel exactly."""
    outputs, members = mip.reciprocal_outputs(4)
    fatal = outputs.argmax()
    assert members[fatal].tolist() == [True, False, False, True]
    assert Fraction(float(outputs[fatal]) ** 2).limit_denominator(1000) == 6


def test_bad_size_is_named():
    for bad in (3, 5):
        for function in (mip.reciprocal_mean, mip.reciprocal_variance, mip.reciprocal_sensitivity):
            with pytest.raises(ValueError, match="^n = "):
                function(bad)
    with pytest.raises(ValueError, match="^M = "):
        mip.reciprocal_absolute_moment(8, 9)


@pytest.mark.parametrize("n", [4, 8, 12])
def test_sums_are_those_of_the_records_without_their_cancellation(n):
    outputs, members = mip.reciprocal_outputs(n)
    sums = mip.reciprocal_sums(n, members)
    assert sums == pytest.approx(members @ mip.reciprocal_data_set(n), abs=1e-9)
    assert sums.min() == mip.reciprocal_root(n)
    assert (1 / sums == outputs).all()
    for bad in (members[:, :-1], members.astype(int)):
        with pytest.raises(ValueError, match="^members = "):
            mip.reciprocal_sums(n, bad)
