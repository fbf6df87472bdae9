"""The reading of a training run: bounds on what is known otherwise, and close to it."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook.accounting import from_gaussian, from_training
from mipbook.dpsgd import training_delta, training_epsilon

FPRS = np.array([0.0, 1e-4, 0.01, 0.1, 0.5, 0.9, 1.0])


def test_without_sampling_it_is_just_above_one_gaussian():
    found, exact = from_training(1.0, 20.0, 100), from_gaussian(2.0)
    assert found.advantage.value == pytest.approx(exact.advantage.value, rel=1e-9)
    tpr, known = found.tpr(FPRS), exact.tpr(FPRS)
    assert (tpr >= known).all()
    np.testing.assert_allclose(tpr, known, rtol=2e-3, atol=1e-6)
    assert exact.auc.value <= found.auc.value < exact.auc.value + 1e-3
    for delta in (1e-8, 1e-3):
        assert exact.epsilon(delta) <= found.epsilon(delta) < exact.epsilon(delta) * 1.001
    asked = np.linspace(0.0, 2.5, 50)
    assert (found.delta(asked) >= exact.delta(asked)).all()
    np.testing.assert_allclose(found.delta(asked), exact.delta(asked), rtol=3e-3)


def test_with_sampling_it_is_just_above_the_truth():
    found = from_training(0.1, 1.0, 100)
    assert found.advantage.value == pytest.approx(training_delta(0.1, 1.0, 100, 0.0), rel=1e-12)
    truth = training_epsilon(0.1, 1.0, 100, 1e-5)
    assert truth < found.epsilon(1e-5) < 1.001 * truth
    for epsilon in (0.3, 2.0, 5.0):
        known = training_delta(0.1, 1.0, 100, epsilon)
        assert known < found.delta(epsilon) < known * 1.01
        # Each promise bounds the curve; the best line is this one somewhere.
        assert (found.tpr(FPRS) <= found.delta(epsilon) + np.exp(epsilon) * FPRS + 1e-12).all()
    assert found.eta.warning
    assert not from_training(0.1, 1.0, 100, replaced=True).eta.warning


def test_what_no_delta_bounds_is_infinite():
    found = from_training(0.1, 2.0, 100)
    assert found.epsilon(0.0) == np.inf
    assert found.epsilon(0.5) == 0.0
    assert 0 < found.mis.value < 1
