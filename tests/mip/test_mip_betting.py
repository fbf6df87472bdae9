"""A bound on a mean by betting: it holds, it is not wasteful, and it can be broken."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from mipbook import mip
from mipbook.mip.calibration import log_wealth


def chance_of_a_false_claim(true_mean, claimed, count, alpha):
    """Enumerated: values 0 or 1, of which only the number of ones matters."""
    total = 0.0
    for ones in range(count + 1):
        values = np.repeat([1.0, 0.0], [ones, count - ones])
        if log_wealth(values, claimed) >= -math.log(alpha):
            total += binom.pmf(ones, count, true_mean)
    return total


@pytest.mark.parametrize("mean", [0.02, 0.1, 0.4, 0.9])
@pytest.mark.parametrize("alpha", [0.1, 0.001])
def test_a_false_claim_is_as_rare_as_promised(mean, alpha):
    count = int(60 / mean)
    assert chance_of_a_false_claim(mean, mean, count, alpha) <= alpha
    # Where the claim is true by a factor of two it is mostly made: the bound is no empty one.
    assert chance_of_a_false_claim(mean / 2, mean, count, alpha) > 0.4
    # Planted: a gambler paid as if the mean were larger by half claims far too often.
    assert chance_of_a_false_claim(mean, min(1.5 * mean, 0.97), count, alpha) > alpha


def test_the_number_of_fits_is_enough_and_hardly_more():
    for eta, confidence in ((0.3, 0.9), (0.1, 0.999), (0.01, 0.99)):
        needed = mip.fits_needed(eta, confidence)
        target = -math.log(1 - confidence)
        assert log_wealth(np.zeros(needed), eta) >= target
        assert log_wealth(np.zeros(int(0.9 * needed)), eta) < target
    assert mip.fits_needed(1e-300) > 10**300
    with pytest.raises(ValueError, match="^eta = "):
        mip.fits_needed(5e-324)


def test_values_of_one_ruin_the_largest_stake_without_a_warning():
    assert np.isfinite(log_wealth(np.ones(5), 0.3))
    assert log_wealth(np.ones((5, 2)), 0.3).shape == (2,)
