"""The control that takes a file: what fits, what is chosen in it, what the page is told."""

import base64
import io
import json
from typing import Annotated

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from shared import refused

from explorable.panels import Explorable, File, UploadedFile, declared
from explorable.tables import Role, describe_file, read_columns

X = Role("x", "Width", "is used", "to use", known=("width",))
MORE = Role("more", "Others", "", "to use", many=True, optional=True, most=5)


def taken(file, **settings):
    """Return what the control makes of a file."""
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


def test_a_file_above_the_limit_is_refused_on_the_server_too():
    """The limit is of the file's bytes, not of the letters that it is sent in."""
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
    assert told["columns"] == ["width"]
    assert told["read"] == "2 records, 1 column (width), arrays of NumPy"
    assert read_columns(text, [X]).numbers("x").ravel().tolist() == [1.5, 2.5]
    damaged = describe_file(text[:-3], [X])
    assert damaged == {"problem": "The file arrived damaged; choose it once more."}


FRAME = pd.DataFrame({"width": [0.1 + 0.2, 1e-300], "0": ['a, "b"', None], 7: [True, False]})


def test_a_data_frame_is_a_file_with_the_same_columns():
    nullable = FRAME.astype({"width": "Float64"})
    for frame in (FRAME, FRAME.to_dict("list"), nullable, FRAME.to_records()):
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
