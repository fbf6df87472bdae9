"""The vocabulary of figures: how values and words are told, and colours, each of which is written once."""

import pickle
import re
import subprocess
from itertools import combinations

import numpy as np
import pytest
from shared import ROOT, refused

import mipbook.figures.kit as k
from explorable.palette import DARK_TWIN, TONES
from explorable.panels.static import asset
from explorable.serve.apps import TEMPLATES
from explorable.serve.pages import page
from mipbook.figures import marks
from mipbook.figures.marks import Look
from mipbook.figures.words import people, say, times

PALETTE = ROOT / "explorable" / "palette.py"
THEIRS = ROOT / "explorable" / "panels" / "plotly"
COLOUR = re.compile(r"(?<![&\w/])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b", flags=re.I)
KINDS = {".py", ".js", ".ts", ".css", ".html", ".j2", ".md", ".ipynb", ".yml"}
VALUES = [*np.random.default_rng(4).uniform(0, 1, 40), 0.1, 0.95, 1 / 3]


def number(text):
    return float(text.replace(",", "").rstrip("%")) / (100 if text.endswith("%") else 1)


@pytest.mark.parametrize("how", [k.say, k.percent])
def test_a_bound_is_rounded_to_its_side(how):
    for value in VALUES:
        most, least, exact = k.at_most(value, how), k.at_least(value, how), k.exact(value, how)
        assert number(least) - 1e-12 <= value <= number(most) + 1e-12
        assert exact in (most, least)
        assert number(most) - number(least) <= 0.011 * value + 1e-12
    assert [k.at_most(0.0921, k.people), k.at_least(0.0929, k.people)] == ["93 of 1,000", "92 of 1,000"]


def test_a_value_is_told_by_a_format_and_numpy_like_python():
    assert k.exact(0.62749, ".1%") == "62.7%"
    assert k.at_most(0.12345, digits=2) == "0.13"
    # Plain, this rounds down: numpy would multiply first.
    assert k.exact(np.float64(0.5545), k.percent) == k.percent(0.5545) == "55.5%"
    assert k.exact(np.array(0.5545), k.percent) == "55.5%"
    refused(r"^how = '\.1%': a format takes neither digits nor a side", k.at_most, 0.5, ".1%")


def test_a_clause_is_filled_and_goes_to_another_process_as_its_text():
    clause = k.told("{n} of {all} die at {rate}", n=3, all=12_000, rate=k.at_most(0.12301))
    assert clause == "3 of 12,000 die at 0.124"
    back = pickle.loads(pickle.dumps(k.part(leak=k.at_most(0.12341), said=k.told("{n} cats", n=2)).words))
    assert back == {"leak": "0.124", "said": "2 cats"}


def test_a_lower_picture_hangs_on_axes_of_its_own():
    axes = {name: k.axis(name) for name in ("x", "y", "x2", "y2")}
    made = k.part(k.points("below", 0, 0, k.OUT, lower=True, hover="at %{x}"), rows=(0.6, 0.2), **axes)
    assert (made.traces[0]["xaxis"], made.layout["xaxis2"]["anchor"]) == ("x2", "y2")
    assert made.traces[0]["hovertemplate"] == "at %{x}<extra></extra>"


def test_every_look_has_a_dark_twin_and_looks_that_meet_differ_by_more_than_colour():
    named = [look for look in vars(marks).values() if isinstance(look, Look)]
    assert len(named) > 8
    assert all(look.colour in DARK_TWIN for look in [*named, *marks.SERIES])
    notions = [marks.DP, marks.MIP, marks.PMP, marks.MIS]
    for some in ([marks.IN, marks.OUT], list(marks.SERIES), notions):
        for one, other in combinations(some, 2):
            assert (one.dash, one.symbol) != (other.dash, other.symbol)


def test_one_of_a_kind_is_told_in_the_singular():
    told = marks.curve("a", [1, 10], [1.0, 2.0], marks.MIP, hovertemplate="%{x:,} records: %{y}")
    assert told["hovertemplate"] == ["%{x:,} record: %{y}", "%{x:,} records: %{y}"]
    told = marks.points("a", 2, 1.0, marks.MIP, hovertemplate="%{y:.2f} times, %{x} halves")
    assert told["hovertemplate"] == "%{y:.2f} times, %{x} halves"
    told = marks.bars("a", [0, 5], [1, 3], marks.MIP, hovertemplate="of %{y} halves")
    assert told["hovertemplate"][0] == "of %{y} half"


def test_ten_people_have_a_letter_and_a_colour_of_their_own():
    drawn = marks.cast(range(10), [0] * 10)
    assert len(set(drawn["text"])) == len(set(drawn["marker"]["color"])) == 10
    assert marks.cast([3], [0], ["Zoe"])["marker"]["color"] == [marks.PEOPLE["Zoe"]]


def test_numbers_in_sentences_read_as_prose():
    told = {1234567.0: "1.23 × 10⁶", 999999.0: "1.00 × 10⁶", 99999.0: "100,000", 0.00015926: "0.000159"}
    told |= {0.1: "0.1", 2.44e-10: "2.44 × 10⁻¹⁰", -0.5918: "-0.592", 0.0: "0", float("inf"): "infinity"}
    assert {value: say(value) for value in told} == told
    told = {0.01: "10 of 1,000", 1.5e-7: "15 of 100,000,000", 0.99999: "99,999 of 100,000"}
    told |= {1e-12: "fewer than 1 of 1,000,000,000", 1 - 1e-12: "nearly all"}
    assert {rate: people(rate) for rate in told} == told
    assert times(61.94) == "61.9 times"


def test_no_colour_is_written_outside_the_palette():
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output([*command, "explorable", "mipbook", "book"], cwd=ROOT, text=True)
    paths = [ROOT / line for line in listed.splitlines()]
    ours = [p for p in paths if p.suffix in KINDS and p.is_file() and p != PALETTE and p.parent != THEIRS]
    assert len(ours) > 100
    found = {path: COLOUR.findall(path.read_text(encoding="utf-8")) for path in ours}
    assert not {path: colours for path, colours in found.items() if colours}


def test_every_role_that_a_style_asks_for_has_a_colour():
    styles = [asset("explorable.css"), asset("book.css"), page("", "")]
    styles.append((TEMPLATES / "index.html.j2").read_text(encoding="utf-8"))
    for style in styles:
        asked = set(re.findall(r"var\(--mb-([a-z-]+)", style))
        assert asked
        assert asked <= set(TONES)
