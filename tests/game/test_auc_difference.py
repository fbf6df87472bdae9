"""The difference of two areas under the curve, against all pairs and a simulation."""

import numpy as np
import pytest

from mipbook import audit, game


def all_pairs(one, two, flags):
    """Return difference and DeLong's variance by counting every pair of member and other."""
    shares = []
    for scores in (one, two):
        gap = scores[flags][:, None] - scores[~flags][None, :]
        shares.append((gap > 0) + 0.5 * (gap == 0))
    apart = shares[0] - shares[1]
    rows, columns = apart.mean(axis=1), apart.mean(axis=0)
    variance = rows.var(ddof=1) / rows.size + columns.var(ddof=1) / columns.size
    return apart.mean(), variance


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_it_is_the_count_over_all_pairs(digits):
    rng = np.random.default_rng(digits)
    flags = rng.random(300) < 0.4
    one = np.round(rng.standard_normal(300) + flags, digits)
    two = np.round(one + rng.standard_normal(300), digits)
    value, variance = all_pairs(one, two, flags)
    found = game.auc_difference(one, two, flags)
    assert found.value == pytest.approx(value, abs=1e-12)
    reach = 1.959963984540054 * variance**0.5
    assert found.high - found.value == pytest.approx(reach, rel=1e-9)
    assert found.value - found.low == pytest.approx(reach, rel=1e-9)


def test_the_interval_covers_as_often_as_it_says():
    """2,000 drawings; the true difference is from the normal distribution."""
    from scipy.stats import norm

    rng = np.random.default_rng(8)
    truth = norm.cdf(1.0 / np.sqrt(2)) - norm.cdf(1.0 / np.sqrt(2 * 2.0))
    covered = 0
    for _ in range(2000):
        flags = np.arange(200) < 100
        one = rng.standard_normal(200) + flags
        found = game.auc_difference(one, one + rng.standard_normal(200), flags, 0.9)
        covered += found.low <= truth <= found.high
    assert 0.88 < covered / 2000 < 0.92


def test_what_is_thin_is_said():
    flags = np.arange(20) < 10
    scores = np.arange(20.0)
    assert "alike" in game.auc_difference(scores, 2 * scores, flags).warning
    assert "rough" in game.auc_difference(scores, np.roll(scores, 3), flags).warning
    with pytest.raises(ValueError, match="^other = "):
        game.auc_difference(scores, scores[:5], flags)
    infinite = np.where(scores > 15, np.inf, scores)
    assert np.isfinite(game.auc_difference(infinite, scores, flags).value)


def test_the_audit_of_scores_holds_for_a_known_mechanism():
    """Gaussian noise of mu = 1: the truth is known, and one bound in twenty may be wrong."""
    rng = np.random.default_rng(9)
    truth = {"tpr": 0.0923636, "epsilon": 4.377178, "auc": 0.7602499}
    wrong = {"tpr": 0, "epsilon": 0, "everywhere": 0, "canaries": 0}
    for _ in range(200):
        flags = rng.random(1000) < 0.5
        scores = rng.standard_normal(1000) + flags
        found = audit.audit_scores(scores, flags, rng, canary=np.ones(1000, bool))
        low, high = found.curve.tpr_band(0.01)
        wrong["tpr"] += not low <= truth["tpr"] <= high
        wrong["epsilon"] += found.certificate.epsilon > truth["epsilon"]
        wrong["everywhere"] += found.everywhere > truth["epsilon"]
        wrong["canaries"] += found.canaries.epsilon > truth["epsilon"]
        assert found.replaced <= found.certificate.epsilon
        assert abs(found.curve.auc - truth["auc"]) < 0.08
    assert all(count <= 17 for count in wrong.values()), wrong


def test_marks_and_guesses_are_checked():
    rng = np.random.default_rng(0)
    scores, flags = rng.standard_normal(60), np.arange(60) < 30
    for bad, told in (
        ({"canary": np.zeros(60, bool)}, "^canary = .*there is one"),
        ({"canary": np.ones(59, bool)}, r"^canary = .*of shape \(60,\)"),
        ({"canary": np.full(60, 0.5)}, "^canary = "),
        ({"guesses": 3}, "^guesses = 3: must be given with canary"),
        ({"fprs": []}, "^fprs = .*from 1 to 100"),
    ):
        with pytest.raises(ValueError, match=told):
            audit.audit_scores(scores, flags, rng, **bad)
    assert "turn their sign" in str(audit.audit_scores(-scores - flags, flags, rng))
