"""The checks of all figures can fail: each finds the mistake that is made here on purpose."""

import math
from typing import Annotated

import every_figure
import numpy as np
import plotly.graph_objects as go
import pytest

from explorable import palette, validate
from explorable.panels import Choice, Slider, declared
from mipbook.figures import kit


def drawn(traces=None, **meta):
    words = {
        "sentence": "At this slope the line rises by exactly one unit a step (exact).",
        "alt": "A line that rises from the lower left to the upper right, one unit a step.",
    }
    traces = [{"name": "line", "y": [0.0, 1.0], "line": {"color": palette.BLUE}}, *(traces or [])]
    traces = [{"type": "scatter", "mode": "lines", **trace} for trace in traces]
    return go.Figure(data=traces, layout={"meta": {**words, **meta}}, _validate=False)


SECOND = {"name": "second", "y": [1.0], "line": {"color": palette.GREEN, "dash": "dot"}}
BELOW = {"xaxis": "x2", "yaxis": "y2"}


def test_a_good_figure_passes():
    # One idea in two pictures has one look.
    below = {**SECOND, "line": {"color": palette.BLUE}, **BELOW}
    assert every_figure.wrong(drawn([below])) == []
    assert every_figure.wrong(drawn()) == []


@pytest.mark.parametrize(
    ("figure", "told"),
    [
        (drawn(sentence="Short."), "sentence: too short"),
        (drawn(alt="A line."), "alt: too short"),
        (drawn(sentence="At this slope the line rises by one unit a step."), "no number is tagged"),
        (drawn(sentence="At this slope the line rises by nan units a step (exact)."), "a hole"),
        (drawn(sentence="At this slope the line rises by {n} units a step (exact)."), "a hole"),
        (drawn(headline="{n} units a step"), "headline: a hole"),
        (drawn([{**SECOND, "name": "line"}]), "traces need names"),
        (drawn([{**SECOND, "name": None}]), "traces need names"),
        (drawn([{**SECOND, "y": [math.inf]}]), "is not finite"),
        (drawn([{**SECOND, "y": np.array([0.0, math.nan])}]), "is not finite"),
        (drawn([{"name": "second", "type": "cone"}]), "draws no cone"),
        (drawn([{**SECOND, "lines": 3}]), "plotly does not take it"),
        (drawn([{**SECOND, "line": {"color": "#123456", "dash": "dot"}}]), "has no dark twin"),
        (drawn([{**SECOND, "line": {"color": "red", "dash": "dot"}}]), "has no dark twin"),
        (drawn([{**SECOND, "line": {"color": palette.GREEN}}]), "by its colour only"),
        (drawn([{**SECOND, "line": {"color": palette.BLUE}}]), "by its colour only"),
        (drawn([{**SECOND, "line": {"color": palette.GREEN}, **BELOW}]), "by its colour only"),
    ],
)
def test_a_wrong_figure_is_found(figure, told):
    assert [line for line in every_figure.wrong(figure) if told in line]


@declared
def careful(
    slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0,
    side: Annotated[str, Choice(["up", "down"])] = "up",
) -> go.Figure:
    """Draw a line."""
    return drawn([SECOND] if side == "down" else [])


def careless(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0) -> go.Figure:
    validate.number("slope", slope, 0.0, 3.5)
    return drawn([SECOND] if slope > 2 else [])


def nameless(slope: float = 1.0) -> go.Figure:
    validate.number("height", slope, 0.0, 3.0)
    return drawn()


def broken(slope: float = 1.0) -> go.Figure:
    return drawn([{**SECOND, "y": [slope + 1.0]}])


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (careless, "slope = 3.0000000000000004 is accepted"),
        (nameless, "slope = None is not named: height = None"),
        (broken, "slope = None: TypeError"),
    ],
)
def test_bad_input_that_gets_through_is_found(function, told):
    assert any(line.startswith(told) for line in every_figure.not_refused(function))
    assert every_figure.not_refused(careful) == []


def test_a_trace_that_a_slider_adds_is_found():
    found = []
    for function in (careful, careless):
        subject = every_figure.Subject(function, ())
        found.append(every_figure.unsteady(subject, subject.states()))
    assert found[0] == []
    assert found[1]


def test_a_control_that_does_nothing_is_found():
    # Of the careful figure the slope moves nothing, the side adds a trace.
    states = every_figure.Subject(careful, ()).states()
    assert every_figure.idle(states) == ["slope changes nothing"]


def _typed(slope):
    clause = kit.told(f"{slope:g} up and {{slope}} on", slope=slope)
    return kit.part(sentence=f"The line rises by {slope:.1f} of 9.", clause=clause, word=f"{slope}%")


def _named(slope):
    return kit.part(sentence="The line rises by {rise} of 9.", clause=kit.told("{n} up", n=slope), rise=slope)


@pytest.mark.parametrize(("layer", "count"), [(_typed, 3), (_named, 0)])
def test_a_number_without_a_name_is_found(layer, count):
    @kit.figure
    def line(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0):
        """Draw a line."""
        return layer

    subject = every_figure.Subject(line, ())
    found = every_figure.typed_numbers(subject, [({"slope": slope}, None) for slope in (1.0, 2.0)])
    assert len(found) == count
    assert every_figure.told_differently(subject, [({"slope": 2.5}, None)]) == []
