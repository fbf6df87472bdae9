"""The stored prices of training: made again in part, and between what else is known of them."""

import numpy as np
import pytest

from mipbook.dpsgd.contour import training_delta, training_epsilon
from mipbook.stored import accounting as runs
from studies.accounting import price, swept_point

# The accountant cuts tails where rounding leaves them, and processors round differently.
ROUNDING = 1e-6


@pytest.mark.parametrize("at", [(0.01, 0.7, 100), (0.1, 2.0, 10)])
def test_a_stored_price_is_what_the_accountant_says(at):
    sampling, sigma, steps = at
    stored = runs.prices(sampling, sigma)[runs.STEPS.index(steps)]
    np.testing.assert_allclose(stored, price(*at), rtol=ROUNDING)
    other = runs.prices(sampling, sigma)[runs.STEPS.index(steps) + 1]
    assert abs(other[1] - stored[1]) > 1e-3


def test_the_truth_lies_between_the_stored_sides():
    for sampling in runs.SAMPLINGS:
        for sigma in runs.NOISES:
            found = runs.prices(sampling, sigma)
            assert (found[:, 0] <= found[:, 1]).all()
            # More steps cost more, and Rényi accounting promises no less than holds.
            assert (np.diff(found[:, 1]) > 0).all()
            assert (found[:, 2] > found[:, 0]).all()
            truth = training_epsilon(sampling, sigma, 1000, 1e-5)
            low, high = found[runs.STEPS.index(1000), :2]
            assert low < truth < high
            assert high - low < 0.05 * truth


def test_the_noises_of_one_setting_hold_the_truth():
    found = runs.cost()
    assert found.shape == (len(runs.SIGMAS), len(runs.DELTAS) + 1, 2)
    assert (np.diff(found[..., 1], axis=0) < 0).all()
    for place in (0, 6, 12):
        setting = (runs.SWEPT["sampling"], runs.SIGMAS[place], runs.SWEPT["steps"])
        for delta in (1e-9, 1e-5, 1e-2):
            low, high = found[place, runs.DELTAS.index(delta)]
            assert low <= training_epsilon(*setting, delta) <= high
        low, high = found[place, -1]
        assert low <= training_delta(*setting, 0.0) <= high


def test_one_noise_made_again_is_the_stored_one():
    place = runs.SIGMAS.index(2.0)
    np.testing.assert_allclose(runs.cost()[place], swept_point(2.0), rtol=ROUNDING)
