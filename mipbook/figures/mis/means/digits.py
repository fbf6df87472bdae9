"""A bounded mean without any security: every digit of it gives a little away."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import say

__all__ = ["digit_leak"]

Array = NDArray[np.float64]
_SIZES = (5, 20, 100, 1000)
_DIGITS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
_MARKS = ((BLUE, "circle"), (ORANGE, "square"), (GREEN, "triangle-up"), (PURPLE, "x"))
_SHOWN = 41


@lru_cache(maxsize=16)
def _security(n: int) -> Array:
    return np.array([1 - mis.digit_delta(n, j).value for j in _DIGITS])


def _laws(n: int) -> tuple[Array, Array, Array]:
    """Return counts around the middle, and their laws with the target out and in."""
    from scipy.special import gammaln

    counts = np.linspace(max(0.0, n / 2 - 2 * n**0.5), min(float(n), n / 2 + 2 * n**0.5), _SHOWN)
    logs = gammaln(n + 1) - gammaln(counts + 1) - gammaln(n - counts + 1) - n * np.log(2)
    return counts, np.exp(logs), np.exp(logs) * 2 * counts / n


def digit_leak(n: int = 20, digits: int = 100) -> go.Figure:
    """Draw what one digit of the mean tells, and the security against the number of digits.

    Parameters
    ----------
    n : int
        Records, in [2, 1000].
    digits : int
        Digits that the attack reads, in [1, 10000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 13: what goes wrong without its hypothesis.

    Examples
    --------
    >>> len(digit_leak(5, 10).data)
    7
    """
    n = validate.integer("n", n, 2, 1000)
    digits = validate.integer("digits", digits, 1, 10_000)
    figure = go.Figure()
    counts, without, given = _laws(n)
    for name, law, colour, dash in (
        ("target out", without, BLUE, "dash"),
        ("target in", given, ORANGE, "solid"),
    ):
        figure.add_scatter(
            x=counts,
            y=law,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
        )
    for size, (colour, symbol) in zip(_SIZES, _MARKS, strict=True):
        figure.add_scatter(
            x=_DIGITS,
            y=_security(size),
            mode="lines+markers",
            name=f"n = {size:,}",
            line={"color": colour, "width": 1.5},
            marker={"symbol": symbol, "size": 7},
            **LOWER,
        )
    found = mis.digit_delta(n, digits)
    figure.add_scatter(
        x=[digits],
        y=[1 - found.value],
        mode="markers",
        name="this n and J",
        marker={"color": INK, "symbol": "diamond-open", "size": 15, "line": {"width": 2.5}},
        **LOWER,
    )
    one = mis.digit_delta(n, 1).value
    kind = "exact" if digits == 1 else "approximation"
    read = "the first digit sum" if digits == 1 else f"{digits:,} digit sums"
    rest = (
        "a single digit tells little"
        if digits == 1
        else f"a single digit has Delta = {say(one)} (exact), and together they "
        + ("leave almost nothing" if found.value > 0.95 else "add up")
    )
    return finish(
        figure,
        sentence=(
            f"From the mean of n = {n:,} records, all numbers between 0 and 0.11, {read} can be "
            f"read. The security is then {say(1 - found.value)} at most ({kind}): {rest}. With "
            f"more digits it goes to 0, whatever n is."
        ),
        alt=(
            f"Above, two bells for the number of records that agree with the target in one digit, "
            f"around {say(n / 2)}: with the target in, half a record to the right. Below, the "
            f"security against the number of digits for four n: all curves fall to 0; the diamond "
            f"is at J = {digits:,} and {say(1 - found.value)}."
        ),
        layout={
            "xaxis": axis("records that agree in one digit"),
            "yaxis": axis("chance", rangemode="tozero"),
            "xaxis2": axis("digits J", log=True),
            "yaxis2": axis("security", range=[0, 1.03]),
            "rows": (0.45, 0.18),
            "height": 600,
        },
    )
