"""A pair, a list or a boolean for a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from explorable import validate
from explorable.panels.controls.choices import Choice, Switch
from explorable.panels.controls.control import Control
from explorable.panels.controls.sliders import Slider

__all__ = ["as_control"]


def as_control(name: str, value: Any) -> Control:
    """Turn a shorthand into a control: a pair, a list or a boolean.

    Parameters
    ----------
    name : str
        The parameter's name, for the message.
    value : Control, pair of numbers, list, mapping or bool
        ``(low, high)`` is a slider (whole ends give whole steps), a list or
        mapping is a choice, a boolean is a switch.

    Examples
    --------
    >>> from explorable.panels.controls import as_control
    >>> as_control("n", (2, 5)).stops
    (2, 3, 4, 5)
    """
    if isinstance(value, Control):
        return value
    if isinstance(value, bool):
        return Switch(value)
    if isinstance(value, tuple) and len(value) == 2:
        low, high = value
        if all(isinstance(v, int) and not isinstance(v, bool) for v in value):
            return Slider(low, high, value=low, step=1)
        return Slider(low, high)
    if isinstance(value, list | Mapping):
        try:
            return Choice(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    kinds = "Slider, LogSlider, Stops, Count, Choice, Switch, File, Rounds"
    validate.refuse(name, value, f"a control ({kinds}) or a shorthand for one")
