"""The checks of all figures can fail, and which of its sentences a figure says where."""

import math
from typing import Annotated

import every_figure
import numpy as np
import panel_habits
import plotly.graph_objects as go
import pytest

from explorable import palette
from explorable.panels import Choice, Explorable, Slider, declared
from mipbook import figures
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
        (drawn(sentence="At this slope the line rises by one unit a step."), "no number is tagged"),
        (drawn(sentence="At this slope the line rises by nan units a step (exact)."), "a hole"),
        (drawn(headline="{n} units a step"), "headline: a hole"),
        (drawn([{**SECOND, "name": "line"}]), "traces need names"),
        (drawn([{**SECOND, "y": np.array([0.0, math.nan])}]), "is not finite"),
        (drawn([{"name": "second", "type": "cone"}]), "draws no cone"),
        (drawn([{**SECOND, "lines": 3}]), "plotly does not take it"),
        (drawn([{**SECOND, "line": {"color": "#123456", "dash": "dot"}}]), "has no dark twin"),
        (drawn([{**SECOND, "line": {"color": "red", "dash": "dot"}}]), "has no dark twin"),
        (drawn([{**SECOND, "line": {"color": palette.GREEN}}]), "by its colour only"),
        (drawn([{**SECOND, "line": {"color": palette.GREEN}, **BELOW}]), "by its colour only"),
    ],
)
def test_a_wrong_figure_is_found(figure, told):
    assert [line for line in every_figure.wrong(figure) if told in line]


@pytest.mark.parametrize(
    ("trace", "axis", "cut"),
    [
        ({}, {"range": [0, 1]}, 0),
        ({}, {"range": [0, 0.8]}, 1),
        ({}, {"range": [-1, 0.1], "type": "log"}, 0),
        ({"y": [1.0, 9.0]}, {"range": [-1, 0.5], "type": "log"}, 1),
        ({"type": "bar", "y": [0.9, 1.0]}, {"range": [0.8, 1]}, 1),
        ({"type": "bar", "y": [9, 40], "base": 50}, {"range": [50, 100]}, 0),
    ],
)
def test_an_axis_that_is_cut_short_is_found(trace, axis, cut):
    figure = go.Figure([{"type": "scatter", "name": "line", "y": [0.0, 1.0], **trace}], {"yaxis": axis})
    assert len(every_figure.cut_short(figure)) == cut


@declared
def careful(
    slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0,
    side: Annotated[str, Choice(["up", "down"])] = "up",
) -> go.Figure:
    """Draw a line."""
    return drawn([SECOND] if side == "down" else [])


def careless(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 1.0) -> go.Figure:
    return drawn([SECOND] if slope > 2 else [])


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


# --- Every panel of the book can be held: few controls, many stops, axes that stand still ---------


@pytest.fixture(scope="module", params=every_figure.each())
def panels(request):
    more = panel_habits.SAMPLE if request.config.getoption("all") else 2
    shown = every_figure.subjects()[request.param].panels
    return [(panel, panel_habits.sample(panel, more)) for panel in shown]


def test_every_panel_can_be_held(panels):
    found = [
        f"{panel.name}: {line}"
        for panel, states in panels
        for check in panel_habits.CHECKS
        for line in check(panel, states)
    ]
    assert not found, "\n".join(found)


# ------------------------------------------------------------------ each check can fail


def figure(size=1.0, kind="a", top=2.0, **meta):
    y = {"range": [0, top]} if top else {}
    trace = go.Scatter(x=[0, 1], y=[0, size], name="line")
    return go.Figure(trace, {"xaxis": {"range": [0, 1]}, "yaxis": y, "meta": meta})


def panel(draw, **controls):
    controls = controls or {"size": Slider(0.0, 1.0)}
    return Explorable(draw, **controls)


def faults(check, draw, **controls):
    shown = panel(draw, **controls)
    return check(shown, panel_habits.sample(shown))


def test_a_good_panel_has_no_fault():
    def good(size=1.0):
        here = {"control": "size", "axis": "y"}
        return figure(size, headline="1 in all", grab=[here], ghost=["line"])

    assert [faults(check, good) for check in panel_habits.CHECKS] == [[]] * 5


def test_a_moving_and_a_missing_range_are_found():
    def moving(size=1.0):
        return figure(size, top=1 + size)

    def missing(size=1.0):
        return figure(size, top=None)

    def reasoned(size=1.0):
        return figure(size, top=1 + size, moving_axes="How far it grows is what is shown.")

    def hollow(size=1.0):
        return figure(size, top=1 + size, moving_axes="yes")

    def switched(size=1.0, kind="a"):
        return figure(size, top=1.0 if kind == "a" else 9.0)

    assert "yaxis is" in faults(panel_habits.axis_faults, moving)[0]
    assert "no range" in faults(panel_habits.axis_faults, missing)[0]
    assert faults(panel_habits.axis_faults, reasoned) == []
    assert "no reason" in faults(panel_habits.axis_faults, hollow)[0]
    both = {"size": Slider(0.0, 1.0), "kind": Choice(["a", "b"])}
    assert faults(panel_habits.axis_faults, switched, **both) == []


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ({"grab": [{"control": "other", "axis": "x"}]}, "no control 'other'"),
        ({"grab": [{"control": "size", "axis": "z"}]}, "no axis"),
        ({"probe": ["line"]}, "no sentence"),
        ({"ghost": ["gone"]}, "no trace 'gone'"),
    ],
)
def test_what_cannot_be_held_is_found(meta, said):
    def draw(size=1.0):
        return figure(size, **meta)

    assert said in faults(panel_habits.hold_faults, draw)[0]


def test_a_handle_where_nothing_is_drawn_is_found():
    @declared
    def held(size: Annotated[float, Slider(0.0, 1.0, points=3)] = 1.0):
        track = {"x": [1, 1, 1], "y": [0.0, 0.5, 0.9]}
        return figure(size, grab=[{"control": "size", "axis": "y", "track": track}])

    (fault,) = faults(panel_habits.hold_faults, held, size=Slider(0.0, 1.0, points=3))
    assert "size stands where nothing is drawn" in fault


def test_too_few_stops_too_many_controls_and_spelt_symbols_are_found():
    def draw(a=1, b=1, c=1, d=1, e=1, f=1):
        return figure(headline="eps is 3", sentence="eps~(X) = 3")

    many = {name: Slider(0.0, 1.0, points=9) for name in "abcdef"}
    said = panel_habits.control_faults(panel(draw, **many), [])
    assert "6 controls" in said[0]
    assert sum("9 stops" in line for line in said) == 6
    few = panel(draw, a=Slider(0, 3, step=1))
    assert panel_habits.control_faults(few, []) == []
    assert len(panel_habits.symbol_faults(few, panel_habits.sample(few))) == 2


@pytest.mark.parametrize("text", ["", "found", "many were found", "1 2 3 4 5 6 7 8 9"])
def test_a_headline_without_a_number_or_too_long_is_found(text):
    def draw(size=1.0):
        return figure(size, headline=text)

    assert faults(panel_habits.headline_faults, draw)


QUOTED = {"held": "epsilon", "sensitivity": "C/n", "average": "mean"}
SAID = [
    ("game.attack_backwards", {"tpr": 0.01, "fpr": 0.5}, "is a better attack"),
    # What a lecture and a paper tell; every other number is told again in `test_again`.
    ("game.attack_backwards", {"tpr": 0.9, "fpr": 0.01, "games": 100}, "ε ≥ 2.71 proved"),
    # Each case has its words.
    ("game.attack_scores", {"larger_means": "not a member"}, "point the other way"),
    ("game.for_one", {"epsilon": 4.4, "sigma": 1.0}, "the promise is kept"),
    ("game.for_one", {"epsilon": 4.2, "sigma": 1.0}, "the promise is broken"),
    ("game.score_audit", {"larger_means": "not a member"}, "low scores mean member"),
    ("game.roc_plane", {}, "The promise is broken"),
    ("game.roc_plane", {"epsilon": 4.4}, "The promise is kept"),
    ("game.roc_plane", {"epsilon": 8.0, "delta": 0.0, "sigma": 0.3}, "is broken"),
    ("game.roc_plane", {"epsilon": 8.0, "delta": 0.0, "sigma": 0.3}, "At δ = 0 no ε fits"),
    ("mip.fatal_subset", {"times": 1000}, "promise of 60 is kept"),
    ("mip.fatal_subset", {"times": 5000}, "promise of 60 is broken"),
    ("mip.last_digits", {"decimals": 15}, "No break is seen"),
    ("mip.last_digits", {"decimals": 16}, "is broken"),
    ("mip.last_digits", {"decimals": 19, "arithmetic": "public grid"}, "No break is seen"),
    ("mis.diversity_band", {"K": 5, "place": 0.0}, "only one distribution"),
    ("mis.diversity_band", {"K": 2, "place": 0.5}, "only one distribution"),
    ("mis.diversity_band", {"K": 5, "place": 1.0}, "single value"),
    ("mis.diversity_band", {"K": 17, "place": 0.2}, "factor of"),
    ("mis.security_roc", {"learner": "nothing"}, "Nothing is released"),
    ("mis.security_roc", {"nu": 0.9, "lam": 0.5, "learner": "the top kind"}, "always saying fresh"),
    ("mis.security_roc", {"nu": 0.3, "lam": 0.3}, "a weighted score of"),
    ("mis.security_roc", {"nu": 0.2, "lam": 0.5}, "always saying member"),
    ("mis.three_slopes", {"alpha": 1.25, "p": 0.9, "nu": 0.45}, "no power of n"),
    ("mis.three_slopes", {"alpha": 2.0}, "logarithm"),
    ("mis.three_slopes", {"p": 0.5}, "less than"),
    ("pmp.modular_sum_bars", {"n": 6}, "ln(38/37) = 0.0267 (exact)"),
    ("pmp.modular_sum_bars", {"n": 7}, "gives the same"),
    ("pmp.pmp_figure_4", {"vary": "delta", "to": 3}, "held fixed and δ = "),
    (
        "pmp.pmp_square",
        {"told": 0.2, "delta": 0.1, "epsilon": 0.5, "example": "print two groups"},
        "(ε, 1)-DP",
    ),
    ("pmp.not_monotone", {"pool": "six numbers", "epsilon": 10.0}, "a larger ε can be safer"),
    ("pmp.not_monotone", {"pool": "twelve numbers", "epsilon": 10.0}, "rises up to"),
    ("pmp.pmp_figure_4", {"held": "subset"}, "two rising ratios: neither comes out."),
    ("pmp.pmp_figure_4", {"held": "epsilon"}, "both come out with ε = 10 in its place, where ε(X) is 0.4"),
    ("pmp.pmp_figure_4", QUOTED, "both come out"),
    ("pmp.pmp_figure_5", QUOTED, "ε̃ = 1, comes out"),
    ("pmp.pmp_figure_5", {}, "does not come out"),
    ("pmp.pmp_figure_5", {}, "ε̃/ε falls all the way"),
]


@pytest.mark.parametrize(("name", "values", "words"), SAID)
def test_a_state_says_its_words(name, values, words):
    part, figure = name.split(".")
    meta = getattr(getattr(figures, part), figure)(**values).layout.meta
    assert words in f"{meta['headline']}\n{meta['sentence']}"
