"""The figures of the game: what they draw and say is what the package computes."""

import numpy as np
import pytest
from shared import named

from mipbook import figures, game
from mipbook.figures.words import people


def test_released_people_stay_released_as_the_share_grows():
    def people_at(share, draw=1):
        dots = named(figures.game.half_sample(share, 50, draw=draw), "published")
        return set(zip(dots.x.tolist(), dots.y.tolist(), strict=True))

    assert people_at(20) < people_at(30) < people_at(90)
    assert people_at(50, 1) != people_at(50, 2)


def test_walks_are_sums_of_hints():
    few, all_of_them = (figures.game.tracing(k) for k in (100, 400))
    for side, drift in (("without", 0.0), ("with", 0.01)):
        short, long = (named(f, f"hints {side} Zoe") for f in (few, all_of_them))
        ends = np.array(long.y).reshape(6, -1)[:, -2]
        assert abs(ends.mean() - 400 * drift) < 3 * 2 / 6**0.5
        # A walk goes on from where it was.
        walk = np.array(short.y).reshape(6, -1)[:, :-1]
        np.testing.assert_array_equal(walk, np.array(long.y).reshape(6, -1)[:, : walk.shape[1]])


def test_print_figure_draws_both_bells():
    lines = figures.game.tracing_print(400, 100, 0.1).axes[0].lines
    attack = game.TracingAttack(400, 100, 0.1)
    for line, density in zip(lines, attack.densities(lines[0].get_xdata()), strict=False):
        np.testing.assert_allclose(line.get_ydata(), density)


def test_people_are_whole():
    told = {
        **{0.01: "10 of 1,000", 0.0001: "1 of 10,000", 1.5e-7: "15 of 100,000,000", 1.0: "all", 0.0: "none"},
        **{0.99999: "99,999 of 100,000", 1e-12: "fewer than 1 of 1,000,000,000", 1 - 1e-12: "nearly all"},
    }
    assert {rate: people(rate) for rate in told} == told


# --- What many rounds publish piles up to the curves ----------------------------------------------


@pytest.mark.parametrize("target", ["Zoe", "Finn"])
@pytest.mark.parametrize("sigma", [2.0, 4.0, 16.0])
def test_a_thousand_rounds_are_as_likely_as_their_curve_says(target, sigma):
    figure = figures.game.many_rounds(1000, sigma, target)
    for side in ("with", "without"):
        heap = np.asarray(named(figure, f"{side} {target}").customdata)
        curve = 10 * np.asarray(named(figure, f"{side} {target}, expected").y)[::2]
        counted = curve > 5
        away = (heap - curve)[counted] ** 2 / curve[counted]
        assert away.sum() < counted.sum() + 4 * np.sqrt(2 * counted.sum())
