"""The control that takes a file: what fits, what is chosen in it, what the page is told."""

import base64
import io
import json
from typing import Annotated

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from shared import refused

from explorable.panels import Explorable, File, UploadedFile, declared
from explorable.tables import Role, describe_file, read_columns

X = Role("x", "Width", "is used", "to use", known=("width",))
MORE = Role("more", "Others", "", "to use", many=True, optional=True, most=5)


def control(**settings):
    return File(["one", "two"], roles=[X, MORE], **settings)


def test_the_page_is_told_the_roles():
    told = control().describe("file")
    assert told["roles"] == [
        {"name": "x", "label": "Width", "many": False, "optional": False},
        {"name": "more", "label": "Others", "many": True, "optional": True},
    ]
    assert json.loads(json.dumps(told)) == told
    assert File(["one", "two"]).describe("file")["roles"] == []


def test_chosen_columns_can_be_hashed_whatever_a_page_sends():
    sent = {"more": ["b", "a"], "x": "w", "none": []}
    file = UploadedFile("a.csv", "text", sent)
    assert file.columns == (("more", ("b", "a")), ("x", ("w",)))
    assert file == UploadedFile("a.csv", "text", file.columns)
    assert len({file, UploadedFile("a.csv", "text", sent), UploadedFile("a.csv", "text")}) == 2
    for wrong in (3, "x", {"x": 3}, {"x": [3]}, {3: ["x"]}, [["x"]], {"x": None}):
        refused("^columns = ", UploadedFile, "a.csv", "text", wrong)


@pytest.mark.parametrize("text", ["x" * 101, "ü" * 51, "\ud800" * 34])
def test_a_file_above_the_limit_is_refused_on_the_server_too(text):
    file = UploadedFile("a.csv", text)
    refused("^file: the file is larger than the 100 bytes that are", control(limit=100).accepts, "file", file)
    for fits in ("x" * 100, "ü" * 50, "\ud800" * 33):
        file = UploadedFile("a.csv", fits)
        assert control(limit=100).accepts("file", file) == file


@pytest.mark.parametrize(("name", "text"), [("a.csv", b"1"), ("a.csv", None), (3, "1"), (None, "")])
def test_a_file_is_text_and_so_is_its_name(name, text):
    file = UploadedFile(name, text)
    refused("^file: a file's name and content must be text", control().accepts, "file", file)


def test_a_name_is_made_fit_to_be_shown():
    def shown(name):
        return control().accepts("file", UploadedFile(name, "1", {"x": ["a"]})).name

    assert shown("größe 1.csv") == "größe 1.csv"
    assert shown("a\n=1+1,\x00.csv") == "a =1+1, .csv"
    assert shown("gpj\u202e.csv") == "gpj .csv"
    assert len(shown("n" * 5000)) == 120
    assert shown("\n") == "file"
    kept = control().accepts("file", UploadedFile("\t", "1", {"x": ["a"]}))
    assert (kept.text, kept.columns) == ("1", (("x", ("a",)),))


def test_examples_are_still_examples():
    assert control().accepts("file", "two") == "two"
    refused("^file = 'three'", control().accepts, "file", "three")


def data_url(**arrays):
    """Return what the page sends of a file of NumPy's."""
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    letters = base64.b64encode(stream.getvalue()).decode()
    return f"data:application/octet-stream;base64,{letters}"


def test_a_file_of_arrays_is_described_and_read_like_a_table():
    text = data_url(width=[1.5, 2.5], rates=[0.1, 0.2, 0.3])
    told = describe_file(text, [X])
    assert told["columns"] == ["width"]
    assert told["read"] == "2 records, 1 column (width), arrays of NumPy"
    assert read_columns(text, [X]).numbers("x").ravel().tolist() == [1.5, 2.5]
    damaged = describe_file(text[:-3], [X])
    assert damaged == {"problem": "The file arrived damaged; choose it once more."}


def test_the_limit_is_of_the_files_bytes_not_of_the_letters_it_is_sent_in():
    small = control(limit=4000)
    text = data_url(width=np.zeros(400))
    assert 4000 < len(text) < 5500
    assert small.accepts("file", UploadedFile("a.npz", text)).text == text
    for too_long in (data_url(width=np.zeros(600)), "1\n" * 2001):
        file = UploadedFile("a", too_long)
        refused("^file: the file is larger than the 4,000 bytes", small.accepts, "file", file)


FRAME = pd.DataFrame({"width": [0.1 + 0.2, 1e-300], "0": ['a, "b"', None], 7: [True, False]})


@pytest.mark.parametrize(
    "frame",
    [FRAME, FRAME.to_dict("list"), FRAME.astype({"width": "Float64"}), FRAME.to_records()],
    ids=["pandas", "mapping", "nullable", "records"],
)
def test_a_data_frame_is_a_file_with_the_same_columns(frame):
    file = control(limit=1).accepts("file", frame)
    reading = read_columns(file.text, [X])
    assert reading.numbers("x").ravel().tolist() == [0.1 + 0.2, 1e-300]
    assert reading.table.names[-2:] == ("column 0", "column 7")
    assert reading.table.column("column 0") == ('a, "b"', "NA")
    assert reading.table.column("column 7") == ("1", "0")
    assert control(limit=1).accepts("file", file) is file


def test_a_figure_takes_a_frame_and_names_its_argument_when_it_refuses():
    @declared
    def drawn(file: Annotated[str | UploadedFile, control()] = "one") -> go.Figure:
        return go.Figure(go.Scatter(y=read_columns(file.text, [X]).numbers("x").ravel()))

    assert drawn(FRAME).data[0].y.tolist() == [0.1 + 0.2, 1e-300]
    assert Explorable(drawn).figure(file=FRAME).data[0].y[1] == 1e-300
    panel = Explorable(drawn).widget()
    panel.values = {"file": FRAME}
    assert json.loads(panel.answer)["figure"]["data"][0]["type"] == "scatter"
    refused("^file: row 3, column 'width': 'NA' is no value", drawn, {"width": [1.0, None]})
    refused("^row 2, column 'width': 'ten' is not a number", drawn, UploadedFile("a.csv", "width\nten\n"))


def test_what_has_no_columns_is_no_frame():
    for bad in ({}, {"a": 1.0}, {"a": [1], "b": [1, 2]}, pd.DataFrame({"a": []})):
        refused("(?s)^file = .*data frame", control().accepts, "file", bad)
