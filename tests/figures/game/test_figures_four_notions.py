"""The four notions of one release: each number is that of the package, in every room its own."""

import re

import numpy as np
import pytest
from shared import named

from mipbook import figures, mip, mis, pmp, tradeoff
from mipbook.figures.game import four_answers

INCOMES = np.array([31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0])
draw = figures.game.four_notions.__wrapped__


def headings(figure):
    return {a.text.split("</b>")[0][3:]: a.text.split("= ")[1] for a in figure.layout.annotations}


@pytest.mark.parametrize("sigma", [2.0, 16.0, 100.0])
def test_the_headings_and_the_sentence_are_what_the_package_computes(sigma):
    figure = draw(sigma)
    shown = {name: float(text) for name, text in headings(figure).items()}
    right = [mip.noisy_mean_accuracy(INCOMES, target, sigma) for target in range(10)]
    assert shown["DP"] == pytest.approx(tradeoff.gaussian_epsilon(1e-5, sigma, 20.0), rel=5e-3)
    assert shown["MIP"] == pytest.approx(max(right) - 0.5, rel=5e-3)
    exact = pmp.gaussian_epsilon_exact(INCOMES / 5, sigma, 1e-5)
    assert shown["PMP"] == pytest.approx(exact, rel=5e-3)
    assert shown["MIS"] == pytest.approx(1 - mis.noisy_mean_delta(INCOMES, 5, sigma), abs=5e-4)
    said = [float(x) for x in re.findall(r"([\d.]+)%", figure.layout.meta["sentence"])]
    dp = 50 + 50 * tradeoff.gaussian_advantage(sigma, 20.0)
    bound = 100 * (1e-5 + (1 - 1e-5) / (1 + np.exp(-exact)))
    np.testing.assert_allclose(said[:2], [100 * max(right), dp], atol=0.06)
    assert bound <= said[2] < bound + 0.1


def test_the_notions_stand_in_their_order_at_every_noise():
    """DP asks for more than MIP; what PMP promises bounds what MIP measures."""
    told = [four_answers(sigma) for sigma in (1.0, 4.0, 16.0, 64.0)]
    for each in told:
        assert each.dp_accuracy > each.mip_accuracy
        assert each.epsilon > each.pmp_epsilon
        assert each.mip_accuracy <= 1e-5 + 1 / (1 + np.exp(-each.pmp_epsilon))
    assert [each.security for each in told] == sorted(each.security for each in told)


def test_the_pictures_are_those_of_the_outlier():
    figure = draw(16.0)
    bars = named(figure, "what an attack gains on each income")
    assert np.argmax(bars.y) == 9
    chance = named(figure, "chance that it was in")
    at = float(np.interp(50.0, chance.x, chance.y))
    assert at == pytest.approx(mip.noisy_mean_posterior(INCOMES, 9, 50.0, 16.0), abs=1e-3)
    assert chance.y[0] < 0.1 < 0.9 < chance.y[-1]
