"""The map of arrows, its witnesses, and many releases: what they draw and say is what the rooms compute."""

import re
from itertools import combinations

import numpy as np
import pytest
from shared import named

from explorable.panels import UploadedFile
from mipbook import accounting, dpsgd
from mipbook.dpsgd.profile import schedule
from mipbook.figures import together
from mipbook.stored import trained as runs


def test_six_bets_are_six_arrows():
    asked = set()
    spies = {
        "knows the others": "DP",
        "list, must answer": "MIP",
        "list, may pass": "PMP",
        "a stranger": "MIS",
    }
    for round in range(6):
        figure = together.six_bets(round)
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
    figure = together.six_bets(2)
    last = int(named(figure, "said of them").text[-1][-5])
    fours = list(named(figure, "said of them").x[:4])
    (pair,) = (pair for pair in combinations(range(4), 2) if sum(2**i for i in pair) % 10 == last)
    assert [fours.index(x) for x in named(figure, "was in").x] == list(pair)


@pytest.mark.parametrize("seen", ["name", "circles", "both"])
def test_the_best_spy_of_two_pages_plays_by_them(seen):
    for figure in (together.name_one(round, seen) for round in range(24)):
        answer, best = figure.layout.meta["answer"], figure.layout.meta.get("optimal")
        # Where all stand once it is answered.
        side = np.mean(named(figure, "the study").x) > 0
        marks = figure.layout.meta["after"][0]["marks"]
        *_, zoe = ten = list(zip(marks["the ten"]["x"], marks["the ten"]["y"], strict=True))
        assert sum((x > 0) == side for x, _ in ten) == 5
        assert ((zoe[0] > 0) == side) == (answer == "in")
        if seen == "circles":
            assert best is None
            continue
        ring = named(figure, "the printed name")
        printed = marks.get("the printed name", {"x": ring.x, "y": ring.y})
        assert (printed["x"][0] > 0) == side
        own = zoe == (printed["x"][0], printed["y"][0])
        assert best == (answer if seen == "both" else "in" if own else "out")


@pytest.mark.parametrize("clip", [0.5, 2.0, 5.0])
def test_the_disks_stand_a_tenth_of_a_clip_apart_and_are_as_wide_as_the_noise(clip):
    figure = together.clipped_pulls(clip, 2.0)
    drawn = [named(figure, name) for name in ("with Zoe", "without her")]
    disks = [np.array([each.x, each.y], dtype=float) for each in drawn]
    middles = [(disk.min(axis=1) + disk.max(axis=1)) / 2 for disk in disks]
    assert [np.ptp(disk[0]) for disk in disks] == pytest.approx([0.4 * clip] * 2)
    assert np.hypot(*(middles[0] - middles[1])) == pytest.approx(clip / 10, rel=0.01)
    longest = named(figure, "Zoe's pull")
    assert np.hypot(longest.x[1], longest.y[1]) == pytest.approx(clip)


def test_a_stored_plan_is_what_is_computed():
    at = (1000, 500, 10)
    sampling, steps = schedule(*at)
    sides = dpsgd.certified_epsilon(sampling, 2.0, steps, 1e-5)
    assert runs.plan(*at, 2.0) == pytest.approx([sides.low, sides.high], rel=1e-9)
    assert runs.plan(*at, 1.1)[1] > runs.plan(*at, 2.0)[1] + 0.1
    noise = dpsgd.certified_sigma(sampling, steps, 8.0, 1e-5)
    assert runs.needed(*at, 8.0) == pytest.approx(noise, rel=1e-9)


# --- Files of one's own ---------------------------------------------------------------------------


def test_a_table_of_ones_own_is_read():
    text = "out,in\n0.2,0.5\n0.3,0.3\n0.5,0.2\n"
    file = UploadedFile("mine.csv", text, {"inside": ["in"], "outside": ["out"]})
    meta = together.side_by_side(file=file).layout.meta
    assert [row[0] for row in meta["table"]] == ["release", "first", "second", "table"]
    assert "the second Gaussian noise of σ = 1, 1-GDP, the table your table." in meta["sentence"]
    # By hand: an advantage of 0.3, and the first output at a rate of 1%.
    assert meta["table"][3][1:3] == ["65%", "2.5%"]
    assert "column 'in' holds the chances with the record in" in meta["read"]


@pytest.mark.parametrize(
    ("figure", "control", "text", "words"),
    [
        (together.clip_lab, "norms", "norm\n1\n-2\n3", "norms"),
        (together.clip_lab, "norms", "norm\n0\n0\n0", "norms"),
        (together.side_by_side, "file", "in,out\n0.5,0.2\n0.4,0.8\n", "column 'in' .*sum of 0.9"),
        (together.side_by_side, "file", "in,out\n1.5,0.2\n-0.5,0.8\n", "row 2, .*'1.5' is no chance"),
        (together.side_by_side, "file", "in,out\n0.5,0.2\nten,0.8\n", "row 3, .*'ten' is not a number"),
    ],
)
def test_a_file_without_norms_or_chances_is_refused(figure, control, text, words):
    with pytest.raises(ValueError, match=words):
        figure(**{control: UploadedFile("mine.csv", text)})
