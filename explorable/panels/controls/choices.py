"""One of a few options, and on or off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from explorable import validate
from explorable.panels.controls.control import Control, written

__all__ = ["Choice", "Switch"]


class Choice(Control):
    """One of a few options; sorted numbers become a slider with exactly these stops.

    Parameters
    ----------
    options : iterable, or mapping from label to value
        At least two different options: numbers, strings or booleans.
    value : object, optional
        Where it starts; the first option if not given.
    label, unit : str, optional
        Shown beside the control.

    Examples
    --------
    >>> from explorable.panels import Choice
    >>> Choice([36, 40, 44, 48], value=40).value
    40
    >>> Choice({"published": True, "tight": False}).labels
    ('published', 'tight')
    """

    def __init__(
        self,
        options: Iterable[Any] | Mapping[str, Any],
        value: Any = None,
        *,
        label: str | None = None,
        unit: str = "",
    ) -> None:
        if isinstance(options, Mapping):
            labels = tuple(str(k) for k in options)
            stops = tuple(options.values())
        else:
            stops = options = validate.sequence("options", options, "at least two options")
            labels = tuple(map(written, stops))
        if len(stops) < 2 or len(set(map(repr, stops))) < len(stops):
            validate.refuse("options", list(stops), "at least two options, all different")
        plain = all(isinstance(s, bool | int | float | str | np.generic) for s in stops)
        if not plain or any(s != s for s in stops):  # nan is no option
            validate.refuse("options", list(stops), "numbers, strings or booleans")
        start = stops[0] if value is None else validate.choice("value", value, stops, "options")
        numbers = all(isinstance(s, int | float | np.number) and not isinstance(s, bool) for s in stops)
        ordered = numbers and not isinstance(options, Mapping) and list(stops) == sorted(stops)
        super().__init__(
            kind="slider" if ordered else "choice",
            stops=stops,
            labels=labels,
            start=stops.index(start),
            label=label,
            unit=unit,
            given={"options": options, "value": value, "label": label, "unit": unit},
        )


class Switch(Control):
    """On or off.

    Parameters
    ----------
    value : bool
        Where it starts.
    label : str, optional
        Shown beside the switch.

    Examples
    --------
    >>> from explorable.panels import Switch
    >>> Switch(True).value
    True
    """

    def __init__(self, value: bool = False, *, label: str | None = None) -> None:
        super().__init__(
            kind="switch",
            stops=(False, True),
            labels=("off", "on"),
            start=int(validate.switch("value", value)),
            label=label,
            given={"value": value, "label": label},
        )
