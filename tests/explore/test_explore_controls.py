"""Controls: their stops, what a signature declares of them, and what they refuse."""

from typing import Annotated

import numpy as np
import plotly.graph_objects as go
import pytest
from shared import refused

from explorable.panels import (
    Along,
    Choice,
    Count,
    Explorable,
    LogSlider,
    Rounds,
    Slider,
    Stops,
    Switch,
    declared,
)
from explorable.panels.sliders import as_control
from explorable.sphinx import words


def test_stops_hold_ends_and_start():
    slider = LogSlider(1e-3, 0.49, value=0.1, points=13)
    assert (slider.stops[0], slider.stops[-1], slider.value) == (1e-3, 0.49, 0.1)
    assert len(slider.for_face(live=True).stops) > len(slider.stops)
    assert slider.for_face(live=True).value == 0.1
    assert Slider(0, 1, step=0.1).stops[3] == 0.3
    assert Slider(-2, 2, step=1).stops == (-2, -1, 0, 1, 2)
    fixed = Count([250, 500, 1000, 2000], label="n", between=False)
    refused("^n = 343: must be one of 250, 500, 1000, 2000", fixed.accepts, "n", 343)
    assert Count([250, 500]).accepts("n", 343) == 343
    assert fixed.starting("n", 250).given["between"] is False
    assert fixed.for_face(live=True).kind == "choice", "so few stops are buttons, with a kernel too"


def test_numbers_make_a_slider_words_a_choice():
    assert Choice([1, 2, 4]).kind == "slider"
    assert Choice([4, 2, 1]).kind == Choice(["a", "b"]).kind == "choice"
    assert Choice({"one": 1, "two": 2}).labels == ("one", "two")
    assert Switch().stops == (False, True)
    assert as_control("n", (1, 3)).stops == (1, 2, 3)
    assert as_control("x", (0.0, 1.0)).kind == "slider"
    assert as_control("b", True).kind == "switch"
    assert as_control("c", ["a", "b"]).stops == ("a", "b")


def test_the_nearest_stop_is_by_ratio_where_the_stops_grow():
    for control in (LogSlider(0.01, 100.0), Count([0, 10, 100, 1000]), Count([1, 10, 100, 1000])):
        assert control.describe("x")["log"] is True
    for control in (Slider(0.0, 2.0), Count([0, 10, 1000]), Choice([36, 40, 44, 48]), Choice(["a", "b"])):
        assert control.describe("x")["log"] is False


def test_a_choice_names_the_stops_of_another_slider():
    values, starts = {"n": [2, 6, 9], "C": [1.0, 10.0]}, {"n": 6, "C": 10.0}
    along = Along("vary", values, starts, "n", label="Set it to")
    assert (along.stops, along.value) == ((0, 1, 2), 1)
    told = along.describe("to")
    assert (told["by"], told["along"]["C"]) == ("vary", {"labels": ("1", "10"), "start": 1})
    assert along.starting("to", 2).value == 2
    # Python keeps one annotation for two controls that are equal.
    other = Along("vary", {**values, "C": [1.0, 20.0]}, {"n": 6, "C": 20.0}, "n", label="Set it to")
    assert Annotated[int, along] != Annotated[int, other]
    assert "by" not in Slider(0, 1).describe("x")
    spec = {"id": "one", "controls": [Choice(["n", "C"]).describe("vary"), told]}
    assert words.values(spec, {"vary": "n", "to": "9"}) == {"vary": "n", "to": 2}
    with pytest.raises(words.Mistake, match="to=7: the stops are 2, 6, 9"):
        words.values(spec, {"vary": "n", "to": "7"})


def test_controls_name_what_they_refuse():
    refused("^value = ", Along, "by", {"a": [1, 2]}, {"a": 3}, "a")
    refused("^first = ", Along, "by", {"a": [1, 2]}, {"a": 1}, "b")
    refused("^high = ", Slider, 1, 1)
    refused("^low = ", Slider, -np.inf, 0)
    refused("^value = ", Slider, 0, 1, 0.55, step=0.1)
    refused("^step = ", Slider, 0, 1, step=2)
    refused("^points = ", Slider, 0, 1, points=1)
    refused("^low = ", LogSlider, 0, 1)
    refused("^options = ", Choice, [1, 1])
    refused("^options = ", Choice, [[1], [2]])
    refused("^value = ", Choice, [1, 2], value=3)
    refused("^value = ", Switch, 1)
    refused("^between = 1: must be", Count, [250, 500], between=1)
    refused("^count = ", Rounds, 1)
    refused("^n = ", as_control, "n", 3)
    for bad in ([1.0], [2.0, 1.0], [1.0, 1.0], ["a", "b"], [0.0, float("inf")], [True, 2]):
        refused("stops", Stops, bad)


# --- A parameter is declared once: the panel, the direct call and the documentation read it -------


@declared
def line(
    slope: Annotated[float, Slider(0.0, 3.0, points=4, label="Slope", unit="m")] = 1.0,
    side: Annotated[str, Choice(["up", "down"])] = "up",
    width: int = 2,
) -> go.Figure:
    """Draw a line.

    Examples
    --------
    >>> line().data[0].name
    'up'
    """
    return go.Figure(go.Scatter(x=[0, 1], y=[0, slope], name=side, line={"width": width}))


def test_a_panel_takes_its_controls_from_the_signature_and_may_start_elsewhere_in_a_range_of_its_own():
    panel, other = Explorable(line), Explorable(line, slope=2.0, side="down")
    assert panel.values == {"slope": 1.0, "side": "up"}
    assert other.values == {"slope": 2.0, "side": "down"}
    assert panel.controls["slope"].stops == other.controls["slope"].stops == (0.0, 1.0, 2.0, 3.0)
    slider = Explorable(line, slope=LogSlider(0.1, 2.0, points=3)).controls["slope"]
    assert (slider.label, slider.unit, slider.value) == ("Slope", "m", 1.0)
    assert Explorable(line, slope=Slider(2.0, 3.0, points=3)).values["slope"] == 2.5
    beyond = Explorable(line, slope=Slider(2.0, 4.0, points=3), n_jobs=1)
    refused(r"slope = 4\.0: must be .* in \[0, 3\]", beyond.html)


def test_the_default_of_the_signature_is_where_a_control_starts():
    def other(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 0.7) -> go.Figure: ...

    assert Explorable(declared(other)).values == {"slope": 0.7}

    def wrong(slope: Annotated[float, Slider(0, 3)] = 9.0) -> None: ...

    refused("slope = 9", declared, wrong)


def test_a_direct_call_is_checked_and_documented_from_the_controls():
    refused(r"^slope = ", line, 3.1)
    refused(r"^slope = ", line, slope=None)
    text = line.__doc__ or ""
    assert "slope : float\n    Slope: in [0, 3]." in text
    assert "side : str\n    side: one of 'up', 'down'." in text
    assert text.index("Parameters") < text.index("Examples")
