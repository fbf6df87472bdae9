"""A guess that is a curve, drawn over empty axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.panels.ask.asked import LARGE, Asked, names
from explorable.panels.controls.control import written

__all__ = ["DrawnGuess"]


def _short(value: float) -> str:
    """Write a place on the axis so that many stand beside each other."""
    return written(float(f"{value:.3g}"))


class DrawnGuess(Asked):
    """A curve to draw, by mouse, finger or arrow keys; then the true one is laid over it.

    Parameters
    ----------
    x, truth : array_like
        The true curve, at equal steps along the axis or, for a logarithmic axis, at equal
        factors.
    low, high : float
        The ends of the vertical axis.
    x_label, y_label : str
        The names of the axes.
    handles : int
        How many points of the curve a reader draws.
    panels, name, label, kind, margin, because
        As in `Guess`.

    Examples
    --------
    >>> import numpy as np
    >>> from explorable.panels import DrawnGuess
    >>> x = np.linspace(0, 2, 21)
    >>> guess = DrawnGuess(x, x**2, low=0, high=4, x_label="x", y_label="x squared", handles=5)
    >>> [handle["truth"] for handle in guess.describe()["handles"]]
    ['0', '0.25', '1', '2.25', '4']
    >>> guess.accepts(x * x)
    True
    """

    def __init__(
        self,
        x: ArrayLike,
        truth: ArrayLike,
        *,
        low: float,
        high: float,
        x_label: str,
        y_label: str,
        handles: int = 7,
        panels: str | Sequence[str] = (),
        name: str = "drawn-guess",
        label: str = "Draw the curve",
        kind: str = "exact",
        margin: str = "",
        because: str = "",
    ) -> None:
        super().__init__(name, label, kind=kind, margin=margin, because=because)
        self.low = validate.number("low", low, -LARGE, LARGE)
        self.high = validate.number("high", high, -LARGE, LARGE)
        if self.low >= self.high:
            validate.refuse("high", high, f"above low = {self.low:g}")
        self.x = validate.array("x", x, -LARGE, LARGE, ndim=1)
        self.truth = validate.array("truth", truth, ndim=1)
        if not ((self.truth >= self.low) & (self.truth <= self.high)).all():
            ends = f"numbers between low = {self.low:g} and high = {self.high:g}"
            validate.refuse("truth", truth, ends)
        if len(self.x) < 3 or len(self.x) != len(self.truth):
            validate.refuse("x", x, "three numbers or more, as many as there are in truth")
        self.handles = validate.integer("handles", handles, 3, min(9, len(self.x)))
        self.axes = [validate.text("x_label", x_label), validate.text("y_label", y_label)]
        self.panels = names(panels)

    def accepts(self, found: ArrayLike) -> bool:
        """Whether a curve found elsewhere is the true one, to a thousandth of the axis.

        Parameters
        ----------
        found : array_like
            The curve that the chapter computes, at the same places.
        """
        curve = validate.array("found", found, ndim=1)
        if len(curve) != len(self.truth):
            validate.refuse("found", found, f"{len(self.truth)} numbers")
        far = np.abs(curve - self.truth)
        return bool((far <= 1e-3 * (self.high - self.low)).all())

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs: places as shares of the axes, and labels."""
        last = len(self.x) - 1
        height = (self.truth - self.low) / (self.high - self.low)
        picked = np.linspace(0, last, self.handles).round().astype(int)
        points = np.stack([np.arange(last + 1) / last, height], axis=1)
        # Steps of the arrow keys, each with the words for it.
        levels = [written(level) for level in np.linspace(self.low, self.high, 21)]
        handles = [
            {"at": i / last, "label": _short(self.x[i]), "truth": written(self.truth[i])}
            for i in picked.tolist()
        ]
        return {
            **super().describe(),
            "role": "guess",
            "input": "curve",
            "panels": self.panels,
            "axes": self.axes,
            "levels": levels,
            "handles": handles,
            "truth": {"points": points.round(4).tolist()},
        }
