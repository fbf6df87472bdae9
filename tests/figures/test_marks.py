"""Marks are plotly's own traces, and every look can be told without its colour."""

from itertools import combinations

import plotly.graph_objects as go

from explorable.palette import DARK_TWIN
from mipbook.figures import looks, marks
from mipbook.figures.looks import Look


def test_plotly_takes_every_mark():
    x = [0.0, 1.0]
    traces = [
        marks.curve("a", x, x, looks.IN),
        marks.curve("b", x, x, looks.OUT, marked=True, xaxis="x2"),
        marks.points("c", x, x, looks.ATTACK),
        marks.band("d", x, x, [1.0, 2.0], looks.DP),
        marks.bars("e", x, x, looks.MIP, "/"),
        marks.reading(0.5, 0.5),
        marks.quoted("f", x, x),
        marks.level("g", [0, 1], 0.5),
        marks.cast(range(10), range(10)),
        *marks.crowd("found", 19, looks.IN),
    ]
    figure = go.Figure(data=traces)  # raises for a property that plotly does not know
    assert [trace.name for trace in figure.data] == [trace["name"] for trace in traces]


def test_a_band_closes_around_its_two_curves():
    band = marks.band("b", [0, 1, 2], [0, 0, 0], [1, 2, 3], looks.IN)
    assert list(band["x"]) == [0, 1, 2, 2, 1, 0]
    assert list(band["y"]) == [1, 2, 3, 0, 0, 0]


def test_every_look_has_a_dark_twin():
    named = [look for look in vars(looks).values() if isinstance(look, Look)]
    assert len(named) > 8
    assert all(look.colour in DARK_TWIN for look in [*named, *looks.SERIES])


def test_looks_that_meet_differ_by_more_than_colour():
    notions = [looks.DP, looks.MIP, looks.PMP, looks.MIS]
    for some in ([looks.IN, looks.OUT], list(looks.SERIES), notions):
        for one, other in combinations(some, 2):
            assert (one.dash, one.symbol) != (other.dash, other.symbol)


def test_one_of_a_kind_is_told_in_the_singular():
    told = marks.curve("a", [1, 10], [1.0, 2.0], looks.MIP, hovertemplate="%{x:,} records: %{y}")
    assert told["hovertemplate"] == ["%{x:,} record: %{y}", "%{x:,} records: %{y}"]
    told = marks.points("a", 2, 1.0, looks.MIP, hovertemplate="%{y:.2f} times, %{x} halves")
    assert told["hovertemplate"] == "%{y:.2f} times, %{x} halves"
    told = marks.bars("a", [0, 5], [1, 3], looks.MIP, hovertemplate="of %{y} halves")
    assert told["hovertemplate"][0] == "of %{y} half"


def test_ten_people_have_a_letter_and_a_colour_of_their_own():
    drawn = marks.cast(range(10), [0] * 10)
    assert len(set(drawn["text"])) == len(set(drawn["marker"]["color"])) == 10
    assert marks.cast([3], [0], ["Zoe"])["marker"]["color"] == [looks.PEOPLE["Zoe"]]


def test_a_crowd_of_a_thousand_lights_as_many_as_it_says():
    everybody, lit = marks.crowd("found", 19, looks.IN, left=60)
    places = set(zip(everybody["x"].tolist(), everybody["y"].tolist(), strict=True))
    assert len(places) == 1000
    assert len(lit["x"]) == 19
    assert set(zip(lit["x"].tolist(), lit["y"].tolist(), strict=True)) < places
