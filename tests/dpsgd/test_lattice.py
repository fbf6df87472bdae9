"""Pairs on a lattice: below and above the curve of a step, and so are sums of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.special import ndtr

from mipbook import dpsgd
from mipbook.dpsgd import accountant, contour, lattice
from mipbook.dpsgd.contour import training_delta
from mipbook.dpsgd.lattice import Lattice, above, below
from mipbook.dpsgd.step import Law, Training
from mipbook.dpsgd.sums import Sums, planned

PLANS = ((1, 1, -30), (0.1, 3, -8), (0.6, 1, -1), (7, 1, -30), (900, 1, -300))
SETTINGS = [(0.1, 1.0), (0.9, 0.4), (1.0, 2.0), (1e-4, 0.5), (1e-6, 0.1), (0.01, 300.0)]


def hockey(one: Lattice, epsilon: float) -> float:
    return float(one.masses @ np.maximum(-np.expm1(epsilon - one.losses), 0.0))


def truth(law: Law, epsilon: float, mirrored: bool) -> float:
    """Return the hockey-stick of a step by the closed chances of one side of a place."""
    t = law.training
    x = float(law.places(np.array([-epsilon if mirrored else epsilon]))[0])
    if mirrored:
        first, second = law.below(x)
        return second - np.exp(epsilon) * first
    second = (1 - t.sampling) * ndtr(-x / t.sigma)
    second += t.sampling * ndtr((-x - t.replaced) / t.sigma)
    return law.above(x) - np.exp(epsilon) * float(second)


@pytest.mark.parametrize(("coarse", "tail"), [(0.02, 1e-14), (0.3, 1e-3), (3.0, 1e-14)])
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(("q", "sigma"), SETTINGS)
def test_the_curve_of_a_step_lies_between_the_two_lattices(q, sigma, replaced, coarse, tail):
    training = Training(q, sigma, 1, replaced)
    law, width = Law(training), coarse * training.remove.spread
    high, low = above(law, width, tail), below(law, width, tail)
    assert high.masses.sum() + high.beyond == pytest.approx(1.0, abs=1e-12)
    for mirrored in (False,) if replaced else (False, True):
        up, down = (one.mirrored() if mirrored else one for one in (high, low))
        for epsilon in np.concatenate([[0.0], np.geomspace(0.01, 30.0, 25) * width / coarse]):
            known = truth(law, float(epsilon), mirrored)
            room = 1e-13 + 1e-9 * known
            assert hockey(down, epsilon) - down.beyond <= known + room
            assert known <= hockey(up, epsilon) + up.beyond + room
            if coarse < 0.1:
                apart = hockey(up, epsilon) - hockey(down, epsilon)
                assert apart < 0.01 * truth(law, 0.0, mirrored)


def test_masses_and_ratios_are_those_of_the_densities():
    for replaced in (False, True):
        law = Law(Training(0.3, 0.8, 1, replaced))
        y = np.linspace(-9.0, 1.7, 200_001)
        for x in (-1.0, 0.2, 1.7):
            assert law.places(law.loss(np.array([x])))[0] == pytest.approx(x, abs=1e-12)
            kept = y[y <= x]
            mass = law.density(kept)
            sums = [simpson(part, x=kept) for part in (mass, mass * np.exp(-law.loss(kept)))]
            assert law.below(float(kept[-1])) == pytest.approx(sums, abs=1e-9)
            slope = (law.loss(np.array(x + 1e-5)) - law.loss(np.array(x - 1e-5))) / 2e-5
            assert law.slope(np.array(x)) == pytest.approx(float(slope), rel=1e-6)


@pytest.mark.parametrize("steps", [1, 90, 3000])
def test_the_plan_decides_how_near_the_sides_are_and_never_that_they_hold(steps):
    training = Training(0.02, 0.9, steps)
    law = Law(training)
    plan = planned(law, False, 1e-6)
    for epsilon in (0.0, 0.3, plan.epsilon):
        known = training_delta(0.02, 0.9, steps, epsilon)
        for turn, wide, outside in ((1, 1, -30), (0.1, 3, -8), (0.6, 1, -1), (7, 1, -30), (900, 1, -300)):
            rough = replace(
                plan,
                tilt=turn * plan.tilt,
                lower=-turn * plan.tilt,
                upper=1.5 * turn * plan.tilt,
                width=wide * plan.width,
                outside=outside,
            )
            sides = [
                Sums(one(law, rough.width, 1e-9), steps, rough, upper).delta(np.array([epsilon]))[0]
                for one, upper in ((below, False), (above, True))
            ]
            assert sides[0] <= known * (1 + 1e-9) + 1e-15
            assert known * (1 - 1e-9) <= sides[1]


@pytest.mark.parametrize(("q", "sigma", "steps"), [(0.1, 1.0, 100), (0.6, 2.0, 400)])
def test_a_record_that_is_added_has_sides_of_its_own(q, sigma, steps):
    training = Training(q, sigma, steps)
    law = Law(training)
    for delta in (1e-7, 1e-3, 0.2):
        known = contour._epsilon(training, training.add, delta)
        low, high = accountant._epsilon(law, True, delta)
        assert low <= known + 1e-8 <= high + 2e-8
        assert high < 1.001 * low
        assert accountant._may_exceed(law, 0.999 * low, delta)
        assert not accountant._may_exceed(law, 2.0 * high + 1.0, delta)
        sides = dpsgd.certified_epsilon(q, sigma, steps, delta)
        assert low <= sides.low
        assert high <= sides.high


def test_negative_masses_draw_their_neighbours_together_and_keep_both_sums():
    losses = np.array([-1.0, -0.2, 0.1, 0.5, 1.2, 3.0])
    masses = np.array([0.1, -0.03, -0.01, 0.5, -0.2, 0.4])
    kept, found, before, beyond = lattice._drawn_together(losses, masses)
    assert (found >= 0).all()
    assert before == beyond == 0.0
    assert found.sum() == pytest.approx(masses.sum(), rel=1e-12)
    second = masses @ np.exp(-losses)
    assert found @ np.exp(-losses[kept]) == pytest.approx(second, rel=1e-12)
    for epsilon in np.linspace(-2, 4, 61):
        was = masses @ np.maximum(-np.expm1(epsilon - losses), 0.0)
        assert found @ np.maximum(-np.expm1(epsilon - losses[kept]), 0.0) <= was + 1e-12
