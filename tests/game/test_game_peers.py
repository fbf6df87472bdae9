"""Bugs of other libraries around ROC curves and scores, each as a test that the bug would fail."""

import numpy as np
import pytest
from scipy.stats import norm

from mipbook import game, mip
from mipbook.mechanisms import exponential_probabilities, records_mean, sampling_mechanism


def test_no_negative_epsilon():
    """``np.max(x, 0)``, meant as a maximum with 0, takes an axis: negative bounds got through."""
    assert game.epsilon_from_rates(0.01, 0.9, 0.2) == 0.0
    assert game.epsilon_from_rates([0.5, 0.1], [0.5, 0.1], 0.2).tolist() == [0.0, 0.0]
    assert game.epsilon_lower_bound([1, 40], [99, 60], [1, 41], [99, 59]).tolist() == [0.0, 0.0]
    assert game.TracingAttack(1, 1, 100.0).certified_epsilon([0.0, 50.0], 0.4).tolist() == [0.0, 0.0]
    assert game.roc([1.0, 2.0, 1.0, 2.0], [0, 0, 1, 1]).epsilon_lower_bound() == 0.0
    bound = game.certify_epsilon([1.0] * 9, [0, 1] * 4 + [0], np.random.default_rng(0))
    assert bound.epsilon == 0.0


def test_scores_are_used_as_they_stand():
    """Statistics of rounded scores, thresholds of exact ones: counts that fit neither.

    The threshold that a curve or a certificate names gives back its own counts on the very
    scores it was made from, to the last digit of the scores.
    """
    rng = np.random.default_rng(11)
    member = rng.random(500) < 0.5
    scores = (rng.standard_normal(500) + member) * 1e-9 + 1.0
    curve = game.roc(scores, member)
    assert curve.thresholds.size == np.unique(scores).size
    for i in (0, 100, 499):
        threshold = curve.thresholds[i]
        assert ((scores >= threshold) & member).sum() == curve.tp[i + 1]
    bound = game.certify_epsilon(scores, member, np.random.default_rng(1))
    assert bound.threshold in scores
    rounded = game.roc(np.round(scores, 6), member)
    assert rounded.thresholds.size < 10, "the example must show the bug"
    assert rounded.auc == pytest.approx(0.5, abs=0.01)
    assert curve.auc > 0.7


# --- Bad or extreme arguments get an answer or a ValueError that names them, and soon -------------


def test_extreme_arguments_get_right_answers():
    """Warnings are errors in this suite, so that none of these may overflow aloud."""
    tiny = game.TracingAttack(4, 4, 1e-300)
    assert tiny.fpr(1e10) == 0.0
    assert tiny.tail_bound(1e200) == 0.0
    assert tiny.densities(1e200) == (0.0, 0.0)
    assert exponential_probabilities([1e308, -1e308], 1).tolist() == [0.0, 1.0]
    assert records_mean([1e308] * 2) == 1e308
    assert mip.fits_needed(1e-300) > 10**299
    assert game.rows_recovered(4, 2, 1e-308)[2] == 1.0
    assert mip.mean_deviation([1e308, 1e308]) == 0.0
    still = mip.scale_from_fits([[0.0], [1.0], [0.5]], np.full((300, 1), 0.5), 0.3, confidence=0.9)
    assert 0 < still.scale < 1e-20


def test_gaussian_noise_for_a_tiny_promise():
    """The old 1/2 + eta lost the digits of eta: 10% too little noise at 1e-16."""
    for eta in (1e-17, 1e-16, 1e-13, 1e-10, 1e-3):
        sigma = mip.gaussian_sigma_for_mip(1.0, eta)
        # Phi^-1(1/2 + eta) is eta sqrt(2 pi) to third order.
        if eta <= 1e-10:
            assert sigma == pytest.approx(1 / (eta * np.sqrt(2 * np.pi)), rel=1e-14)
        else:
            assert norm.cdf(1 / sigma) - 0.5 == pytest.approx(eta, rel=1e-12)


def test_a_replaced_record_is_seen_too():
    """Under replacement the best ROC curve of a random part is f + x, not f + (1 - f) x."""
    fpr, tpr = game.finite_roc(sampling_mechanism(0.1, "replace"))
    assert np.interp(0.01, fpr[1:], tpr[1:]) == pytest.approx(0.11, rel=1e-12)
    fpr, tpr = game.finite_roc(sampling_mechanism(0.1))
    assert np.interp(0.01, fpr[1:], tpr[1:]) == pytest.approx(0.109, rel=1e-12)
    for neighbours in game.NEIGHBOURS:
        table = sampling_mechanism(0.1, neighbours)
        assert game.finite_delta(table, 5.0) == pytest.approx(0.1)
        assert game.optimal_accuracy(table) == pytest.approx(0.55)
