"""The map of arrows and its witnesses: what they draw and say is what the rooms compute."""

import re
from itertools import combinations

import numpy as np
import pytest
from shared import named

from mipbook import accounting, figures
from mipbook.audit.examples import ATTACKED_SIGMAS, attacked
from mipbook.stored.trained import SIGMAS, promised, trained


@pytest.mark.parametrize("start", accounting.NOTIONS)
def test_a_promise_holds_the_spies_that_it_implies(start):
    figure = figures.together.four_spies(start, 80)
    held = {"DP": {"DP", "MIP", "PMP", "MIS"}, "MIP": {"MIP", "MIS"}, "PMP": {"MIP", "PMP", "MIS"}}
    held = held.get(start, {"MIS"})  # of PMP's spy eta says no more than how often he is sure
    assert (" at times" in named(figure, "so often").text) == (start == "MIP")
    rows = dict(zip((3, 2, 1, 0), ("DP", "MIP", "PMP", "MIS"), strict=True))
    ends = named(figure, "so often")
    seen = {rows[y]: x for x, y in zip(ends.x, ends.y, strict=True)}
    ringed = zip(ends.y, ends.marker.symbol, ends.text, strict=True)
    assert {rows[y] for y, symbol, told in ringed if (symbol, told) == ("circle", " ")} == held
    # From DP to MIS the odds of four to one become two to one.
    expected = {row: 80.0 if row in held else 100.0 for row in seen}
    expected |= {"MIS": 200 / 3} if start == "DP" else {}
    assert seen == pytest.approx(expected)


def test_secure_sum_draws_what_each_hour_settles():
    q, n = 13, 3
    figure = figures.together.secure_sum(q, n)
    labels = [2**i % q for i in range(2 * n)]
    drawn: dict[int, list[bool]] = {}
    for half in combinations(range(2 * n), n):
        drawn.setdefault(sum(labels[i] for i in half) % q, []).append(0 in half)
    kinds = {"Zoe was in": {1.0}, "she was not": {0.0}, "nobody knows": {0.5}}
    seen = {}
    for name, kind in kinds.items():
        dots = named(figure, name)
        hours = np.round(np.arctan2(dots.x, dots.y) / (2 * np.pi) * q).astype(int) % q
        seen |= dict.fromkeys(hours.tolist(), kind)
    told = {each: float(np.mean(found)) for each, found in drawn.items()}
    assert seen == {each: {chance if chance in (0, 1) else 0.5} for each, chance in told.items()}
    told = float(re.search(r"right ([\d.]+) times", figure.layout.meta["headline"])[1])
    assert told == pytest.approx(50 + 100 * accounting.power_sums(n, q).eta, abs=0.05)


# --- The figures on audits draw what the package computes -----------------------------------------


def traces(figure):
    return {trace.name: trace for trace in figure.data}


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


# --- The figures of shadow models draw what the package computes ----------------------------------


def test_accuracy_is_drawn_at_what_its_noise_promises():
    figure = figures.together.trained_accuracy(1.0, 2.0)
    curve = traces(figure)["test accuracy (estimate)"]
    place = SIGMAS.index(2.0) - 1
    assert curve.x[place] == pytest.approx(promised(2.0).epsilon, abs=1e-3)
    assert curve.y[place] == pytest.approx(trained("softmax", 1.0).accuracy[place + 1], abs=1e-4)


@pytest.mark.parametrize(("measure", "row"), [("calls right", 2), ("found at 1%", 1)])
def test_attacks_are_drawn_under_the_promise(measure, row):
    drawn = traces(figures.together.trained_attack(1.0, measure))
    lira = drawn["LiRA, in and out models (estimate)"]
    assert list(lira.y) == pytest.approx(attacked().found["LiRA online"][row], abs=1e-5)
    allowed = [promised(s).accuracy if row == 2 else promised(s).tpr for s in ATTACKED_SIGMAS]
    bound = drawn["what the promise allows (bound)"]
    assert list(bound.y) == pytest.approx(allowed, abs=1e-5)
    assert (np.array(bound.y) > np.array(lira.y)).all()


# --- The figures of many releases: what they draw and say is what the package computes ------------


@pytest.mark.parametrize("k", [1, 4, 7])
def test_lies_are_crossed_out_and_the_best_spy_follows_the_majority(k):
    for round in range(16):
        figure = figures.together.votes(round, k, 0.5)
        told = figure.layout.meta
        drawn = {name: {*zip(named(figure, name).x, named(figure, name).y, strict=True)}
                 for name in ("says in", "says out", "lies")}  # fmt: skip
        assert drawn["lies"] == drawn["says out" if told["answer"] == "in" else "says in"]
        votes_in, votes_out = len(drawn["says in"]), len(drawn["says out"])
        assert votes_in == votes_out or (told["optimal"] == "in") == (votes_in > votes_out)


@pytest.mark.parametrize("seen", ["name", "groups", "both"])
def test_the_best_spy_of_two_pages_plays_by_them(seen):
    rounds = [figures.together.name_one(round, seen) for round in range(24)]
    answers = [(each.layout.meta["answer"], each.layout.meta["optimal"]) for each in rounds]
    assert seen != "both" or all(answer == best for answer, best in answers)
    for figure, (answer, best) in zip(rounds, answers, strict=True):
        was_in = {*zip(named(figure, "was in").x, named(figure, "was in").y, strict=True)}
        ten = named(figure, "the ten")
        where = dict(zip(ten.customdata, zip(ten.x, ten.y, strict=True), strict=True))
        assert (where["Zoe"] in was_in) == (answer == "in")
        printed = named(figure, "the printed name")
        assert {*zip(printed.x, printed.y, strict=True)} <= was_in
        if seen == "name":
            assert (best == "in") == (where["Zoe"] == (printed.x[0], printed.y[0]))
        else:
            assert len({x > 0 for x, _ in was_in}) == 1
