"""The figures of the PMP chapter on the definition: they draw what the package computes."""

import math

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, game, pmp
from mipbook.figures.pmp import partition

ALONE, SPLIT = "tell the truth", "print two groups"


def test_modular_sum_bars_tell_the_two_bounds_apart():
    text = sentence(figures.pmp.modular_sum_bars(6))
    assert "ln(38/37) = 0.0267 (exact)" in text
    assert "gives the same" in sentence(figures.pmp.modular_sum_bars(7))
    assert "no attacker confuses" not in sentence(figures.pmp.modular_sum_bars(7))


@pytest.mark.parametrize("draw", range(1, 21))
def test_partition_picture_tells_nothing_and_then_everything(draw):
    half = figures.pmp.PARTITION_HALVES[draw - 1]
    for seen, left in (("nothing", 20), ("the two groups", 2), ("the bit", 10), ("both", 1)):
        figure = figures.pmp.partition_picture(seen, draw)
        faces, people = named(figure, "who would be"), named(figure, "the six")
        cards = {}
        for x, y, who in zip(faces.x, faces.y, faces.customdata, strict=True):
            number = 1 + round(x) - 5 * y
            cards[number] = cards.get(number, "") + who[0]
        # Those that fit are lit, each in its place, the true one among them.
        assert cards == {number: figures.pmp.PARTITION_HALVES[number - 1] for number in cards}
        assert len(cards) == left
        assert cards[draw] == half
        if seen == "the two groups":
            assert sorted("".join(cards.values())) == list("ABCDEF")
        shares = [sum(name[0] in card for card in cards.values()) / left for name in people.customdata]
        told = {1.0: "<b>1</b>", 0.5: "<b>½</b>", 0.0: "<b>0</b>"}
        assert [told[share] for share in shares] == list(named(figure, "their chance").text)


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


def test_pmp_square_second_example():
    text = sentence(figures.pmp.pmp_square(0.2, 0.1, 0.5, SPLIT))
    assert "0-PMP (exact)" in text
    assert "(ε, 1)-DP" in text
    assert named(figures.pmp.pmp_square(0.2, 0.1, 0.5, SPLIT), "averages").y[0] == 0.1


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("mechanism", ["one noisy answer", "a noisy sum", "a noisy choice"])
def test_success_stays_below_its_bound(mechanism, epsilon):
    figure = figures.pmp.success_against_epsilon(mechanism, epsilon)
    known, pool, most = (
        named(figure, f"{who} (") for who in ("knows all but one", "has only the list", "the promise")
    )
    assert pool.y[0] <= known.y[0] + 1e-12 <= most.y[0] + 2e-12
    table, members = partition._mechanism(mechanism, epsilon)
    pairs = pmp.neighbouring_pairs(members)
    assert known.y[0] == pytest.approx(max(game.optimal_accuracy(table[p]) for p in pairs))
    if mechanism == "one noisy answer":
        assert pool.y[0] == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-13)
        assert "which is attained" in sentence(figure)
    if mechanism == "a noisy sum" and epsilon == 5.0:
        assert "which is attained" not in sentence(figure)


def test_pmp_to_mip_curves_and_marks():
    figure = figures.pmp.pmp_to_mip(2.0, 0.1)
    printed, sharp = named(figure, "as published"), named(figure, "sharp")
    x = np.array(sharp.x)
    np.testing.assert_allclose(sharp.y, np.tanh(x / 2) / 2, rtol=1e-14)
    np.testing.assert_allclose(printed.y, (1 - np.exp(-x)) / 2, rtol=1e-14)
    dot = named(figure, "randomised").y[0]
    assert dot == pytest.approx(math.tanh(1) / 2, rel=1e-13)
    assert named(figure, "publish a random").y[0] == pytest.approx(0.05, rel=1e-12)
    assert named(figure, "publish the smallest").y[0] == pytest.approx(0.15, rel=1e-12)
    assert "η is 0" in sentence(figures.pmp.pmp_to_mip(0.0))
