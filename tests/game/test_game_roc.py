"""ROC curves, their bands and lower bounds on epsilon: exact, and true as often as they say."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from shared import refused

from mipbook import audit, game, mip, tradeoff
from mipbook.game import certify_epsilon, epsilon_from_rates, epsilon_lower_bound
from mipbook.game.counts import envelope

SCORES = st.lists(
    st.tuples(st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 2.0, math.inf]), st.booleans()),
    min_size=2,
    max_size=30,
).filter(lambda rows: 0 < sum(m for _, m in rows) < len(rows))


@given(SCORES, st.randoms(), st.floats(0, 1))
def test_every_point_is_a_threshold_and_order_does_not_matter(rows, random, fpr):
    scores, member = map(np.array, zip(*rows, strict=True))
    curve = game.roc(scores, member)
    assert (curve.tpr[0], curve.fpr[0], curve.tpr[-1], curve.fpr[-1]) == (0, 0, 1, 1)
    for i, threshold in enumerate(curve.thresholds):
        said = scores >= threshold
        found = curve.confusion(threshold)
        assert found.tp == curve.tp[i + 1] == (said & member).sum()
        assert found.fp == curve.fp[i + 1] == (said & ~member).sum()
    random.shuffle(rows)
    again = game.roc(*map(np.array, zip(*rows, strict=True)))
    assert again.tp.tolist() == curve.tp.tolist()
    assert again.fp.tolist() == curve.fp.tolist()
    # The area is the Mann-Whitney statistic; the step rule takes the best point that keeps the promise.
    gaps = np.sign(np.subtract.outer(np.clip(scores[member], -9, 9), np.clip(scores[~member], -9, 9)))
    assert curve.auc == pytest.approx((gaps.mean() + 1) / 2, abs=1e-14)
    assert curve.tpr_at(fpr) == max(curve.tpr[curve.fpr <= fpr])
    assert curve.advantage == (curve.tpr - curve.fpr).max()


def test_a_rate_of_counts_is_met_exactly():
    """0.29 * 100 is below 29 in doubles; the step rule must not lose that point."""
    curve = game.roc(np.append(np.arange(100.0), 70.5), np.arange(101) == 100)
    assert (curve.tpr_at(0.29), curve.tpr_at(0.28)) == (1.0, 0.0)


def test_clopper_pearson_against_scipy():
    for hits, tries in ((0, 5), (5, 5), (45, 50), (1, 100), (3, 10**6)):
        for confidence in (0.5, 0.95, 0.9999):
            want = stats.binomtest(hits, tries).proportion_ci(confidence, method="exact")
            got = game.clopper_pearson(hits, tries, confidence)
            assert got == pytest.approx((want.low, want.high), rel=1e-6, abs=1e-300)
    # scipy searches for the root; one success has a closed form.
    assert game.clopper_pearson(1, 100).low == pytest.approx(-math.expm1(math.log(0.975) / 100), rel=1e-12)


MU, SIZE, RUNS = 1.0, 300, 600
GRID = np.array([0.003, 0.02, 0.1, 0.4, 0.9])


def on_a_lattice(fpr):
    """Return the true curve of rounded scores, a staircase."""
    cuts = np.arange(-6, 8) - 0.5
    steps = [np.append(stats.norm.sf(cuts - mean), 1.0) for mean in (0, MU)]
    return np.where(steps[0] <= np.atleast_1d(fpr)[:, None], steps[1], 0.0).max(axis=1)


def smooth(fpr):
    return np.asarray(tradeoff.gaussian_tpr(fpr, 1 / MU))


def misses(band, truth):
    return (np.asarray(band.low) > truth) | (np.asarray(band.high) < truth)


@pytest.mark.parametrize(("truth", "told"), [(smooth, np.copy), (on_a_lattice, np.round)])
def test_bands_cover_as_often_as_they_say(truth, told):
    """With 90% bands: misses at most 10% up to chance, alone and everywhere at once."""
    rng = np.random.default_rng(17)
    member = np.arange(2 * SIZE) < SIZE
    fine = np.concatenate([[0.0], np.geomspace(1e-4, 1, 200)])
    alone, together, outside = np.zeros(GRID.size), 0, 0
    advantage = float(np.max(truth(fine) - fine))
    for _ in range(RUNS):
        curve = game.roc(told(rng.standard_normal(2 * SIZE) + MU * member), member)
        alone += misses(curve.tpr_band(GRID, 0.9), truth(GRID))
        together += misses(curve.tpr_band(fine, 0.9, simultaneous=True), truth(fine)).any()
        outside += misses(curve.advantage_band(0.9), advantage)
    assert max(*alone, together, outside) <= RUNS * 0.1 + 3 * math.sqrt(RUNS * 0.1 * 0.9)


def test_envelope_holds_the_rate_and_is_at_most_the_published_widths():
    for size in (1, 7, 400):
        low, high = envelope(size, 0.05)
        assert low[0] == 0
        assert (low <= np.arange(size + 1) / size).all()
        assert (np.diff(low) >= 0).all()
        np.testing.assert_allclose(low, 1 - high[::-1], atol=1e-12)
    # Massart's constant in the middle.
    width = math.sqrt(math.log(4 / 0.05) / (2 * 1000))
    middle = [end[500] for end in envelope(1000, 0.05)]
    assert middle == pytest.approx([0.5 - width, 0.5 + width], rel=1e-12)


def test_counts_that_cannot_be_are_named():
    refused("^member = ", game.roc, [1.0, 2.0], [True, True])
    refused("^successes = ", game.clopper_pearson, 3, 2)
    refused(r"^tp \+ fn = ", game.Confusion, 0, 0, 1, 0)
    refused(r"^fp \+ tn = ", game.Confusion, 1, 0, 0, 0)
    refused("^tn = ", epsilon_lower_bound, 1, 1, 1, 1.5)
    refused(r"^fp \+ tn = ", epsilon_lower_bound, 1, 1, 0, 0)
    refused("^member = ", certify_epsilon, [1.0, 2.0], [0, 1], np.random.default_rng())


@pytest.mark.parametrize("x", [0.004, 0.03, 0.2, 0.7])
@pytest.mark.parametrize("n", [40, 333])
def test_the_order_statistics_of_the_band_are_the_right_ones(n, x):
    """One member at the score of each other: the members counted tell the rank used."""
    band = game.roc(np.tile(np.arange(1.0 * n), 2), np.arange(2 * n) < n).tpr_band(x, 0.9)
    alpha = 0.1 / 4
    ranks = np.arange(1, n + 1)
    # The share of others above the j-th largest has the law Beta(j, n - j + 1).
    above = stats.beta(ranks, n - ranks + 1)
    inner = max([0, *ranks[above.cdf(x) >= 1 - alpha]])
    outer = min([n + 1, *ranks[above.sf(x) >= 1 - alpha]])
    low = stats.beta(inner - 1, n - inner + 2).ppf(alpha) if inner > 1 else 0.0
    high = stats.beta(outer + 1, n - outer).ppf(1 - alpha) if outer < n else 1.0
    assert band == pytest.approx((low, high), rel=1e-9)


# --- The difference of two areas under the curve, against all pairs -------------------------------


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_it_is_the_count_over_all_pairs_and_delongs_variance(digits):
    rng = np.random.default_rng(digits)
    flags = rng.random(300) < 0.4
    one = np.round(rng.standard_normal(300) + flags, digits)
    two = np.round(one + rng.standard_normal(300), digits)
    first, second = (np.sign(np.subtract.outer(s[flags], s[~flags])) / 2 for s in (one, two))
    apart = first - second
    rows, columns = apart.mean(axis=1), apart.mean(axis=0)
    reach = 1.959963984540054 * (rows.var(ddof=1) / rows.size + columns.var(ddof=1) / columns.size) ** 0.5
    found = game.auc_difference(one, two, flags)
    assert found.value == pytest.approx(apart.mean(), abs=1e-12)
    assert [found.high - found.value, found.value - found.low] == pytest.approx([reach] * 2, rel=1e-9)


def test_what_is_thin_is_said():
    flags, scores = np.arange(20) < 10, np.arange(20.0)
    assert "alike" in game.auc_difference(scores, 2 * scores, flags).warning
    assert "rough" in game.auc_difference(scores, np.roll(scores, 3), flags).warning
    refused("^other = ", game.auc_difference, scores, scores[:5], flags)
    infinite = np.where(scores > 15, np.inf, scores)
    assert np.isfinite(game.auc_difference(infinite, scores, flags).value)


def test_marks_and_guesses_are_checked():
    rng = np.random.default_rng(0)
    scores, flags = rng.standard_normal(60), np.arange(60) < 30
    for message, more in (
        ("^canary = .*there is one", {"canary": np.zeros(60, bool)}),
        ("^guesses = 3: must be given with canary", {"guesses": 3}),
        ("^fprs = .*from 1 to 100", {"fprs": []}),
    ):
        refused(message, audit.audit_scores, scores, flags, rng, **more)
    assert "negate them" in str(audit.audit_scores(-scores - flags, flags, rng))


# --- Lower bounds on epsilon: reference values, coverage, planted violations ------------------------


def test_reference_bounds_and_limits():
    for (tp, fn, fp, tn), bound in {
        (45, 5, 1, 49): 1.9938226342084749182,
        (90, 10, 1, 99): 2.71644515,
        (50, 0, 0, 50): 2.5695846830164916244,
    }.items():
        assert epsilon_lower_bound(tp, fn, fp, tn) == pytest.approx(bound, rel=1e-8)
        assert epsilon_lower_bound(tn, fp, fn, tp) == pytest.approx(bound, rel=1e-8), "mirrored"
    assert epsilon_from_rates(0.0, 0.0) == epsilon_from_rates(1.0, 1.0) == 0.0
    assert epsilon_from_rates(0.5, 0.0) == math.inf
    assert epsilon_from_rates(0.5, 0.0, 0.5) == pytest.approx(0.0, abs=1e-15)
    assert epsilon_from_rates(1e-300, 1e-308) == pytest.approx(math.log(1e8), rel=1e-12)
    assert epsilon_from_rates([0.9, 0.5], [0.01, 0.5]).tolist() == [math.log(0.9) - math.log(0.01), 0]


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0, 0.5))
def test_the_bound_is_the_smallest_epsilon_that_allows_the_attack(one, other, delta):
    # The attacker that says the opposite mirrors the region; one of the two is above the diagonal.
    tpr, fpr = max(one, other), min(one, other)
    epsilon = epsilon_from_rates(tpr, fpr, delta)
    assert tradeoff.dp_tpr(fpr, epsilon, delta) >= tpr - 1e-12
    if epsilon > 1e-6:
        assert tradeoff.dp_tpr(fpr, epsilon * (1 - 1e-6), delta) < tpr


@given(st.floats(0.01, 0.999), st.floats(0.001, 0.9), st.floats(0, 0.3))
def test_two_steps_solve_group_privacy(tpr, fpr, delta):
    epsilon = epsilon_from_rates(tpr, fpr, delta, steps=2)
    assert epsilon <= epsilon_from_rates(tpr, fpr, delta) / 2 + 1e-12
    doubled = min(1.0, (1 + math.exp(epsilon)) * delta)
    assert tradeoff.dp_tpr(fpr, 2 * epsilon, doubled) >= tpr - 1e-9
    if epsilon > 1e-6 and doubled < 1:
        less = epsilon * (1 - 1e-5)
        assert epsilon_from_rates(tpr, fpr, (1 + math.exp(less)) * delta) > 2 * less


def test_the_best_threshold_reaches_its_mechanisms_epsilon():
    for mu, delta, best, epsilon in (
        (1.0, 1e-5, 4.8771780956812246277, 4.3771780956812246277),
        (3.0, 1e-2, 5.0819335816451909273, 10.745800744935572782),
    ):
        attack = game.TracingAttack(1, 1, 1 / mu)
        threshold = attack.best_threshold(delta)
        assert threshold * mu == pytest.approx(best, rel=1e-9)
        assert attack.certified_epsilon(threshold, delta) == pytest.approx(epsilon, rel=1e-9)


def by_split(scores, member, delta, rng):
    return certify_epsilon(scores, member, rng, delta, 0.9).epsilon


def by_band(scores, member, delta, rng):
    return game.roc(scores, member).epsilon_lower_bound(delta, 0.9)


@pytest.mark.parametrize("bound", [by_split, by_band])
@pytest.mark.parametrize(("mu", "games"), [(0.3, 500), (1.0, 2000)])
def test_a_certificate_is_wrong_no_more_often_than_it_says(bound, mu, games):
    delta, runs, above = 1e-5, 300, 0
    truth = float(tradeoff.gaussian_epsilon(delta, sigma=1 / mu))
    rng = np.random.default_rng(41)
    for _ in range(runs):
        member = rng.random(games) < 0.5
        above += bound(rng.standard_normal(games) + mu * member, member, delta, rng) > truth
    assert above / runs <= 0.1 + 3 * math.sqrt(0.09 / runs)


def test_certificate_says_what_it_rests_on():
    rng = np.random.default_rng(0)
    member = np.arange(200) < 100
    bound = certify_epsilon(member * 1.0, member, rng)
    assert (bound.tp, bound.fn, bound.fp, bound.tn) == (70, 0, 0, 70)
    assert bound.chosen_on == 60
    assert bound.epsilon == epsilon_lower_bound(70, 0, 0, 70)


# --- Bugs of other libraries, each as a test that the bug would fail ------------------------------


def test_no_negative_epsilon():
    """``np.max(x, 0)``, meant as a maximum with 0, takes an axis: negative bounds got through."""
    assert epsilon_from_rates([0.01, 0.5, 0.1], [0.9, 0.5, 0.1], 0.2).tolist() == [0.0, 0.0, 0.0]
    assert epsilon_lower_bound([1, 40], [99, 60], [1, 41], [99, 59]).tolist() == [0.0, 0.0]
    assert game.TracingAttack(1, 1, 100.0).certified_epsilon([0.0, 50.0], 0.4).tolist() == [0.0, 0.0]
    assert game.roc([1.0, 2.0, 1.0, 2.0], [0, 0, 1, 1]).epsilon_lower_bound() == 0.0
    assert certify_epsilon([1.0] * 9, [0, 1] * 4 + [0], np.random.default_rng(0)).epsilon == 0.0


def test_scores_are_used_as_they_stand():
    """Statistics of rounded scores, thresholds of exact ones: counts that fit neither."""
    rng = np.random.default_rng(11)
    member = rng.random(500) < 0.5
    scores = (rng.standard_normal(500) + member) * 1e-9 + 1.0
    assert game.roc(scores, member).thresholds.size == np.unique(scores).size
    assert certify_epsilon(scores, member, np.random.default_rng(1)).threshold in scores


def test_a_release_that_never_moves_still_has_some_noise():
    still = mip.scale_from_fits([[0.0], [1.0], [0.5]], np.full((300, 1), 0.5), 0.3, confidence=0.9)
    assert 0 < still.scale < 1e-20


def test_gaussian_noise_for_a_tiny_promise():
    """The old 1/2 + eta lost the digits of eta: 10% too little noise at 1e-16."""
    for eta in (1e-17, 1e-16, 1e-13, 1e-10):
        # Phi^-1(1/2 + eta) is eta sqrt(2 pi) to third order.
        found = mip.gaussian_sigma_for_mip(1.0, eta)
        assert found == pytest.approx(1 / (eta * np.sqrt(2 * np.pi)), rel=1e-14)
    assert stats.norm.cdf(1 / mip.gaussian_sigma_for_mip(1.0, 1e-3)) - 0.5 == pytest.approx(1e-3, rel=1e-12)
