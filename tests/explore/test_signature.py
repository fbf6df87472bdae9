"""A parameter is declared once: the panel, the direct call and the documentation read it."""

from typing import Annotated

import plotly.graph_objects as go
import pytest
from shared import refused

from explorable.panels import Choice, Explorable, LogSlider, Slider, Stops, declared


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


def test_a_panel_takes_its_controls_from_the_signature():
    panel = Explorable(line)
    assert panel.values == {"slope": 1.0, "side": "up"}
    assert panel.controls["slope"].label == "Slope"
    assert panel.controls["slope"].stops == (0.0, 1.0, 2.0, 3.0)


def test_a_control_starts_at_the_functions_default():
    @declared
    def other(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 0.7) -> go.Figure:
        return line(slope)

    assert Explorable(other).values == {"slope": 0.7}


def test_a_page_may_start_elsewhere_and_have_a_range_of_its_own():
    panel = Explorable(line, slope=2.0, side="down")
    assert panel.values == {"slope": 2.0, "side": "down"}
    assert panel.controls["slope"].stops == Explorable(line).controls["slope"].stops
    slider = Explorable(line, slope=LogSlider(0.1, 2.0, points=3)).controls["slope"]
    assert (slider.label, slider.unit, slider.value) == ("Slope", "m", 1.0)
    assert Explorable(line, slope=Slider(2.0, 3.0, points=3)).values["slope"] == 2.5


def test_a_state_beyond_the_declared_range_is_an_error_of_the_panel():
    panel = Explorable(line, slope=Slider(2.0, 4.0, points=3), n_jobs=1)
    refused(r"slope = 4\.0: must be .* in \[0, 3\]", panel.html)


@pytest.mark.parametrize("bad", [-0.1, 3.1, float("nan"), "one", None, [1.0]])
def test_a_direct_call_is_checked(bad):
    refused(r"^slope = ", line, bad)
    refused(r"^slope = ", line, slope=bad)


def test_the_documentation_is_written_from_the_controls():
    text = line.__doc__ or ""
    assert "slope : float\n    Slope: in [0, 3]." in text
    assert "side : str\n    side: one of 'up', 'down'." in text
    assert text.index("Parameters") < text.index("Examples")


def test_a_default_outside_its_control_is_refused_where_it_is_written():
    with pytest.raises(ValueError, match="slope = 9"):

        @declared
        def wrong(slope: Annotated[float, Slider(0, 3)] = 9.0) -> None: ...


def test_stops_take_only_rising_numbers():
    for bad in ([1.0], [2.0, 1.0], [1.0, 1.0], ["a", "b"], [0.0, float("inf")], [True, 2]):
        refused("stops", Stops, bad)
