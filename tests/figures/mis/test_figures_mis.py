"""The figures of the security chapters: they draw what the package computes."""

import itertools
import math
import re

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels import UploadedFile
from mipbook import figures, mis
from mipbook.audit import betting_wealth, mean_lower_bound
from mipbook.audit.examples import EXAMPLES
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
    best = named(figure, "as good as the best attack")
    along = a * np.array(best.y) + b * (1 - np.array(best.x))
    # The line of the best is a tangent of the region or passes a constant's corner.
    np.testing.assert_allclose(along, max(accuracy.max(), a, b), atol=1e-12)
    constant = named(figure, "as good as never looking")
    level = a * np.array(constant.y) + b * (1 - np.array(constant.x))
    np.testing.assert_allclose(level, max(a, b), atol=1e-12)


@pytest.mark.parametrize("nu", [0.2, 0.4, 0.5, 0.8])
@pytest.mark.parametrize(("red", "green"), [(0.0, 1.0), (3.0, 1.0), (1.0, 2.0), (6.0, 0.0)])
def test_hockey_bars_add_up_to_the_divergence(nu, red, green):
    figure = figures.mis.security_hockey(nu, red, green)
    p = np.array([red, green, 1.0]) / (red + green + 1)
    q = np.array([0.25, 0.5, 0.25])
    a, b = mis.weights(nu)
    value = (np.maximum(a * p - b * q, 0).sum() - max(a - b, 0)) / min(a, b)
    points = named(figure, "the three outputs")
    assert float(q @ np.array(points.y)) == pytest.approx(value, abs=1e-12)
    # The kink of f, where the event begins, is where its slope changes.
    curve = named(figure, "f, what a ratio")
    assert np.array(curve.y)[np.argmin(np.abs(np.array(curve.x) - 1))] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("kinds", [2, 5, 20])
@pytest.mark.parametrize("first", [0.01, 0.2, 0.5, 0.98])
def test_pinsker_lines(kinds, first):
    figure = figures.mis.security_pinsker(kinds, first)
    bound = np.array(named(figure, "√(I/2)").y)
    exact = np.array(named(figure, "Δ").y)
    assert (bound > exact).all()
    limit = named(figure, "its limit").y[0]
    ratio = np.array(named(figure, "bound / Δ").y)
    np.testing.assert_allclose(ratio, bound / exact, rtol=1e-14)
    # A kind that is rarely seen among 1,000 records is still far from its limit.
    assert ratio[-1] == pytest.approx(limit, rel=0.15 if first > 0.9 else 0.05)
    assert limit >= math.sqrt(math.pi / 2) - 1e-12
    assert math.log10(limit) < figure.layout.yaxis2.range[1]


# --- Coins: the hills part and melt, the promise stands still ----------------------------------------


# --- Pictures of means: what they draw is what the numerics say -----------------------------------


def test_the_slide_draws_the_total_variation_that_it_says():
    for n, distance in ((2, 0.0), (10, 1.5), (100, 3.0)):
        figure = figures.mis.mean_slide(n, distance)
        given, out = (np.asarray(named(figure, f"the record is {w}").y) for w in ("in", "out"))
        x = np.asarray(named(figure, "the record is in").x)
        area = np.trapezoid(np.maximum(given - out, 0), x)
        said = float(re.search(r"distributions ([\d.]+) apart", sentence(figure))[1])
        assert area == pytest.approx(said, abs=2e-3)
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


def test_the_plank_balances_and_zoe_moves_its_pivot():
    for n, place in ((2, 3.0), (10, 1.5), (100, -2.0), (1000, 1.0)):
        figure = figures.mis.mean_plank(n, 1, place)
        others = np.asarray(named(figure, "other people").x)
        # Balanced without her; of a crowd, up to the heaps that they stand in.
        assert np.mean(others) == pytest.approx(0, abs=1e-12 if n <= 40 else 0.05)
    zoes = [trace for trace in figures.mis.mean_plank(1000, 100).data if trace.name.startswith("Zoe")]
    assert [len(trace.x) for trace in zoes] == [1, 6]


def test_the_tape_prints_digits_that_give_the_evidence():
    for n, digits in ((20, 100), (5, 3), (1000, 2000)):
        figure = figures.mis.digit_leak(n, digits)
        ones, zoe, signs = (named(figure, f"row {y}").text[1:] for y in (2, 1, 0))
        assert len(ones) == min(digits, 10)
        agree = [int(o) if z == "1" else n - int(o) for o, z in zip(ones, zoe, strict=True)]
        assert list(signs) == ["✓" if 2 * a > n else "✗" if 2 * a < n else "·" for a in agree]
        if digits <= 10:
            walk = named(figure, "games with Zoe").y
            assert sum(math.log(2 * a / n) for a in agree) == pytest.approx(walk[digits - 1], abs=0.01)


def test_the_evidence_is_drawn_so_far_and_counted():
    figure = figures.mis.digit_leak(5, 100)
    right = 0
    for side, wins in (("with", lambda last: last > 0), ("without", lambda last: last <= 0)):
        walk = named(figure, f"games {side} Zoe")
        ends = [i for i, x in enumerate(walk.x) if x is None]
        assert {walk.x[i - 1] for i in ends} == {100}
        right += sum(wins(walk.y[i - 1]) for i in ends)
    assert right >= 19
    # Far more games are right as often as the exact value says.
    rng = np.random.default_rng(3)
    inside, out = (mis.digit_evidence(20, 30, 1000, side, rng) for side in (True, False))
    won = ((inside[:, -1] > 0).mean() + (out[:, -1] <= 0).mean()) / 2
    assert won == pytest.approx((1 + mis.digit_delta(20, 30).value) / 2, abs=0.03)


# --- Pictures of audits: what they draw is what the numerics say ----------------------------------

FEW = UploadedFile("few.csv", "a,b,y\n" + "".join(f"{i},{i * i % 7},{i % 5}\n" for i in range(30)))


def test_the_sceptic_is_convinced_where_the_certificate_is():
    for file, learner in itertools.product(EXAMPLES, ("tree", "linear")):
        figure = figures.mis.audit_bets(50, file, learner)
        right = np.asarray(named(figure, "the trees").y)
        surely = mean_lower_bound(right / 40)
        proved = "full" in figure.layout.meta["headline"]
        assert proved == (surely > 0.5) == (learner == "tree" and file != EXAMPLES[2])
        assert (max(named(figure, "her coins").y) == 20) == proved
    first = next(i for i in range(1, 51) if "was full" in sentence(figures.mis.audit_bets(asked=i)))
    coins = betting_wealth(np.asarray(named(figures.mis.audit_bets(asked=50), "the trees").y) / 40)
    assert coins[: first - 1].max() < 20 <= coins[first - 1]
    assert set(named(figures.mis.audit_bets(asked=1), "she believes it").x) == {first}
    piled = named(figures.mis.audit_bets(asked=first - 1), "her coins").y
    np.testing.assert_allclose(piled, coins[: first - 1], rtol=1e-3)


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
