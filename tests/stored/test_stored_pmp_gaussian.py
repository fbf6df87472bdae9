"""Figures 4 to 6 of the PMP paper: what is stored is what single trials and another way give."""

import numpy as np
import pytest
from scipy import optimize

from mipbook import pmp, tradeoff
from mipbook.stored.pmp_gaussian import AVERAGES, FEW, FIGURE_4, FIGURE_5, FIGURE_6, SEED

FIGURES = (FIGURE_4, FIGURE_5, FIGURE_6)
DRAWN = ("n", "dimension", "sigma", "clip", "outliers", "factor")
CASES = [(figure, name) for figure in FIGURES for name in (None, *figure.moved)]


@pytest.mark.parametrize(
    ("held", "sensitivity"), [("epsilon", "2C/n"), ("epsilon", "C/n"), ("subset", "C/n")]
)
@pytest.mark.parametrize(("figure", "name"), CASES, ids=lambda case: getattr(case, "name", case))
def test_trials_repeat_and_deliver_delta(figure, name, held, sensitivity):
    moved = {name: figure.moved[name][2]} if name else {}
    setting, within = {**figure.own, **moved}, 3e-4 if name else 1e-6
    found = figure.read(held, sensitivity, **moved)
    assert found.pmp.shape == ((6, FEW) if name else (15, 20))
    place = found.at.index(figure.own[figure.along])
    stored = [side[place, 1] for side in (found.epsilon, found.subset, found.pmp)]
    rng, twin = (np.random.default_rng((SEED, 1)) for _ in range(2))
    trial = pmp.gaussian_trial(**setting, held=held, sensitivity=sensitivity, rng=rng)
    np.testing.assert_allclose(stored, trial[:3], rtol=within, atol=1e-12)
    # The noise delivers exactly delta: on all data, on the widest pair, on average over pairs.
    n, delta = setting["n"], setting["delta"]
    pool = pmp.gaussian_pool(*(setting[each] for each in DRAWN), twin)
    gaps = np.linalg.norm(pool[:, None] - pool, axis=2) / n
    sizes = np.array([{"2C/n": 2.0, "C/n": 1.0}[sensitivity] * setting["clip"] / n, gaps.max()])
    spent = tradeoff.gaussian_delta(trial[:2], trial.sigma, sizes)
    rows = tradeoff.gaussian_delta(trial.epsilon_pmp, trial.sigma, gaps).sum(axis=1) / (2 * n - 1)
    needed = np.array([*trial[:3]]) > 0
    np.testing.assert_allclose(np.array([*spent, rows.max()])[needed], delta, rtol=1e-6)
    assert (np.array([*spent, rows.max()]) <= delta * (1 + 1e-6)).all()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_mean_over_records_spends_delta_on_average(figure):
    own = figure.own
    pool = pmp.gaussian_pool(*(own[name] for name in DRAWN), np.random.default_rng((SEED, 0))) / own["n"]
    sigma = tradeoff.gaussian_sigma(own["epsilon"], 0.01, own["clip"] / own["n"])

    def over(epsilon):
        return pmp.gaussian_delta_bound(pool, sigma, epsilon, per_record=True).mean() - 0.01

    worst, mean = (figure.read("epsilon", "C/n", average) for average in AVERAGES)
    place = mean.at.index(own[figure.along])
    assert mean.pmp[place, 0] == pytest.approx(optimize.brentq(over, 0.0, 20.0), rel=2e-5)
    assert (mean.pmp < worst.pmp).all()


def test_the_mean_counts_equal_records_as_often_as_they_occur():
    values = np.repeat(np.random.default_rng(3).standard_normal((20, 2)), 2, axis=0) / 20
    reading = pmp.READINGS[-1]
    _, _, found = pmp.gaussian_reading(values, 4.0, 5.0, reading)
    sigma = tradeoff.gaussian_sigma(5.0, 0.01, 4.0 / 20)
    spent = pmp.gaussian_delta_bound(values, sigma, found, per_record=True).mean()
    assert spent == pytest.approx(0.01, rel=1e-4)


def test_more_pools_hold_the_fewer():
    few, many = (FIGURE_5.read("epsilon", pools=pools) for pools in (6, 30))
    np.testing.assert_array_equal(many.pmp[:, :6], few.pmp)


def test_a_value_that_is_not_stored_is_refused():
    with pytest.raises(ValueError, match="n = 37"):
        FIGURE_4.read("epsilon", n=37)
