"""Networks trained with clip and noise, what is promised of them, and LiRA with few shadows."""

from itertools import pairwise

import numpy as np
import pytest

from mipbook import dpsgd
from mipbook.stored import store, trained
from mipbook.stored.trained import CLIPS, FPRS, MODELS, SHADOWS, SIGMAS, SIMULATED, few_shadows, promised
from studies.few_shadows import played
from studies.trained import trained_promise


def test_the_rate_is_picked_without_the_test_digits():
    arrays, place = store.load("trained_digits").arrays, CLIPS.index(1.0)
    picked = arrays["validation"][0, place].mean(axis=-1).argmax(axis=-1)
    found = trained.trained("softmax", 1.0)
    test = arrays["test"][0, place] / 599
    assert found.accuracy == pytest.approx(test[np.arange(len(SIGMAS)), picked].mean(axis=-1))
    # Picking by the test digits would look at least as good, and somewhere better.
    assert (found.accuracy <= test.mean(axis=-1).max(axis=-1) + 1e-12).all()


def test_what_is_promised_is_the_exact_account():
    again = trained_promise({**trained.PROMISED, "sigmas": (1.0, 4.0)})
    for place, sigma in enumerate((1.0, 4.0)):
        found = promised(sigma)
        assert found.epsilon == pytest.approx(again["epsilon"][place], rel=1e-9)
        assert found.tpr == pytest.approx(again["tpr"][place], rel=1e-9)
        exact = dpsgd.training_delta(trained.RATE, sigma, trained.STEPS, found.epsilon)
        assert exact == pytest.approx(1e-5, rel=1e-6)
    assert promised(1.0).epsilon == pytest.approx(12.39788, abs=1e-4)
    assert promised(1.0).accuracy == pytest.approx(0.84337, abs=1e-5)
    assert all(a.tpr >= b.tpr for a, b in pairwise(map(promised, SIGMAS)))
    # The best attack on the last step's sum alone stays below what is allowed.
    assert promised(12.0).tpr > 0.01


def test_a_smaller_run_falls_where_the_stored_one_says():
    models = (4, 16)
    again = played({**SHADOWS, "dimensions": (20,), "models": models, "draws": 20_000})["tpr"][0]
    for i, attack in enumerate(SIMULATED):
        for k, fpr in enumerate(FPRS):
            stored = few_shadows(20, attack, fpr)
            for j, count in enumerate(models):
                _, low, high = (ends[MODELS.index(count)] for ends in stored)
                mine_low, mine_high = again[i, j, 1:, k]
                # Two bands of one truth overlap.
                assert max(low, mine_low) <= min(high, mine_high)
