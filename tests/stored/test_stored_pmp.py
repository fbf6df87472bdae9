"""The stored simulations of the PMP paper: run again in part, and counted by other means."""

import numpy as np
import pytest
from shared import refused

from mipbook import mip, pmp, tradeoff
from mipbook.base.rounding import mean_band
from mipbook.stored import pmp as runs
from mipbook.stored.pmp import AVERAGES, FEW, FIGURE_4, FIGURE_5, FIGURE_6, SEED

EXPONENTIAL = [
    (runs.FIGURE_1, 1.0, [("n", 5), ("dimension", 5), ("epsilon", 28.5), ("outliers", 3)]),
    (runs.FIGURE_2, 50.0, [("sigma", 10.0), ("factor", 3.0), ("objects", 5), ("outliers", 0)]),
    (runs.FIGURE_3, 20, [("n", 4), ("clip", 50.0), ("sigma", 0.1)]),
]
HELD = [*runs.HELD, ("surrogate", "triangle")]
BY_DAY = (("surrogate", "triangle"), ("epsilon", "attained"))
MARKED = [pytest.param(*each, marks=() if each in BY_DAY else pytest.mark.nightly) for each in HELD]


def counted(figure, case, trial, held, convention):
    """No shortcut: the law of the mechanism on every half, and on every pair of neighbours."""
    names = ("n", "dimension", "objects", "sigma", "clip", "outliers", "factor")
    pool = pmp.draw_pool(*(case[name] for name in names), np.random.default_rng((figure.seed, trial)))
    n = case["n"]
    halves = mip.subsets(2 * n)
    means = halves @ np.linalg.norm(pool.values[:, None] - pool.objects, axis=2) / n
    near = np.argwhere(np.triu((halves[:, None] != halves).sum(axis=2) == 2))
    widest = abs(np.diff(means[near], axis=1)).max()
    full = (case["clip"] + 1 if convention == "attained" else 2 * case["clip"]) / n
    nominal = case["epsilon"] * (full / widest if held == "surrogate" else 1)
    table = np.exp(-nominal / (2 * full) * (means - means.min(axis=1, keepdims=True)))
    table /= table.sum(axis=1, keepdims=True)
    odds = abs(np.log((halves.T @ table) / (~halves.T @ table))).max()
    known = abs(np.diff(np.log(table)[near], axis=1)).max()
    return odds, widest / full, known, nominal


@pytest.mark.parametrize(("held", "convention"), runs.HELD)
@pytest.mark.parametrize(("figure", "at", "_"), EXPONENTIAL)
def test_trials_at_the_papers_setting_are_counted_half_by_half(figure, at, _, held, convention):
    case, place = {**figure.paper, figure.along: at}, figure.stops.index(at)
    for trial in (0, 4, figure.trials - 1):
        odds, share, known, _ = counted(figure, case, trial, held, convention)
        for field, value in (("pmp", odds), ("share", share), ("exact", known)):
            stored = figure.read(field, held, convention)
            assert stored.shape == (len(figure.stops), figure.trials)
            assert stored[place, trial] == pytest.approx(value, rel=1e-6)
            # Another trial is not close at all: the tolerance means something.
            assert stored[place, trial - 2] != pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize(("held", "convention"), MARKED)
@pytest.mark.parametrize(("figure", "at", "varied"), EXPONENTIAL)
def test_what_is_varied_is_counted_half_by_half(figure, at, varied, held, convention):
    for name, value in varied:
        case, place = {**figure.paper, figure.along: at, name: value}, figure.stops.index(at)
        drawn = [counted(figure, case, trial, held, convention) for trial in range(figure.few)]
        over = [(e / (nominal * share), e / nominal, e / known) for e, share, known, nominal in drawn]
        *told, trials = figure.told(name, value, held, convention)
        assert trials == figure.few
        wanted = (*mean_band(np.transpose(over)), np.max(over, axis=0))
        np.testing.assert_allclose([each[:, place] for each in told], wanted, rtol=3e-4)


def test_many_records_are_estimates_near_what_is_counted():
    figure, place = runs.FIGURE_3, runs.FIGURE_3.stops.index(5)
    mean, half, _, trials = figure.told("n", 15, "surrogate", "attained")
    assert trials == 5
    assert np.isnan(mean[2, 1:]).all()  # the exact eps(X) is not counted there, but in one dimension
    case = {**figure.paper, "n": 13, "dimension": 5, "held": "surrogate"}
    (found,) = pmp.sweep(pmp.exponential_trial, [case], trials=5, seed=figure.seed)
    near = np.mean([trial.pmp for trial in found]) / figure.paper["epsilon"]
    assert near == pytest.approx(mean[0, place], abs=half[0, place])


def test_the_papers_setting_and_the_number_of_data_sets_are_read_from_its_own_trials():
    figure = runs.FIGURE_1
    over = figure.read("pmp") / 5.0
    for vary, value, count in (("n", 6, 100), ("trials", 12, 12), ("clip", 10.0, 100)):
        mean, _, worst, trials = figure.told(vary, value, "surrogate", "triangle")
        assert trials == count
        np.testing.assert_allclose(mean[0], over[:, :count].mean(axis=1), rtol=1e-12)
        np.testing.assert_allclose(worst[0], over[:, : figure.few].max(axis=1), rtol=1e-12)
    first, second, _ = runs.exponential_quotients(figure, "triangle", 100, n=6)
    np.testing.assert_allclose(second, first * figure.read("share") * 11 / 20, rtol=1e-12)
    # What is not stored is refused.
    refused("value = 31", figure.told, "n", 31, "surrogate", "attained")
    refused("vary = 'factor'", figure.told, "factor", 1.0, "surrogate", "attained")
    refused("n = 8", runs.exponential_quotients, figure, "attained", 5, n=8)


FIGURES = (FIGURE_4, FIGURE_5, FIGURE_6)
DRAWN = ("n", "dimension", "sigma", "clip", "outliers", "factor")
CASES = [(figure, name) for figure in FIGURES for name in (None, *figure.moved)]
READ = [("epsilon", "2C/n"), ("epsilon", "C/n"), ("subset", "C/n")]


@pytest.mark.parametrize(("held", "sensitivity"), READ)
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
    rows = tradeoff.gaussian_delta(trial.epsilon_pmp, trial.sigma, gaps).sum(axis=1) / (2 * n - 1)
    spent = np.append(tradeoff.gaussian_delta(trial[:2], trial.sigma, sizes), rows.max())
    np.testing.assert_allclose(spent[np.array(trial[:3]) > 0], delta, rtol=1e-6)
    assert (spent <= delta * (1 + 1e-6)).all()


def spent_on_average(values, clip, epsilon, found):
    """Return the mean over records of the delta at an epsilon, by the noise for another one."""
    sigma = tradeoff.gaussian_sigma(epsilon, delta=0.01, sensitivity=2 * clip / len(values))
    return pmp.gaussian_delta_bound(values, sigma, found, per_record=True).mean()


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_the_mean_over_records_spends_delta_on_average(figure):
    own = figure.own
    pool = pmp.gaussian_pool(*(own[name] for name in DRAWN), np.random.default_rng((SEED, 0))) / own["n"]
    worst, mean = (figure.read("epsilon", "C/n", average) for average in AVERAGES)
    found = mean.pmp[mean.at.index(own[figure.along]), 0]
    for factor, sign in ((1 + 2e-5, -1), (1 - 2e-5, 1)):
        assert (spent_on_average(pool, own["clip"], own["epsilon"], found * factor) - 0.01) * sign > 0
    assert (mean.pmp < worst.pmp).all()
    # Equal records count as often as they occur.
    values = np.repeat(np.random.default_rng(3).standard_normal((20, 2)), 2, axis=0) / 20
    found = pmp.gaussian_reading(values, 4.0, 5.0, pmp.READINGS[-1])[2]
    assert spent_on_average(values, 4.0, 5.0, found) == pytest.approx(0.01, rel=1e-4)


def test_more_pools_hold_the_fewer():
    few, many = (FIGURE_5.read("epsilon", pools=pools) for pools in (6, 30))
    np.testing.assert_array_equal(many.pmp[:, :6], few.pmp)
