"""The figures of the security chapters: they draw what the package computes."""

import math
import re

import numpy as np
import pytest
from scipy import stats
from shared import named, sentence

from explorable.panels import UploadedFile
from explorable.panels.signature import declared_controls
from mipbook import figures, mis
from mipbook.base.rounding import at_least
from mipbook.figures.mis.security import LEARNERS
from mipbook.mis.known import KNOWN_LEARNERS, known_delta

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
    assert "right 62.3 times in 100" in sentence(figures.mis.security_roc())
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


# --- Coins: the hills part and melt, the promise stands still ----------------------------------------


def test_the_more_coins_the_less_a_spy_knows_and_dp_does_not_see_it():
    figures_of = [figures.mis.dp_security(n, 1.0) for n in (1, 3, 5, 10, 50, 200)]
    right = np.array([named(figure, "from this number").x[0] for figure in figures_of])
    assert (np.diff(right) < 0).all()
    assert right[0] == pytest.approx(50 + 25 * math.tanh(0.5), rel=1e-12)
    (allowed,) = {named(figure, "what DP allows").x[0] for figure in figures_of}
    assert allowed == pytest.approx(50 + 50 * math.tanh(0.25), rel=1e-12)
    assert right.max() < allowed


# --- Pictures of means: what they draw is what the numerics say -----------------------------------


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


# --- Pictures of audits: what they draw is what the numerics say ----------------------------------

FEW = UploadedFile("few.csv", "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30)))


def test_certificates_tighten_and_stay_below_the_truth():
    for learner in KNOWN_LEARNERS:
        figure = figures.mis.certificate(learner, 2000, confidence=0.99)
        betting, bernstein = (np.asarray(named(figure, f"{w} (bound)").y) for w in ("betting", "Bernstein"))
        # All are shares of the truth, which the sentence says.
        assert set(named(figure, "truth").y) == {1}
        assert (betting <= 1).all()
        assert (bernstein <= betting + 1e-12).all()
        assert 1 - betting[-1] < 0.35 * (1 - betting[0])
        truth = known_delta(learner)
        # A truth one tenth smaller would be refuted by so many models.
        assert betting[-1] > 0.9 or truth < 0.2
        assert f"Δ is {truth:.3g} (exact)" in sentence(figure)
        assert f"betting bound certifies Δ ≥ {at_least(betting[-1] * truth, 3)}" in sentence(figure)
    assert "certifies nothing" in sentence(figures.mis.certificate(models=10))
    strict, loose = (
        named(figures.mis.certificate(models=500, confidence=c), "betting").y[17] for c in (0.99, 0.9)
    )
    assert strict < loose


def test_the_histogram_truth_is_theorem_14():
    p, counts = np.array([0.5, 0.3, 0.2]), np.arange(6)
    delta = sum(np.abs(counts / 5 - q) @ stats.binom.pmf(counts, 5, q) for q in p) / 2
    assert known_delta(KNOWN_LEARNERS[1]) == pytest.approx(delta, rel=1e-12)
    assert f"Δ is {delta:.3g} (exact)" in sentence(figures.mis.certificate(KNOWN_LEARNERS[1]))


def test_the_lab_tells_memory_from_generalisation():
    tree, linear = (figures.mis.audit_lab(estimator=e, models=60) for e in ("tree", "linear"))
    members, others = (np.asarray(named(tree, w).x) for w in ("members", "others"))
    assert members.max() <= 1e-15
    assert others[30] > 0.1
    certified = [named(f, "Δ (bound)").x[0] for f in (tree, linear)]
    assert certified[0] > 0.6
    assert certified[1] < 0.2
    assert "the security of a tree on this table is at most" in sentence(tree)
    again = figures.mis.audit_lab(estimator="tree", models=100)
    assert named(again, "Δ (bound)").x[0] > certified[0]
    repeats = figures.mis.audit_lab(figures.mis.EXAMPLE_TARGETS[2], "tree", 60)
    assert "proves nothing about a tree" in sentence(repeats)
    for figure in (tree, repeats):
        assert "No number of models can prove that it is safe" in sentence(figure)
    assert repeats.layout.meta["headline"] == "Security at most 1"


def test_a_file_of_ones_own():
    figure = figures.mis.audit_lab(FEW, "tree", 20)
    assert figure.layout.meta["table"][-1][1].startswith("15 records")
    assert "Read: 30 records" in figure.layout.meta["read"]
