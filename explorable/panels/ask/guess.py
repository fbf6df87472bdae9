"""A guess that a reader commits to before a panel shows what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from explorable import validate
from explorable.panels.ask.asked import LARGE, Asked, names, options
from explorable.panels.controls.control import written

__all__ = ["Guess"]


class Guess(Asked):
    """A number, or one of a few choices, to commit to; until then panels are veiled.

    Parameters
    ----------
    truth : float or str
        The value that it is: a number or, with ``choices``, one of them.
    choices : iterable of str, optional
        Buttons to choose from; without them a number is typed.
    panels : str or sequence of str
        The names of the panels to veil; none veils only what stands in ``veiled`` blocks.
    name : str
        Different from all other ids of the page.
    label : str
        What is asked, in a few words.
    unit : str
        Behind the number.
    text : str, optional
        How the page writes the truth; four digits if not given.
    kind : str
        What the truth is: ``exact``, ``bound``, ``estimate``, ``approximation``, or nothing.
    margin : str
        How far off an estimate or an approximation may be, such as ``± 0.02``.
    because : str
        A sentence that follows the comparison.

    Examples
    --------
    >>> from explorable.panels import Guess
    >>> Guess(0.243, choices=["0.1", "0.25", "8"], text="0.243").accepts(0.2431)
    True
    >>> Guess(92, unit="of 1,000").accepts(500)
    False
    """

    def __init__(
        self,
        truth: float | str,
        *,
        choices: Iterable[str] | None = None,
        panels: str | Sequence[str] = (),
        name: str = "guess",
        label: str = "Your guess",
        unit: str = "",
        text: str | None = None,
        kind: str = "exact",
        margin: str = "",
        because: str = "",
    ) -> None:
        super().__init__(name, label, kind=kind, margin=margin, because=because)
        self.choices = None if choices is None else options(choices)
        self.unit = validate.text("unit", unit)
        self.panels = names(panels)
        told = isinstance(truth, str)
        if told and (self.choices is None or truth not in self.choices):
            validate.refuse("truth", truth, "a number, or one of the choices")
        self.truth = truth if told else validate.number("truth", truth, -LARGE, LARGE)
        self.text = written(truth) if text is None else validate.text("text", text)

    def accepts(self, found: float | str) -> bool:
        """Whether a value found elsewhere is the truth, to all digits that the page writes.

        Parameters
        ----------
        found : float or str
            The value that the chapter computes where it gives the answer.
        """
        if isinstance(self.truth, str) or isinstance(found, str):
            return bool(found == self.truth)
        return written(validate.number("found", found)) == written(self.truth) or abs(
            float(found) - float(self.truth)
        ) <= 1e-3 * abs(self.truth)

    def describe(self) -> dict[str, Any]:
        """Return what the page's script needs."""
        return {
            **super().describe(),
            "role": "guess",
            "input": "number" if self.choices is None else "one",
            "choices": list(self.choices or ()),
            "unit": self.unit,
            "panels": self.panels,
            "truth": {"text": self.text},
        }
