"""The map of arrows and its witnesses: what they draw and say is what the rooms compute."""

import re
from itertools import combinations, product

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels import Explorable
from mipbook import accounting, audit, figures, mip, mis
from mipbook.audit.examples import ATTACKED_SIGMAS, attacked
from mipbook.stored.trained import MODELS, SIGMAS, few_shadows, promised, trained

ARROWS = [arrow for arrow in product(accounting.NOTIONS, repeat=2) if arrow[0] != arrow[1]]


@pytest.mark.parametrize(("start", "end"), ARROWS)
def test_the_map_says_what_each_arrow_gives(start, end):
    figure = figures.together.implication_map(start, end, 80)
    here = named(figure, "at your value")
    assert here.y[0] == pytest.approx(100 * accounting.arrow(start, end).accuracy(0.8))
    said = sentence(figure)
    assert f"Right at most 80% of the time in {start}'s game" in said
    impossible = end == "DP" or start == "MIS"
    assert impossible == (here.y[0] == 100) == (" no " in figure.layout.meta["headline"])
    witnesses = [t for t in figure.data if re.search(r"the two groups|a sum modulo", t.name)]
    assert len(witnesses) == impossible


def test_the_map_converts_parameters_as_the_rooms_do():
    right = 65
    given = float(np.log(right / (100 - right)))
    told = {
        ("DP", "MIP"): f"η = {mip.eta_from_dp(given):.3g}",
        ("DP", "MIS"): f"Δ ≤ {mis.delta_from_dp(given):.3g}",
        ("PMP", "MIS"): f"Δ ≤ {accounting.delta_from_pmp(given):.3g}",
        ("MIP", "MIS"): f"Δ ≤ {accounting.delta_from_mip(0.15):.3g}",
    }
    for arrow, words in told.items():
        assert words in sentence(figures.together.implication_map(*arrow, right))


def test_each_handle_stands_on_the_line_between_its_notions():
    panel = Explorable(figures.together.implication_map)
    places = {"DP": (0, 1), "PMP": (1, 1), "MIP": (1, 0), "MIS": (0, 0)}
    for start, end in ARROWS:
        grabs = panel.figure(start=start, end=end).layout.meta["grab"]
        for grab, notion, other in ((grabs[0], start, end), (grabs[1], end, start)):
            at = accounting.NOTIONS.index(notion)
            here = np.array([grab["track"]["x"][at], grab["track"]["y"][at]])
            near, far = (np.linalg.norm(here - places[each]) for each in (notion, other))
            assert near == pytest.approx(0.3, abs=1e-3)
            apart = np.linalg.norm(np.subtract(places[notion], places[other]))
            assert near + far == pytest.approx(apart, abs=1e-3)


def test_secure_sum_draws_the_chance_behind_each_sum():
    q, n = 13, 3
    figure = figures.together.secure_sum(q, n)
    labels = [2**i % q for i in range(2 * n)]
    drawn: dict[int, list[bool]] = {}
    for half in combinations(range(2 * n), n):
        drawn.setdefault(sum(labels[i] for i in half) % q, []).append(0 in half)
    dots = named(figure, "each sum")
    assert list(dots.customdata) == sorted(drawn)
    np.testing.assert_allclose(dots.y, [np.mean(drawn[s]) for s in sorted(drawn)])
    told = float(re.search(r"η = ([\d.]+) \(exact\)", sentence(figure))[1])
    assert told == pytest.approx(accounting.power_sums(n, q).eta, abs=5e-4)


# --- The figures on audits draw what the package computes -----------------------------------------


def traces(figure):
    return {trace.name: trace for trace in figure.data}


@pytest.mark.parametrize(("right", "canaries"), [(83, 2000), (50, 100), (100, 100_000)])
def test_proofs_are_those_of_the_package(right, canaries):
    drawn = traces(figures.together.one_run_proof(right, canaries))
    proved = audit.canary_epsilon(right * canaries // 100, canaries, 1e-5)
    assert drawn["at your share"].x[0] == drawn["proved (bound)"].x[1] == pytest.approx(proved, abs=1e-9)
    shown = [len(drawn[name].x) for name in ("guessed right", "guessed wrong")]
    assert sum(shown) == min(canaries, 1000)
    if canaries >= 1000:
        assert shown[0] == 10 * right


@pytest.mark.parametrize("shared", [False, True])
def test_an_alarm_is_told_where_the_line_reaches_a_mark(shared):
    seen = set()
    for run in range(1, 16):
        figure = figures.together.chosen_afterwards(4, run, shared)
        drawn = traces(figure)
        line = drawn["right guesses of a run without a leak"]
        marks = drawn["so many would be an alarm (exact)"]
        heights = dict(zip(line.x, line.y, strict=True))
        over = any(heights[r] >= y for r, y in zip(marks.x, marks.y, strict=True))
        assert ("a false alarm" in figure.layout.meta["sentence"]) == over
        seen.add(over)
    assert seen == {False, True}


def test_alarms_are_those_of_the_package():
    drawn = traces(figures.together.chosen_afterwards(8, 1))["chosen after looking (exact)"]
    eight = audit.false_alarm(np.arange(125, 1001, 125))
    assert drawn.y[list(drawn.x).index(8)] == pytest.approx(eight)


# --- The figures of shadow models draw what the package computes ----------------------------------


def _traces(figure):
    return {trace.name: trace for trace in figure.data}


@pytest.mark.parametrize(("d", "n", "tau", "noise"), [(1, 10, "none", 0.0), (20, 10, "0.3", 0.3)])
def test_every_curve_is_its_attacks(d, n, tau, noise):
    drawn = _traces(figures.together.shadow_roc(d, n, tau))
    for name, attack in {
        "best attack": "best",
        "LiRA, in and out models": "lira",
        "LiRA, out models": "offline",
        "the same, two-sided": "two-sided",
        "one threshold": "loss",
    }.items():
        x, y = np.array(drawn[name].x), np.array(drawn[name].y)
        kept = x < 0.999
        truth = mis.mean_attack_tpr(x[kept], n, d, noise, attack)
        # Both rates are drawn to three digits.
        assert y[kept] == pytest.approx(truth, rel=0.012)
    marked = drawn["at 1% accused"]
    assert marked.y[0] == pytest.approx(mis.mean_attack_tpr(0.01, n, d, noise))


def test_the_readings_at_a_number_of_models_lie_on_their_curves():
    figure = figures.together.shadow_count(16, 20, 0.01)
    drawn, place = _traces(figure), MODELS.index(16)
    exact = mis.mean_attack_tpr(0.01, 10, 20, attack="offline", shadows=16)
    pooled, each = (few_shadows(20, f"online, {n}", 0.01)[0][place] for n in ("pooled", "each"))
    assert list(drawn["at your number of models"].y) == pytest.approx([exact, pooled, each])
    curve = drawn["out models, one variance for all (exact)"]
    assert curve.y[place] == pytest.approx(exact, abs=1e-6)


def test_accuracy_is_drawn_at_what_its_noise_promises():
    figure = figures.together.trained_accuracy(1.0, 2.0)
    curve = _traces(figure)["test accuracy (estimate)"]
    place = SIGMAS.index(2.0) - 1
    assert curve.x[place] == pytest.approx(promised(2.0).epsilon, abs=1e-3)
    assert curve.y[place] == pytest.approx(trained("softmax", 1.0).accuracy[place + 1], abs=1e-4)


@pytest.mark.parametrize(("measure", "row"), [("calls right", 2), ("found at 1%", 1)])
def test_attacks_are_drawn_under_the_promise(measure, row):
    drawn = _traces(figures.together.trained_attack(measure))
    lira = drawn["LiRA, in and out models (estimate)"]
    assert list(lira.y) == pytest.approx(attacked().found["LiRA online"][row], abs=1e-5)
    allowed = [promised(s).accuracy if row == 2 else promised(s).tpr for s in ATTACKED_SIGMAS]
    bound = drawn["what the promise allows (bound)"]
    assert list(bound.y) == pytest.approx(allowed, abs=1e-5)
    assert (np.array(bound.y) > np.array(lira.y)).all()
