"""Networks trained with clip and noise, what is promised of them, and LiRA with few shadows."""

from itertools import pairwise

import numpy as np
import pytest

from mipbook import dpsgd
from mipbook.dpsgd.contour import training_epsilon
from mipbook.stored import accounting as runs
from mipbook.stored import store
from mipbook.stored.trained import (
    CLIPS,
    FPRS,
    MODELS,
    NETWORK_SETTINGS,
    PROMISED,
    RATE,
    SETTINGS,
    SHADOWS,
    SIGMAS,
    SIMULATED,
    STEPS,
    few_shadows,
    promised,
    trained,
)
from studies.accounting import price, swept_point
from studies.few_shadows import played
from studies.trained import trained_digits, trained_promise


@pytest.mark.parametrize(
    ("run", "settings"), [("trained_digits", SETTINGS), ("trained_network", NETWORK_SETTINGS)]
)
@pytest.mark.parametrize(("clip", "sigma"), [(1.0, 0.0), (0.1, 4.0), (20.0, 12.0)])
def test_the_stored_accuracy_is_the_runs_own(clip, sigma, run, settings):
    # Two repeats of one learning rate: what the command would store, digit for digit.
    few = {**settings, "clips": (clip,), "sigmas": (sigma,), "learning rates": (2.0,), "repeats": 2}
    again = trained_digits(few)
    arrays = store.load(run).arrays
    place = 0, CLIPS.index(clip), SIGMAS.index(sigma), 1, slice(2)
    for name in ("validation", "test"):
        # Another processor may round otherwise, and a digit or two turn over.
        assert np.abs(again[name][0, 0, 0, 0].astype(int) - arrays[name][place]).max() <= 12


def test_the_rate_is_picked_without_the_test_digits():
    arrays, place = store.load("trained_digits").arrays, CLIPS.index(1.0)
    picked = arrays["validation"][0, place].mean(axis=-1).argmax(axis=-1)
    found = trained("softmax", 1.0)
    rates = np.array(SETTINGS["learning rates"])
    assert (found.learning_rate == rates[picked]).all()
    test = arrays["test"][0, place][np.arange(len(SIGMAS)), picked] / 599
    assert found.accuracy == pytest.approx(test.mean(axis=-1))
    # Picking by the test digits would look at least as good, and somewhere better.
    peeked = arrays["test"][0, place].mean(axis=-1).max(axis=-1) / 599
    assert (found.accuracy <= peeked + 1e-12).all()


def test_what_is_promised_is_the_exact_account():
    again = trained_promise({**PROMISED, "sigmas": (1.0, 4.0)})
    for place, sigma in enumerate((1.0, 4.0)):
        found = promised(sigma)
        assert found.epsilon == pytest.approx(again["epsilon"][place], rel=1e-9)
        assert found.tpr == pytest.approx(again["tpr"][place], rel=1e-9)
        exact = dpsgd.training_delta(RATE, sigma, STEPS, found.epsilon)
        assert exact == pytest.approx(1e-5, rel=1e-6)
    assert promised(1.0).epsilon == pytest.approx(12.39788, abs=1e-4)
    assert promised(1.0).accuracy == pytest.approx(0.84337, abs=1e-5)
    every = [promised(sigma) for sigma in SIGMAS]
    assert all(a.tpr >= b.tpr for a, b in pairwise(every))
    # The best attack on the last step's sum alone stays below what is allowed.
    assert promised(12.0).tpr > 0.01


def test_a_smaller_run_falls_where_the_stored_one_says():
    few = {**SHADOWS, "dimensions": (20,), "models": (4, 16), "draws": 20_000}
    again = played(few)["tpr"][0]
    for i, attack in enumerate(SIMULATED):
        for j, models in enumerate((4, 16)):
            for k, fpr in enumerate(FPRS):
                _, low, high = (ends[MODELS.index(models)] for ends in few_shadows(20, attack, fpr))
                mine_low, mine_high = again[i, j, 1:, k]
                # Two bands of one truth overlap.
                assert max(low, mine_low) <= min(high, mine_high)


# --- The stored prices of training: made again in part, and between what else is known of them

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


def test_one_noise_made_again_is_the_stored_one():
    place = runs.SIGMAS.index(2.0)
    np.testing.assert_allclose(runs.cost()[place], swept_point(2.0), rtol=ROUNDING)
