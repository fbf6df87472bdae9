"""The figures of the PMP chapter on the definition: they draw what the package computes."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, mip, pmp

SAME, LOOSE = "the same output", "largest over smallest"
ALONE, SPLIT = "n = 1, told with chance 2 delta", "n = 3, the two groups printed"


@pytest.mark.parametrize("n", [3, 5, 6, 9, 12])
@pytest.mark.parametrize("record", [0, 3])
def test_modular_sum_bars_are_the_counts(n, record):
    figure = figures.pmp.modular_sum_bars(n, record)
    inside, out = (np.array(named(figure, f"record {s}").y) for s in ("in", "out"))
    assert inside.sum() == out.sum() == math.comb(2 * n - 1, n)
    logs = np.array(named(figure, "ln(").y)
    np.testing.assert_allclose(logs, np.log(inside / out), atol=1e-15)
    line = named(figure, "plus and minus").y[0]
    assert line == pytest.approx(np.abs(logs).max(), rel=1e-12)
    # The mark stands above the taller of two bars whose ratio is the largest.
    mark = named(figure, "compared")
    assert abs(logs[mark.x[0]]) == pytest.approx(line, rel=1e-12)
    loose = named(figures.pmp.modular_sum_bars(n, record, LOOSE), "plus and minus").y[0]
    assert loose >= line - 1e-15


def test_modular_sum_bars_tell_the_two_bounds_apart():
    assert "ln(38/37) = 0.0267 and no less (exact)" in sentence(figures.pmp.modular_sum_bars(6))
    loose = sentence(figures.pmp.modular_sum_bars(6, 0, LOOSE))
    assert "ln(40/37) = 0.078 (bound)" in loose
    assert "different remainders" in loose
    assert "also the exact epsilon" in sentence(figures.pmp.modular_sum_bars(7, 0, LOOSE))
    right = float(re.search(r"right ([\d.]+)% of", sentence(figures.pmp.modular_sum_bars(12)))[1])
    members = mip.subsets(12)
    told = pmp.answers_table(members @ np.arange(12) % 12)
    at_six = float(re.search(r"right ([\d.]+)% of", sentence(figures.pmp.modular_sum_bars(6)))[1])
    assert at_six / 100 == pytest.approx(0.5 + mip.finite_eta(told, members), abs=1e-8)
    assert 50 < right < 50.001


@pytest.mark.parametrize("half", figures.pmp.PARTITION_HALVES)
def test_partition_picture_tells_nothing_and_then_everything(half):
    drawn = np.array([c in half for c in "ABCDEF"])
    for seen, left in (("nothing", 20), ("the two groups", 2), ("the bit", 10), ("both", 1)):
        figure = figures.pmp.partition_picture(half, seen)
        bars = np.array(named(figure, "chance that").y)
        assert f"{left} of 20" in sentence(figure)
        if seen == "both":
            assert bars.tolist() == drawn.astype(float).tolist()
            assert sorted(named(figure, "surely drawn").text) == sorted(half)
        else:
            assert bars == pytest.approx([0.5] * 6)
            assert len(named(figure, "either").text) == 6
        places = np.array(named(figure, "chance that").x)
        if seen == "both":
            # Those drawn stand together, and A's group on the left.
            assert np.ptp(places[drawn]) == np.ptp(places[~drawn]) == 2
            assert places[0] == min(places)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("delta", [0.0, 0.1, 0.5])
def test_pmp_square_regions(epsilon, delta):
    figure = figures.pmp.pmp_square(epsilon, delta)
    wide, right, lens = (named(figure, s) for s in ("as printed", "PMP,", "posterior"))
    half = len(right.x) // 2
    x = np.array(right.x[:half])
    upper = np.array(right.y[:half])
    want = np.minimum(math.exp(epsilon) * x + delta, 1 - (1 - delta - x) * math.exp(-epsilon))
    np.testing.assert_allclose(upper, np.minimum(want, 1), atol=1e-12)
    assert (np.array(lens.y[:half]) <= upper + 1e-12).all()
    assert (upper <= np.array(wide.y[:half]) + 1e-12).all()
    # The lens touches the region at its corner: with less slack it would leave it.
    level = float(pmp.epsilon_from_posterior(epsilon, delta))
    corner = 1 / (1 + math.exp(level))
    assert math.exp(level) * corner == pytest.approx(math.exp(epsilon) * corner + delta, rel=1e-12)
    point = named(figure, "neighbours")
    assert (point.x[0], point.y[0]) == (0.0, 2 * delta)
    if delta > 0:
        assert point.y[0] > right.y[0] == pytest.approx(delta)
        assert "outside the solid one" in sentence(figure)


def test_pmp_square_second_example():
    text = sentence(figures.pmp.pmp_square(0.5, 0.1, SPLIT))
    assert "0-PMP (exact)" in text
    assert "(0.5, 1)-DP" in text
    assert named(figures.pmp.pmp_square(0.5, 0.1, SPLIT), "averages").y[0] == 0.1


@pytest.mark.parametrize("epsilon", [0.0, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize(
    "mechanism", ["randomised response, n = 1", "noisy sum mod 6, n = 3", "exponential, n = 3"]
)
def test_success_stays_below_its_bound(mechanism, epsilon, delta):
    figure = figures.pmp.success_against_epsilon(mechanism, epsilon, delta)
    known, pool = named(figure, "knows all"), named(figure, "knows the pool")
    for dot in (known, pool):
        assert dot.y[0] <= float(pmp.success_bound(dot.x[0], delta)) + 1e-12
    assert pool.x[0] <= known.x[0] + 1e-12 <= epsilon + 2e-12
    assert pool.y[0] <= known.y[0] + 1e-12
    slack = named(figure, "slack").y
    assert slack[0] == pool.y[0]
    tight = slack[1] - slack[0] < 5e-7
    assert ("the bound is attained" in sentence(figure)) == tight
    if mechanism.startswith("randomised") and delta == 0:
        assert tight
        assert pool.y[0] == pytest.approx(1 / (1 + math.exp(-epsilon)), rel=1e-13)
    if mechanism.startswith("noisy") and epsilon == 5.0 and delta == 0:
        assert slack[1] - slack[0] > 0.05


def test_noisy_sum_tends_to_the_sum_itself():
    figure = figures.pmp.success_against_epsilon("noisy sum mod 6, n = 3", 8.0)
    assert named(figure, "knows the pool").x[0] == pytest.approx(math.log(2), abs=5e-3)
    assert named(figure, "knows the pool").y[0] == pytest.approx(float(Fraction(3, 5)), abs=1e-3)


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
    assert "eta is 0" in sentence(figures.pmp.pmp_to_mip(0.0))
