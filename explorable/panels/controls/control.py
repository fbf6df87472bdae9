"""What all controls share: stops, their labels, the stop at the start."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from explorable import validate
from explorable.tables import Role

__all__ = ["Control", "written"]


# So many stops, or fewer, are buttons beside each other.
_BUTTONS = 4


def written(value: object) -> str:
    """Write a stop as a reader would: four digits, no trailing zeros."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        return f"{float(value):.4g}"
    return str(value)


def _grows(stops: tuple[Any, ...]) -> bool:
    """Whether the stops grow by factors, not by equal steps; the nearest is by ratio then."""
    positive = [float(s) for s in stops if s > 0]
    if len(positive) < 3 or stops[0] < 0:
        return False
    # On a logarithmic scale the last step is the longest by far, on a linear one it is like any.
    return positive[-1] - positive[-2] > 1.5 * (positive[1] - positive[0])


@dataclass(frozen=True)
class Control:
    """A finite list of stops; with a kernel a slider also takes any value between its ends.

    Use `Slider`, `LogSlider`, `Stops`, `Count`, `Choice`, `Switch`, `File` or `Rounds`.
    """

    kind: str
    stops: tuple[Any, ...]
    labels: tuple[str, ...]
    start: int
    label: str | None = None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    whole: bool = False
    stepped: bool = False
    play: bool = False
    limit: int | None = None
    roles: tuple[Role, ...] = ()
    live_stops: tuple[Any, ...] = ()
    # What the control was made from, so that it can be made again with another start.
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.label is not None:
            validate.text("label", self.label)
        validate.text("unit", self.unit)

    @property
    def value(self) -> Any:
        """The value at the start."""
        return self.stops[self.start]

    def starting(self, name: str, value: Any) -> Control:
        """Return this control with another value at the start.

        Examples
        --------
        >>> from explorable.panels import Slider
        >>> Slider(0, 10, step=2).starting("n", 4).value
        4
        """
        value = self.accepts(name, value)
        if type(value) is type(self.value) and value == self.value:
            return self
        return type(self)(**{**self.given, "value": value})

    def named_like(self, other: Control) -> Control:
        """Return this control with the other's label and unit where it has none of its own.

        Examples
        --------
        >>> from explorable.panels import Slider
        >>> Slider(0, 1).named_like(Slider(0, 9, label="Noise")).label
        'Noise'
        """
        validate.instance("other", other, Control, "such as a Slider")
        return self._with(label=self.label or other.label, unit=self.unit or other.unit)

    def for_face(self, live: bool) -> Control:
        """Return this control as one face has it: a kernel allows finer stops.

        Few stops are buttons, unless a number between them may be typed.

        Examples
        --------
        >>> from explorable.panels import Slider
        >>> slider = Slider(0.0, 1.0, points=3)
        >>> len(slider.for_face(live=False).stops), len(slider.for_face(live=True).stops)
        (3, 201)
        """
        live = validate.switch("live", live)
        typed = live and self.low is not None and not self.stepped
        if self.kind == "slider" and not typed and len(self.stops) <= _BUTTONS:
            return self._with(kind="choice")
        if not live or not self.live_stops:
            return self
        stops = self.live_stops
        start = stops.index(self.value)
        return self._with(stops=stops, labels=tuple(map(written, stops)), start=start)

    def _with(self, **changes: Any) -> Self:
        twin = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(twin, name, value)
        return twin

    def accepts(self, name: str, value: Any) -> Any:
        """Return ``value`` if a reader may choose it, else raise ``ValueError``."""
        if self.low is None or self.high is None:
            return validate.choice(name, value, self.stops)
        if self.whole:
            return validate.integer(name, value, int(self.low), int(self.high))
        return validate.number(name, value, self.low, self.high)

    @property
    def range(self) -> str:
        """What a reader may choose, in words."""
        if self.low is None or self.high is None:
            return "one of " + ", ".join(map(repr, self.stops))
        return f"{'an integer ' if self.whole else ''}in [{self.low:g}, {self.high:g}]"

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the page's script needs to draw the control.

        Examples
        --------
        >>> from explorable.panels import Switch
        >>> Switch(True).describe("noise")["labels"]
        ['off', 'on']
        """
        validate.text("name", name)
        return {
            "name": name,
            "label": self.label or name,
            "kind": self.kind,
            "stops": [s.item() if isinstance(s, np.generic) else s for s in self.stops],
            "labels": list(self.labels),
            "start": self.start,
            "unit": self.unit,
            "low": self.low,
            "high": self.high,
            "whole": self.whole,
            "stepped": self.stepped,
            "log": self.kind == "slider" and _grows(self.stops),
            "play": self.play,
            "limit": self.limit,
        }
