"""The controls of an explorable: what a reader may move, and the stops it has.

A control is a finite list of *stops*.  The published page computes the figure at
every combination of stops; with a kernel a slider also takes any typed value
between its ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mipbook.base import validate
from mipbook.tables import Role
from mipbook.tables.roles import Columns, as_columns, as_roles

__all__ = [
    "Choice",
    "Control",
    "Count",
    "File",
    "LogSlider",
    "Rounds",
    "Slider",
    "Switch",
    "UploadedFile",
    "as_control",
]


# Each stop of the published page holds a figure.
_MOST_STOPS = 100_000


def _text(value: object) -> str:
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
    """What all controls share: stops, their labels, the stop at the start.

    Use `Slider`, `LogSlider`, `Count`, `Choice`, `Switch`, `File` or `Rounds`.
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
    limit: int | None = None
    roles: tuple[Role, ...] = ()
    live_stops: tuple[Any, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.label is not None:
            validate.text("label", self.label)
        validate.text("unit", self.unit)

    @property
    def value(self) -> Any:
        """The value at the start."""
        return self.stops[self.start]

    def for_face(self, live: bool) -> Control:
        """Return this control with the finer stops that a kernel allows.

        Examples
        --------
        >>> slider = Slider(0.0, 1.0, points=3)
        >>> len(slider.for_face(live=False).stops), len(slider.for_face(live=True).stops)
        (3, 201)
        """
        live = validate.switch("live", live)
        if not live or not self.live_stops:
            return self
        stops = self.live_stops
        return Control(
            kind=self.kind,
            stops=stops,
            labels=tuple(map(_text, stops)),
            start=stops.index(self.value),
            label=self.label,
            unit=self.unit,
            low=self.low,
            high=self.high,
            whole=self.whole,
            stepped=self.stepped,
        )

    def accepts(self, name: str, value: Any) -> Any:
        """Return ``value`` if a reader may choose it, else raise ``ValueError``."""
        if self.low is None or self.high is None:
            return validate.choice(name, value, self.stops)
        if self.whole:
            return validate.integer(name, value, int(self.low), int(self.high))
        return validate.number(name, value, self.low, self.high)

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the page's script needs to draw the control.

        Examples
        --------
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
            "limit": self.limit,
        }


def _spread(low: float, high: float, points: int, *, log: bool, value: float) -> tuple[float, ...]:
    """Return ``points`` stops from ``low`` to ``high`` with ``value`` among them."""
    grid = np.geomspace(low, high, points) if log else np.linspace(low, high, points)
    # Short decimals read better than the grid's own digits and are what a reader types back.
    stops = [low, *(float(f"{g:.3g}") for g in grid[1:-1]), high]
    stops = [s for s in stops if low <= s <= high]
    nearest = int(np.argmin([abs(s - value) for s in stops]))
    if value not in stops:
        if 0 < nearest < len(stops) - 1:
            stops[nearest] = value
        else:
            stops.append(value)
    return tuple(sorted(set(stops)))


def _slider(
    low: float,
    high: float,
    value: float | None,
    step: float | None,
    points: int,
    live_points: int,
    label: str | None,
    unit: str,
    *,
    log: bool,
) -> dict[str, Any]:
    low = validate.number("low", low, 0.0 if log else -math.inf, math.inf, open_low=log)
    if not math.isfinite(low):
        validate.refuse("low", low, "a finite number")
    high = validate.number("high", high)
    if not low < high < math.inf:
        validate.refuse("high", high, f"a finite number above low = {low:g}")
    points = validate.integer("points", points, 2, 10_000)
    live_points = validate.integer("live_points", live_points, 2, 100_000)
    middle = math.sqrt(low * high) if log else (low + high) / 2
    start = float(f"{middle:.3g}") if value is None else value
    start = validate.number("value", start)
    if not low <= start <= high:
        validate.refuse("value", start, f"a real number in [low, high] = [{low:g}, {high:g}]")
    whole = False
    live: tuple[Any, ...]
    if step is not None:
        step = validate.number("step", step, 0.0, open_low=True)
        if not high - low < _MOST_STOPS * step < math.inf or step > high - low:
            allowed = (
                f"in (0, high - low], and so large that there are at most {_MOST_STOPS:,} stops"
            )
            validate.refuse("step", step, f"a real number {allowed}")
        count = math.floor((high - low) / step * (1 + 1e-12)) + 1
        stops: tuple[Any, ...] = tuple(float(f"{low + i * step:.12g}") for i in range(count))
        whole = float(step).is_integer() and float(low).is_integer()
        if whole:
            stops = tuple(int(s) for s in stops)
        if value is None:
            start = stops[len(stops) // 2]
        if start not in stops:
            validate.refuse("value", start, f"low + a multiple of step = {step:g}")
        start = stops[stops.index(start)]
        live = ()
        high = stops[-1]
    else:
        stops = _spread(low, high, points, log=log, value=start)
        live = _spread(low, high, live_points, log=log, value=start)
    return {
        "kind": "slider",
        "stops": stops,
        "labels": tuple(map(_text, stops)),
        "start": stops.index(start),
        "label": label,
        "unit": unit,
        "low": float(low),
        "high": float(high),
        "whole": whole,
        "stepped": whole,
        "live_stops": live,
    }


class Slider(Control):
    """A slider over an interval, with equal steps.

    Parameters
    ----------
    low, high : float
        The ends, finite, ``low < high``.
    value : float, optional
        Where it starts; the middle if not given.
    step : float, optional
        The distance between stops.  Whole ``low`` and ``step`` give whole numbers.
    points : int
        The number of stops on the published page when no ``step`` is given.
    live_points : int
        The number of stops with a kernel when no ``step`` is given.
    label, unit : str, optional
        Shown beside the slider; the label is the parameter's name if not given.

    Raises
    ------
    ValueError
        For an end, value, step or count outside its range.

    Examples
    --------
    >>> from mipbook.explore import Slider
    >>> Slider(0, 10, step=2).stops
    (0, 2, 4, 6, 8, 10)
    """

    def __init__(
        self,
        low: float,
        high: float,
        value: float | None = None,
        *,
        step: float | None = None,
        points: int = 21,
        live_points: int = 201,
        label: str | None = None,
        unit: str = "",
    ) -> None:
        super().__init__(
            **_slider(low, high, value, step, points, live_points, label, unit, log=False)
        )


class LogSlider(Control):
    """A slider over a positive interval whose stops grow by a constant factor.

    Parameters
    ----------
    low, high : float
        The ends, ``0 < low < high < inf``.
    value : float, optional
        Where it starts; the geometric middle if not given.
    points, live_points : int
        The number of stops on the published page and with a kernel.
    label, unit : str, optional
        Shown beside the slider.

    Raises
    ------
    ValueError
        For an end, value or count outside its range.

    Examples
    --------
    >>> from mipbook.explore import LogSlider
    >>> LogSlider(0.01, 100, points=5).stops
    (0.01, 0.1, 1.0, 10.0, 100.0)
    """

    def __init__(
        self,
        low: float,
        high: float,
        value: float | None = None,
        *,
        points: int = 21,
        live_points: int = 201,
        label: str | None = None,
        unit: str = "",
    ) -> None:
        super().__init__(
            **_slider(low, high, value, None, points, live_points, label, unit, log=True)
        )


class Count(Control):
    """A slider over whole numbers with stops of its own; any whole number may be typed.

    On the published page a typed number goes to the nearest stop, as everywhere.

    Parameters
    ----------
    stops : iterable of int
        At least two different whole numbers, in rising order.
    value : int, optional
        Where it starts, one of the stops; the middle one if not given.
    label, unit : str, optional
        Shown beside the slider.

    Raises
    ------
    ValueError
        For stops that are no rising whole numbers, or a start that is not among them.

    Examples
    --------
    >>> from mipbook.explore import Count
    >>> Count([0, 10, 1000], 10).accepts("found", 37)
    37
    """

    def __init__(
        self,
        stops: Iterable[int],
        value: int | None = None,
        *,
        label: str | None = None,
        unit: str = "",
    ) -> None:
        numbers = validate.sequence("stops", stops, "at least two rising whole numbers")
        whole = all(isinstance(s, int) and not isinstance(s, bool) for s in numbers)
        if not whole or len(numbers) < 2 or list(numbers) != sorted(set(numbers)):
            validate.refuse("stops", list(numbers), "at least two rising whole numbers")
        start = numbers[len(numbers) // 2] if value is None else value
        super().__init__(
            kind="slider",
            stops=numbers,
            labels=tuple(map(_text, numbers)),
            start=numbers.index(validate.choice("value", start, numbers)),
            label=label,
            unit=unit,
            low=float(numbers[0]),
            high=float(numbers[-1]),
            whole=True,
        )


@dataclass(frozen=True)
class UploadedFile:
    """A file that a reader chose, and the columns that were chosen in it.

    Attributes
    ----------
    name : str
        The file's name.
    text : str
        Its content.
    columns : tuple of (str, tuple of str)
        For each role the names of its columns; a mapping is taken and made hashable.  What
        is not chosen is left to the figure, which takes the obvious or asks.
    """

    name: str
    text: str
    columns: Columns = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", as_columns(self.columns))


class File(Control):
    """A text file of the reader's own where there is a kernel, and examples everywhere.

    The figure function gets the example's name, a string, or an `UploadedFile`.  On the
    published page there is no kernel to compute on a file, so it offers the examples only.

    Parameters
    ----------
    examples : iterable of str
        Names of at least two examples that the figure function knows.
    roles : iterable of Role
        What the figure needs columns for; the page lets the reader choose them by name.
    label : str, optional
        Shown beside the control.
    limit : int
        The largest file in bytes, at most 8,000,000: a larger one would break the
        connection to the kernel.

    Raises
    ------
    ValueError
        For fewer than two examples or a limit outside its range.

    Examples
    --------
    >>> from mipbook.explore import File
    >>> File(["a strong attack", "a weak attack"]).value
    'a strong attack'
    """

    def __init__(
        self,
        examples: Iterable[str],
        *,
        roles: Iterable[Role] = (),
        label: str | None = None,
        limit: int = 4_000_000,
    ) -> None:
        names = validate.sequence("examples", examples, "at least two different names")
        words = all(isinstance(name, str) and name for name in names)
        if not words or len(set(names)) < max(2, len(names)):
            validate.refuse("examples", list(names), "at least two different names")
        super().__init__(
            kind="file",
            stops=names,
            labels=names,
            start=0,
            label=label,
            limit=validate.integer("limit", limit, 1, 8_000_000),
            roles=as_roles(roles),
        )

    def accepts(self, name: str, value: Any) -> Any:
        """Return an example's name or a file that fits, its name made fit to be shown.

        Examples
        --------
        >>> File(["one", "two"]).accepts("file", UploadedFile("mine.csv", "1,2")).name
        'mine.csv'
        """
        if not isinstance(value, UploadedFile):
            return super().accepts(name, value)
        if not isinstance(value.text, str) or not isinstance(value.name, str):
            raise ValueError(f"{name}: a file's name and content must be text")
        limit = self.limit or 0
        # No character takes less than a byte, so a long text need not be encoded first.
        if len(value.text) > limit or len(value.text.encode("utf-8", "surrogatepass")) > limit:
            raise ValueError(f"{name}: the file is larger than the {limit:,} bytes that are read")
        return replace(value, name=_fit_to_show(value.name))

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the page's script needs to draw the control.

        Examples
        --------
        >>> File(["one", "two"]).describe("file")["stops"]
        ['one', 'two']
        """
        keys = ("name", "label", "many", "optional")
        roles = [{key: getattr(role, key) for key in keys} for role in self.roles]
        return {**super().describe(name), "roles": roles}


def _fit_to_show(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name[:120]).strip() or "file"


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

    Raises
    ------
    ValueError
        For fewer than two options, a repeated one, or a start that is not among them.

    Examples
    --------
    >>> from mipbook.explore import Choice
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
            stops = validate.sequence("options", options, "at least two options")
            labels = tuple(map(_text, stops))
        if len(stops) < 2 or len(set(map(repr, stops))) < len(stops):
            validate.refuse("options", list(stops), "at least two options, all different")
        if not all(isinstance(s, bool | int | float | str | np.generic) for s in stops):
            validate.refuse("options", list(stops), "numbers, strings or booleans")
        start = stops[0] if value is None else validate.choice("value", value, stops)
        numbers = all(
            isinstance(s, int | float | np.number) and not isinstance(s, bool) for s in stops
        )
        ordered = numbers and not isinstance(options, Mapping) and list(stops) == sorted(stops)
        super().__init__(
            kind="slider" if ordered else "choice",
            stops=stops,
            labels=labels,
            start=stops.index(start),
            label=label,
            unit=unit,
        )


class Switch(Control):
    """On or off.

    Parameters
    ----------
    value : bool
        Where it starts.
    label : str, optional
        Shown beside the switch.

    Raises
    ------
    ValueError
        If ``value`` is not a boolean.

    Examples
    --------
    >>> from mipbook.explore import Switch
    >>> Switch(True).value
    True
    """

    def __init__(self, value: bool = False, *, label: str | None = None) -> None:
        if not isinstance(value, bool):
            validate.refuse("value", value, "True or False")
        super().__init__(
            kind="switch",
            stops=(False, True),
            labels=("off", "on"),
            start=int(value),
            label=label,
        )


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
        How many rounds there are before the first comes round again.
    label : str, optional
        The question above the buttons.

    Raises
    ------
    ValueError
        If ``count`` is not a whole number in [2, 1000].

    Examples
    --------
    >>> from mipbook.explore import Rounds
    >>> len(Rounds(40).stops)
    40
    """

    def __init__(self, count: int, *, label: str | None = None) -> None:
        count = validate.integer("count", count, 2, 1000)
        super().__init__(
            kind="rounds",
            stops=tuple(range(count)),
            labels=tuple(str(i + 1) for i in range(count)),
            start=0,
            label=label,
        )


def as_control(name: str, value: Any) -> Control:
    """Turn a shorthand into a control: a pair, a list or a boolean.

    Parameters
    ----------
    name : str
        The parameter's name, for the message.
    value : Control, pair of numbers, list, mapping or bool
        ``(low, high)`` is a slider (whole ends give whole steps), a list or
        mapping is a choice, a boolean is a switch.

    Returns
    -------
    Control

    Raises
    ------
    ValueError
        If ``value`` is none of these.

    Examples
    --------
    >>> from mipbook.explore.controls import as_control
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
    validate.refuse(
        name,
        value,
        "a control (Slider, LogSlider, Count, Choice, Switch, File, Rounds) or a shorthand for one",
    )
