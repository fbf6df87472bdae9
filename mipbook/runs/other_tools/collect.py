"""The stored run: every tool's answers beside the truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mipbook.stored import store
from mipbook.runs.other_tools.asking import STATUSES, Answer, ask, requirements
from mipbook.runs.other_tools.questions import DELTAS, EPSILONS, QUESTIONS, TOOLS, Question
from mipbook.runs.other_tools.truth import DIGITS, answer

__all__ = ["RUNS", "SETTINGS", "packed", "relative_error"]

SETTINGS: dict[str, Any] = {
    "version": 2,
    "questions": len(QUESTIONS),
    "epsilons": EPSILONS,
    "deltas": DELTAS,
    "digits": DIGITS,
    "pins": {name: requirements(name) for name in TOOLS},
}


def relative_error(value: float, truth: str) -> float:
    """Return (value - truth) / truth, subtracted with all digits.

    Parameters
    ----------
    value : float
        What a tool answers.
    truth : str
        The right answer, written out.

    Examples
    --------
    >>> relative_error(0.5, "0.499999999999999999999")
    2e-21
    """
    from mpmath import mp

    with mp.workdps(DIGITS + 20):
        right = mp.mpf(truth)
        return float(f"{float((mp.mpf(value) - right) / right):.3g}")


def packed(
    answers: Sequence[Answer], about: Mapping[str, Mapping[str, Any]], truths: Mapping[str, str]
) -> store.Arrays:
    """Return answers as columns, one row an answer.

    Parameters
    ----------
    answers : sequence of Answer
        In any order.
    about : mapping
        What each tool says of itself.
    truths : mapping
        The right answer, by the question's name.
    """
    names = [question.name for question in QUESTIONS]
    tools = list(TOOLS)
    routes = sorted({a.route for a in answers})
    messages = sorted({a.message for a in answers})
    place = {text: i for i, text in enumerate(names)}
    errors = [
        relative_error(a.value, truths[a.question.name]) if a.status == "answered" else 0.0 for a in answers
    ]
    versions = [
        about[t].get("failed") or f"{about[t]['version']}, Python {about[t]['python']}"
        for t in tools
        if t in about
    ]
    return {
        "truths": np.array([truths[name] for name in names]),
        "routes": np.array(routes),
        "messages": np.array(messages),
        "versions": np.array(versions),
        "question": np.array([place[a.question.name] for a in answers], dtype=np.int16),
        "tool": np.array([tools.index(a.tool) for a in answers], dtype=np.int8),
        "route": np.array([routes.index(a.route) for a in answers], dtype=np.int8),
        "status": np.array([STATUSES.index(a.status) for a in answers], dtype=np.int8),
        "message": np.array([messages.index(a.message) for a in answers], dtype=np.int16),
        "value": np.array([a.value for a in answers]),
        "error": np.array(errors),
        "seconds": np.array([float(f"{a.seconds:.2g}") for a in answers], dtype=np.float32),
    }


def truths(questions: Sequence[Question] = QUESTIONS) -> dict[str, str]:
    """Return the right answers, by the names of their questions."""
    return {question.name: answer(question) for question in questions}


def _make() -> store.Arrays:
    answers, about = ask()
    return packed(answers, about, truths())


RUNS = (store.Run("other_tools", SETTINGS, _make),)
