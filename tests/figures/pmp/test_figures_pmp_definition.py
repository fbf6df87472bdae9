"""The figures of the PMP chapter on the definition: they draw what the package computes."""

import math

import pytest
from shared import named, sentence

from mipbook import figures, game, pmp
from mipbook.figures.pmp import partition

ALONE, SPLIT = "tell the truth", "print two groups"


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(
    "mechanism", ["randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3"]
)
def test_success_stays_below_its_bound(mechanism, epsilon, delta):
    figure = figures.pmp.success_against_epsilon(mechanism, epsilon, delta)
    known, pool = named(figure, "knows all"), named(figure, "has only the list")
    for dot in (known, pool):
        assert dot.y[0] <= float(pmp.success_bound(dot.x[0], delta)) + 1e-12
    assert pool.x[0] <= known.x[0] + 1e-12 <= epsilon + 2e-12
    assert pool.y[0] <= known.y[0] + 1e-12
    table, members = partition._mechanism(mechanism, epsilon)
    pairs = pmp.neighbouring_pairs(members)
    assert known.y[0] == pytest.approx(max(game.optimal_accuracy(table[p]) for p in pairs))
    slack = named(figure, "slack").y
    assert slack[0] == pool.y[0]
    tight = slack[1] - slack[0] < 5e-7
    assert ("which is attained" in sentence(figure)) == tight
    if mechanism.startswith("randomised") and delta == 0:
        assert tight
        assert pool.y[0] == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-13)
    if mechanism.startswith("noisy") and epsilon == 5.0 and delta == 0:
        assert slack[1] - slack[0] > 0.05
