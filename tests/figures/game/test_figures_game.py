"""The figures of the game: what they draw and say is what the package computes."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, game, tradeoff
from mipbook.explore import UploadedFile
from mipbook.figures import roc
from mipbook.figures.words import people, percent


@pytest.mark.parametrize("fraction", [0.0, 0.05, 0.5, 1.0])
def test_half_sample_counts_people(fraction):
    figure = figures.game.half_sample(100, fraction, 10)
    released = round(100 * fraction)
    assert len(named(figure, "released").x) == released
    assert len(named(figure, "not released").x) == 100 - released
    bars = named(figure, "how likely")
    assert sum(bars.y) == pytest.approx(1, abs=1e-4)
    assert np.dot(bars.x, bars.y) == pytest.approx(released + (100 - released) / 10, rel=1e-3)
    assert ("Nobody is drawn" in sentence(figure)) == (released == 0)


def test_released_people_stay_released_as_the_share_grows():
    def people_at(fraction):
        dots = named(figures.game.half_sample(50, fraction), "released")
        return set(zip(dots.x.tolist(), dots.y.tolist(), strict=True))

    assert people_at(0.2) < people_at(0.3) < people_at(0.9)


@pytest.mark.parametrize("axes", ["linear", "logarithmic"])
def test_same_advantage_has_the_same_advantage(axes):
    figure = figures.game.same_advantage(0.2, 0.05, axes)
    for name in ("noise", "the truth"):
        curve = named(figure, name)
        x, y = np.array(curve.x), np.array(curve.y)
        assert (y - x).max() == pytest.approx(0.2, abs=2e-3)
        assert (y - x).max() <= 0.2 + 1e-9
    low, high = named(figure, "at your FPR").y
    assert high == pytest.approx(0.2 + 0.8 * 0.05, rel=1e-12)
    assert low < high


@pytest.mark.parametrize("neighbours", game.NEIGHBOURS)
def test_two_games_draws_the_exact_worst_case_above_the_tracer(neighbours):
    figure = figures.game.two_games(50, 10, 0.3, 0.01, neighbours)
    curve = named(figure, "worst case")
    attack = game.TracingAttack(50, 10, 0.3, neighbours)
    want = tradeoff.gaussian_tpr(curve.x, 0.3, attack.sensitivity)
    np.testing.assert_allclose(curve.y, want, rtol=1e-12)
    tracer = named(figure, "random data")
    inner = (np.array(tracer.x) > 0.02) & (np.array(tracer.x) < 0.9)
    assert (np.array(tracer.y)[inner] < np.array(curve.y)[inner]).all()
    assert neighbours in sentence(figure)


def test_roc_plane_at_the_guess():
    figure = figures.game.roc_plane()
    assert "finds 92 of 1,000 members (exact)" in sentence(figure)
    assert "is not (1, 10⁻⁵)-DP" in sentence(figure)
    allowed, best = named(figure, "DP at"), named(figure, "the best attack at")
    assert tuple(allowed.y) == pytest.approx((tradeoff.dp_tpr(0.01, 1.0, 1e-5),), rel=1e-14)
    assert tuple(best.y) == pytest.approx((tradeoff.gaussian_tpr(0.01, 1.0),), rel=1e-14)
    enough = figures.game.roc_plane(epsilon=4.4)
    assert "is (4.4, 10⁻⁵)-DP" in sentence(enough)
    # With delta 0 no finite epsilon will do for Gaussian noise.
    assert "is not" in sentence(figures.game.roc_plane(epsilon=8.0, delta=0.0, sigma=0.3))


@pytest.mark.parametrize("neighbours", game.NEIGHBOURS)
@pytest.mark.parametrize("axes", ["linear", "logarithmic"])
def test_roc_plane_shows_one_mechanism_three_ways(neighbours, axes):
    figure = figures.game.roc_plane(2.0, 1e-3, 1.0, 0.1, neighbours, axes)
    sensitivity = {"replace": 2.0, "add or remove": 1.0}[neighbours]
    best = named(figure, "best attack")
    truth = np.asarray(tradeoff.gaussian_tpr(best.x, 1.0, sensitivity))
    floor = roc.FLOOR / 2 if axes == "logarithmic" else 0
    np.testing.assert_allclose(best.y, np.maximum(truth, floor), rtol=1e-12)
    band = named(figure, "95% band")
    half = len(band.x) // 2
    high, low = np.array(band.y[:half]), np.array(band.y[half:])[::-1]
    assert (low <= np.maximum(truth, floor) + 1e-12).all()
    assert (np.maximum(truth, floor) <= high + 1e-12).all()
    region = named(figure, "all that")
    upper = np.array(region.y[:half])
    wanted = tradeoff.dp_tpr(region.x[:half], 2.0, 1e-3)
    np.testing.assert_allclose(upper, np.maximum(wanted, floor), rtol=1e-12)
    lower = np.array(region.y[half:])[::-1]
    assert (lower <= upper).all()


def test_attack_backwards_gives_the_lectures_numbers():
    strong = figures.game.attack_backwards(0.9, 0.01, 100)
    assert "of at least 4.5 " in sentence(strong)
    assert "one of at least 2.72" in sentence(strong)
    assert "of at least 1.61" in sentence(figures.game.attack_backwards(0.05, 0.01))
    replaced = sentence(figures.game.attack_backwards(0.9, 0.01, neighbours="replace"))
    assert "of at least 2.25" in replaced
    assert "worse than a coin" in sentence(figures.game.attack_backwards(0.01, 0.5))
    curve = named(strong, "certified by so many")
    at = list(curve.x).index(100)
    assert curve.y[at] == pytest.approx(2.71644515, rel=1e-8)
    assert curve.y[-1] == pytest.approx(math.log(90), abs=0.05)


def test_attack_counts_reads_the_counts():
    figure = figures.game.attack_counts(45, 5, 1, 49)
    table = {row[0]: row[1:] for row in figure.layout.meta["table"]}
    assert table["true positive rate, TPR"] == ["90%", "78.2% to 96.7%", "estimate"]
    assert table["epsilon, certified"][0] == "1.99"
    assert table["epsilon, rates taken as exact"][0] == "3.81"
    perfect = figures.game.attack_counts(50, 0, 0, 50)
    assert "beyond any number" in sentence(perfect)
    assert "of at least 2.57" in sentence(perfect)
    # The band of the advantage comes from both rates together.
    low, high = (float(v) for v in table["advantage, TPR - FPR"][1].split(" to "))
    assert low < 45 / 50 - 1 / 50 < high


@pytest.mark.parametrize("example", figures.game.EXAMPLE_SCORES)
def test_attack_scores_of_the_examples(example):
    scores, member = figures.game.example_scores(example)
    figure = figures.game.attack_scores(example)
    curve = game.roc(scores, member)
    drawn = named(figure, "the attack")
    np.testing.assert_allclose(drawn.y, curve.tpr_at(drawn.x), rtol=1e-14)
    table = {row[0]: row[1:] for row in figure.layout.meta["table"]}
    assert float(table["area under the curve, AUC"][0]) == pytest.approx(curve.auc, abs=1e-3)
    low, high = curve.tpr_band(0.01)
    assert table["TPR at FPR 1%"][1] == f"{percent(low)} to {percent(high)}"
    flipped = figures.game.attack_scores(example, larger_means="not a member")
    assert "point the other way" in sentence(flipped)
    text = "score,member\n" + "".join(
        f"{s},{int(m)}\n" for s, m in zip(scores, member, strict=True)
    )
    uploaded = figures.game.attack_scores(UploadedFile("a.csv", text))
    told = dict(uploaded.layout.meta)
    assert told.pop("read").startswith("Read: 4,000 records, 2 columns (score, member)")
    assert uploaded.update_layout(meta=told, overwrite=True) == figure
    if "r = " in example:
        r = float(example.rpartition("= ")[2])
        certified = float(re.search(r"epsilon is at least ([\d.]+)", sentence(figure))[1])
        assert certified <= tradeoff.gaussian_epsilon(1e-5, 1 / r)


def test_attack_scores_under_replace_adds_the_two_step_bound():
    names = [
        row[0] for row in figures.game.attack_scores(neighbours="replace").layout.meta["table"]
    ]
    assert "epsilon under add or remove, two steps" in names


@pytest.mark.parametrize("neighbours", game.NEIGHBOURS)
def test_tracing_draws_the_theorem(neighbours):
    figure = figures.game.tracing(400, 100, 0.1, 1.0, neighbours, "linear")
    attack = game.TracingAttack(400, 100, 0.1, neighbours)
    out, inside = named(figure, "target out"), named(figure, "target in")
    np.testing.assert_allclose(out.y, attack.densities(out.x)[0], rtol=1e-14)
    np.testing.assert_allclose(inside.y, attack.densities(inside.x)[1], rtol=1e-14)
    for area, rate in (("FPR", attack.fpr(4.0)), ("TPR", attack.tpr(4.0))):
        shade = named(figure, area)
        assert np.trapezoid(shade.y, shade.x) == pytest.approx(rate, abs=2e-3)
    point = named(figure, "your threshold")
    assert (point.x[0], point.y[0]) == pytest.approx((attack.fpr(4.0), attack.tpr(4.0)), rel=1e-14)
    edge = named(figure, "edge of DP, certified")
    at = np.interp(point.x[0], edge.x, edge.y)
    assert at == pytest.approx(point.y[0], abs=0.02), "the certified edge passes the point"
    dots = named(figure, "simulated")
    exact = tradeoff.gaussian_tpr(dots.x, 0.1, attack.sensitivity)
    reach = 2 * np.maximum(dots.error_y.array, dots.error_y.arrayminus) + 0.01
    slope = 2 * np.maximum(dots.error_x.array, dots.error_x.arrayminus) * 5
    assert (np.abs(np.array(dots.y) - exact) <= reach + slope).all()


def test_tracing_law_is_flat_with_noise_that_keeps_pace():
    figure = figures.game.tracing_law(100, 0.1, 1.0, 1e-5)
    own = np.array(named(figure, "growing noise: the mechanism").y)
    np.testing.assert_allclose(own, 4.3771780956812246, rtol=1e-6)
    proven = np.array(named(figure, "growing noise: what").y)
    np.testing.assert_allclose(proven, 1.1478544642493155, rtol=1e-6)
    rising = np.array(named(figure, "fixed noise: the mechanism").y)
    attack = np.array(named(figure, "fixed noise: what").y)
    assert (np.diff(rising) > 0).all()
    assert (attack <= rising).all()
    cross = named(figure, "where both").x[0]
    k = np.array(named(figure, "fixed noise: the mechanism").x)
    assert np.interp(cross, k, rising) == pytest.approx(4.377, rel=0.01)


def test_print_figure_draws_both_bells():
    lines = figures.game.tracing_print(400, 100, 0.1).axes[0].lines
    attack = game.TracingAttack(400, 100, 0.1)
    for line, density in zip(lines, attack.densities(lines[0].get_xdata()), strict=False):
        np.testing.assert_allclose(line.get_ydata(), density)


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0.01, "10 of 1,000"),
        (0.0001, "1 of 10,000"),
        (1.5e-7, "15 of 100,000,000"),
        (0.99999, "99,999 of 100,000"),
        (1e-12, "fewer than 1 of 1,000,000,000"),
        (1 - 1e-12, "nearly all"),
        (0.0, "none"),
        (1.0, "all"),
    ],
)
def test_people_are_whole(rate, text):
    assert people(rate) == text


@pytest.mark.parametrize("changed", [{"k": 0}, {"n": 0}, {"sigma": 0.0}, {"threshold": math.nan}])
def test_bad_input_is_named(changed):
    (name,) = changed
    with pytest.raises(ValueError, match=f"^{name} = "):
        figures.game.tracing_print(**changed)
