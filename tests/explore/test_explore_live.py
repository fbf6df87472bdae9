"""The kernel's side of a live panel: answers, progress, lost answers, cancelling."""

import json

import plotly.graph_objects as go
import pytest

from explorable import progress
from explorable.panels import Choice, Count, Explorable, File, LogSlider, Slider
from explorable.panels.reply import complaint
from explorable.tables import Role

ROLE = Role("x", "X", "is used", "to use", otherwise="place")


def drawn(height=1.0, file="short"):
    if height == 2.0:
        raise KeyboardInterrupt
    if height == 3.0:
        raise ZeroDivisionError("division by zero")
    for _ in progress.track(range(3), what="steps", unit="s"):
        pass
    return go.Figure(go.Scatter(x=[0, 1], y=[0, height]))


def panel():
    files = File(["short", "long"], roles=[ROLE])
    return Explorable(drawn, height=Slider(0.0, 4.0, 1.0), file=files).widget()


def ask(widget, number, **values):
    widget.request = {"number": number, "values": values}
    return json.loads(widget.answer)


def test_every_answer_carries_the_number_of_its_request():
    widget = panel()
    assert json.loads(widget.answer)["number"] == 0
    assert ask(widget, 1, height=0.5)["number"] == 1
    assert ask(widget, 1, height=9.0) == {
        "number": 1,
        "error": "height = 9.0: must be a real number in [0, 4]",
    }
    assert ask(widget, 2, height=0.25)["figure"]["data"][0]["y"]
    assert widget.values["height"] == 0.25


def test_a_cancelled_figure_is_no_error_and_leaves_the_kernel_at_work():
    widget = panel()
    assert ask(widget, 1, height=2.0) == {"number": 1, "cancelled": True}
    assert "figure" in ask(widget, 2, height=1.5)


@pytest.mark.parametrize("values", [None, [], {"height": "x"}, {"other": 1}, {"file": {}}])
def test_a_malformed_request_is_answered_with_words(values):
    widget = panel()
    widget.request = {"number": 1, "values": values}
    answer = json.loads(widget.answer)
    assert answer["number"] == 1
    assert 0 < len(answer["error"]) <= 300
    assert "Error" not in answer["error"]


def test_what_was_read_of_a_file_is_told_with_and_without_a_figure():
    widget = panel()
    widget.upload = {"number": 1, "name": "a.csv", "text": "a,b\n1,2\n"}
    answer = ask(widget, 1, file={"upload": 1, "name": "a.csv"})
    assert answer["file"]["columns"] == ["a", "b"]
    chosen = {"upload": 1, "name": "a.csv", "columns": {"x": ["b"]}}
    assert ask(widget, 2, file=chosen)["file"]["roles"] == {"x": ["b"]}
    failed = ask(widget, 3, file=chosen, height=3.0)
    assert failed["error"] == "This was not foreseen: division by zero."
    assert failed["file"]["roles"] == {"x": ["b"]}
    assert "the file sent last" in ask(widget, 4, file={"upload": 7})["error"]


def test_a_lost_answer_is_sent_again_and_a_lost_request_computed():
    widget = panel()
    ask(widget, 1, height=0.5)
    sent = []
    widget.send_state = lambda key=None: sent.append(key)
    widget._on_message(widget, {"again": {"number": 1, "values": {"height": 0.5}}}, [])
    assert sent == ["answer"]
    widget._on_message(widget, {"again": {"number": 2, "values": {"height": 0.75}}}, [])
    assert json.loads(widget.answer)["number"] == 2
    for nonsense in ({}, {"again": 3}, "again", None):
        widget._on_message(widget, nonsense, [])
    assert json.loads(widget.answer)["number"] == 2


def test_progress_goes_to_who_listens_and_only_while_he_does():
    heard = []
    with progress.listening(lambda *told: heard.append(told)):
        drawn()
    assert heard == [("steps", 0, 3), ("steps", 1, 3), ("steps", 2, 3)]
    drawn()
    assert len(heard) == 3


@pytest.mark.parametrize(
    ("control", "log"),
    [
        *((LogSlider(0.01, 100.0), True), (Slider(0.0, 2.0), False), (Count([0, 10, 1000]), False)),
        *((Count([0, 10, 100, 1000]), True), (Count([1, 10, 100, 1000]), True)),
        *((Choice([36, 40, 44, 48]), False), (Choice(["a", "b"]), False)),
    ],
)
def test_the_nearest_stop_is_by_ratio_where_the_stops_grow(control, log):
    assert control.describe("x")["log"] is log


def test_complaints_are_words():
    for error in (KeyboardInterrupt(), MemoryError(), TimeoutError(), KeyError("x"), OSError()):
        said = complaint(error)
        assert said[0].isupper()
        assert said.endswith(".")
        assert "Error" not in said
    assert len(complaint(ValueError("x" * 1000))) == 300
