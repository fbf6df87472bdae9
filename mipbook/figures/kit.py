"""The vocabulary that figures are written in: ``import mipbook.figures.kit as k``.

A figure is a signature that declares its controls, and layers, each a function of the controls
that its parameters name::

    @k.figure
    def growth(n: Annotated[int, k.Count([10, 100, 1000], label="Records, n")] = 100):
        '''Draw how much leaks against n.'''
        return _frame, _here

    def _here(n):
        leak = mis.worst_case_delta(0.5, n)
        return k.part(
            k.reading(n, leak),
            headline="{leak} leaks",
            sentence="Of {n} records the attacker learns {leak}.",
            n=k.exact(n, k.count),
            leak=k.at_most(leak),
        )

A sentence is a template with named values.  Each value knows its number and its kind, exact,
at most, at least or about, and how it is told; so a test can compute it again.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import protocol
from explorable.panels.controls import Choice, Draws, File, Rounds, UploadedFile, declared
from explorable.panels.protocol import Part, layer, stacked
from explorable.panels.sliders import Along, Count, LogSlider, Slider, Stops
from mipbook.base.rounding import down, up
from mipbook.figures import marks
from mipbook.figures.marks import *  # noqa: F403
from mipbook.figures.marks import Trace
from mipbook.figures.words import in_100, people, percent, say, short_of_100, sure, times

few = functools.lru_cache(maxsize=32)
# What a layer tells its panel; the words of the templates have names of their own.
_META = set(protocol.Told.__annotations__) - {"words"}
_AXES = {name: f"{name[0]}axis{name[1:]}" for name in ("x", "y", "x2", "y2", "x3", "y3", "x4", "y4")}
_LAYOUT = {"height", "rows", "legend", "barmode", "bargap", "annotations", "shapes", "showlegend"}
How = Callable[..., str]
Settings = dict[str, Any]
Ends = tuple[float, float]


class Value(str):
    """A number as a sentence tells it, with what it is.

    Attributes
    ----------
    value : float
        The number itself.
    kind : str
        ``exact``, ``at most``, ``at least`` or ``about`` (an estimate, whose band the sentence
        tells).
    how : callable
        What wrote it, so that a test can write it again.
    """

    value: float
    kind: str
    how: How

    def __new__(cls, value: float, kind: str, how: How) -> Value:
        """Write the value; plain, since numpy rounds a float of its own another way."""
        value = value.item() if isinstance(value, np.ndarray | np.generic) else value
        self = super().__new__(cls, how(value))
        self.value, self.kind, self.how = value, kind, how
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Go to another process as the text alone."""
        return str, (str(self),)


class Clause(str):
    """A clause of a sentence: its ``template``, and the named ``values`` that fill it."""

    template: str
    values: Settings


def told(template: str, /, **values: Any) -> Clause:
    """Fill a clause that only some states tell, and keep its values.

    Examples
    --------
    >>> told("there is a tie {tie} of the time", tie=exact(0.5, percent))
    'there is a tie 50% of the time'
    """
    named = {name: _word(value) for name, value in values.items()}
    clause = Clause(template.format(**named))
    clause.template, clause.values = template, named
    return clause


def count(number: float) -> str:
    """Write a whole number, ``12,000``."""
    return f"{int(number):,}"


def _named(kind: str, value: float, how: How | str, **more: Any) -> Value:
    more = {name: each for name, each in more.items() if each is not None}
    if isinstance(how, str):
        if more:
            raise ValueError(f"how = {how!r}: a format takes neither digits nor a side to round to")
        return Value(value, kind, f"{{:{how}}}".format)
    return Value(value, kind, functools.partial(how, **more) if more else how)


def exact(value: float, how: How | str = say, digits: int | None = None) -> Value:
    """Name a value that is exact; ``how`` may be a format, such as ``.1%``."""
    return _named("exact", value, how, digits=digits)


def at_most(value: float, how: How = say, digits: int | None = None) -> Value:
    """Name an upper bound; it is rounded up.

    Examples
    --------
    >>> at_most(0.12341), at_least(0.12349, percent)
    ('0.124', '12.3%')
    """
    return _named("at most", value, how, digits=digits, to=up)


def at_least(value: float, how: How = say, digits: int | None = None) -> Value:
    """Name a lower bound; it is rounded down."""
    return _named("at least", value, how, digits=digits, to=down)


def about(value: float, how: How | str = say, digits: int | None = None) -> Value:
    """Name an estimate, whose band or error the sentence tells beside it."""
    return _named("about", value, how, digits=digits)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    return exact(value, count if isinstance(value, int | np.integer) else say)


def words(kind: Callable[..., Value] | None = None, how: How | str = say, /, **values: Any) -> Settings:
    """Name several values: each of its own kind, a bare number exact, or all of one, told one way.

    Examples
    --------
    >>> words(at_most, percent, low=0.12341, high=0.5)
    {'low': '12.4%', 'high': '50%'}
    """
    return {name: kind(value, how) if kind else _word(value) for name, value in values.items()}


def between(low: float, high: float, how: How = say) -> Clause:
    """Return the clause with the ends of an estimate's band, ``3 to 4``."""
    return told("{low} to {high}", **words(about, how, low=float(low), high=float(high)))


# An axis that has a title and nothing else.
BARE: Settings = {"showticklabels": False, "showgrid": False, "zeroline": False}
BARE |= {"showline": False, "ticks": ""}


def axis(title: str, labels: Mapping[Any, str] = {}, /, *, log: bool = False, **settings: Any) -> Settings:
    """Return a plotly axis, with the ``labels`` at its places; a log axis labels whole decades only."""
    if log:
        settings = {"type": "log", "dtick": 1, "exponentformat": "power", **settings}
    if labels:
        settings |= {"tickvals": list(labels), "ticktext": list(labels.values())}
    return {"title": {"text": title}, **settings}


def unseen(low: float, high: float, **more: Any) -> Settings:
    """Return an axis that nobody sees, from one end of the picture to the other."""
    return {"visible": False, "range": [low, high], **more}


def stage(across: Ends, up: Ends, *, square: bool = False, **more: Any) -> Settings:
    """Return the axes of a scene, which nobody sees, by how far it goes; and what else the picture has.

    What is ``square`` has one scale across and up, whatever the screen.

    Examples
    --------
    >>> stage((0, 10), (0, 5), height=300, ghost=[])["y"]
    {'visible': False, 'range': [0, 5]}
    """
    x, y = unseen(*across), unseen(*up)
    if square:
        x, y = x | {"constrain": "domain"}, y | {"constrain": "domain", "scaleanchor": "x"}
    return {"x": x, "y": y, **more}


def note(text: str, x: Any, y: Any, **more: Any) -> Settings:
    """Return words beside a point of the picture, one of its ``annotations``, without an arrow."""
    return {"text": text, "x": x, "y": y, "showarrow": False, **more}


def _placed(layout: Settings, upper: float, gap: float) -> Settings:
    """Put one picture above another, by shares of the height; plotly's own way is slow."""
    lower = 1 - upper
    places: dict[str, Settings] = {"xaxis": {"anchor": "y"}, "xaxis2": {"anchor": "y2"}}
    places["yaxis"] = {"anchor": "x", "domain": [lower + gap / 2, 1.0]}
    places["yaxis2"] = {"anchor": "x2", "domain": [0.0, lower - gap / 2]}
    return layout | {name: {**layout[name], **place} for name, place in places.items()}


def _flat(traces: Iterable[Any]) -> list[Trace]:
    return [trace for each in traces for trace in ([each] if isinstance(each, dict) else _flat(each))]


def part(*traces: Any, layout: Settings | None = None, **more: Any) -> Part:
    """Return a layer: its traces, its axes and texts by their names, and words for the texts.

    Parameters
    ----------
    *traces : dict or iterable of dict
        The lowest first.
    layout : dict, optional
        Plotly settings that have no name here.
    **more
        Settings of plotly: ``x``, ``y``, ``x2``, ``y2``, axes as `axis` makes them; ``height``,
        ``barmode``, ``annotations``, ``shapes``; ``rows``, the share of the upper of two pictures
        and of the gap.  Texts: ``sentence``, the result with each number tagged exact, bound,
        estimate or approximation; ``headline``, the one number of this state in 2 to 8 words;
        ``alt``, for who does not see the picture; ``table``; ``read``, what was read of a file.
        What the panel needs:

        - ``grab``, what can be dragged, as `drag` makes it: where the coordinate is not the value
          itself, with a point for each stop; ``at`` puts the handle on the other axis;
        - ``probe``, the names of the traces that hover, tap and arrow keys read: each point's
          ``hovertemplate`` is a sentence;
        - ``ghost``, the names of the traces whose last state stays, faint; the first line if not
          given;
        - ``beside``, the first picture's share of the width where two may stand side by side;
        - ``moving_axes``, why the axes do not stand still, where they do not;
        - the answer of a guessing game.

        Every other name is a word of the templates: a value of a kind, a clause, a string; a bare
        number is exact.
    """
    settings = dict(layout or {})
    settings |= {_AXES.get(key, key): v for key, v in more.items() if key in _LAYOUT or key in _AXES}
    if "rows" in settings:
        settings = _placed(settings, *settings.pop("rows"))
    meta = {key: v for key, v in more.items() if key in _META and (v or key != "read")}
    named = {key: _word(v) for key, v in more.items() if key not in _META | _LAYOUT | _AXES.keys()}
    return Part(_flat(traces), settings, named, meta)


def drag(control: str, x: Any = None, y: Any = None, along: str = "x", **more: Any) -> list[Settings]:
    """Return the handle of a control, and the points that it goes through, one for each stop.

    A single ``x`` or ``y`` stands for all.
    """
    if x is not None:
        x, y = np.broadcast_arrays(x, y)
        more["track"] = {"x": x.tolist(), "y": y.tolist()}
    return [{"control": control, "axis": along, **more}]


def _fed(function: Callable[..., Part], controls: Mapping[str, Any]) -> Settings:
    """Return the controls that a layer's parameters name."""
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in controls and parameter.default is parameter.empty:
            raise TypeError(f"{function.__name__} asks for {name!r}; the controls are {', '.join(controls)}")
    return {name: controls[name] for name in inspect.signature(function).parameters if name in controls}


def figure(function: Callable[..., Any]) -> Callable[..., go.Figure]:
    """Make a figure of the layers that a function returns, each fed by its parameters' names.

    The function returns one layer's function or several, the lowest first; or, of a figure in one
    piece, the part that it draws.  Its signature holds the controls; a call is checked by them.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def drawn(*args: Any, **kwargs: Any) -> go.Figure:
        call = signature.bind(*args, **kwargs)
        call.apply_defaults()
        made = function(*call.args, **call.kwargs)
        if isinstance(made, Part):
            return protocol.drawn(made)
        layers = made if isinstance(made, tuple) else (made,)
        return stacked(*(layer(each, **_fed(each, call.arguments)) for each in layers))

    drawn.__annotations__ = {**function.__annotations__, "return": "go.Figure"}
    drawn.__signature__ = signature.replace(return_annotation="go.Figure")  # type: ignore[attr-defined]
    return declared(drawn)


_ETAS = [0.001, 0.0015, 0.002, 0.003, 0.004, 0.005, 0.007, 0.01, 0.012, 0.015, 0.02, 0.025, 0.03, 0.04]
_ETAS += [0.05, 0.06, 0.07, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.49, 0.499]


def promise(low: float, high: float) -> Stops:
    """Return the slider of eta from ``low`` to ``high``, two of the stops.

    Examples
    --------
    >>> promise(0.1, 0.2).stops
    (0.1, 0.12, 0.15, 0.2)
    """
    return Stops([eta for eta in _ETAS if low <= eta <= high], label="Promise, η").safe("down")


def print_figure(**given):
    """Return a matplotlib figure that a notebook shows without pyplot and its global state."""
    # Only print pictures need matplotlib, which is slow to import.
    from matplotlib.figure import Figure

    class PrintFigure(Figure):
        def _repr_png_(self) -> bytes:
            picture = BytesIO()
            self.savefig(picture, format="png")
            return picture.getvalue()

    return PrintFigure(**given)
