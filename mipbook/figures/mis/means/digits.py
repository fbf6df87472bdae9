"""A bounded mean without any security: every digit of it gives a little away."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Count, Part, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, curve, level, reading
from mipbook.figures.words import percent, say
from mipbook.stored.limits import DIGITS, SIZES, known_digit_delta

__all__ = ["digit_leak"]

Array = NDArray[np.float64]
# Games that are drawn, of each kind, and how much evidence has a place in the picture.
_GAMES, _REACH = 10, 8.0


@lru_cache(maxsize=16)
def _security(n: int) -> Array:
    return np.array([1 - known_digit_delta(n, j) for j in DIGITS])


@lru_cache(maxsize=8)
def _evidence(n: int) -> tuple[Array, Array]:
    """Return the evidence in the drawn games, with the target in and out, digit by digit."""
    rng = np.random.default_rng((131, n))
    inside, out = (mis.digit_evidence(n, DIGITS[-1], _GAMES, side, rng) for side in (True, False))
    return inside, out


def _walks(name: str, evidence: Array, digits: int, look: looks.Look) -> Trace:
    """Draw the games so far; what leaves the picture goes on out of sight."""
    read = [*(j for j in DIGITS if j < digits), digits]
    steps = np.clip(evidence[:, np.array(read) - 1], -_REACH - 1, _REACH + 1).round(2)
    # A gap after each game.
    x = [j for _ in steps for j in (*read, None)]
    y = [v for game in steps.tolist() for v in (*game, None)]
    return curve(name, x, y, replace(look, width=1.5), hoverinfo="skip")


def _frame() -> Part:
    over = "%{x:,} digits: security %{y:.3f}<extra></extra>"
    lower = [
        curve(f"n = {size:,}", DIGITS, _security(size), look, hovertemplate=over, **LOWER)
        for size, look in zip(SIZES, looks.SERIES, strict=True)
    ]
    even = level("as likely in as out", [1, DIGITS[-1]], 0)
    sentence = (
        "From the mean of n = {n} records the attacker has read {read} and is right in {won} of "
        "these {all} games. The security is then {security} at most ({kind}); with more digits it "
        "goes to 0, whatever n is."
    )
    alt = (
        f"Paths of the evidence against the number of digits read, {_GAMES} games with the target "
        f"in, drifting up, and {_GAMES} with it out, drifting down. Beside them the security "
        "against the number of digits for four n: all curves fall to 0; the diamond is at "
        "J = {digits} and {security}."
    )
    layout: dict[str, Any] = {
        "xaxis": axis("digits read, J", log=True, range=[0, 4]),
        "yaxis": axis("evidence", range=[-_REACH, _REACH]),
        "xaxis2": axis("digits read, J", log=True, range=[0, 4]),
        "yaxis2": axis("security", range=[0, 1.03], nticks=4),
        "height": 430,
    }
    for name, place in two_rows(0.52, 0.22).items():
        layout[name] = {**layout[name], **place}
    track = {"x": list(DIGITS), "y": [0.0] * len(DIGITS)}
    meta = {
        "headline": "Right in {right} of all games",
        "sentence": sentence,
        "alt": alt,
        "beside": 0.56,
        "grab": [{"control": "digits", "axis": "x", "track": track}],
        "probe": [trace["name"] for trace in lower],
    }
    return Part([even, *lower], layout, meta=meta)


def _read(n: int, digits: int) -> Part:
    inside, out = _evidence(n)
    delta = known_digit_delta(n, digits)
    won = int((inside[:, digits - 1] > 0).sum() + (out[:, digits - 1] <= 0).sum())
    words = {
        "n": f"{n:,}",
        "digits": f"{digits:,}",
        "read": "the first digit sum" if digits == 1 else f"{digits:,} digit sums",
        "won": str(won),
        "all": str(2 * _GAMES),
        "security": say(1 - delta),
        "kind": "exact" if digits == 1 else "approximation",
        "right": percent((1 + delta) / 2),
    }
    traces = [
        _walks("target out (simulated)", out, digits, looks.OUT),
        _walks("target in (simulated)", inside, digits, looks.IN),
        reading(digits, 1 - delta, "this n and J", **LOWER),
    ]
    return Part(traces, words=words)


@declared
def digit_leak(
    n: Annotated[int, Count(SIZES, label="Records, n")] = 20,
    digits: Annotated[int, Count(DIGITS, label="Digits, J", play=True)] = 100,
) -> go.Figure:
    """Draw the evidence that digits of the mean add up to, and the security against their number.

    Notes
    -----
    Limits paper, Theorem 13: what goes wrong without its hypothesis.

    Examples
    --------
    >>> "10 digit sums" in digit_leak(5, 10).layout.meta["sentence"]
    True
    """
    return stacked(layer(_read, n=n, digits=digits), layer(_frame))
