"""What the tools said, as stored, judged against the truth."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from explorable import validate
from mipbook.stored import store
from mipbook.runs.other_tools.asking import STATUSES
from mipbook.runs.other_tools.questions import FAMILIES, QUESTIONS, TOOLS

__all__ = ["ROUNDING", "ToolAnswer", "tool_answers", "tool_versions"]

# One part in ten thousand: no choice of noise is finer. Roots are found to about that, or better.
ROUNDING = 1e-4
# What a route itself calls no promise: an estimate, the lower end of a bracket, an approximation.
_NO_PROMISE = ("estimate", "lower", "Gaussian limit")


class ToolAnswer(NamedTuple):
    """One tool's answer to one question.

    Attributes
    ----------
    tool, route : str
        Who was asked, and by which of its functions.
    inputs : dict
        What was given.
    status : str
        ``"answered"``, ``"refused"``, ``"no time"``, ``"no answer"`` or ``"does not run"``.
    value : float
        The answer; 0 if there is none.
    truth : str
        The right answer, to 50 digits; of sampled training to 30.
    error : float
        (value - truth) / truth, to three digits.
    seconds : float
        How long it took.
    message : str
        Why there is no answer.
    """

    tool: str
    route: str
    inputs: dict[str, Any]
    status: str
    value: float
    truth: str
    error: float
    seconds: float
    message: str

    @property
    def who(self) -> str:
        """The tool and its route."""
        return f"{self.tool} {self.route}" if self.route else self.tool

    @property
    def side(self) -> str:
        """``"right"``, ``"safe"``, ``"unsafe"`` or ``"no promise"``.

        More noise, more epsilon and more for the attacker are the safe side of every question; an
        estimate is none, whatever its side.
        """
        if self.status != "answered":
            return ""
        if self.route in _NO_PROMISE:
            return "no promise"
        if abs(self.error) <= ROUNDING:
            return "right"
        return "safe" if self.error > 0 else "unsafe"


def _check(arrays: store.Arrays) -> None:
    """Refuse answers whose errors are not theirs: someone changed the one or the other."""
    told = arrays["status"] == STATUSES.index("answered")
    truth = arrays["truths"].astype(float)[arrays["question"]]
    found = (arrays["value"] - truth) / truth
    wrong = told & (np.abs(found - arrays["error"]) > 1e-14 + 0.01 * np.abs(found))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        what = QUESTIONS[int(arrays["question"][row])].name
        mend = "python -m mipbook runs other_tools --again makes them anew"
        validate.refuse(
            "answers",
            f"damaged at {what}: error {arrays['error'][row]:g}",
            f"{found[row]:.3g} from the truth; {mend}",
        )


@lru_cache(maxsize=1)
def _all() -> dict[str, tuple[ToolAnswer, ...]]:
    arrays = store.load("other_tools").arrays
    _check(arrays)
    tools, found = list(TOOLS.values()), {family: [] for family in FAMILIES}  # type: ignore[var-annotated]
    columns = ("question", "tool", "route", "status", "value", "error", "seconds", "message")
    for row in zip(*(arrays[name].tolist() for name in columns), strict=True):
        asked, tool, route, status, value, error, seconds, message = row
        question = QUESTIONS[asked]
        found[question.family].append(
            ToolAnswer(
                tools[tool],
                str(arrays["routes"][route]),
                question.inputs,
                STATUSES[status],
                value,
                str(arrays["truths"][asked]),
                error,
                seconds,
                str(arrays["messages"][message]),
            )
        )
    return {family: tuple(answers) for family, answers in found.items()}


def tool_answers(family: str, **inputs: float) -> tuple[ToolAnswer, ...]:
    """Return what the tools answered to a family of questions, or to one of them.

    Parameters
    ----------
    family : str
        One of ``mipbook.runs.other_tools.questions.FAMILIES``, such as ``"sigma"``: how much
        Gaussian noise an (epsilon, delta) promise needs.
    **inputs : float
        Those of the question; all questions of the family if none is given.

    Examples
    --------
    >>> found = tool_answers("sigma", epsilon=1.0, delta=1e-5)
    >>> [a.side for a in found if a.tool == "OpenDP"]
    ['safe']
    """
    family = validate.choice("family", family, FAMILIES)
    names = next(q for q in QUESTIONS if q.family == family).inputs
    given = {}
    for name, value in inputs.items():
        if name not in names:
            validate.refuse("inputs", name, f"one of {', '.join(names)}")
        given[name] = float(validate.number(name, value))
    if len(given) == len(names):
        return _asked(family).get(tuple(given[name] for name in names), ())
    chosen = _all()[family]
    return tuple(a for a in chosen if all(a.inputs[k] == v for k, v in given.items()))


@lru_cache(maxsize=len(FAMILIES))
def _asked(family: str) -> dict[tuple[float, ...], tuple[ToolAnswer, ...]]:
    """Return the answers of a family by what was given."""
    found: dict[tuple[float, ...], tuple[ToolAnswer, ...]] = {}
    for answer in _all()[family]:
        key = tuple(answer.inputs.values())
        found[key] = (*found.get(key, ()), answer)
    return found


def tool_versions() -> dict[str, str]:
    """Return the version of each tool that answered, with that of its Python.

    Examples
    --------
    >>> list(tool_versions())[:2]
    ['dp-accounting', 'autodp']
    """
    told = store.load("other_tools").arrays["versions"].tolist()
    return dict(zip(TOOLS.values(), told, strict=True))
