"""The kernel's side of a live panel: answers, progress, files; a widget that is observed and linked."""

import json
import re

import ipywidgets
import numpy as np
import plotly.graph_objects as go
import pytest
import traitlets
from shared import refused

from explorable import progress
from explorable.panels import Explorable, File, Slider, UploadedFile
from explorable.panels.reply import complaint
from explorable.tables import Role


def drawn(height=1.0, shift=1.0, file="short"):
    if height == 2.0:
        raise KeyboardInterrupt
    if height == 3.0:
        raise ZeroDivisionError("division by zero")
    for _ in progress.track(range(3), what="steps", unit="s"):
        pass
    return go.Figure(go.Scatter(x=[0, 1], y=[shift, shift + height]))


@pytest.fixture
def panel():
    file = File(["short", "long"], roles=[Role("x", "X", "is used", "to use", otherwise="place")])
    return Explorable(drawn, height=Slider(0.0, 4.0, 1.0), shift=(0.0, 2.0), file=file).widget()


def ask(widget, number, **values):
    widget.request = {"number": number, "values": values}
    return json.loads(widget.answer)


def test_every_answer_carries_the_number_of_its_request(panel):
    assert json.loads(panel.answer)["number"] == 0
    assert ask(panel, 1, height=0.5)["number"] == 1
    error = "height = 9.0: must be a real number in [0, 4]"
    assert ask(panel, 1, height=9.0) == {"number": 1, "error": error}
    assert ask(panel, 2, height=0.25)["figure"]["data"][0]["y"] == [1, 1.25]
    assert panel.values["height"] == 0.25
    # A figure that is cancelled is no error and leaves the kernel at work.
    assert ask(panel, 3, height=2.0) == {"number": 3, "cancelled": True}
    assert "figure" in ask(panel, 4, height=1.5)


def test_a_malformed_request_is_answered_with_words(panel):
    for number, values in enumerate([None, [], {"height": "x"}, {"other": 1}, {"file": {}}], 1):
        panel.request = {"number": number, "values": values}
        answer = json.loads(panel.answer)
        assert answer["number"] == number
        assert re.fullmatch(r"((?!Error).){1,300}", answer["error"], re.S)


def test_what_was_read_of_a_file_is_told_with_and_without_a_figure(panel):
    panel.upload = {"number": 1, "name": "a.csv", "text": "a,b\n1,2\n"}
    answer = ask(panel, 1, file={"upload": 1, "name": "a.csv"})
    assert answer["file"]["columns"] == ["a", "b"]
    chosen = {"upload": 1, "name": "a.csv", "columns": {"x": ["b"]}}
    assert ask(panel, 2, file=chosen)["file"]["roles"] == {"x": ["b"]}
    failed = ask(panel, 3, file=chosen, height=3.0)
    assert failed["error"] == "This was not foreseen: division by zero."
    assert failed["file"]["roles"] == {"x": ["b"]}
    assert "the file sent last" in ask(panel, 4, file={"upload": 7})["error"]


def test_a_lost_answer_is_sent_again_and_a_lost_request_computed(panel):
    ask(panel, 1, height=0.5)
    sent = []
    panel.send_state = lambda key=None: sent.append(key)
    panel._on_message(panel, {"again": {"number": 1, "values": {"height": 0.5}}}, [])
    assert sent == ["answer"]
    lost = {"again": {"number": 2, "values": {"height": 0.75}}}
    for message in (lost, {}, {"again": 3}, "again", None):
        panel._on_message(panel, message, [])
        assert json.loads(panel.answer)["number"] == 2


def test_progress_goes_to_who_listens_and_only_while_he_does():
    heard = []
    with progress.listening(lambda *told: heard.append(told)):
        drawn()
    drawn()
    assert heard == [("steps", 0, 3), ("steps", 1, 3), ("steps", 2, 3)]


def test_complaints_are_words():
    for error in (KeyboardInterrupt(), MemoryError(), TimeoutError(), KeyError("x"), OSError()):
        assert re.fullmatch(r"[A-Z]((?!Error).)*\.", complaint(error), re.S)
    assert len(complaint(ValueError("x" * 1000))) == 300


def test_values_that_are_set_are_drawn_and_told_to_the_page_and_a_move_there_is_observed(panel):
    panel.values = {"height": 3.5}
    assert panel.values == {"height": 3.5, "shift": 1.0, "file": "short"}
    assert panel.request == {"number": 1, "values": panel.values}
    assert json.loads(panel.answer)["figure"]["data"][0]["y"] == [1, 4.5]
    # A move on the page is observed once.
    seen, moved = [], {"height": 1.0, "shift": 0.5, "file": "long"}
    panel.observe(lambda change: seen.append(change["new"]), "values")
    panel.request = {"number": 7, "values": moved}
    assert seen == [moved]
    assert panel.request["number"] == 7, "what the page asked is not asked again"


def test_what_no_control_takes_is_refused_by_name(panel):
    before, pair = panel.values, np.array([1.0, 2.0])
    for name, bad in (("height", 9), ("other", 1), ("height", "x"), ("shift", float("nan")), ("shift", pair)):
        with pytest.raises(ValueError, match=r"^(height|shift|values) = "):
            panel.values = {"height": 1, name: bad}
    with pytest.raises(traitlets.TraitError):
        panel.values = 3
    assert panel.values == before


def test_a_file_from_python_travels_as_one_from_the_page(panel):
    panel.values = {"file": UploadedFile("mine.csv", "1,2,3", {"x": ["column 1"]})}
    sent = {"upload": 1, "name": "mine.csv", "columns": {"x": ["column 1"]}}
    assert json.loads(json.dumps(panel.request))["values"]["file"] == sent
    assert panel.upload == {"number": 1, "name": "mine.csv", "text": "1,2,3"}


def test_a_control_and_a_widget_follow_each_other(panel):
    slider = ipywidgets.FloatSlider(min=0, max=2)
    panel.link("shift", slider)
    assert slider.value == 1.0, "the panel is first"
    slider.value = 0.25
    assert panel.values["shift"] == 0.25
    panel.request = {"number": 9, "values": {"height": 1, "shift": 1.5}}
    assert slider.value == 1.5
    whole = ipywidgets.IntSlider()
    for name, other, trait in (("none", whole, "value"), ("height", 3, "value"), ("height", whole, "colour")):
        refused(r"^(name|other|trait) = ", panel.link, name, other, trait)


def test_panels_share_a_control_and_keep_the_others(panel):
    other = Explorable(drawn, height=Slider(0.0, 4.0, 1.0), shift=(0.0, 2.0)).widget()
    other.values = {"height": 3.5, "shift": 0.0}
    panel.link("height", other)
    assert other.values == {"height": 1.0, "shift": 0.0}
    other.values = {"height": 1.5}
    assert panel.values == {"height": 1.5, "shift": 1.0, "file": "short"}
    panel.values = {"height": 0.0}
    assert other.values == {"height": 0.0, "shift": 0.0}
