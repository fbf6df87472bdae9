"""The rounds of a guessing game."""

from __future__ import annotations

from explorable import validate
from explorable.panels.controls.control import Control

__all__ = ["Rounds"]


class Rounds(Control):
    """The rounds of a guessing game: the reader answers, sees the truth, plays on.

    The figure function gets the round as a whole number from 0.  Its
    ``layout.meta`` carries ``options`` (pairs of key and button text), ``answer``
    and ``optimal`` (keys), ``reveal`` (text shown after the guess) and
    ``benchmark`` (the exact long-run score of the optimal player).  Traces whose
    ``meta`` is ``"reveal"`` stay hidden until the reader has guessed.

    Parameters
    ----------
    count : int
        How many rounds there are before the first comes round again, in [2, 1000].
    value : int
        The round at the start, from 0.
    label : str, optional
        The question above the buttons.

    Examples
    --------
    >>> from explorable.panels import Rounds
    >>> len(Rounds(40).stops)
    40
    """

    def __init__(self, count: int, value: int = 0, *, label: str | None = None) -> None:
        count = validate.integer("count", count, 2, 1000)
        super().__init__(
            kind="rounds",
            stops=tuple(range(count)),
            labels=tuple(str(i + 1) for i in range(count)),
            start=validate.integer("value", value, 0, count - 1),
            label=label,
            given={"count": count, "value": value, "label": label},
        )
