"""The map of arrows and its witnesses: what they draw and say is what the rooms compute."""

import math
import re
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm
from shared import named

from explorable.panels import UploadedFile
from mipbook import accounting, dpsgd, figures, tradeoff
from mipbook.figures.words import in_100
from mipbook.stored import accounting as runs
from mipbook.tradeoff import gaussian_advantage


def test_six_bets_are_six_arrows():
    asked = set()
    spies = {
        "knows the others": "DP",
        "list, must answer": "MIP",
        "list, may pass": "PMP",
        "a stranger": "MIS",
    }
    for round in range(6):
        figure = figures.together.six_bets(round)
        both = re.findall("<b>(.+?)</b>", " ".join(named(figure, "how often").text))
        arrow = accounting.arrow(*(spies[spy] for spy in both))
        meta = figure.layout.meta
        asked.add(arrow)
        held = meta["answer"] == "held"
        assert held == (arrow.kind != "impossible" and not arrow.needs_delta)
        told = meta["after"][-1]["marks"]["how often"]["text"][1]
        often = 100 * float(arrow.accuracy(0.75)) if held else 100
        assert float(re.search(r": ([\d.]+) times", told)[1]) == pytest.approx(often, abs=0.05)
    assert len(asked) == 6


def test_the_digit_that_is_published_names_two_of_four():
    figure = figures.together.six_bets(2)
    last = int(named(figure, "said of them").text[-1][-5])
    fours = named(figure, "said of them").x[:4]
    pairs = [pair for pair in combinations(range(4), 2) if sum(2**i for i in pair) % 10 == last]
    assert [[fours.index(x) for x in named(figure, "was in").x]] == [list(pair) for pair in pairs]


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


# --- The figures of many releases: what they draw and say is what the package computes ------------


@pytest.mark.parametrize("seen", ["name", "circles", "both"])
def test_the_best_spy_of_two_pages_plays_by_them(seen):
    rounds = [figures.together.name_one(round, seen) for round in range(24)]
    answers = [(each.layout.meta["answer"], each.layout.meta.get("optimal")) for each in rounds]
    assert seen != "both" or all(answer == best for answer, best in answers)
    for figure, (answer, best) in zip(rounds, answers, strict=True):
        # Where all stand once it is answered.
        side = np.mean(named(figure, "the study").x) > 0
        marks = figure.layout.meta["after"][0]["marks"]
        ten = marks["the ten"]
        zoe = (ten["x"][-1], ten["y"][-1])
        assert sum((x > 0) == side for x in ten["x"]) == 5
        assert ((zoe[0] > 0) == side) == (answer == "in")
        if seen == "circles":
            assert best is None
            continue
        ring = named(figure, "the printed name")
        printed = marks.get("the printed name", {"x": ring.x, "y": ring.y})
        assert (printed["x"][0] > 0) == side
        own = zoe == (printed["x"][0], printed["y"][0])
        assert best == (answer if seen == "both" else "in" if own else "out")


# --- Clip and noise -------------------------------------------------------------------------------


@pytest.mark.parametrize("clip", [0.5, 2.0, 5.0])
def test_the_disks_stand_a_tenth_of_a_clip_apart_and_are_as_wide_as_the_noise(clip):
    figure = figures.together.clipped_pulls(clip, 2.0)
    disks = [named(figure, name) for name in ("with Zoe", "without her")]
    middles = [np.array([np.ptp(end.x) / 2 + min(end.x), np.ptp(end.y) / 2 + min(end.y)]) for end in disks]
    assert [np.ptp(end.x) for end in disks] == pytest.approx([0.4 * clip] * 2)
    assert np.hypot(*(middles[0] - middles[1])) == pytest.approx(clip / 10, rel=0.01)
    longest = named(figure, "Zoe's pull")
    assert np.hypot(longest.x[1], longest.y[1]) == pytest.approx(clip)
    meta = figure.layout.meta
    assert meta["headline"].startswith(f"right {in_100(0.5 + gaussian_advantage(2.0) / 2)}, off by ")


# --- The plan of a training run -------------------------------------------------------------------


@pytest.mark.parametrize("text", ["norm\n1\n-2\n3", "norm\n0\n0\n0"])
def test_a_file_without_norms_is_refused(text):
    with pytest.raises(ValueError, match="norms"):
        figures.together.clip_lab(UploadedFile("norms.csv", text))


def test_a_stored_plan_is_what_is_computed():
    at = (1000, 500, 10)
    assert runs.plan(*at, 2.0) == pytest.approx(runs._plan(*at, 2.0), rel=1e-9)
    assert runs.plan(*at, 1.1)[1] > runs.plan(*at, 2.0)[1] + 0.1
    noise = dpsgd.certified_sigma(*runs.schedule(*at), 8.0, 1e-5)
    assert runs.needed(*at, 8.0) == pytest.approx(noise, rel=1e-9)


# --- One release in every reading -----------------------------------------------------------------


drawn = figures.together


@pytest.mark.parametrize("mu", [0.05, 1.0, 3.0])
def test_the_bars_read_gaussian_noise(mu):
    figure = drawn.every_reading("Gaussian", mu)
    for name, share in {
        "right, of 100": 2 * norm.cdf(mu / 2) - 1,  # from 50 on
        "MIP: η": 2 * norm.cdf(mu / 2) - 1,  # of a half
        "found, of 100": norm.cdf(norm.ppf(0.01) + mu),
        "DP: ε": min(tradeoff.gaussian_epsilon(1e-5, sigma=1 / mu) / 10, 1),
    }.items():
        assert math.isclose(named(figure, f"bar, {name}").x[1], share, rel_tol=1e-3), name


def test_a_table_of_ones_own_is_read():
    text = "out,in\n0.2,0.5\n0.3,0.3\n0.5,0.2\n"
    chosen = {"inside": ["in"], "outside": ["out"]}
    figure = drawn.side_by_side(file=UploadedFile("mine.csv", text, chosen))
    meta = figure.layout.meta
    assert [row[0] for row in meta["table"]] == ["release", "first", "second", "table"]
    assert "the second Gaussian noise of σ = 1, 1-GDP, the table your table." in meta["sentence"]
    # By hand: an advantage of 0.3, and the first output at a rate of 1%.
    assert meta["table"][3][1:3] == ["65%", "2.5%"]
    assert "column 'in' holds the chances with the record in" in meta["read"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("in,out\n0.5,0.2\n0.4,0.8\n", "column 'in' .*sum of 0.9"),
        ("in,out\n1.5,0.2\n-0.5,0.8\n", "row 2, column 'in': '1.5' is no chance"),
        ("in,out\n0.5,0.2\nten,0.8\n", "row 3, column 'in': 'ten' is not a number"),
    ],
)
def test_a_table_that_holds_no_chances_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        drawn.side_by_side(file=UploadedFile("mine.csv", text))
