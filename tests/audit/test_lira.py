"""LiRA from arrays of shadow models' scores."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from shared import refused

from mipbook import audit
from mipbook.audit import likelihoods

WAYS = list(product(likelihoods.LIRA_METHODS, likelihoods.LIRA_VARIANCES))


def played(models, records, rng):
    """Return scores and who was in, and each record's scores with and without it."""
    included = rng.random((models, records)) < 0.5
    level, width = rng.normal(0, 3, records), rng.uniform(0.5, 2, records)
    scores = level + included + rng.standard_normal((models, records)) * width
    split = [(scores[included[:, i], i], scores[~included[:, i], i]) for i in range(records)]
    return scores, included, split


def test_each_record_is_judged_by_two_normal_densities():
    rng = np.random.default_rng(0)
    scores, included, split = played(30, 7, rng)
    target = rng.normal(0, 3, 7)
    found = audit.lira_scores(scores, included, target, variance="each")
    offline = audit.lira_scores(scores, included, target, method="offline", variance="each")
    for i, sides in enumerate(split):
        inside, outside = (stats.norm(side.mean(), side.std(ddof=1)) for side in sides)
        assert found[i] == pytest.approx(inside.logpdf(target[i]) - outside.logpdf(target[i]))
        assert offline[i] == pytest.approx((target[i] - outside.mean()) / outside.std())


def test_pooling_takes_the_variance_about_each_records_own_mean():
    scores, included, split = played(20, 5, np.random.default_rng(1))
    found = audit.lira_scores(scores, included, scores[0], method="offline")
    means = np.array([outside.mean() for _, outside in split])
    squares = sum(((outside - outside.mean()) ** 2).sum() for _, outside in split)
    width = np.sqrt(squares / sum(outside.size - 1 for _, outside in split))
    assert found == pytest.approx((scores[0] - means) / width)


@pytest.mark.parametrize(("method", "variance"), WAYS)
def test_in_turn_is_each_model_by_the_others(method, variance):
    scores, included, _ = played(24, 40, np.random.default_rng(2))
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


def test_refusals_name_what_is_wrong():
    scores, included = np.zeros((4, 2)), np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    refused("target = .of shape", audit.lira_scores, scores, included, [0.0])
    refused(r"included = .of shape \(3, 2\)", audit.lira_scores, scores, included[:3], [0.0, 0.0])
    refused("1 models without record 0", audit.lira_scores, scores, included, [0.0, 0.0], variance="each")
    refused("0 models without record 0", likelihoods.lira_in_turn, scores, included)
    refused("0 and 1", audit.lira_scores, scores, included / 2, [0.0, 0.0])
