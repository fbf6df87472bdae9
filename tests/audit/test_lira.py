"""LiRA from arrays of shadow models' scores."""

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import audit
from mipbook.audit import likelihoods


def _game(models, records, rng, shift=1.0):
    included = rng.random((models, records)) < 0.5
    level, width = rng.normal(0, 3, records), rng.uniform(0.5, 2, records)
    noise = rng.standard_normal((models, records)) * width
    return level + shift * included + noise, included


def test_each_record_is_judged_by_two_normal_densities():
    rng = np.random.default_rng(0)
    scores, included = _game(30, 7, rng)
    target = rng.normal(0, 3, 7)
    found = audit.lira_scores(scores, included, target, variance="each")
    offline = audit.lira_scores(scores, included, target, method="offline", variance="each")
    for i in range(7):
        inside, outside = scores[included[:, i], i], scores[~included[:, i], i]
        ratio = stats.norm.logpdf(target[i], inside.mean(), inside.std(ddof=1))
        ratio -= stats.norm.logpdf(target[i], outside.mean(), outside.std(ddof=1))
        assert found[i] == pytest.approx(ratio)
        away = (target[i] - outside.mean()) / outside.std(ddof=1)
        assert offline[i] == pytest.approx(away)


def test_pooling_takes_the_variance_about_each_records_own_mean():
    rng = np.random.default_rng(1)
    scores, included = _game(20, 5, rng)
    found = audit.lira_scores(scores, included, scores[0], method="offline")
    squares = [
        ((scores[~included[:, i], i] - scores[~included[:, i], i].mean()) ** 2).sum() for i in range(5)
    ]
    free = sum((~included[:, i]).sum() - 1 for i in range(5))
    width = np.sqrt(sum(squares) / free)
    means = np.array([scores[~included[:, i], i].mean() for i in range(5)])
    assert found == pytest.approx((scores[0] - means) / width)


@pytest.mark.parametrize("method", likelihoods.LIRA_METHODS)
@pytest.mark.parametrize("variance", likelihoods.LIRA_VARIANCES)
def test_in_turn_is_each_model_by_the_others(method, variance):
    rng = np.random.default_rng(2)
    scores, included = _game(24, 40, rng)
    rows = likelihoods.lira_in_turn(scores, included, method=method, variance=variance)
    for model in (0, 7, 23):
        rest = np.arange(24) != model
        alone = audit.lira_scores(
            scores[rest], included[rest], scores[model], method=method, variance=variance
        )
        assert rows[model] == pytest.approx(alone, rel=1e-8)


def test_shadows_that_all_agree_do_not_divide_by_zero():
    included = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    scores = np.where(included, 2.0, 1.0)
    for method in likelihoods.LIRA_METHODS:
        for variance in likelihoods.LIRA_VARIANCES:
            found = audit.lira_scores(scores, included, [2.0, 1.0], method=method, variance=variance)
            assert np.isfinite(found).all()
            assert found[0] > found[1]


def test_refusals_name_what_is_wrong():
    scores, included = np.zeros((4, 2)), np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    refused("target = .of shape", audit.lira_scores, scores, included, [0.0])
    refused(r"included = .of shape \(3, 2\)", audit.lira_scores, scores, included[:3], [0.0, 0.0])
    refused("1 models without record 0", audit.lira_scores, scores, included, [0.0, 0.0], variance="each")
    refused("0 models without record 0", likelihoods.lira_in_turn, scores, included)
    refused("0 and 1", audit.lira_scores, scores, included / 2, [0.0, 0.0])
    refused("method", audit.lira_scores, scores, included, [0.0, 0.0], method="both")
