"""From scores to a report on canaries and on records, valid and useful; runs on digits, stored and anew."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import audit
from mipbook.audit import examples as stored
from mipbook.audit import likelihoods
from mipbook.audit.examples import ATTACKED, ATTACKED_SIGMAS, ATTACKS, MEASURES
from mipbook.game import certify_epsilon, roc
from mipbook.stored import load
from mipbook.stored.trained import promised
from studies import attacked as run
from studies import canaries as study


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
    assert ("training runs", "1000") in many.rows()
    # Two rates, one on each side, on what a chosen threshold leaves, prove less.
    rates = certify_epsilon(scores, included, np.random.default_rng(0), 1e-5)
    assert rates.epsilon < many.epsilon


def test_guesses_that_cannot_be_are_named():
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


# --- The last model's exact epsilon, and what is stored of runs on digits with canaries -------------


def test_the_last_model_reference_values():
    for sigma, known in ((0.7, 15.674), (1.0, 9.4966), (2.0, 3.9281), (4.0, 1.7442)):
        assert audit.last_model_epsilon(sigma, 0.1, 300, 1e-5) == pytest.approx(known, abs=1e-3)
    assert audit.last_model_epsilon(1.0, 0.1, 300, 1.0) == 0.0
    assert audit.last_model_epsilon(100.0, 1e-9, 1, 1e-5) == 0.0
    with pytest.raises(ValueError, match="such that epsilon is at most 700"):
        audit.last_model_epsilon(0.1, 0.9, 50, 1e-5)


def test_a_reduced_run_repeats_the_stored_numbers():
    again = study._trained({**stored.TRAINED, "sigmas": (1.0,), "repeats": 1})
    kept = load("canaries_digits").arrays
    at = stored.TRAINED["sigmas"].index(1.0)
    assert np.abs(again["right"][0] - kept["right"][at, :1].astype(int)).max() <= 3
    assert again["measured"][0] == pytest.approx(kept["measured"][at, :1], abs=0.2)


def test_a_reduced_table_repeats_the_stored_numbers():
    settings = {**stored.TABLE, "canaries": (300,), "guessed": (0.2,), "right": (60, 80, 100)}
    again = study._proofs(settings)["epsilon"][0, 0]
    kept = stored.proof_table(300, 0.2)
    for row, method in zip(again, stored.METHODS, strict=True):
        assert row == pytest.approx(getattr(kept, method)[[10, 30, 50]], abs=1e-9)


def test_no_stored_audit_exceeds_what_the_model_can_tell():
    for at, sigma in enumerate(stored.TRAINED["sigmas"]):
        truth = audit.last_model_epsilon(sigma, 0.1, 300, 1e-5)
        for guessed in stored.TRAINED["guessed"]:
            found = stored.digit_audit(guessed)
            assert max(values[at].max() for values in found.epsilon.values()) < truth


# --- The stored attacks on networks trained with clip and noise on digits -------------------------


def test_measures_are_those_of_the_roc_curve():
    rng = np.random.default_rng(0)
    included = rng.random((5, 900)) < 0.5
    scores = rng.standard_normal((5, 900)) + 0.7 * included
    curves = [roc(row, bits) for row, bits in zip(scores, included, strict=True)]
    called = [curve.confusion(1e-12) for curve in curves]
    told = [(c.auc, c.tpr_at(0.01), (s.tpr + 1 - s.fpr) / 2) for c, s in zip(curves, called, strict=True)]
    assert run._measured(scores, included) == pytest.approx(np.mean(told, axis=0))


def test_the_jackknife_of_a_mean_is_its_standard_error(monkeypatch):
    monkeypatch.setattr(run, "_every_attack", lambda scores, included: scores.mean(axis=0))
    scores = np.random.default_rng(1).standard_normal((40, 3))
    found = run._jackknife(scores, scores > 0)
    assert found == pytest.approx(1.96 * scores.std(axis=0, ddof=1) / np.sqrt(40))


def test_models_see_the_digits_that_their_coins_say():
    scores, included, right = run.shadow_table(ATTACKED, 0.0, 2.0, models=2)
    assert (scores == run.shadow_table(ATTACKED, 0.0, 2.0, models=2)[0]).all()
    assert 0.4 < included.mean() < 0.6
    assert (right == (scores > 0)).mean() > 0.97  # above one half is surely the largest
    assert right[included].mean() > right[~included].mean()
    assert (run.shadow_table(ATTACKED, 0.0, 2.0, 2, part=1)[1] != included).any()


def test_a_smaller_run_falls_near_the_stored_one():
    few = {**ATTACKED, "sigmas": (0.0,), "learning rates": (2.0,), "models": 32}
    again, kept = run.attacked_digits(few), stored.attacked()
    for i, attack in enumerate(ATTACKS):
        gap = np.abs(again["found"][0, i, 0] - kept.found[attack][0, 0])
        # Half as many shadow models find less; one learning rate was tried, not three.
        assert gap <= again["half"][0, i, 0] + kept.half_width[attack][0, 0] + 0.03
    assert again["accuracy"][0, 0] == pytest.approx(kept.accuracy[0], abs=0.02)


def test_no_attack_passes_the_promise():
    found = stored.attacked()
    for place, sigma in enumerate(ATTACKED_SIGMAS):
        allowed = promised(sigma)
        for attack in ATTACKS:
            least = found.found[attack][:, place] - found.half_width[attack][:, place]
            assert least[MEASURES.index("TPR at 1%")] <= allowed.tpr
            assert least[MEASURES.index("right above 0")] <= allowed.accuracy
    online, one = found.found["LiRA online"][0], found.found["one threshold"][0]
    assert online[0] > one[0] + 0.05
    assert online[-1] < online[0]
