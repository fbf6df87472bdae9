"""The figures of many releases: what they draw and say is what the package computes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared import named

from mipbook import accounting, figures, mip, pmp
from mipbook.figures.words import say


@pytest.mark.parametrize(("k", "epsilon", "delta"), [(1, 0.1, 1e-6), (20, 0.3, 1e-3), (100, 1, 1e-9)])
def test_costs_are_the_optimal_ones(k, epsilon, delta):
    figure = figures.together.composition_costs(k, epsilon, delta)
    found = accounting.composed(accounting.from_dp(epsilon), k)
    at_k = named(figure, "at your k")
    assert at_k.y[0] * epsilon == pytest.approx(found.epsilon(delta), rel=1e-12)
    drawn = dict(zip(*(named(figure, "together")[axis] for axis in "xy"), strict=True))
    assert drawn[k] == pytest.approx(at_k.y[0], rel=1e-12)


def test_costs_keep_their_order():
    figure = figures.together.composition_costs(20, 0.05, 1e-6)
    exact = np.asarray(named(figure, "together").y)
    formula = np.asarray(named(figure, "the best simple formula").y)
    assert (exact <= formula + 1e-12).all()
    assert (formula <= np.asarray(named(figure, "together").x) + 1e-12).all()


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 3.0])
def test_votes_are_flat_at_every_second_step(epsilon):
    figure = figures.together.votes(4, epsilon)
    steps = np.asarray(named(figure, "the worst case").y) / 50 - 1
    np.testing.assert_allclose(steps[1::2], steps[:-1:2], rtol=1e-12)
    assert steps[0] == pytest.approx(math.tanh(epsilon / 2), rel=1e-12)
    member, other = (np.asarray(named(figure, name).y) for name in ("member", "no member"))
    assert np.abs(member - other).sum() / 2 == pytest.approx(steps[3], abs=1e-5)
    laplace = np.asarray(named(figure, "Laplace noise").y) / 50 - 1
    assert laplace[0] == pytest.approx(-math.expm1(-epsilon / 2), rel=1e-9)
    assert (laplace <= steps[np.asarray(named(figure, "Laplace noise").x) - 1] + 1e-12).all()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_name_and_one_split(n):
    halves = mip.subsets(2 * n)
    member, split = pmp.publish_one(n, 0.1 / n), pmp.partition_mechanism(n)
    both = mip.finite_eta(accounting.joint_table(member, split), halves)
    said = figures.together.name_one("both", n).layout.meta["sentence"]
    assert f"η is {say(mip.finite_eta(member, halves))} for the name" in said
    assert f"{say(both)} for both" in said


@pytest.mark.parametrize("n", [1, 2, 5, 7, 30])
@pytest.mark.parametrize("seen", ["a name", "the two groups", "both"])
def test_people_who_are_known(seen, n):
    figure = figures.together.name_one(seen, n)
    sure = [len(named(figure, name).x) for name in ("surely in", "surely not in")]
    assert tuple(sure) == {"a name": (1, int(n == 1)), "the two groups": (0, 0), "both": (n, n)}[seen]
    everybody = [*named(figure, "the ten").x, *named(figure, "more people").x]
    assert len(everybody) == 2 * n
    if seen == "both":
        # The study's people stand in the circle of the one who is named.
        assert named(figure, "the printed name").x[0] > 0
        assert min(named(figure, "surely in").x) > 0


@pytest.mark.parametrize(
    ("first", "second", "counts"),
    [(12, 7, (289, 17, 34, 2)), (3, 3, (289, 17, 17, 1)), (0, 16, (289, 17, 34, 2))],
)
def test_pairs_that_fit(first, second, counts):
    for seen, count in zip(("nothing", "the sum", "the square", "both"), counts, strict=True):
        figure = figures.together.sum_and_square(first, second, seen)
        left = named(figure, "still possible")
        assert len(left.x) == count
        assert (first, second) in set(zip(left.x, left.y, strict=True))
        assert (second, first) in set(zip(left.x, left.y, strict=True))
        if seen != "both":
            assert len(set(np.bincount(left.x, minlength=17))) == 1
