"""What the map says of each arrow, in words."""

from __future__ import annotations

from mipbook import accounting
from mipbook.base.rounding import down, up
from mipbook.figures.words import percent, say

__all__ = ["GREEK", "TAGGED", "headline_of", "sentence_of", "witness_of"]

GREEK = {"DP": "ε", "MIP": "η", "PMP": "ε̃", "MIS": "Δ"}
# Records of the release that stands for all sizes on the arrow without a sharp curve.
TAGGED = 64

_GROUPS = "to publish D and the rest of its pool, not saying which is which"
_SUM = "the sum modulo q of uniform records has Δ = 0 (exact)"
_SAYS = {
    ("DP", "MIP"): "ε = {a} gives η = {b} on every pool (bound, attained at every n).",
    ("DP", "PMP"): "ε = {a} gives ε̃ = {b} on every pool (bound, attained at every n).",
    ("DP", "MIS"): "ε = {a} gives Δ ≤ {b} whatever the data's distribution (bound, the least).",
    ("MIP", "PMP"): ("η = {a} gives ε̃ = 0 with δ̃ = {twice}, and no pure ε̃ (bound, attained at every n)."),
    ("MIP", "MIS"): "η = {a} on all pools gives Δ ≤ {b} (bound, attained at every n).",
    ("PMP", "MIP"): "ε̃ = {a} gives η = {b} (bound, attained at every n).",
    ("PMP", "MIS"): (
        "ε̃ = {a} on all pools gives Δ ≤ {b} (bound). Random tags on {n} records reach {tags}, and "
        "ε = {a} of DP allows {dp} (exact)."
    ),
    ("MIP", "DP"): f"No η gives an ε: {_GROUPS}, has η = 0, and tells a neighbour all (exact).",
    ("PMP", "DP"): f"No ε̃ gives an ε: {_GROUPS}, has ε̃ = 0, and tells a neighbour all (exact).",
    ("MIS", "DP"): f"No Δ gives an ε: {_SUM}, and tells a neighbour all.",
    ("MIS", "MIP"): f"No Δ gives an η: {_SUM}; on a pool of powers of two it names the half.",
    ("MIS", "PMP"): f"No Δ gives an ε̃: {_SUM}; on a pool of powers of two it names the half.",
}


def _numbers(start: str, end: str, right: float) -> tuple[str, str, float]:
    """Return both parameters as text, and how often the attacker at the end is right."""
    found = right if start == end else float(accounting.arrow(start, end).accuracy(right))
    a, b = (accounting.promised_parameter(*each) for each in ((start, right), (end, found)))
    return say(float(a)), say(float(b), to=up), found


def headline_of(start: str, end: str, right: float) -> str:
    """Return the one number of an arrow."""
    a, b, _ = _numbers(start, end, right)
    given = f"{GREEK[start]} = {a}"
    if start == end:
        return f"{given} is itself"
    if accounting.arrow(start, end).kind == "impossible":
        return f"{given} and no {GREEK[end]}"
    if (start, end) == ("MIP", "PMP"):
        return f"{given} gives δ̃ = {say(2 * right - 1, to=up)}"
    return f"{given} gives {GREEK[end]} ≤ {b}"


def sentence_of(start: str, end: str, right: float) -> str:
    """Say what one promise buys of another notion."""
    a, b, found = _numbers(start, end, right)
    if start == end:
        return (
            f"{GREEK[start]} = {a}: the best attacker of {start} is right {percent(right)} of the "
            "time, at most (bound). Choose another notion to see what that says there."
        )
    if (start, end) == ("MIP", "PMP") and right == 0.5:
        return "η = 0 gives ε̃ = 0, and that gives η = 0 (exact): nobody who knows the pool gains."
    told = {"a": a, "b": b, "twice": say(2 * right - 1, to=up), "n": str(TAGGED)}
    if (start, end) == ("PMP", "MIS"):
        epsilon = float(accounting.promised_parameter("PMP", right))
        told["tags"] = say(accounting.tag_release_at(TAGGED, epsilon).delta, to=down)
        told["dp"] = say(float(accounting.promised_parameter("MIS", _dp(right))), to=up)
    joined = "but up to" if found == 1 > right else "so at most"
    limit = (
        f"Right at most {percent(right)} of the time in {start}'s game, {joined} "
        f"{percent(found, to=up)} in {end}'s."
    )
    return f"{_SAYS[start, end].format(**told)} {limit}"


def _dp(right: float) -> float:
    return float(accounting.arrow("DP", "MIS").accuracy(right))


def witness_of(start: str, end: str) -> str:
    """Return the name of what keeps the promise and breaks the other; nothing where it follows."""
    if start == end or accounting.arrow(start, end).kind != "impossible":
        return ""
    return "a sum modulo q (exact)" if start == "MIS" else "the two groups (exact)"
