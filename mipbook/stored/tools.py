"""What other tools answered to the same questions, as stored, judged against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorable import validate
from mipbook.stored.store import Arrays, load

# From the strictest of promises to hardly one.
EPSILONS = (
    *(1e-6, 1e-3, 0.01, 0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0),
    *(15.0, 20.0, 50.0, 100.0, 1000.0),
)
DELTAS = (
    *(0.5, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12),
    *(1e-13, 1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-20, 1e-25, 1e-30, 1e-50, 1e-100, 1e-300),
)
# Training as in a published example: 60,000 records, batches of 256, 60 epochs.
TRAINING = {"sampling": 256 / 60_000, "steps": 14_062}
SIGMAS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.5, 1.8, 2.2, 2.8, 3.5, 4.5, 6.0, 8.0)
RHOS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.125, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0)
FPRS = (0.001, 0.01, 0.1)
_ASKED: dict[str, list[dict[str, Any]]] = {
    "sigma": [
        *({"epsilon": e, "delta": d} for e, d in product(EPSILONS, DELTAS)),
        {"epsilon": 0.0, "delta": 0.01},
    ],
    "training": [{"sigma": s, **TRAINING, "delta": 1e-5} for s in SIGMAS],
    "training_advantage": [{"sigma": s, **TRAINING} for s in SIGMAS],
    "laplace_delta": [{"scale": 2.0, "times": 10, "epsilon": e} for e in (0.0, 0.5, 1.0, 2.0)],
    "laplace_epsilon": [{"scale": 2.0, "times": 10, "delta": d} for d in (1e-3, 1e-6)],
    "pure": [{"epsilon": 0.1, "times": k, "delta": 1e-6} for k in (10, 100)],
    "concentrated": [{"rho": r, "delta": 1e-5} for r in (0.05, 0.5, 2.0)],
    "promise_advantage": [
        {"epsilon": e, "delta": d} for e, d in ((1.0, 1e-5), (10.0, 1e-5), (50.0, 0.0), (800.0, 0.0))
    ],
    "gaussian_advantage": [{"mu": m} for m in (0.1, 1.0, 10.0, 40.0)],
    "concentrated_advantage": [{"rho": r} for r in RHOS],
    "concentrated_tpr": [{"rho": r, "fpr": x} for x, r in product(FPRS, RHOS)],
}
FAMILIES = tuple(_ASKED)
# The tools by the name of their adapter.
TOOLS = {
    "dp_accounting": "dp-accounting",
    "autodp": "autodp",
    "diffprivlib": "diffprivlib",
    "opendp": "OpenDP",
    "prv_accountant": "prv-accountant",
    "riskcal": "riskcal",
    "mipbook": "mipbook",
}


@dataclass(frozen=True)
class Question:
    """One question, the same for every tool.

    Attributes
    ----------
    family : str
        What is asked for; one of ``FAMILIES``.
    inputs : dict
        What is given.
    """

    family: str
    inputs: dict[str, Any]

    @property
    def name(self) -> str:
        """The question in one line."""
        given = ", ".join(f"{key} {value:g}" for key, value in self.inputs.items())
        return f"{self.family}: {given}"

    @property
    def seconds(self) -> float:
        """How long a tool may take."""
        return 20.0 if self.family == "sigma" else 300.0


QUESTIONS = tuple(Question(family, inputs) for family in FAMILIES for inputs in _ASKED[family])
SETTINGS = {"version": 2, "questions": len(QUESTIONS), "epsilons": EPSILONS, "deltas": DELTAS}
# The statuses of an answer, by their number.
STATUSES = ("answered", "refused", "no time", "no answer", "does not run")
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


def _check(arrays: Arrays) -> None:
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
def _all() -> list[ToolAnswer]:
    arrays = load("other_tools", SETTINGS).arrays
    _check(arrays)
    routes, messages, truths = (arrays[name].tolist() for name in ("routes", "messages", "truths"))
    tools, found = list(TOOLS.values()), []
    columns = ("question", "tool", "route", "status", "value", "error", "seconds", "message")
    for row in zip(*(arrays[name].tolist() for name in columns), strict=True):
        asked, tool, route, status, value, error, seconds, message = row
        who = tools[tool], routes[route], QUESTIONS[asked].inputs, STATUSES[status]
        found.append(ToolAnswer(*who, value, truths[asked], error, seconds, messages[message]))
    return found


def tool_answers(family: str, **inputs: float) -> tuple[ToolAnswer, ...]:
    """Return what the tools answered to a family of questions, or to one of them.

    Parameters
    ----------
    family : str
        One of ``mipbook.stored.tools.FAMILIES``, such as ``"sigma"``: how much
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
    names, given = _ASKED[family][0], {}
    for name, value in inputs.items():
        if name not in names:
            validate.refuse("inputs", name, f"one of {', '.join(names)}")
        given[name] = float(validate.number(name, value))
    asked = [q.family == family and given.items() <= q.inputs.items() for q in QUESTIONS]
    rows = np.flatnonzero(np.array(asked)[load("other_tools").arrays["question"]])
    return tuple(_all()[row] for row in rows)


def tool_versions() -> dict[str, str]:
    """Return the version of each tool that answered, with that of its Python.

    Examples
    --------
    >>> list(tool_versions())[:2]
    ['dp-accounting', 'autodp']
    """
    told = load("other_tools").arrays["versions"].tolist()
    return dict(zip(TOOLS.values(), told, strict=True))
