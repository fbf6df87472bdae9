"""Where a reader puts a guess: along an axis of the panel's picture, from place to place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorable import validate
from explorable.panels.controls import written

# So near the truth, as a share of the axis, is as good as a hand can be.
_NEAR = 0.04
REPLIES = ("low", "near", "high")


@dataclass(frozen=True)
class Mark:
    """A mark of the picture that the reader puts where it should be.

    Parameters
    ----------
    axis : str
        The axis along which it goes, such as ``y`` or ``x2``; empty for a slider that only moves
        the control that it is bound to.
    low, high : float
        The ends between which it goes, in the guess's own unit.
    at : float or str, optional
        Its place on the other axis; without it the mark is a level that crosses the picture.
    scale, zero : float
        What one and none of the guess's units are on the axis: 0.001 and 0 where 1,000 people are
        an axis from 0 to 1.
    log : bool
        Whether it goes by factors.
    places : int
        How many places there are between the ends.
    across : pair of float
        From where to where on the other axis the guess covers the picture, up to the mark.
    bind : str
        The panel's control that is the guess: it moves with the mark, and then goes to the truth.
    begin : float, optional
        Where it begins; if not given in the middle, or a cover at its first place.
    told : sequence of str
        What ``{told}`` says in the reply to each place.

    Examples
    --------
    >>> from explorable.panels.mark import Mark
    >>> mark = Mark("y", 0, 1000, at=0.01, scale=0.001, places=51)
    >>> [place["text"] for place in mark.describe(92, "of 1,000")["places"][:3]]
    ['0 of 1,000', '20 of 1,000', '40 of 1,000']
    """

    axis: str
    low: float
    high: float
    at: float | str | None = None
    scale: float = 1.0
    zero: float = 0.0
    log: bool = False
    places: int = 51
    across: Sequence[float] = ()
    bind: str = ""
    begin: float | None = None
    told: Sequence[str] = ()

    def __post_init__(self) -> None:
        free = bool(self.bind) and not self.axis
        if not free and (self.axis[:1] not in ("x", "y") or not (self.axis[1:] or "2").isdigit()):
            validate.refuse("axis", self.axis, "such as x, y or y2")
        if not (0 if self.log else -np.inf) <= self.low < self.high:
            validate.refuse("high", self.high, f"above low = {self.low:g}")
        validate.integer("places", self.places, 15, 201)
        if self.told and len(self.told) != self.places:
            validate.refuse("told", self.told, f"one for each of {self.places} places")

    def describe(self, truth: float, unit: str, begin: Any = None) -> dict[str, Any]:
        """Return what the page's script needs of a guess with this truth.

        Parameters
        ----------
        truth : float
            The value that is guessed, between the ends.
        unit : str
            Behind the number.
        begin : float, optional
            Where it begins, before its own ``begin``.
        """
        if not self.low <= truth <= self.high:
            validate.refuse("truth", truth, f"between the mark's ends, {self.low:g} and {self.high:g}")
        apart = np.geomspace if self.log else np.linspace
        stops = apart(self.low, self.high, self.places)

        def at(value: float) -> int:
            return int(np.argmin(abs(np.log(stops / value) if self.log else stops - value)))

        nearest = at(truth)
        near = max(1, round(_NEAR * self.places))
        behind = f"{'' if unit == '%' else ' '}{unit}" if unit else ""

        # By factors from one whole number to another: nobody guesses a quarter of a person.
        whole = self.log and float(self.low).is_integer() and float(self.high).is_integer()

        def place(i: int, stop: float) -> dict[str, Any]:
            short = float(round(stop) if whole and stop < 100 else f"{stop:.3g}")
            reply = "near" if abs(i - nearest) <= near else REPLIES[2 * int(i > nearest)]
            return {
                "value": float(f"{self.zero + short * self.scale:.6g}"),
                "text": f"{f'{short:,.0f}' if whole else written(short)}{behind}",
                "reply": reply,
                **({"stop": short} if self.bind else {}),
                **({"told": self.told[i]} if self.told else {}),
            }

        told = [place(i, float(stop)) for i, stop in enumerate(stops)]
        # It begins in the middle of the axis, wherever the truth is; a cover is not yet drawn.
        begin = self.begin if begin is None else begin
        middle = at(begin) if begin is not None else 0 if self.across else self.places // 2
        return {
            "axis": self.axis,
            "at": self.at,
            "start": middle,
            "truth": self.zero + truth * self.scale,
            "places": told,
            **({"across": list(self.across)} if self.across else {}),
            **({"bind": self.bind} if self.bind else {}),
        }
