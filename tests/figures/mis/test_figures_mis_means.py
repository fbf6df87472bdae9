"""Pictures of means: what they draw is what the numerics say."""

import math

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, mis


def test_the_slide_draws_the_total_variation_that_it_says():
    for n, distance in ((2, 0.0), (10, 1.5), (100, 3.0)):
        figure = figures.mis.mean_slide(n, distance)
        given, out = (np.asarray(named(figure, f"the record is {w}").y) for w in ("in", "out"))
        x = np.asarray(named(figure, "the record is in").x)
        area = np.trapezoid(np.maximum(given - out, 0), x)
        said = float(sentence(figure).split("variation of ")[1].split(" ")[0])
        assert area == pytest.approx(said, abs=2e-3)
        assert said < float(sentence(figure).split("allows ")[1].split(" ")[0])
        assert np.trapezoid(given, x) == pytest.approx(1.0, abs=1e-3)
        # The excess is filled down to the bell without the record, just below it in its picture.
        picture = [trace.name for trace in figure.data if trace.xaxis != "x2"]
        assert picture[: picture.index("gain")] == ["the record is out"]
        assert np.asarray(named(figure, "gain").y) == pytest.approx(np.maximum(given, out))
        assert named(figure, "the record").x[0] == distance


def test_the_slide_is_flat_at_its_limit():
    figure = figures.mis.mean_slide(1000)
    scaled = np.asarray(named(figure, "√n").y)
    assert (np.diff(scaled) < 0).all()
    assert scaled[-1] == pytest.approx(1 / math.pi, rel=2e-4)
    assert list(named(figure, "limit").y) == [1 / math.pi, 1 / math.pi]
    assert f"1/π = {1 / math.pi:.3f}" in sentence(figure)


def test_dimension_marks_lie_on_one_curve_only_when_there_are_many():
    figure = figures.mis.mean_dimension(100, 100)
    off = []
    for n in ("5", "100", "1,000"):
        marks = named(figure, f"n = {n} ")
        near = np.array([math.erf(math.sqrt(t / 8)) for t in marks.x])
        off.append(np.abs(np.asarray(marks.y) - near).max())
    assert off[0] > 3 * off[1] > 3 * off[2]
    assert off[2] < 0.003
    assert "1,580 records" in sentence(figure)
    assert mis.gaussian_mean_delta(1583, 100) == pytest.approx(0.1, abs=0.001)
    assert "1 coordinate," in sentence(figures.mis.mean_dimension(5, 1))
    (grab,) = figure.layout.meta["grab"]
    place = grab["track"]["x"].index(1.0)
    assert grab["track"]["y"][place] == mis.gaussian_mean_delta(100, 100)


def test_digits_leak_to_nothing_at_every_n():
    figure = figures.mis.digit_leak(20, 100)
    for n in ("5", "20", "100", "1,000"):
        security = np.asarray(named(figure, f"n = {n}").y)
        assert (np.diff(security) <= 1e-9).all()
        assert security[-1] < 0.2 if n == "1,000" else security[-1] < 1e-6
    assert "the first digit sum" in sentence(figures.mis.digit_leak(5, 1))


def test_the_evidence_is_drawn_so_far_and_counted():
    figure = figures.mis.digit_leak(5, 100)
    right = 0
    for side, wins in (("in", lambda last: last > 0), ("out", lambda last: last <= 0)):
        walk = named(figure, f"target {side}")
        ends = [i for i, x in enumerate(walk.x) if x is None]
        assert {walk.x[i - 1] for i in ends} == {100}
        right += sum(wins(walk.y[i - 1]) for i in ends)
    assert f"right in {right} of these 20 games" in sentence(figure)
    assert right >= 19
    # Far more games are right as often as the exact value says.
    rng = np.random.default_rng(3)
    inside, out = (mis.digit_evidence(20, 30, 1000, side, rng) for side in (True, False))
    won = ((inside[:, -1] > 0).mean() + (out[:, -1] <= 0).mean()) / 2
    assert won == pytest.approx((1 + mis.digit_delta(20, 30).value) / 2, abs=0.03)
