"""From scores to a report on canaries, valid and useful, and to what shadow models say of records."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import audit
from mipbook.audit import likelihoods
from mipbook.game import certify_epsilon


def played(rng, m, mu):
    included = rng.random(m) < 0.5
    return rng.normal(mu * np.where(included, 0.5, -0.5)), included


def test_order_of_the_rows_plays_no_part():
    rng = np.random.default_rng(1)
    scores, included = played(rng, 300, 2.0)
    shuffled, order = rng.permutation(300), np.argsort(-scores, kind="stable")
    right = included[order[:30]].sum() + (~included[order[-30:]]).sum()
    assert audit.right_guesses(scores, included, 60) == right
    assert audit.right_guesses(scores[shuffled], included[shuffled], 60) == right
    # Equal scores tell nothing although the rows are sorted.
    equal = np.zeros(1000), np.arange(1000) < 500, 100
    refused("rng", audit.right_guesses, *equal)
    assert 48 < np.mean([audit.right_guesses(*equal, rng=rng) for _ in range(200)]) < 52


def test_one_run_is_valid_and_useful_on_randomised_response():
    rng, epsilon, refuted, found = np.random.default_rng(3), 1.0, 0, []
    for _ in range(150):
        included = rng.random(600) < 0.5
        said = included ^ (rng.random(600) > 1 / (1 + np.exp(-epsilon)))
        report = audit.one_run(1.0 * said, included, delta=0.0, guesses=200, rng=rng)
        refuted += report.epsilon > epsilon
        found.append(report.epsilon)
    # The risk is 5%, and so large a count would have a chance of 1e-4 at it.
    assert refuted <= stats.binom.ppf(1 - 1e-4, 150, 0.05)
    assert refuted >= 2
    assert 0.6 < np.median(found) < 1.0


def test_several_numbers_share_the_risk():
    scores, included = played(np.random.default_rng(5), 1000, 1.5)
    alone = [audit.one_run(scores, included, guesses=r).epsilon for r in (100, 300)]
    shared = audit.one_run(scores, included, guesses=[300, 100])
    each = [audit.one_run(scores, included, guesses=r, confidence=0.975) for r in (100, 300)]
    assert shared.epsilon == pytest.approx(max(e.epsilon for e in each), abs=1e-9)
    assert shared.epsilon < max(alone)
    assert shared.tried == (100, 300)
    for m, guesses in ((10, 10), (100, 30), (1000, 200)):
        assert audit.one_run(*played(np.random.default_rng(6), m, 3.0)).guesses == guesses


def test_report_says_what_it_rests_on():
    scores, included = played(np.random.default_rng(7), 1000, 1.5)
    report = audit.one_run(scores, included)
    text = str(report)
    assert f"{report.right} of 200, on 1000 canaries" in text
    assert text.startswith(f"Report: {report.headline()}\n")
    assert "mu, if the run is Gaussian DP" in text
    assert report.notes == ()
    told = report.right, 200, report.epsilon, report.delta, 1000
    assert audit.canary_p_value(*told) == pytest.approx(0.05, rel=1e-6)
    skewed = audit.one_run(scores, np.arange(1000) < 565)
    assert "fair tosses" in skewed.notes[0]


def test_tosses_that_cannot_be_fair_prove_nothing():
    """All canaries in, and all called in: every guess is right, and no model was looked at."""
    rng = np.random.default_rng(3)
    for canaries, included in ((100, 100), (100, 0), (1000, 700), (32, 32)):
        flags = np.arange(canaries) < included
        allowed = rf"^included = '{included} of {canaries}': .*fair"
        refused(allowed, audit.one_run, rng.random(canaries), flags)
    # As many heads as fair tosses give once in ten million times are only doubted.
    assert audit.one_run(rng.random(24), np.ones(24, dtype=bool)).notes


def test_many_runs_prove_what_one_run_proves():
    scores, included = played(np.random.default_rng(8), 1000, 1.0)
    one = audit.one_run(scores, included)
    many = audit.many_runs(scores, included)
    assert (many.epsilon, many.mu) == (one.epsilon, one.mu)
    assert ("training runs", "1") in one.rows()
    assert ("training runs", "1000") in many.rows()
    # Two rates, one on each side, on what a chosen threshold leaves, prove less.
    rates = certify_epsilon(scores, included, np.random.default_rng(0), 1e-5)
    assert rates.epsilon < many.epsilon


def test_bad_input_is_named():
    for name, bad in (("scores", [1.0, np.nan]), ("included", [1, 2]), ("included", [True])):
        refused(rf"\b{name}\b", audit.one_run, **{"scores": [1.0, 2.0], "included": [True, False], name: bad})
    for bad in (3, 0, [1.5]):
        refused(r"\bguesses\b", audit.one_run, [1.0, 2.0], [True, False], guesses=bad)


# --- LiRA from arrays of shadow models' scores ------------------------------------------------------

WAYS = list(product(likelihoods.LIRA_METHODS, likelihoods.LIRA_VARIANCES))


def shadows(models, records, rng):
    """Return scores and who was in, and each record's scores with and without it."""
    included = rng.random((models, records)) < 0.5
    level, width = rng.normal(0, 3, records), rng.uniform(0.5, 2, records)
    scores = level + included + rng.standard_normal((models, records)) * width
    split = [(scores[included[:, i], i], scores[~included[:, i], i]) for i in range(records)]
    return scores, included, split


def test_each_record_is_judged_by_two_normal_densities():
    rng = np.random.default_rng(0)
    scores, included, split = shadows(30, 7, rng)
    target = rng.normal(0, 3, 7)
    found = audit.lira_scores(scores, included, target, variance="each")
    offline = audit.lira_scores(scores, included, target, method="offline", variance="each")
    for i, sides in enumerate(split):
        inside, outside = (stats.norm(side.mean(), side.std(ddof=1)) for side in sides)
        assert found[i] == pytest.approx(inside.logpdf(target[i]) - outside.logpdf(target[i]))
        assert offline[i] == pytest.approx((target[i] - outside.mean()) / outside.std())


def test_pooling_takes_the_variance_about_each_records_own_mean():
    scores, included, split = shadows(20, 5, np.random.default_rng(1))
    found = audit.lira_scores(scores, included, scores[0], method="offline")
    means = np.array([outside.mean() for _, outside in split])
    squares = sum(((outside - outside.mean()) ** 2).sum() for _, outside in split)
    width = np.sqrt(squares / sum(outside.size - 1 for _, outside in split))
    assert found == pytest.approx((scores[0] - means) / width)


@pytest.mark.parametrize(("method", "variance"), WAYS)
def test_in_turn_is_each_model_by_the_others(method, variance):
    scores, included, _ = shadows(24, 40, np.random.default_rng(2))
    how = {"method": method, "variance": variance}
    rows = likelihoods.lira_in_turn(scores, included, **how)
    for model in (0, 7, 23):
        rest = np.arange(24) != model
        alone = audit.lira_scores(scores[rest], included[rest], scores[model], **how)
        assert rows[model] == pytest.approx(alone, rel=1e-8)


def test_shadows_that_all_agree_do_not_divide_by_zero():
    included = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    for method, variance in WAYS:
        how = {"method": method, "variance": variance}
        found = audit.lira_scores(np.where(included, 2.0, 1.0), included, [2.0, 1.0], **how)
        assert np.isfinite(found).all()
        assert found[0] > found[1]


def test_lira_names_what_is_wrong():
    scores, included = np.zeros((4, 2)), np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    refused("target = .of shape", audit.lira_scores, scores, included, [0.0])
    refused(r"included = .of shape \(3, 2\)", audit.lira_scores, scores, included[:3], [0.0, 0.0])
    refused("1 models without record 0", audit.lira_scores, scores, included, [0.0, 0.0], variance="each")
    refused("0 models without record 0", likelihoods.lira_in_turn, scores, included)
    refused("0 and 1", audit.lira_scores, scores, included / 2, [0.0, 0.0])
