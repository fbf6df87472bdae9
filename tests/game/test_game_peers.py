"""Bugs of other libraries around ROC curves and scores, each as a test that the bug would fail."""

import numpy as np
import pytest

from mipbook import game


def test_tied_scores_in_row_order():
    """Ties taken in row order make the AUC depend on how the file was sorted.

    With members listed last among equal scores the AUC came out as 0.131 where 0.537 is
    right; listed first it would be far above.
    """
    rng = np.random.default_rng(8)
    member = np.sort(rng.random(400) < 0.5)
    scores = np.where(rng.random(400) < 0.85, 0.0, rng.standard_normal(400) + 0.5 * member)
    want = np.mean(
        (scores[member][:, None] > scores[~member]) + 0.5 * (scores[member][:, None] == scores[~member])
    )
    for order in (slice(None), slice(None, None, -1), rng.permutation(400)):
        assert game.roc(scores[order], member[order]).auc == pytest.approx(want, abs=1e-13)
    # In row order the tied block would be climbed one record at a time.
    naive_tpr = np.cumsum(member[np.argsort(-scores, kind="stable")]) / member.sum()
    naive_fpr = np.cumsum(~member[np.argsort(-scores, kind="stable")]) / (~member).sum()
    assert abs(np.trapezoid(naive_tpr, naive_fpr) - want) > 0.3, "the example must show the bug"


def test_one_outlier_and_a_fixed_grid_of_thresholds():
    """LeakPro #282: 1,000 equal steps from least to largest; one outlier eats them."""
    rng = np.random.default_rng(9)
    member = np.arange(2000) < 1000
    scores = rng.standard_normal(2000) + 2.0 * member
    plain = game.roc(scores, member)
    scores[0] = 1e9
    outlier = game.roc(scores, member)
    assert outlier.auc == pytest.approx(plain.auc, abs=0.002)
    assert outlier.thresholds.size == 2000
    assert outlier.tpr_at(0.01) == pytest.approx(plain.tpr_at(0.01), abs=0.005)
    steps = np.linspace(scores.min(), scores.max(), 1000)
    grid = {float((scores[member] >= t).mean()) for t in steps}
    assert len(grid) <= 3, "the example must show the bug"


def test_rates_are_fractions():
    """An FPR in percent by default: ``tpr_at(0.1)`` meant 0.1%, and 5 passed in silence."""
    rng = np.random.default_rng(10)
    member = np.arange(4000) < 2000
    curve = game.roc(rng.standard_normal(4000) + member, member)
    assert curve.tpr_at(0.1) == pytest.approx(0.39, abs=0.04)
    for percent in (5, 10.0, 100):
        with pytest.raises(ValueError, match="^fpr = "):
            curve.tpr_at(percent)
        with pytest.raises(ValueError, match="^fpr = "):
            curve.tpr_band(percent)
    assert curve.fpr.max() == 1.0


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
