"""The stored simulations of the PMP paper: run again in part, and counted by other means."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mipbook import mip, pmp, tradeoff
from mipbook.stored import pmp as runs
from studies.pmp import growth_point, scaling_point

EXPONENTIAL = [
    (runs.FIGURE_1, {"n": 6, "clip": 10.0, "epsilon": 5.0}, {"sigma": 1.0}),
    (runs.FIGURE_1, {"n": 4, "clip": 50.0, "epsilon": 10.0}, {"sigma": 3.0}),
    (runs.FIGURE_2, {"n": 6, "outliers": 2, "factor": 100.0, "epsilon": 10.0}, {"clip": 50.0}),
    (runs.FIGURE_2, {"n": 4, "outliers": 4, "factor": 10.0, "epsilon": 2.0}, {"clip": 1.0}),
    (runs.FIGURE_3, {"n": 6, "objects": 10, "clip": 10.0, "epsilon": 2.0}, {"dimension": 100}),
    (runs.FIGURE_3, {"n": 4, "objects": 32, "clip": 50.0, "epsilon": 5.0}, {"dimension": 2}),
]


def again(simulation, case, trial, **extra):
    """Run one trial of a stored simulation again."""
    rng = np.random.default_rng((simulation.seed, trial))
    return simulation.trial(**simulation.fixed, **case, **extra, rng=rng)


@pytest.mark.parametrize(("simulation", "case", "at"), EXPONENTIAL)
def test_trials_of_the_exponential_mechanism_repeat(simulation, case, at):
    case = {**case, **at}
    for trial in (0, 4):
        found = again(simulation, case, trial, subset=True)
        assert simulation.read("pmp", **case)[trial] == pytest.approx(found.pmp, rel=1e-9)
        assert simulation.read("exact", **case)[trial] == pytest.approx(found.subset, rel=1e-9)
        pool = {name: value for name, value in case.items() if name != "epsilon"}
        share = simulation.read("share", **pool)[trial]
        assert share == pytest.approx(found.surrogate / found.epsilon, rel=1e-9)
    last = again(simulation, case, simulation.trials - 1)
    assert simulation.read("pmp", **case)[-1] == pytest.approx(last.pmp, rel=1e-9)
    # Another trial is not close at all: the tolerance means something.
    assert simulation.read("pmp", **case)[-2] != pytest.approx(last.pmp, rel=1e-3)


@pytest.mark.parametrize(("simulation", "case", "at"), EXPONENTIAL)
def test_trials_of_the_exponential_mechanism_are_counted_half_by_half(simulation, case, at):
    """No shortcut: the law of the mechanism on every half, and on every pair of neighbours."""
    case = {**case, **at}
    setting = {"factor": 100.0, **simulation.fixed, **case}
    n, clip = setting["n"], setting["clip"]
    names = ("n", "dimension", "objects", "sigma", "clip", "outliers", "factor")
    rng = np.random.default_rng((simulation.seed, 1))
    pool = pmp.draw_pool(*(setting[name] for name in names), rng)
    halves = mip.subsets(2 * n)
    means = halves @ np.linalg.norm(pool.values[:, None] - pool.objects, axis=2) / n
    near = np.argwhere(np.triu((halves[:, None] != halves).sum(axis=2) == 2))
    # The paper's eps(X) is held: eps times the pool's largest change over that of all data.
    scale = setting["epsilon"] / abs(np.diff(means[near], axis=1)).max() / 2
    table = np.exp(-scale * (means - means.min(axis=1, keepdims=True)))
    table /= table.sum(axis=1, keepdims=True)
    odds = abs(np.log((halves.T @ table) / (~halves.T @ table))).max()
    assert simulation.read("pmp", **case)[1] == pytest.approx(odds, rel=1e-9)
    known = abs(np.diff(np.log(table)[near], axis=1)).max()
    assert simulation.read("exact", **case)[1] == pytest.approx(known, rel=1e-9)
    share = setting["epsilon"] / (2 * scale * (clip + 1) / n)
    others = {name: value for name, value in case.items() if name != "epsilon"}
    assert simulation.read("share", **others)[1] == pytest.approx(share, rel=1e-9)


def test_growing_pools_are_what_all_halves_say():
    for pool, settings in runs.POOLS.items():
        points = runs.growth(pool)
        assert points.shape == (len(runs.SIZES), 5)
        for n in (2, 4, 6):
            value, low, high, cap, odds = points[runs.SIZES.index(n)]
            assert low == value == high <= cap
            np.testing.assert_allclose(growth_point(pool, n), [value, low, high, cap, odds], rtol=1e-9)
            rng = np.random.default_rng((11, n))
            names = ("dimension", "objects", "clip", "outliers")
            dimension, objects, clip, outliers = (settings[name] for name in names)
            drawn = pmp.draw_pool(n, dimension, objects, 1.0, clip, outliers, 100.0, rng)
            halves = np.array([np.isin(np.arange(2 * n), h) for h in combinations(range(2 * n), n)])
            changes = np.ptp(drawn.losses, axis=0).max() / n
            logs = -settings["held"] / (2 * changes) * (halves @ drawn.losses) / n
            table = np.exp(logs - logs.max(axis=1, keepdims=True))
            table /= table.sum(axis=1, keepdims=True)
            exact = abs(np.log((halves.T @ table) / (~halves.T @ table))).max()
            assert value == pytest.approx(exact, rel=1e-9)


def test_estimates_of_growing_pools_are_repeated_and_tell_their_interval():
    for pool in ("outliers", "five dimensions"):
        for n in (25, 500):
            value, low, high, cap, _ = runs.growth(pool)[runs.SIZES.index(n)]
            assert low < value < high
            assert value <= cap
    again = growth_point("five dimensions", 25)
    stored = runs.growth("five dimensions")[runs.SIZES.index(25)]
    np.testing.assert_allclose(again, stored, rtol=1e-6)


def test_the_scaling_of_the_bound_repeats():
    for epsilon in (0.5, 10.0):
        means = runs.scaling(epsilon)
        for n in (1, 6, 50):
            points = [scaling_point(n, epsilon, seed) for seed in range(runs.SCALING_POOLS)]
            at = runs.SCALING_SIZES.index(n)
            np.testing.assert_allclose(means[at], np.mean(points, axis=0), rtol=1e-6)
        assert means[0] == pytest.approx([epsilon] * 3, rel=1e-6)
        assert (means[:, 1] <= means[:, 0] * (1 + 1e-9)).all()


def test_what_is_not_stored_is_refused():
    with pytest.raises(ValueError, match=r"^clip = 11\.0: must be"):
        runs.FIGURE_1.read("pmp", clip=11.0)


def test_quotients_need_no_more_than_the_stored_trials():
    case = {"n": 6, "clip": 10.0, "epsilon": 5.0}
    ours, overall, exact = runs.exponential_quotients(runs.FIGURE_1, "attained", 30, **case)
    wider = runs.exponential_quotients(runs.FIGURE_1, "triangle", 30, **case)
    np.testing.assert_array_equal(ours, wider[0])
    np.testing.assert_allclose(overall / wider[1], 20 / 11, rtol=1e-12)
    trial = again(runs.FIGURE_1, {**case, "sigma": 0.5}, 2, subset=True)
    row = runs.FIGURE_1.axes["sigma"].index(0.5)
    for quotients, known in ((ours, trial.surrogate), (overall, trial.epsilon)):
        assert quotients[row, 2] == pytest.approx(trial.pmp / known, rel=1e-9)
    assert exact[row, 2] == pytest.approx(trial.pmp / trial.subset, rel=1e-9)


@pytest.mark.parametrize(("n", "noise", "place"), [(1, 0.5, 6.0), (6, 1.0, 2.0), (25, 2.0, 0.0)])
def test_the_ladder_repeats_and_delivers_delta(n, noise, place):
    stored, again = (f(n, noise, place) for f in (runs.ladder, runs.rungs))
    assert stored[:-1] == pytest.approx(again[:-1], rel=1e-9)
    np.testing.assert_allclose(stored.areas, again.areas, rtol=1e-6, atol=1e-15)
    values = runs.ladder_pool(n, place)
    at = np.linspace(-60, 60, 40_001) + n * values.mean()
    inside, out = pmp.gaussian_densities(values, noise, 0, at)
    levels = [*runs.AREAS, stored.exact]
    areas = [np.trapezoid(np.maximum(inside - np.exp(e) * out, 0), at) for e in levels]
    np.testing.assert_allclose(areas[:-1], stored.areas, atol=1e-6)
    if stored.exact:
        assert areas[-1] == pytest.approx(runs.DELTA, abs=1e-5)
    # The attacker inside X: the record against the one farthest from it.
    far = abs(values - place).max()
    assert tradeoff.gaussian_delta(stored.inside, noise, far) == pytest.approx(0.01, rel=1e-6)
