"""Controls: their stops, what a signature declares of them, files, and what they refuse."""

import base64
import io
import json
from typing import Annotated

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from shared import refused

from explorable.panels import (
    Along,
    Choice,
    Count,
    Explorable,
    File,
    LogSlider,
    Rounds,
    Slider,
    Stops,
    Switch,
    UploadedFile,
    declared,
)
from explorable.panels.sliders import as_control
from explorable.sphinx import words
from explorable.tables import Role, describe_file, read_columns


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

    def otherwise(slope: Annotated[float, Slider(0.0, 3.0, points=4)] = 0.7) -> go.Figure: ...

    assert Explorable(declared(otherwise)).values == {"slope": 0.7}

    def wrong(slope: Annotated[float, Slider(0, 3)] = 9.0) -> None: ...

    refused("slope = 9", declared, wrong)


def test_a_direct_call_is_checked_and_documented_from_the_controls():
    refused(r"^slope = ", line, 3.1)
    refused(r"^slope = ", line, slope=None)
    text = line.__doc__ or ""
    assert "slope : float\n    Slope: in [0, 3]." in text
    assert "side : str\n    side: one of 'up', 'down'." in text
    assert text.index("Parameters") < text.index("Examples")


# --- The control that takes a file: what fits, what is chosen in it, what the page is told ---------

X = Role("x", "Width", "is used", "to use", known=("width",))
MORE = Role("more", "Others", "", "to use", many=True, optional=True, most=5)
FRAME = pd.DataFrame({"width": [0.1 + 0.2, 1e-300], "0": ['a, "b"', None], 7: [True, False]})


def taken(file, **settings):
    return File(["one", "two"], roles=[X, MORE], **settings).accepts("file", file)


def test_the_page_is_told_the_roles():
    assert File(["one", "two"], roles=[X, MORE]).describe("file")["roles"] == [
        {"name": "x", "label": "Width", "many": False, "optional": False},
        {"name": "more", "label": "Others", "many": True, "optional": True},
    ]


def test_chosen_columns_can_be_hashed_whatever_a_page_sends():
    sent = {"more": ["b", "a"], "x": "w", "none": []}
    file = UploadedFile("a.csv", "text", sent)
    assert file.columns == (("more", ("b", "a")), ("x", ("w",)))
    assert file == UploadedFile("a.csv", "text", file.columns)
    assert len({file, UploadedFile("a.csv", "text", sent), UploadedFile("a.csv", "text")}) == 2
    for wrong in (3, "x", {"x": 3}, {"x": [3]}, {3: ["x"]}, [["x"]], {"x": None}):
        refused("^columns = ", UploadedFile, "a.csv", "text", wrong)


def data_url(**arrays):
    """Return what the page sends of a file of NumPy's."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return f"data:application/octet-stream;base64,{base64.b64encode(stream.getvalue()).decode()}"


def test_a_file_of_more_bytes_than_the_limit_is_refused_on_the_server_too():
    zeros = data_url(width=np.zeros(400))
    assert 4000 < len(zeros) < 5500
    for limit, text in ((100, "x" * 100), (100, "ü" * 50), (100, "\ud800" * 33), (4000, zeros)):
        assert taken(UploadedFile("a", text), limit=limit).text == text
    above = [(100, "x" * 101), (100, "ü" * 51), (100, "\ud800" * 34), (4000, "1\n" * 2001)]
    for limit, text in [*above, (4000, data_url(width=np.zeros(600)))]:
        told = f"^file: the file is larger than the {limit:,} bytes that are"
        refused(told, taken, UploadedFile("a", text), limit=limit)


def test_a_file_is_text_and_its_name_is_made_fit_to_be_shown():
    for name, text in (("a.csv", b"1"), ("a.csv", None), (3, "1"), (None, "")):
        refused("^file: a file's name and content must be text", taken, UploadedFile(name, text))
    for name, shown in (
        ("größe 1.csv", "größe 1.csv"),
        ("a\n=1+1,\x00.csv", "a =1+1, .csv"),
        ("gpj\u202e.csv", "gpj .csv"),
        ("n" * 5000, "n" * 120),
        ("\n", "file"),
    ):
        kept = taken(UploadedFile(name, "1", {"x": ["a"]}))
        assert (kept.name, kept.text, kept.columns) == (shown, "1", (("x", ("a",)),))
    assert taken("two") == "two"
    refused("^file = 'three'", taken, "three")


def test_a_file_of_arrays_is_described_and_read_like_a_table():
    text = data_url(width=[1.5, 2.5], rates=[0.1, 0.2, 0.3])
    told = describe_file(text, [X])
    assert (told["columns"], told["read"]) == (["width"], "2 records, 1 column (width), arrays of NumPy")
    assert read_columns(text, [X]).numbers("x").ravel().tolist() == [1.5, 2.5]
    damaged = describe_file(text[:-3], [X])
    assert damaged == {"problem": "The file arrived damaged; choose it once more."}


def test_a_data_frame_is_a_file_with_the_same_columns():
    for frame in (FRAME, FRAME.to_dict("list"), FRAME.astype({"width": "Float64"}), FRAME.to_records()):
        file = taken(frame, limit=1)
        reading = read_columns(file.text, [X])
        assert reading.numbers("x").ravel().tolist() == [0.1 + 0.2, 1e-300]
        assert reading.table.names[-2:] == ("column 0", "column 7")
        assert reading.table.column("column 0") == ('a, "b"', "NA")
        assert reading.table.column("column 7") == ("1", "0")
        assert taken(file, limit=1) is file


def test_a_figure_takes_a_frame_and_names_its_argument_when_it_refuses():
    @declared
    def drawn(file: Annotated[str | UploadedFile, File(["one", "two"], roles=[X])] = "one") -> go.Figure:
        return go.Figure(go.Scatter(y=read_columns(file.text, [X]).numbers("x").ravel()))

    assert drawn(FRAME).data[0].y.tolist() == [0.1 + 0.2, 1e-300]
    assert Explorable(drawn).figure(file=FRAME).data[0].y[1] == 1e-300
    panel = Explorable(drawn).widget()
    panel.values = {"file": FRAME}
    assert json.loads(panel.answer)["figure"]["data"][0]["type"] == "scatter"
    refused("^file: row 3, column 'width': 'NA' is no value", drawn, {"width": [1.0, None]})
    refused("^row 2, column 'width': 'ten' is not a number", drawn, UploadedFile("a.csv", "width\nten\n"))
    for bad in ({}, {"a": 1.0}, {"a": [1], "b": [1, 2]}, pd.DataFrame({"a": []})):
        refused("(?s)^file = .*data frame", drawn, bad)
