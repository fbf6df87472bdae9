"""ROC curves and their bands: exact on ties, and covering the truth as often as they say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from shared import refused

from mipbook import audit, game, tradeoff
from mipbook.game.counts import envelope

SCORES = st.lists(
    st.tuples(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0, math.inf]), st.booleans()),
    min_size=2,
    max_size=30,
).filter(lambda rows: 0 < sum(m for _, m in rows) < len(rows))


@given(SCORES, st.randoms())
def test_every_point_is_a_threshold_and_order_does_not_matter(rows, random):
    scores, member = (np.array(c) for c in zip(*rows, strict=True))
    curve = game.roc(scores, member)
    assert (curve.tpr[0], curve.fpr[0], curve.tpr[-1], curve.fpr[-1]) == (0, 0, 1, 1)
    for i, threshold in enumerate(curve.thresholds):
        said = scores >= threshold
        assert curve.tp[i + 1] == (said & member).sum()
        assert curve.fp[i + 1] == (said & ~member).sum()
        found = curve.confusion(threshold)
        assert (found.tp, found.fp) == (curve.tp[i + 1], curve.fp[i + 1])
    random.shuffle(rows)
    again = game.roc(*(np.array(c) for c in zip(*rows, strict=True)))
    assert again.tp.tolist() == curve.tp.tolist()
    assert again.fp.tolist() == curve.fp.tolist()


@given(SCORES)
def test_auc_is_the_mann_whitney_statistic(rows):
    scores, member = (np.array(c) for c in zip(*rows, strict=True))
    pairs = scores[member][:, None], scores[~member][None, :]
    want = np.mean((pairs[0] > pairs[1]) + 0.5 * (pairs[0] == pairs[1]))
    assert game.roc(scores, member).auc == pytest.approx(want, abs=1e-14)


@given(SCORES, st.floats(0, 1))
def test_step_rule_takes_the_best_point_that_keeps_the_promise(rows, fpr):
    scores, member = (np.array(c) for c in zip(*rows, strict=True))
    curve = game.roc(scores, member)
    allowed = [t for t, f in zip(curve.tpr, curve.fpr, strict=True) if f <= fpr]
    assert curve.tpr_at(fpr) == max(allowed)
    assert curve.advantage == (curve.tpr - curve.fpr).max()


def test_a_rate_of_counts_is_met_exactly():
    """0.29 * 100 is below 29 in doubles; the step rule must not lose that point."""
    scores = np.concatenate([np.arange(100.0), [71.0 - 0.5]])
    member = np.append(np.zeros(100, bool), True)
    curve = game.roc(scores, member)
    assert curve.tpr_at(0.29) == 1.0
    assert curve.tpr_at(0.28) == 0.0


def test_clopper_pearson_against_scipy():
    for hits, tries in ((0, 5), (5, 5), (45, 50), (1, 100), (3, 10**6)):
        for confidence in (0.5, 0.95, 0.9999):
            want = stats.binomtest(hits, tries).proportion_ci(confidence, method="exact")
            got = game.clopper_pearson(hits, tries, confidence)
            assert got == pytest.approx((want.low, want.high), rel=1e-6, abs=1e-300)
    # scipy searches for the root; one success has a closed form.
    assert game.clopper_pearson(1, 100).low == pytest.approx(-math.expm1(math.log(0.975) / 100), rel=1e-12)
    low, high = game.clopper_pearson([0, 7], [5, 9])
    assert low.shape == high.shape == (2,)


MU, SIZE, RUNS = 1.0, 300, 600
GRID = np.array([0.003, 0.02, 0.1, 0.4, 0.9])


def misses(band, truth):
    low, high = band
    return (np.asarray(low) > truth) | (np.asarray(high) < truth)


@pytest.mark.parametrize("rounded", [False, True])
def test_bands_cover_as_often_as_they_say(rounded):
    """With 90% bands: misses at most 10% up to chance, alone and everywhere at once."""
    rng = np.random.default_rng(17)
    member = np.arange(2 * SIZE) < SIZE
    fine = np.concatenate([[0.0], np.geomspace(1e-4, 1, 200)])
    if rounded:
        # Scores on a lattice: the true curve is a staircase of the rounded scores' regions.
        cuts = np.arange(-6, 8) - 0.5
        step_fpr = np.append(stats.norm.sf(cuts), 1.0)
        step_tpr = np.append(stats.norm.sf(cuts - MU), 1.0)

        def truth(x):
            return np.array([max([0.0, *step_tpr[step_fpr <= v]]) for v in np.atleast_1d(x)])
    else:

        def truth(x):
            return np.asarray(tradeoff.gaussian_tpr(x, 1 / MU))

    alone, together = np.zeros(GRID.size), 0
    advantage = float(np.max(truth(fine) - fine))
    outside = 0
    for _ in range(RUNS):
        scores = rng.standard_normal(2 * SIZE) + MU * member
        curve = game.roc(np.round(scores) if rounded else scores, member)
        alone += misses(curve.tpr_band(GRID, 0.9), truth(GRID))
        together += misses(curve.tpr_band(fine, 0.9, simultaneous=True), truth(fine)).any()
        low, high = curve.advantage_band(0.9)
        outside += not low <= advantage <= high
    limit = RUNS * 0.1 + 3 * math.sqrt(RUNS * 0.1 * 0.9)
    assert (alone <= limit).all()
    assert together <= limit
    assert outside <= limit


@given(st.integers(1, 400), st.floats(1e-6, 0.5))
def test_envelope_is_monotone_and_holds_the_rate(size, alpha):
    low, high = envelope(size, alpha)
    share = np.arange(size + 1) / size
    assert (low <= share).all()
    assert (share <= high).all()
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    assert low[0] == 0
    assert high[-1] == 1
    np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-12)


def test_bad_input_is_named():
    refused("^member = ", game.roc, [1.0, 2.0], [True, True])
    refused("^member = ", game.roc, [1.0, 2.0], [0, 2])
    refused("^successes = ", game.clopper_pearson, 3, 2)
    refused("^successes = ", game.clopper_pearson, 1.5, 2)
    refused(r"^tp \+ fn = ", game.Confusion, 0, 0, 1, 0)
    refused(r"^fp \+ tn = ", game.Confusion, 1, 0, 0, 0)


@pytest.mark.parametrize("x", [0.004, 0.03, 0.2, 0.7])
@pytest.mark.parametrize("n", [40, 333])
def test_the_order_statistics_of_the_band_are_the_right_ones(n, x):
    """One member at the score of each other: the members counted tell the rank used."""
    scores = np.concatenate([np.arange(n), np.arange(n)]).astype(float)
    member = np.arange(2 * n) < n
    low, high = game.roc(scores, member).tpr_band(x, 0.9)
    alpha = 0.1 / 4
    ranks = np.arange(1, n + 1)
    # The share of others above the j-th largest has the law Beta(j, n - j + 1).
    above = stats.beta(ranks, n - ranks + 1)
    inner = max([0, *ranks[above.cdf(x) >= 1 - alpha]])
    outer = min([n + 1, *ranks[above.sf(x) >= 1 - alpha]])
    want_low = stats.beta(inner - 1, n - inner + 2).ppf(alpha) if inner > 1 else 0.0
    want_high = stats.beta(outer + 1, n - outer).ppf(1 - alpha) if outer < n else 1.0
    assert (low, high) == pytest.approx((want_low, want_high), rel=1e-9)


def test_envelope_is_at_most_the_published_widths():
    """Massart's constant in the middle, Clopper-Pearson at the first mark."""
    size, alpha = 1000, 0.05
    low, high = envelope(size, alpha)
    width = math.sqrt(math.log(4 / alpha) / (2 * size))
    assert high[size // 2] == pytest.approx(0.5 + width, rel=1e-12)
    assert low[size // 2] == pytest.approx(0.5 - width, rel=1e-12)


# --- The difference of two areas under the curve, against all pairs and a simulation --------------


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


def test_what_is_thin_is_said():
    flags = np.arange(20) < 10
    scores = np.arange(20.0)
    assert "alike" in game.auc_difference(scores, 2 * scores, flags).warning
    assert "rough" in game.auc_difference(scores, np.roll(scores, 3), flags).warning
    refused("^other = ", game.auc_difference, scores, scores[:5], flags)
    infinite = np.where(scores > 15, np.inf, scores)
    assert np.isfinite(game.auc_difference(infinite, scores, flags).value)


def test_marks_and_guesses_are_checked():
    rng = np.random.default_rng(0)
    scores, flags = rng.standard_normal(60), np.arange(60) < 30
    refused("^canary = .*there is one", audit.audit_scores, scores, flags, rng, canary=np.zeros(60, bool))
    refused(r"^canary = .*of shape \(60,\)", audit.audit_scores, scores, flags, rng, canary=np.ones(59, bool))
    refused("^canary = ", audit.audit_scores, scores, flags, rng, canary=np.full(60, 0.5))
    refused("^guesses = 3: must be given with canary", audit.audit_scores, scores, flags, rng, guesses=3)
    refused("^fprs = .*from 1 to 100", audit.audit_scores, scores, flags, rng, fprs=[])
    assert "negate them" in str(audit.audit_scores(-scores - flags, flags, rng))
