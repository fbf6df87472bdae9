"""The map of arrows and its witnesses: what they draw and say is what the rooms compute."""

import math
import re
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from shared import named

from mipbook import accounting, audit, figures


def test_the_twelve_bets_are_the_arrows_and_fill_the_board():
    asked = set()
    for round in range(12):
        figure = figures.together.twelve_bets(round)
        both = re.findall(r"<b>(\w+)</b>", " ".join(named(figure, "how often").text))
        arrow, meta = accounting.arrow(*both), figure.layout.meta
        asked.add(arrow)
        held = arrow.kind != "impossible" and not arrow.needs_delta
        assert meta["answer"] == ("held" if held else "free")
        told = meta["after"][-1]["marks"]["how often"]["text"][1]
        often = 100 * float(arrow.accuracy(0.75)) if held else 100
        assert float(re.search(r"right ([\d.]+) times", told)[1]) == pytest.approx(often, abs=0.05)
        assert len(named(figure, "answered").x) == 2 * round
    assert asked == set(accounting.ARROWS)


@pytest.mark.parametrize("round", [2, 7, 10])
def test_the_digit_that_is_published_names_two_of_four(round):
    figure = figures.together.twelve_bets(round)
    last = int(named(figure, "said of them").text[-1][-5])
    fours = named(figure, "said of them").x[:4]
    pairs = [pair for pair in combinations(range(4), 2) if sum(2**i for i in pair) % 10 == last]
    assert [[fours.index(x) for x in named(figure, "was in").x]] == [list(pair) for pair in pairs]


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


# --- The figures of shadow models draw what the package computes ----------------------------------


@pytest.mark.parametrize("lines", ["one for all", "one for each"])
def test_lines_are_right_as_often_as_they_say_in_games_that_are_played(lines):
    figure = figures.together.own_lines(0, lines)
    line = np.array(traces(figure)["say in to the left"].x[::3], dtype=float)
    rng, person = np.random.default_rng(2), np.zeros((5, 20))
    person[:, 0] = np.sqrt(stats.chi2(20).ppf((np.arange(5) + 0.5) / 5))
    rates = []
    for share, spread in ((0, 0.1), (0.1, 0.09)):
        means = share * person + np.sqrt(spread) * rng.standard_normal((20_000, 5, 20))
        rates.append(100 * (((means - person) ** 2).sum(axis=2) < line).mean())
    told = float(figure.layout.meta["headline"].split()[3])
    assert 50 + (rates[1] - rates[0]) / 2 == pytest.approx(told, abs=0.6)


# --- The figures of many releases: what they draw and say is what the package computes ------------


@pytest.mark.parametrize(("k", "epsilon"), [(1, 0.1), (20, 0.3), (100, 1)])
def test_costs_are_the_optimal_ones(k, epsilon):
    figure = figures.together.composition_costs(k, epsilon)
    at_k = named(figure, "at your k")
    assert at_k.y[0] == pytest.approx(100 * accounting.composed(accounting.from_dp(epsilon), k).accuracy())
    drawn = dict(zip(*(named(figure, "together")[axis] for axis in "xy"), strict=True))
    assert drawn[k] == pytest.approx(at_k.y[0], rel=1e-12)
    exact, summed = (np.asarray(named(figure, name).y) for name in ("together", "sum of ε"))
    assert (exact <= summed + 1e-9).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0])
def test_votes_are_flat_at_every_second_step(epsilon):
    figure = figures.together.votes(0, 4, epsilon)
    steps = np.asarray(named(figure, "the worst case").y) / 50 - 1
    np.testing.assert_allclose(steps[1::2], steps[:-1:2], rtol=1e-12)
    assert steps[0] == pytest.approx(math.tanh(epsilon / 2), rel=1e-12)


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
