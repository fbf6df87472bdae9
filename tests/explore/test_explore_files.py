"""The control that takes a file: what fits, what is chosen in it, what the page is told."""

from __future__ import annotations

import json

import plotly.graph_objects as go
import pytest

from mipbook.explore import Explorable, File, UploadedFile
from mipbook.tables import Role

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
        with pytest.raises(ValueError, match="^columns = "):
            UploadedFile("a.csv", "text", wrong)


@pytest.mark.parametrize("text", ["x" * 101, "ü" * 51, "\ud800" * 34])
def test_a_file_above_the_limit_is_refused_on_the_server_too(text):
    with pytest.raises(ValueError, match="^file: the file is larger than the 100 bytes that are"):
        control(limit=100).accepts("file", UploadedFile("a.csv", text))
    for fits in ("x" * 100, "ü" * 50, "\ud800" * 33):
        file = UploadedFile("a.csv", fits)
        assert control(limit=100).accepts("file", file) == file


@pytest.mark.parametrize(("name", "text"), [("a.csv", b"1"), ("a.csv", None), (3, "1"), (None, "")])
def test_a_file_is_text_and_so_is_its_name(name, text):
    with pytest.raises(ValueError, match="^file: a file's name and content must be text"):
        control().accepts("file", UploadedFile(name, text))


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
    with pytest.raises(ValueError, match="^file = 'three'"):
        control().accepts("file", "three")


def test_a_figure_gets_the_file_as_it_was_accepted():
    got = []

    def figure(file):
        got.append(file)
        return go.Figure()

    panel = Explorable(figure, file=control())
    panel.figure(file=UploadedFile("a\n.csv", "1", {"x": ["a"]}))
    assert got == [UploadedFile("a .csv", "1", (("x", ("a",)),))]
