"""The figures of the PMP chapter on the definition: they draw what the package computes."""

import math

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, game, pmp
from mipbook.figures.pmp import partition

ALONE, SPLIT = "tell the truth", "print two groups"


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5])
def test_pmp_square_regions(epsilon, delta):
    figure = figures.pmp.pmp_square(2 * delta, delta, epsilon)
    wide, right, lens = (named(figure, s) for s in ("as printed", "PMP,", "posterior"))
    x, upper = np.array(right.x)[:4], np.array(right.y)[:4]
    want = np.minimum(math.exp(epsilon) * x + delta, 1 - (1 - delta - x) * math.exp(-epsilon))
    np.testing.assert_allclose(upper, np.minimum(want, 1), atol=1e-12)
    # Between its corners the border is straight: each corner is where a formula takes over.
    fine = np.linspace(0, 1, 1001)
    want = np.minimum(math.exp(epsilon) * fine + delta, 1 - (1 - delta - fine) * math.exp(-epsilon))
    widest, drawn, least = (
        np.interp(fine, np.array(side.x)[:4], np.array(side.y)[:4]) for side in (wide, right, lens)
    )
    np.testing.assert_allclose(drawn, np.minimum(want, 1), atol=1e-12)
    assert (least <= drawn + 1e-12).all()
    assert (drawn <= widest + 1e-12).all()
    # The lower border is the upper one, turned around the middle.
    np.testing.assert_allclose(np.array(right.x)[4:], 1 - x)
    np.testing.assert_allclose(np.array(right.y)[4:], 1 - upper)
    # The lens touches the region at its corner: with less slack it would leave it.
    level = float(pmp.epsilon_from_posterior(epsilon, delta))
    corner = 1 / (1 + math.exp(level))
    assert math.exp(level) * corner == pytest.approx(math.exp(epsilon) * corner + delta, rel=1e-12)


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
