"""A live panel as a widget like any other: its values observed, set, and linked."""

import json
import re

import ipywidgets
import numpy as np
import plotly.graph_objects as go
import pytest
import traitlets
from shared import ROOT, refused

from explorable.panels import Count, Explorable, File, Slider, UploadedFile
from mipbook import tradeoff


def line(slope, shift):
    return go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + slope]))


@pytest.fixture
def panel():
    return Explorable(line, slope=Slider(0, 3, 2, step=1), shift=(0.0, 2.0)).widget()


def drawn(panel):
    return json.loads(panel.answer)["figure"]["data"][0]["y"]


def test_values_that_are_set_are_drawn_and_told_to_the_page(panel):
    panel.values = {"slope": 3}
    assert panel.values == {"slope": 3, "shift": 1.0}
    assert panel.request == {"number": 1, "values": panel.values}
    assert drawn(panel) == [1, 4]


def test_a_move_on_the_page_is_observed_once(panel):
    seen = []
    panel.observe(lambda change: seen.append(change["new"]), "values")
    panel.request = {"number": 7, "values": {"slope": 1, "shift": 0.5}}
    assert seen == [{"slope": 1, "shift": 0.5}]
    assert panel.request["number"] == 7, "what the page asked is not asked again"


@pytest.mark.parametrize(
    "bad",
    [
        *({"slope": 9}, {"other": 1}, {"slope": "x"}, {"shift": float("nan")}),
        *({"shift": np.array([1.0, 2.0])}, {"slope": 1, "shift": 3.0}),
    ],
)
def test_what_no_control_takes_is_refused_by_name(panel, bad):
    with pytest.raises(ValueError, match=r"^(slope|shift|values) = "):
        panel.values = bad
    assert panel.values == {"slope": 2, "shift": 1.0}
    with pytest.raises(traitlets.TraitError):
        panel.values = 3


def test_a_file_from_python_travels_as_one_from_the_page():
    def size(file):
        length = len(file.text) if isinstance(file, UploadedFile) else 0
        return go.Figure(go.Scatter(x=[0, 1], y=[0, length]))

    panel = Explorable(size, file=File(["one", "two"])).widget()
    panel.values = {"file": UploadedFile("mine.csv", "1,2,3", {"score": ["column 1"]})}
    assert drawn(panel) == [0, 5]
    sent = {"upload": 1, "name": "mine.csv", "columns": {"score": ["column 1"]}}
    assert json.loads(json.dumps(panel.request))["values"] == {"file": sent}
    assert panel.upload == {"number": 1, "name": "mine.csv", "text": "1,2,3"}


def test_a_control_and_a_widget_follow_each_other(panel):
    slider = ipywidgets.FloatSlider(min=0, max=2)
    panel.link("shift", slider)
    assert slider.value == 1.0, "the panel is first"
    slider.value = 0.25
    assert panel.values["shift"] == 0.25
    panel.request = {"number": 9, "values": {"slope": 1, "shift": 1.5}}
    assert slider.value == 1.5


def test_panels_share_a_control_and_keep_the_others(panel):
    other = Explorable(line, slope=Slider(0, 3, 2, step=1), shift=(0.0, 2.0)).widget()
    other.values = {"slope": 3, "shift": 0.0}
    panel.link("slope", other)
    assert other.values == {"slope": 2, "shift": 0.0}
    other.values = {"slope": 1}
    assert panel.values == {"slope": 1, "shift": 1.0}
    panel.values = {"slope": 0}
    assert other.values == {"slope": 0, "shift": 0.0}


@pytest.mark.parametrize(
    ("name", "other", "trait"),
    [
        ("none", ipywidgets.IntSlider(), "value"),
        ("slope", 3, "value"),
        ("slope", ipywidgets.IntSlider(), "colour"),
    ],
)
def test_a_link_to_nothing_is_refused(panel, name, other, trait):
    refused(r"^(name|other|trait) = ", panel.link, name, other, trait)


def test_the_chapter_that_shows_it_runs_as_printed():
    text = (ROOT / "book" / "game" / "membership-game.md").read_text(encoding="utf-8")
    names = {}
    first = re.search(r"```\{code-cell\} ipython3\n(.*?)```", text, flags=re.S)[1]
    for block in (
        re.sub(r"^:.*\n", "", first, flags=re.M),
        re.search(r"```python\n(.*?)```", text, flags=re.S)[1],
    ):
        exec(compile(block, "membership-game.md", "exec"), names)
    assert names["noise"].value == names["panel"].values["sigma"] == 0.5
    names["noise"].value = 1.0
    assert names["panel"].values["sigma"] == 1.0
    assert names["says"].value == f"({tradeoff.gaussian_epsilon(1e-5, sigma=1.0):.3g}, 1e-5)-DP"


def test_a_control_of_fixed_stops_takes_nothing_between_them():
    fixed = Count([250, 500, 1000, 2000], label="n", between=False)
    refused("^n = 343: must be one of 250, 500, 1000, 2000", fixed.accepts, "n", 343)
    assert Count([250, 500]).accepts("n", 343) == 343
    assert fixed.starting("n", 250).given["between"] is False
    # So few stops are buttons, with a kernel too.
    assert fixed.for_face(live=True).kind == "choice"
    refused("^between = 1: must be", Count, [250, 500], between=1)
