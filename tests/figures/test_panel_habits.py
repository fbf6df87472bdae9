"""Every panel of the book can be held: few controls, many stops, axes that stand still.

A new panel is found by itself, on whatever page it stands.
"""

import every_figure
import panel_habits
import plotly.graph_objects as go
import pytest

from explorable.panels import Choice, Explorable, Slider


@pytest.fixture(scope="module", params=sorted(every_figure.functions()))
def panels(request):
    shown = every_figure.subjects()[request.param].panels
    return [(panel, panel_habits.sample(panel)) for panel in shown]


def judged(panels, check):
    found = [f"{panel.name}: {line}" for panel, states in panels for line in check(panel, states)]
    assert not found, "\n".join(found)


def test_controls_are_few_and_sliders_have_many_stops(panels):
    judged(panels, lambda panel, _: panel_habits.control_faults(panel))


def test_axes_stand_still(panels):
    judged(panels, panel_habits.axis_faults)


def test_what_is_offered_can_be_held(panels):
    judged(panels, panel_habits.hold_faults)


def test_the_one_number_is_said_large(panels):
    judged(panels, panel_habits.headline_faults)


def test_symbols_are_symbols(panels):
    judged(panels, panel_habits.symbol_faults)


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

    for check in (panel_habits.axis_faults, panel_habits.hold_faults, panel_habits.headline_faults):
        assert faults(check, good) == []
    assert panel_habits.control_faults(panel(good)) == []


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
        ({"probe": ["gone"]}, "no trace 'gone'"),
        ({"ghost": ["gone"]}, "no trace 'gone'"),
    ],
)
def test_what_cannot_be_held_is_found(meta, said):
    def draw(size=1.0):
        return figure(size, **meta)

    assert said in faults(panel_habits.hold_faults, draw)[0]


def test_too_few_stops_too_many_controls_and_spelt_symbols_are_found():
    def draw(a=1, b=1, c=1, d=1, e=1, f=1):
        return figure(headline="eps is 3", sentence="eps~(X) = 3")

    many = {name: Slider(0.0, 1.0, points=9) for name in "abcdef"}
    said = panel_habits.control_faults(panel(draw, **many))
    assert "6 controls" in said[0]
    assert sum("9 stops" in line for line in said) == 6
    few = panel(draw, a=Slider(0, 3, step=1))
    assert panel_habits.control_faults(few) == []
    assert len(panel_habits.symbol_faults(few, panel_habits.sample(few))) == 2


@pytest.mark.parametrize("text", ["", "found", "many were found", "1 2 3 4 5 6 7 8 9"])
def test_a_headline_without_a_number_or_too_long_is_found(text):
    def draw(size=1.0):
        return figure(size, headline=text)

    assert faults(panel_habits.headline_faults, draw)
