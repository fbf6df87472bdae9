"""Sliders, over an interval or over stops of their own; and the shorthand for a control."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from explorable import validate
from explorable.panels.controls import Choice, Control, Switch, made_from, written

# Each stop of the published page holds a figure.
_MOST_STOPS = 100_000
_LARGEST = float(np.finfo(float).max)
# Of a slider without steps, with a kernel.
_LIVE_POINTS = 201


def _ends(low: float, high: float, *, log: bool) -> tuple[float, float]:
    low = validate.number("low", low, 0.0 if log else -math.inf, math.inf, open_low=log)
    if not math.isfinite(low):
        validate.refuse("low", low, "a finite number")
    high = validate.number("high", high)
    if not low < high < math.inf:
        validate.refuse("high", high, f"a finite number above low = {low:g}")
    return low, high


def _spread(low: float, high: float, points: int, *, log: bool, value: float) -> tuple[float, ...]:
    """Return ``points`` stops from ``low`` to ``high`` with ``value`` among them."""
    grid = np.geomspace(low, high, points) if log else np.linspace(low, high, points)
    # Short decimals read better than the grid's own digits and are what a reader types back.
    stops = [low, *(float(f"{g:.3g}") for g in grid[1:-1]), high]
    stops = [s for s in stops if low <= s <= high]
    nearest = int(np.argmin([abs(s - value) for s in stops]))
    if value not in stops and 0 < nearest < len(stops) - 1:
        stops[nearest] = value
    return tuple(sorted({*stops, value}))


def _steps(low: float, high: float, step: float) -> tuple[float, ...] | tuple[int, ...]:
    """Return the stops from ``low`` by ``step``; whole ones where both are whole."""
    step = validate.number("step", step, 0.0, open_low=True)
    if not high - low < _MOST_STOPS * step < math.inf or step > high - low:
        allowed = f"in (0, high - low], and so large that there are at most {_MOST_STOPS:,} stops"
        validate.refuse("step", step, f"a real number {allowed}")
    count = math.floor((high - low) / step * (1 + 1e-12)) + 1
    stops = tuple(float(f"{low + i * step:.12g}") for i in range(count))
    whole = float(step).is_integer() and float(low).is_integer()
    return tuple(map(int, stops)) if whole else stops


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
        Without ``step``: the number of stops on the published page.
    label, unit : str, optional
        Shown beside the slider; the label is the parameter's name if not given.
    play : bool
        Whether a button goes from stop to stop by itself.

    Examples
    --------
    >>> from explorable.panels import Slider
    >>> Slider(0, 10, step=2).stops
    (0, 2, 4, 6, 8, 10)
    """

    log = False

    def __init__(
        self,
        low: float,
        high: float,
        value: float | None = None,
        *,
        step: float | None = None,
        points: int = 21,
        label: str | None = None,
        unit: str = "",
        play: bool = False,
    ) -> None:
        given, log = made_from(locals()), self.log
        low, high = _ends(low, high, log=log)
        points = validate.integer("points", points, 2, 10_000)
        middle = math.sqrt(low * high) if log else (low + high) / 2
        start = validate.number("value", float(f"{middle:.3g}") if value is None else value)
        if not low <= start <= high:
            validate.refuse("value", start, f"a real number in [low, high] = [{low:g}, {high:g}]")
        live: tuple[float, ...] = ()
        stops: tuple[float, ...]
        if step is None:
            stops = _spread(low, high, points, log=log, value=start)
            live = _spread(low, high, _LIVE_POINTS, log=log, value=start)
        else:
            stops = _steps(low, high, step)
            start = stops[len(stops) // 2] if value is None else start
            if start not in stops:
                validate.refuse("value", start, f"low + a multiple of step = {step:g}")
        whole = isinstance(stops[0], int)
        super().__init__(
            stops,
            stops.index(start),
            low=float(low),
            high=float(stops[-1]),
            whole=whole,
            stepped=whole,
            live_stops=live,
            given=given,
        )


class LogSlider(Slider):
    """A slider over a positive interval whose stops grow by a constant factor.

    Parameters
    ----------
    low, high : float
        The ends, ``0 < low < high < inf``.
    value : float, optional
        Where it starts; the geometric middle if not given.
    step, points, label, unit, play
        As in `Slider`.

    Examples
    --------
    >>> from explorable.panels import LogSlider
    >>> LogSlider(0.01, 100, points=5).stops
    (0.01, 0.1, 1.0, 10.0, 100.0)
    """

    log = True


class Stops(Control):
    """A slider with stops of its own; with a kernel any number between them may be typed.

    Parameters
    ----------
    stops : iterable of float
        At least two different finite numbers, in rising order.
    value : float, optional
        Where it starts, one of the stops; the middle one if not given.
    label, unit, play
        As in `Slider`.
    between : bool
        Whether a number between two stops may be chosen, where Python can compute it.
    typed : bool
        Whether the published page takes such a number too: all layers that name the control answer
        it from a table (see ``explorable.panels.corners``).

    Examples
    --------
    >>> from explorable.panels import Stops
    >>> Stops([0.01, 0.02, 0.05]).accepts("eta", 0.03)
    0.03
    """

    whole_only = False

    def __init__(
        self,
        stops: Iterable[float],
        value: float | None = None,
        *,
        label: str | None = None,
        unit: str = "",
        play: bool = False,
        between: bool = True,
        typed: bool = False,
    ) -> None:
        given = made_from(locals())
        allowed = f"at least two rising {'whole ' if self.whole_only else ''}numbers"
        numbers = given["stops"] = validate.sequence("stops", stops, allowed)
        kind = int if self.whole_only else int | float
        if not all(isinstance(s, kind) and not isinstance(s, bool) for s in numbers):
            validate.refuse("stops", list(numbers), allowed)
        # An integer beyond the doubles is no stop either.
        finite = all(-_LARGEST <= s <= _LARGEST for s in numbers)
        if not finite or len(numbers) < 2 or list(numbers) != sorted(set(numbers)):
            validate.refuse("stops", list(numbers), allowed)
        if not self.whole_only:
            numbers = given["stops"] = tuple(map(float, numbers))
        start = numbers[len(numbers) // 2] if value is None else value
        open_ = validate.switch("between", between)
        super().__init__(
            numbers,
            numbers.index(validate.choice("value", start, numbers)),
            low=float(numbers[0]) if open_ else None,
            high=float(numbers[-1]) if open_ else None,
            whole=self.whole_only,
            given=given,
        )


class Count(Stops):
    """A slider over whole numbers with stops of its own; any whole number may be typed.

    On the published page a typed number goes to the nearest stop, as everywhere.  The
    arguments are those of `Stops`, all whole.

    Examples
    --------
    >>> from explorable.panels import Count
    >>> Count([0, 10, 1000], 10).accepts("found", 37)
    37
    """

    whole_only = True


class Along(Control):
    """A slider over the values of what another control chose; its stops are places, from 0.

    When another choice is made, the slider goes to where that one starts, and the place is marked.
    A place beyond the last value of a choice stands for the last one.

    Parameters
    ----------
    by : str
        The name of the other control, a `Choice` of strings.
    values : mapping
        From each of its choices to at least two values, in rising order.
    starts : mapping
        From each of its choices to the value where the slider starts.
    first : str
        The choice at the start.
    value : int, optional
        The place at the start; that of ``first`` if not given.
    label : str, optional
        Shown beside the slider.

    Examples
    --------
    >>> from explorable.panels import Along
    >>> along = Along("vary", {"n": [2, 6], "C": [1.0, 10.0, 50.0]}, {"n": 6, "C": 10.0}, "n")
    >>> along.stops, along.value, along.describe("to")["along"]["C"]["labels"]
    ((0, 1, 2), 1, ('1', '10', '50'))
    """

    def __init__(
        self,
        by: str,
        values: Mapping[str, Iterable[float]],
        starts: Mapping[str, float],
        first: str,
        value: int | None = None,
        *,
        label: str | None = None,
    ) -> None:
        given = made_from(locals())
        lists = {name: Stops(numbers, starts[name]) for name, numbers in values.items()}
        along = tuple((name, tuple(map(written, values[name])), each.start) for name, each in lists.items())
        stops = tuple(range(max(len(each.stops) for each in lists.values())))
        start = lists[validate.choice("first", first, tuple(lists))].start if value is None else value
        start = validate.choice("value", start, stops)
        super().__init__(stops, start, along=along, given=given)


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
    >>> from explorable.panels.sliders import as_control
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
    kinds = "Slider, LogSlider, Stops, Count, Draws, Choice, Switch, File, Rounds"
    validate.refuse(name, value, f"a control ({kinds}) or a shorthand for one")
