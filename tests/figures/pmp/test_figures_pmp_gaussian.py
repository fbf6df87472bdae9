"""Pictures of the Gaussian mechanism: what they draw is what the numerics say."""

import math

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from explorable.panels.signature import declared_controls
from mipbook import figures
from mipbook.stored.pmp import ladder
from mipbook.stored.pmp_gaussian import FIGURE_6


def moved(figure, name, value):
    """Draw a figure with one parameter moved."""
    stops = declared_controls(figure)["to"].given["values"][name]
    return figure(vary=name, to=stops.index(value))


def _at(figure, start, x):
    trace = named(figure, start)
    return trace.y[list(trace.x).index(x)]


# Means over 20 pools and 95% half widths from an independent implementation.
@pytest.mark.parametrize(
    ("held", "over_subset", "half", "over_all"),
    [
        ("subset", [0.686, 0.699, 0.706, 0.711, 0.713], 0.013, [0.0308, 0.0160]),
        ("epsilon", [0.011, 0.50, 0.61, 0.66, 0.684], 0.015, [0.0002, 0.0309]),
    ],
)
def test_figure_4_draws_the_ratios_of_the_literal_reading(held, over_subset, half, over_all):
    figure = figures.pmp.pmp_figure_4(held=held)
    at = [list(named(figure, "ε̃ / ε(X)").x).index(place) for place in (0.5, 1.0, 2.0, 5.0, 10.0)]
    drawn = np.asarray(named(figure, "ε̃ / ε(X)").y)[at]
    np.testing.assert_allclose(drawn, over_subset, atol=3 * half)
    drawn = np.asarray(named(figure, "ε̃ / ε (").y)[[0, -1]]
    np.testing.assert_allclose(drawn, over_all, rtol=0.1, atol=3e-4)
    assert (named(figure, "quoted").x, named(figure, "quoted").y) == ((10.0,), (0.09,))


def test_figure_4_says_fairly_what_the_quote_needs():
    subset, epsilon = (sentence(figures.pmp.pmp_figure_4(held=h)) for h in ("subset", "epsilon"))
    assert any(f"ε̃ is {v}" in subset for v in ("6.", "7."))
    assert "two rising ratios: neither comes out." in subset
    assert "both come out with ε = 10 in its place, where ε(X) is 0.4" in epsilon
    curve = np.asarray(named(figures.pmp.pmp_figure_4(held="subset"), "ε̃ / ε (").y)
    assert (np.diff(curve) < 0).all()
    # Half the sensitivity is half the noise, and a different number.
    half = sentence(figures.pmp.pmp_figure_4(held="epsilon", sensitivity="C/n"))
    assert half != epsilon
    figure = moved(figures.pmp.pmp_figure_4, "delta", 0.001)
    assert "The text reads" not in sentence(figure)
    assert named(figure, "quoted").y == (None,)
    assert "held fixed and δ = 0.001, ε̃ is" in sentence(figure)


def test_one_reading_of_figures_4_and_5_gives_what_is_quoted():
    reading = {"held": "epsilon", "sensitivity": "C/n", "average": "mean"}
    four, five = figures.pmp.pmp_figure_4(**reading), figures.pmp.pmp_figure_5(**reading)
    assert "both come out" in sentence(four)
    assert "ε̃ = 1, comes out" in sentence(five)
    for start in ("ε̃ / ε(X)", "ε̃ / ε ("):
        assert named(five, start).y[-1] < named(five, start).y[0]
    # The mean over records is no bound.
    assert not any("bound" in trace.name for trace in four.data)


def test_figure_5_and_its_quote():
    figure = figures.pmp.pmp_figure_5()
    drawn = np.asarray(named(figure, "ε̃ / ε (").y)
    # eps~ = 2.984, 2.144, 2.009 and 1.695 at C = 20, 50, 100, 200.
    at = [list(named(figure, "ε̃ / ε (").x).index(place) for place in (20.0, 50.0, 100.0, 200.0)]
    np.testing.assert_allclose(5 * drawn[at[:3]], [2.984, 2.144, 2.009], rtol=0.02)
    assert 5 * drawn[at[3]] == pytest.approx(1.695, abs=0.3)
    assert named(figure, "quoted").y[0] == 0.2
    assert drawn[at[2]] > 0.38
    assert "does not come out" in sentence(figure)
    assert "ε̃/ε falls all the way" in sentence(figure)
    ordinary = moved(figures.pmp.pmp_figure_5, "outliers", 0)
    assert "does not come out" not in sentence(ordinary)
    assert not math.isclose(_at(ordinary, "ε̃ / ε (", 100.0), drawn[at[2]], rel_tol=0.05)


def test_figure_6_rises():
    for held, at in (("epsilon", [0.0266, 0.0684, 0.152, 0.264, 0.409]), ("subset", None)):
        figure = figures.pmp.pmp_figure_6(held=held)
        for start in ("ε̃ / ε(X)", "ε̃ / ε ("):
            rising = [_at(figure, start, d) for d in (1, 5, 10, 30, 50, 100)]
            assert (np.diff(rising) > 0).all()
        if at:
            drawn = [5 * _at(figure, "ε̃ / ε (", d) for d in (1, 5, 20, 50, 100)]
            np.testing.assert_allclose(drawn, at, rtol=0.1, atol=0.006)


def test_bands_are_those_of_the_stored_pools():
    named_band = named(figures.pmp.pmp_figure_6(), "95% band of ε̃ / ε")
    found = FIGURE_6.read("epsilon")
    ratios = found.pmp / found.epsilon
    half = stats.t.ppf(0.975, 19) * ratios.std(axis=1, ddof=1) / math.sqrt(20)
    high = np.asarray(named_band.y[: len(half)])
    # Three digits are drawn.
    np.testing.assert_allclose(high, ratios.mean(axis=1) + half, rtol=5e-3)


def test_hockey_stick_area_is_the_delta_it_says():
    for place, n, noise, epsilon in ((2.0, 1, 1.0, 0.5), (3.0, 6, 1.0, 1.0), (2.0, 25, 0.5, 0.0)):
        figure = figures.pmp.hockey_stick(place, n, noise, epsilon)
        inside, out = (np.asarray(named(figure, f"record {w}").y) for w in ("in", "out"))
        x = np.asarray(named(figure, "record in").x)
        for curve in (inside, out):
            assert np.trapezoid(curve, x) == pytest.approx(1.0, abs=0.01)
        area = np.trapezoid(np.maximum(inside - math.exp(epsilon) * out, 0), x)
        said = float(sentence(figure).split("δ = ")[1].split(" ")[0])
        assert area == pytest.approx(said, abs=0.01)
        assert abs(area - 1.2 * said) > abs(area - said)
        # What is filled lies between the law with the record and what sticks out of the other.
        low = np.asarray(named(figure, "area = δ").y)
        np.testing.assert_allclose(low, np.minimum(inside, math.exp(epsilon) * out), atol=2e-3)
        assert named(figure, "area = δ").fill == "tonexty"
        names = [trace.name for trace in figure.data]
        assert names[names.index("area = δ") - 1] == "record in"


def test_hockey_stick_ladder_is_ordered():
    for n in (1, 6, 25, 100):
        for noise in (0.5, 1.0):
            found = ladder(n, noise, 3.0)
            assert found.inside >= found.bound * (1 - 1e-9)
            assert found.bound >= found.low - 1e-9
            assert found.high + 1e-9 >= found.exact
            # The normal curve is poor where few records are drawn and the noise is small.
            if n != 6:
                assert found.normal == pytest.approx(found.exact, rel=0.1)
            if n == 1:
                assert found.exact == pytest.approx(found.inside, rel=1e-9)
            if n == 100:
                assert found.exact < 0.1 * found.bound
            marks = figures.pmp.hockey_stick(3.0, n, noise).data[-1]
            assert marks.x[2] == pytest.approx(np.clip(found.exact, 0.01, 1e4))


def test_a_near_record_needs_less():
    far, near = (ladder(25, 1.0, place).exact for place in (3.0, 0.5))
    assert near < 0.5 * far


def test_a_place_between_the_stored_ones_is_computed():
    between = figures.pmp.hockey_stick(2.1).data[-1].x[2]
    assert ladder(6, 1.0, 2.0).exact < between < ladder(6, 1.0, 2.25).exact


def test_two_readers_agree_where_one_is_drawn_and_the_crowd_hides_the_rest():
    for place in (1.0, 2.0, 4.0):
        figure = figures.pmp.two_readers(1, place)
        right = named(figure, "the stranger (exact)").y
        assert right[0] == pytest.approx(100 * stats.norm.cdf(place / 2), abs=1e-3)
        assert (np.diff(right) < 0).all()
        assert named(figure, "the colleague").y[0] == pytest.approx(right[0], abs=1e-3)
