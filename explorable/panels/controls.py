"""The controls of an explorable: what a reader may move, and the stops it has.

A control is a finite list of *stops*.  The published page computes the figure at
every combination of stops; with a kernel a slider also takes any typed value
between its ends.  Declared in the signature of a figure function it is the range, everywhere::

    @declared
    def line(slope: Annotated[float, Slider(0, 3, label="Slope")] = 1.0) -> go.Figure: ...

`Explorable` takes the control from there, a direct call is checked by it, and the table of
parameters in the function's documentation is written from it.
"""

from __future__ import annotations

import copy
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np

from explorable import validate
from explorable.checked import checked, rules_of
from explorable.tables import Role
from explorable.tables.read import frame_text, is_frame
from explorable.tables.roles import Columns, as_columns, as_roles

# What a page's script needs as it stands in a control.
_TOLD = ("kind", "start", "unit", "low", "high", "whole", "stepped", "typed", "play", "limit")
# What a control is as it was given to its constructor.
_GIVEN = {"label", "unit", "typed", "play", "elsewhere", "by"}
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


def made_from(values: dict[str, Any]) -> dict[str, Any]:
    """Return what a control was made from, of the names of its constructor."""
    return {name: value for name, value in values.items() if name not in ("self", "__class__")}


@dataclass(frozen=True)
class Control:
    """A finite list of stops; with a kernel a slider also takes any value between its ends.

    Use `Slider`, `LogSlider`, `Stops`, `Count`, `Draws`, `Choice`, `Switch`, `File` or `Rounds`.
    """

    stops: tuple[Any, ...]
    start: int
    kind: str = "slider"
    # As the stops are written, if not given.
    labels: tuple[str, ...] = ()
    label: str | None = None
    unit: str = ""
    low: float | None = None
    high: float | None = None
    whole: bool = False
    stepped: bool = False
    typed: bool = False
    # On which side of a number between two stops a page's answer is safe: "up", "down" or neither.
    side: str = ""
    play: bool = False
    # Whether the stops are draws, one as good as another.
    again: bool = False
    limit: int | None = None
    # How many rounds of a game come before the other controls.
    alone: int = 0
    roles: tuple[Role, ...] = ()
    # Whether the panel's line of a terminal reads a file of the reader's own.
    elsewhere: bool = False
    # The control that says what the stops are; for each of its choices their names, and the start.
    # Compared, since Python keeps one annotation for all controls that are equal.
    by: str | None = None
    along: tuple[tuple[str, tuple[str, ...], int], ...] = ()
    live_stops: tuple[Any, ...] = ()
    # What the control was made from, so that it can be made again with another start.
    given: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in _GIVEN & self.given.keys():
            object.__setattr__(self, name, self.given[name])
        if self.label is not None:
            validate.text("label", self.label)
        validate.text("unit", self.unit)
        for name in ("typed", "play", "elsewhere"):
            object.__setattr__(self, name, validate.switch(name, getattr(self, name)))
        object.__setattr__(self, "labels", self.labels or tuple(map(written, self.stops)))

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
        return type(self)(**{**self.given, "value": value})._with(side=self.side)

    def safe(self, side: str) -> Self:
        """Return this control as one whose page takes the stop above (*up*) or below (*down*) what is typed.

        For a figure that makes a claim, the side on which the claim holds for what was typed too.

        Examples
        --------
        >>> from explorable.panels import Slider
        >>> Slider(0, 1).safe("up").describe("epsilon")["safe"]
        'up'
        """
        return self._with(side=validate.choice("side", side, ("up", "down")))

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
        if self.kind == "slider" and not (typed or self.again) and len(self.stops) <= _BUTTONS:
            return self._with(kind="choice")
        if not live or not self.live_stops:
            return self
        stops = self.live_stops
        return self._with(stops=stops, labels=tuple(map(written, stops)), start=stops.index(self.value))

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
        along = {choice: {"labels": labels, "start": start} for choice, labels, start in self.along}
        return {
            "name": name,
            "label": self.label or name,
            **{key: getattr(self, key) for key in _TOLD},
            "stops": [s.item() if isinstance(s, np.generic) else s for s in self.stops],
            "labels": list(self.labels),
            "log": self.kind == "slider" and _grows(self.stops),
            **({"alone": self.alone} if self.alone else {}),
            **({"again": True} if self.again else {}),
            **({"safe": self.side} if self.side else {}),
            **({"by": self.by, "along": along} if self.by else {}),
        }


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
        given = made_from(locals())
        labels: tuple[str, ...] = ()
        if isinstance(options, Mapping):
            labels, stops = tuple(map(str, options)), tuple(options.values())
        else:
            stops = given["options"] = validate.sequence("options", options, "at least two options")
        if len(stops) < 2 or len(set(map(repr, stops))) < len(stops):
            validate.refuse("options", list(stops), "at least two options, all different")
        plain = all(isinstance(s, bool | int | float | str | np.generic) for s in stops)
        if not plain or any(s != s for s in stops):  # nan is no option
            validate.refuse("options", list(stops), "numbers, strings or booleans")
        start = stops[0] if value is None else validate.choice("value", value, stops, "options")
        numbers = all(isinstance(s, int | float | np.number) and not isinstance(s, bool) for s in stops)
        ordered = numbers and not labels and list(stops) == sorted(stops)
        super().__init__(
            stops, stops.index(start), kind="slider" if ordered else "choice", labels=labels, given=given
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
        given = made_from(locals())
        super().__init__((False, True), int(validate.switch("value", value)), kind="switch", given=given)


class Draws(Control):
    """So many draws by lot: a button deals the next, and the first follows the last.

    The figure function gets the number of the draw, from 1.

    Parameters
    ----------
    count : int
        How many draws there are, in [2, 1000].
    value : int
        The draw at the start, from 1.
    label : str, optional
        On the button.
    play : bool
        Whether another button goes from draw to draw by itself.

    Examples
    --------
    >>> from explorable.panels import Draws
    >>> Draws(20).value
    1
    """

    def __init__(self, count: int, value: int = 1, *, label: str | None = None, play: bool = True) -> None:
        given = made_from(locals())
        count = validate.integer("count", count, 2, 1000)
        super().__init__(
            tuple(range(1, count + 1)),
            validate.integer("value", value, 1, count) - 1,
            whole=True,
            stepped=True,
            again=True,
            given=given,
        )


class Rounds(Control):
    """The rounds of a guessing game: the reader answers, sees the truth, plays on.

    The figure function gets the round as a whole number from 0.  Its
    ``layout.meta`` carries ``options`` (pairs of key and button text), ``answer``
    and ``optimal`` (keys), and ``replies`` (what is said to each guess); `Told` has the rest.
    Traces whose ``meta`` is ``"reveal"`` stay hidden until the reader has guessed.

    Parameters
    ----------
    count : int
        How many rounds there are before the first comes round again, in [2, 1000].
    value : int
        The round at the start, from 0.
    label : str, optional
        The question above the buttons.
    alone : int, optional
        So many rounds come before the other controls, and what the figure says is for later.

    Examples
    --------
    >>> from explorable.panels import Rounds
    >>> len(Rounds(40).stops)
    40
    """

    def __init__(self, count: int, value: int = 0, *, label: str | None = None, alone: int = 0) -> None:
        given = made_from(locals())
        count = validate.integer("count", count, 2, 1000)
        super().__init__(
            tuple(range(count)),
            validate.integer("value", value, 0, count - 1),
            kind="rounds",
            labels=tuple(str(i + 1) for i in range(count)),
            alone=validate.integer("alone", alone, 0, count),
            given=given,
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


class FrameFile(UploadedFile):
    """The text of a data frame, which came over no connection that its size would break."""


class File(Control):
    """A file of the reader's own where there is a kernel, and examples everywhere.

    The figure function gets the example's name, a string, or an `UploadedFile`.  Who calls it
    from Python may give a data frame, or a mapping of columns, in its place.  The published
    page offers the examples only, unless it may load Python to read a file in the page.

    Parameters
    ----------
    examples : iterable of str
        Names of at least two examples that the figure function knows.
    value : str, optional
        The example at the start; the first if not given.
    roles : iterable of Role
        What the figure needs columns for; the page lets the reader choose them by name.
    label : str, optional
        Shown beside the control.
    limit : int
        The largest file in bytes, at most 8,000,000: a larger one would break the
        connection to the kernel.
    elsewhere : bool
        Whether the panel's line of a terminal reads a file of the reader's own.

    Examples
    --------
    >>> from explorable.panels import File
    >>> File(["a strong attack", "a weak attack"]).value
    'a strong attack'
    """

    def __init__(
        self,
        examples: Iterable[str],
        value: str | None = None,
        *,
        roles: Iterable[Role] = (),
        label: str | None = None,
        limit: int = 4_000_000,
        elsewhere: bool = False,
    ) -> None:
        given = made_from(locals())
        names = given["examples"] = validate.sequence("examples", examples, "at least two different names")
        words = all(isinstance(name, str) and name for name in names)
        if not words or len(set(names)) < max(2, len(names)):
            validate.refuse("examples", list(names), "at least two different names")
        start = names[0] if value is None else validate.choice("value", value, names)
        given["roles"] = as_roles(roles)
        super().__init__(
            names,
            names.index(start),
            kind="file",
            limit=validate.integer("limit", limit, 1, 8_000_000),
            roles=given["roles"],
            given=given,
        )

    @property
    def range(self) -> str:
        """What a reader may choose, in words."""
        return f"{super().range}, a data frame, or an UploadedFile"

    def accepts(self, name: str, value: Any) -> Any:
        """Return an example's name or a file that fits, its name made fit to be shown.

        A data frame becomes a file with the same columns.

        Examples
        --------
        >>> File(["one", "two"]).accepts("file", UploadedFile("mine.csv", "1,2")).name
        'mine.csv'
        >>> File(["one", "two"]).accepts("file", {"score": [0.5, 1.5]}).name
        'data frame'
        """
        if is_frame(value):
            return FrameFile("data frame", frame_text(value, name))
        if isinstance(value, FrameFile):
            return value
        if not isinstance(value, UploadedFile):
            return super().accepts(name, value)
        if not isinstance(value.text, str) or not isinstance(value.name, str):
            raise ValueError(f"{name}: a file's name and content must be text")
        limit = self.limit or 0
        if value.text.startswith("data:"):
            # Of a file that is no text four letters stand for three bytes.
            limit = int(limit * 4 / 3) + 100
        # No character takes less than a byte, so a long text need not be encoded first.
        if len(value.text) > limit or len(value.text.encode("utf-8", "surrogatepass")) > limit:
            raise ValueError(f"{name}: the file is larger than the {self.limit:,} bytes that are read")
        name = "".join(c if c.isprintable() else " " for c in value.name[:120]).strip()
        return replace(value, name=name or "file")

    def describe(self, name: str) -> dict[str, Any]:
        """Return what the page's script needs to draw the control.

        Examples
        --------
        >>> File(["one", "two"]).describe("file")["stops"]
        ['one', 'two']
        """
        keys = ("name", "label", "many", "optional")
        roles = [{key: getattr(role, key) for key in keys} for role in self.roles]
        return {**super().describe(name), "roles": roles, "elsewhere": self.elsewhere}


P = ParamSpec("P")
R = TypeVar("R")


@functools.cache
def declared_controls(function: Callable[..., Any]) -> dict[str, Control]:
    """Return the controls in a function's signature, each starting at the default.

    Examples
    --------
    >>> from typing import Annotated
    >>> from explorable.panels import Slider
    >>> def line(slope: Annotated[float, Slider(0, 3)] = 1.0): ...
    >>> declared_controls(line)["slope"].value
    1.0
    """
    found = {}
    for name, control in rules_of(function).items():
        if isinstance(control, Control):
            default = inspect.signature(function).parameters[name].default
            given = default is not inspect.Parameter.empty
            found[name] = control.starting(name, default) if given else control
    return found


def declared(function: Callable[P, R]) -> Callable[P, R]:
    """Check each call by the controls in the signature, and write them into the documentation.

    Parameters
    ----------
    function : callable
        Its parameters that a reader may move are ``Annotated`` with a control.

    Examples
    --------
    >>> from typing import Annotated
    >>> from explorable.panels import Slider
    >>> @declared
    ... def line(slope: Annotated[float, Slider(0, 3)] = 1.0):
    ...     return slope
    >>> line(7)
    Traceback (most recent call last):
    ...
    ValueError: slope = 7: must be a real number in [0, 3]
    """
    validate.function("function", function, "whose parameters have controls")
    signature = inspect.signature(function)

    @functools.wraps(function)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            given = signature.bind(*args, **kwargs).arguments
            frames = [name for name, value in given.items() if isinstance(value, FrameFile)]
            if not frames:
                raise
            # A file is on the page where its message stands; a data frame has its name only.
            raise ValueError(f"{frames[0]}: {error}") from error

    drawn.__doc__ = _documented(function.__doc__ or "", declared_controls(function))
    return checked(drawn)


def _documented(text: str, controls: dict[str, Control]) -> str:
    """Put the table of parameters before the first section of a docstring."""
    table, text = "Parameters\n----------\n", inspect.cleandoc(text)
    for name, c in controls.items():
        table += f"{name} : {type(c.value).__name__}\n    {c.label or name}: {c.range}.\n"
    section = re.search(r"^([A-Z]\w+)\n-{3,}\n*", text, re.MULTILINE)
    if section is None:
        return f"{text}\n\n{table}\n"
    rest = text[section.end() :] if section[1] == "Parameters" else "\n" + text[section.start() :]
    return f"{text[: section.start()]}{table}{rest}"
