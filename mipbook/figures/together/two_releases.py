"""Two releases that are harmless alone and tell all together: for MIP, and for security."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook.accounting.witnesses import field_deltas, member_and_split_etas

_SIZES = np.arange(1, 31)
_BOTH, _ALONE = "both releases (exact)", "a member alone (exact)"


def _etas(chance):
    found = [member_and_split_etas(n, chance) for n in _SIZES.tolist()]
    each = [f.together for f in found]
    more = {"customdata": 2 * _SIZES, "hover": "pool of %{customdata}: η = %{y:.3g}"}
    dotted = k.MIP.estimate().with_symbol("square")
    return k.part(
        k.curve(_BOTH, _SIZES, each, k.MIP, **more),
        k.curve(_ALONE, _SIZES, [f.first for f in found], dotted, most=8, **more),
        x=k.axis("members, n, of 2n people", range=[0, 31]),
        y=k.axis("η", log=True, range=[-4.2, 0]),
        x2={"range": [-0.7, 9.7], "visible": False},
        y2={"range": [-6.8, 0.8], "visible": False},
        rows=(0.45, 0.2),
        height=420,
        beside=0.45,
        ghost=[_ALONE],
        probe=[_BOTH, _ALONE],
        grab=k.drag("n", _SIZES, each),
    )


def _people(n, seen):
    """Return the 2n people, ten a row, by what is known when a member was published."""
    who = np.arange(2 * n)
    sure = (who == 0) | (n == 1) if seen == "a member" else np.full(2 * n, seen == "both")
    rest = k.percent((n - 1) / (2 * n - 1)) if seen == "a member" else "50%"
    states = (
        ("surely a member", sure & (who < n), k.IN.with_symbol("square"), ""),
        ("surely none", sure & (who >= n), k.OUT.with_symbol("x"), ""),
        ("either", ~sure, k.LEVEL.with_symbol("circle-open"), f", {rest}"),
    )
    return k.part(
        k.points(name, who[those] % 10, -(who[those] // 10), look, size=17, hover=name + more, lower=True)
        for name, those, look, more in states
    )


def _named(n, chance, seen):
    found = member_and_split_etas(n, chance)
    eta, known, told = {
        "a member": (
            found.first,
            "one of them",
            "In {chance} of all releases one of the members is published, and nobody else's odds rise",
        ),
        "the split": (0.0, "none", "The two halves are printed, not which is which: nobody's odds move"),
        "both": (
            found.together,
            "all",
            "In {chance} of all releases the half that holds the named one is the data: all {people} people "
            "are known",
        ),
    }[seen]
    return k.part(
        k.reading([n], [found.together], "your n"),
        headline=f"η = {{eta}} by {seen}",
        sentence=f"{told}: η = {{eta}} (exact). Alone the two have η = {{first}} and 0, together {{both}}: "
        "{n} times the sum (exact).",
        alt="Left, eta against the number of members on a logarithmic axis: of both releases a level line at "
        "{both}, of a published member alone a falling curve, {first} at n = {n}. Right, {people} people, "
        f"{known} known.",
        chance=k.exact(chance, k.percent),
        eta=eta,
        n=n,
        people=2 * n,
        first=found.first,
        both=found.together,
    )


@k.figure
def name_one(
    n: Annotated[int, k.Slider(1, 30, step=1, value=10, label="Members, n", play=True)] = 10,
    chance: Annotated[
        float, k.LogSlider(0.01, 1.0, value=0.1, points=17, label="How often a member is named")
    ] = 0.1,
    seen: Annotated[str, k.Choice(["a member", "the split", "both"], label="Released")] = "both",
):
    """Draw eta of a named member, and what each release tells of the people of a pool.

    Examples
    --------
    >>> "10 times the sum" in name_one(10).layout.meta["sentence"]
    True
    """
    return _etas, _people, _named


_Q = 17
_SEEN = ("nothing", "the sum", "the square", "both")
_ONE, _TWO = np.divmod(np.arange(_Q * _Q), _Q)


def _field():
    ends = {"range": [-0.7, _Q - 0.3], "dtick": 4, "constrain": "domain"}
    return k.part(
        x=k.axis("first record", **ends), y=k.axis("second record", scaleanchor="x", **ends), height=440
    )


def _pairs(first, second, seen):
    """Return which pairs of records lead to what is released."""
    fits = np.ones(_Q * _Q, dtype=bool)
    if seen in ("the sum", "both"):
        fits &= (_ONE + _TWO - first - second) % _Q == 0
    if seen in ("the square", "both"):
        fits &= ((_ONE - _TWO) ** 2 - (first - second) ** 2) % _Q == 0
    chances = np.bincount(_ONE[fits], minlength=_Q) / fits.sum()
    deltas = field_deltas(_Q)
    delta = (0.0, deltas.first, deltas.second, deltas.together)[_SEEN.index(seen)]
    sure = (
        "they say nothing about the first number: all {q} values are still equally likely"
        if np.ptp(chances) == 0
        else "the first record is one of at most two values"
    )
    pairs = "{count} pair of {all}" if fits.sum() == 1 else "{count} pairs of {all}"
    marks = (
        ("ruled out", ~fits, k.LEVEL.with_symbol("circle"), {"size": 3, "hoverinfo": "skip"}),
        ("still possible", fits, k.MIS.with_symbol("square"), {"hover": "%{x} and %{y}, still possible"}),
    )
    return k.part(
        [k.points(name, _ONE[at], _TWO[at], look, **{"size": 10, **more}) for name, at, look, more in marks],
        k.points("the data", first, second, k.IN.with_symbol("circle-open"), size=19),
        headline=f"Δ = {{delta}} from {seen}",
        sentence=f"{pairs} fit what is released, and {sure}: this learner has Δ = {{delta}} (exact), "
        "security {secure}. The best attacker is right {right} of the time (exact).",
        alt="A grid of {q} by {q} pairs of records with a ring around {first} and {second}. "
        f"{seen.capitalize()} released leaves {pairs} marked: all, a line, two crossing lines or two points "
        "mirrored at the diagonal.",
        grab=k.drag("first", at=-0.7) + k.drag("second", along="y", at=-0.7),
        count=int(fits.sum()),
        all=_Q * _Q,
        q=_Q,
        first=first,
        second=second,
        delta=delta,
        secure=1 - delta,
        right=k.exact(0.5 + delta / 2, k.percent),
    )


@k.figure
def sum_and_square(
    first: Annotated[int, k.Slider(0, _Q - 1, step=1, value=12, label="First record")] = 12,
    second: Annotated[int, k.Slider(0, _Q - 1, step=1, value=7, label="Second record")] = 7,
    seen: Annotated[str, k.Choice(_SEEN, label="Released")] = "the sum",
):
    """Draw which pairs of records modulo 17 fit their sum, their squared difference, or both.

    Examples
    --------
    >>> sum_and_square(12, 7, "both").layout.meta["headline"]
    'Δ = 0.886 from both'
    """
    return _field, _pairs
