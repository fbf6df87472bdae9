"""What many rounds publish piles up to the curves."""

from __future__ import annotations

import numpy as np
import pytest
from shared import named

from mipbook import figures


@pytest.mark.parametrize("target", ["Zoe", "Finn"])
@pytest.mark.parametrize("sigma", [2.0, 4.0, 16.0])
def test_a_thousand_rounds_are_as_likely_as_their_curve_says(target, sigma):
    figure = figures.game.many_rounds(1000, sigma, target)
    for side in ("with", "without"):
        heap = np.asarray(named(figure, f"{side} {target}").y)
        curve = np.asarray(named(figure, f"{side} {target}, expected").y)
        counted = curve > 5
        away = (heap - curve)[counted] ** 2 / curve[counted]
        assert away.sum() < counted.sum() + 4 * np.sqrt(2 * counted.sum())


def test_a_heap_only_grows():
    heaps = [figures.game.many_rounds(rounds) for rounds in (1, 10, 100, 1000)]
    for side in ("with Zoe", "without Zoe"):
        piled = np.array([named(figure, side).y for figure in heaps])
        assert (np.diff(piled, axis=0) >= 0).all()
    totals = [sum(named(f, s).y.sum() for s in ("with Zoe", "without Zoe")) for f in heaps]
    assert totals == [1, 10, 100, 1000]
