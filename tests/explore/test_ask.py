"""Guesses and answers: what is right, what is refused, and what the page is told."""

import re

import numpy as np
import pytest
from shared import refused

from explorable.panels import Answer, Guess, Mark


def test_a_planted_wrong_truth_is_not_what_the_solution_finds():
    found = 2 * np.arctanh(0.2)
    for truth, right in ((np.log(1.5), True), (1.02 * np.log(1.5), False), (0.1, False)):
        assert Answer("a", truth, tolerance=0.005).accepts(found) is right
        assert Guess(truth).accepts(found) is right


def test_choices_are_compared_as_sets():
    guess = Guess("same", choices=["same", "less"])
    assert [guess.accepts(choice) for choice in guess.choices] == [True, False]
    many = Answer("a", ["x", "z"], choices=["x", "y", "z"])
    assert [many.accepts(given) for given in ({"z", "x"}, {"x"}, "x")] == [True, False, False]
    inputs = [Answer("a", truth, choices=["x", "y"]).describe()["input"] for truth in ("x", ["x"])]
    assert inputs == ["one", "many"]


def test_a_mistake_is_known_from_nearby_and_never_the_truth():
    told = Answer("a", 0.4, tolerance=0.005, mistakes={0.2: "Half."}).describe()
    (half,) = told["mistakes"]
    assert told["truth"]["low"] <= 0.395 < 0.405 <= told["truth"]["high"]
    assert half["low"] < 0.1991 < 0.2009 < half["high"]
    whole = Answer("a", 12, mistakes={11: "One less.", 24: "Twice."}).describe()
    assert [(m["low"], m["high"]) for m in whole["mistakes"]] == [(11, 11), (24, 24)]


def test_bad_input_is_refused_by_name():
    refused(r"^name\b", Answer, "two words", 1)
    refused(r"^tolerance\b", Answer, "a", 0.4)
    refused(r"^truth\b", Answer, "a", np.inf, tolerance=1.0)
    refused(r"^truth\b", Answer, "a", "x", choices=["y", "z"])
    refused(r"^choices\b", Answer, "a", "x", choices=["x", "x"])
    refused(r"^mistakes\b", Answer, "a", "x", choices=["x", "y"], mistakes={"x": "No."})
    refused(r"^mistakes\b", Answer, "a", 0.4, tolerance=0.1, mistakes={0.35: "No."})
    refused(r"^mistakes\b", Answer, "a", 1, mistakes={2.0: "No.", 2.001: "No."})
    refused(r"^margin\b", Answer, "a", 1, kind="estimate")
    refused(r"^margin\b", Guess, 1.0, margin="± 1")
    refused(r"^truth\b", Guess, "x")
    refused(r"^panels\b", Guess, 1.0, panels=[3])


def test_what_is_asked_is_a_widget_and_its_repr_tells_nothing(monkeypatch):
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    for asked in (Guess(92.5), Answer("a", 7)):
        assert "application/vnd.jupyter.widget-view+json" in asked._repr_mimebundle_()[0]
        assert not re.search(r"\d", repr(asked))


def test_what_is_not_given_may_be_said_as_none_and_what_is_given_is_copied():
    mark, state = Mark("y", 0, 1000, bind="n"), {"n": 2}
    guess = Guess(92, mark=mark, panels="p", state=state, then=None, replies=None)
    state["n"] = 3
    told = guess.describe()
    assert (told["state"], told["then"], told["replies"]) == ({"n": 2}, {"n": 92}, {})
    assert Answer("a", 7, mistakes=None).describe()["mistakes"] == []
    with pytest.raises(ValueError, match=r"^then = 3: must be a mapping, or None$"):
        Guess(92, then=3)
