"""The figures of the security chapters: they draw what the package computes."""

import math
import re

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels.signature import declared_controls
from mipbook import figures, mis
from mipbook.figures.mis.security import LEARNERS

P3 = [0.5, 0.3, 0.2]


@pytest.mark.parametrize("nu", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("lam", [0.3, 0.5])
@pytest.mark.parametrize("learner", LEARNERS)
def test_roc_lines_touch_the_region_and_tell_the_security(nu, lam, learner):
    figure = figures.mis.security_roc(nu, lam, learner)
    a, b = mis.weights(nu, lam)
    region = named(figure, "all attacks")
    accuracy = a * np.array(region.y) + b * (1 - np.array(region.x))
    best = named(figure, "as accurate as the best")
    along = a * np.array(best.y) + b * (1 - np.array(best.x))
    # The line of the best is a tangent of the region or passes a constant's corner.
    np.testing.assert_allclose(along, max(accuracy.max(), a, b), atol=1e-12)
    constant = named(figure, "as accurate as a constant")
    level = a * np.array(constant.y) + b * (1 - np.array(constant.x))
    np.testing.assert_allclose(level, max(a, b), atol=1e-12)
    security = (1 - along[0]) / (1 - max(a, b))
    told = re.search(r"security ([\d.]+)( \(exact\)|[.;])", sentence(figure))[1]
    assert float(told) == pytest.approx(security, abs=6e-4)
    point = named(figure, "best attack")
    assert a * point.y[0] + b * (1 - point.x[0]) == pytest.approx(along[0], abs=1e-12)
    # The handle that turns the line stands at the line's upper end.
    control = declared_controls(figures.mis.security_roc)["nu"]
    track = figure.layout.meta["grab"][0]["track"]
    at = control.stops.index(nu)
    assert (track["x"][at], track["y"][at]) == (best.x[1], best.y[1])
    assert len(track["x"]) == len(control.stops)


def test_roc_sentences():
    assert "accuracy 0.623 (exact)" in sentence(figures.mis.security_roc())
    assert "nothing is released" in sentence(figures.mis.security_roc(learner="nothing"))
    flattered = sentence(figures.mis.security_roc(0.9, 0.5, "the most frequent kind"))
    assert "security 1 (exact)" in flattered
    assert "always saying fresh" in flattered
    hidden = float(re.search(r"see Δ = ([\d.]+)", flattered)[1])
    model = mis.learner_delta(lambda c: c.index(max(c)), P3, 5)
    assert hidden == pytest.approx(model, rel=5e-3)
    assert "either constant answer" in sentence(figures.mis.security_roc(0.3, 0.3))
    assert "always saying member" in sentence(figures.mis.security_roc(0.2, 0.5))


@pytest.mark.parametrize("nu", [0.2, 0.4, 0.5, 0.8])
@pytest.mark.parametrize(("red", "green"), [(0.0, 1.0), (3.0, 1.0), (1.0, 2.0), (6.0, 0.0)])
def test_hockey_bars_add_up_to_the_divergence(nu, red, green):
    figure = figures.mis.security_hockey(nu, red, green)
    p = np.array([red, green, 1.0]) / (red + green + 1)
    q = np.array([0.25, 0.5, 0.25])
    a, b = mis.weights(nu)
    np.testing.assert_allclose(named(figure, "a P").y, a * p)
    np.testing.assert_allclose(named(figure, "b Q").y, b * q)
    bars = [np.array(named(figure, name).y) for name in ("a P", "b Q")]
    gained = np.maximum(bars[0] - bars[1], 0).sum()
    value = (gained - max(a - b, 0)) / min(a, b)
    told = float(re.search(r"D = ([\d.]+) \(", sentence(figure))[1])
    assert told == pytest.approx(value, abs=6e-4)
    points = named(figure, "the three outputs")
    assert float(q @ np.array(points.y)) == pytest.approx(value, abs=1e-12)
    # The kink of f, where the event begins, is where its slope changes.
    curve = named(figure, "f, what a ratio")
    assert np.array(curve.y)[np.argmin(np.abs(np.array(curve.x) - 1))] == pytest.approx(0, abs=1e-12)


def test_hockey_says_when_a_difference_is_worth_nothing():
    assert "differ by 0 in total variation (exact)." in sentence(figures.mis.security_hockey(0.5, 1.0, 2.0))
    assert "worth nothing" in sentence(figures.mis.security_hockey(0.8, 2.0, 2.0))
    assert "“member”" in named(figures.mis.security_hockey(), "the event A").text


def test_the_tops_of_the_bars_can_be_held():
    controls = declared_controls(figures.mis.security_hockey)
    for values in ({"nu": 0.3, "red": 2.0, "green": 4.0}, {"nu": 0.5, "red": 0.0, "green": 0.5}):
        figure = figures.mis.security_hockey(**values)
        held = figure.layout.meta["grab"]
        assert [grab["control"] for grab in held] == ["red", "green"]
        for which, grab in enumerate(held):
            at = controls[grab["control"]].stops.index(values[grab["control"]])
            bars = named(figure, "a P")
            assert grab["track"]["x"][at] == pytest.approx(bars.x[which])
            assert grab["track"]["y"][at] == pytest.approx(bars.y[which], abs=1e-4)


@pytest.mark.parametrize("kinds", [2, 5, 20])
@pytest.mark.parametrize("first", [0.01, 0.2, 0.5, 0.98])
def test_pinsker_lines(kinds, first):
    figure = figures.mis.security_pinsker(kinds, first)
    bound = np.array(named(figure, "√(I/2)").y)
    exact = np.array(named(figure, "Δ").y)
    p = [first, *[(1 - first) / (kinds - 1)] * (kinds - 1)]
    assert exact[4] == pytest.approx(mis.worst_case_delta(p, 20), rel=1e-12)
    assert 2 * bound[4] ** 2 == pytest.approx(mis.histogram_information(p, 20), rel=1e-12)
    assert (bound > exact).all()
    limit = named(figure, "its limit").y[0]
    ratio = np.array(named(figure, "bound / Δ").y)
    np.testing.assert_allclose(ratio, bound / exact, rtol=1e-14)
    # A kind that is rarely seen among 1,000 records is still far from its limit.
    assert ratio[-1] == pytest.approx(limit, rel=0.15 if first > 0.9 else 0.05)
    assert limit >= math.sqrt(math.pi / 2) - 1e-12
    assert math.log10(limit) < figure.layout.yaxis2.range[1]
