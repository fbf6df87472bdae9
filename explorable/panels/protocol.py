"""What a figure tells its panel, and the layers that a figure may be made of.

A figure is a plotly figure; what it says of itself stands in its ``layout.meta``: its result in
words, what can be dragged, what can be read.  `Told` is that, with types.  The panel's script reads
the same names, from ``js/types.d.ts``, of which ``tools/panel_types.py`` writes this part.

A page without a kernel holds every state of a panel.  Of a figure in one piece these are all
combinations of all stops; of a layered figure each layer's own, which add up::

    def line(slope: ..., at: ...) -> "go.Figure":
        return stacked(layer(_curve, slope=slope), layer(_reading, slope=slope, at=at))

Layers are drawn in their order.  Their layouts are merged, the later one first; the headline,
the sentence and the alt text may hold ``{words}`` that any layer gives.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Required, TypedDict

from explorable import validate
from explorable.panels.controls import UploadedFile

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Each layer adds its own of these.
_LISTS = ("annotations", "shapes", "grab", "probe", "table")
_FILLED = ("headline", "sentence", "alt")
_FIELD = re.compile(r"\{(\w+)\}")


class Track(TypedDict):
    """The places of a handle, one for each stop of its control.

    Attributes
    ----------
    x, y : sequence of float
        Where the handle stands; it is dragged from one place to another.
    """

    x: Sequence[Any]
    y: Sequence[Any]


class Grab(TypedDict, total=False):
    """A control whose value can be dragged in the picture: along an axis, or along a track.

    Attributes
    ----------
    control : str
        The control's name.
    axis : str
        ``x`` or ``y``; of the lower of two pictures ``x2`` or ``y2``.
    at : float or str, optional
        Where the handle stands on the other axis; at its far end if not given.
    track : Track, optional
        Where it stands at each stop, where the coordinate is not the value.
    ring : bool, optional
        Whether it is a ring, in which what is dragged is seen.
    """

    control: Required[str]
    axis: Required[str]
    at: float | str
    track: Track
    ring: bool


class Scene(TypedDict, total=False):
    """One step of what is played: where some marks stand meanwhile, and what is said.

    Attributes
    ----------
    marks : mapping of str to any
        By the name of a trace what it has then, such as ``x`` and ``opacity``.
    say : str, optional
        What the game says meanwhile.
    """

    marks: Required[Mapping[str, Any]]
    say: str


class Told(TypedDict, total=False):
    """What a figure says of itself, beside what it draws.

    Attributes
    ----------
    headline : str, optional
        The one number of this state in 2 to 8 words, drawn large.
    sentence : str, optional
        The result in words, with each number tagged exact, bound, estimate or approximation.
    alt : str, optional
        What the picture shows, for a reader who does not see it.
    grab : sequence of Grab, optional
        What can be dragged.
    probe : sequence of str, optional
        The traces that hover, tap and arrow keys read: each point's hovertemplate is a sentence.
    ghost : sequence of str, optional
        The traces whose last state stays, faint; the first line if not given.
    beside : float, optional
        Of two pictures beside each other, where the width allows it, the first one's share of it.
    moving_axes : str, optional
        Why the axes do not stand still, where they do not.
    table : sequence of sequence of str, optional
        The rows of a table below the sentence.
    read : str, optional
        What was read of a reader's file.
    options : sequence of pair of str, optional
        Of a guessing game: keys, and the texts of their buttons.
    answer : str, optional
        The key that is right.
    optimal : str, optional
        The key that the best player chooses, where he may be wrong.
    rival : str, optional
        Who plays so, as the score names him; the best player if not given.
    question : str, optional
        What the game asks; its control's label if not given.
    replies : mapping of str to str, optional
        What is said to a guess, by the key that was chosen, the right one and the best player's:
        ``in/out/out``.
    before, after : sequence of Scene, optional
        What is played before a round is asked about, and once it is answered; the last one stays.
    later : sequence of str, optional
        The traces that are not seen in the rounds that a game begins with.
    afterwards : str, optional
        What the reader has just done, said after those rounds.
    words : mapping of str to str, optional
        What stands for ``{name}`` in the first three texts above and in the replies; a layer's,
        gone in the figure.

    Examples
    --------
    >>> Told(headline="3 up", grab=[Grab(control="slope", axis="x")])
    {'headline': '3 up', 'grab': [{'control': 'slope', 'axis': 'x'}]}
    """

    headline: str
    sentence: str
    alt: str
    grab: Sequence[Grab]
    probe: Sequence[str]
    ghost: Sequence[str]
    beside: float
    moving_axes: str
    table: Sequence[Sequence[str]]
    read: str
    options: Sequence[tuple[str, str]]
    answer: str
    optimal: str
    rival: str
    question: str
    replies: Mapping[str, str]
    before: Sequence[Scene]
    after: Sequence[Scene]
    later: Sequence[str]
    afterwards: str
    words: Mapping[str, str]


@dataclass(frozen=True)
class Part:
    """What one layer adds to a figure.

    Attributes
    ----------
    traces : sequence of dict
        Plain plotly traces.
    layout : mapping
        Plotly layout settings.
    words : mapping of str to str
        What stands for ``{name}`` in the headline, the sentence and the alt text.
    meta : Told or mapping
        What the panel needs besides, such as ``sentence`` and ``alt``; see `Told`.
    """

    traces: Sequence[dict[str, Any]] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    meta: Told | Mapping[str, Any] = field(default_factory=dict)

    def tree(self) -> dict[str, Any]:
        """Return the part as a figure's tree, with the words beside the sentence.

        Raises
        ------
        ValueError
            If it tells what no panel knows.

        Examples
        --------
        >>> Part(meta={"headlin": "3 up"}).tree()  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        ValueError: headlin = '3 up': must be one of after, ..., which a panel knows
        """
        for name, value in self.meta.items():
            if name not in Told.__annotations__:
                known = ", ".join(sorted(Told.__annotations__))
                validate.refuse(name, value, f"one of {known}, which a panel knows")
        said = {**self.meta, **({"words": dict(self.words)} if self.words else {})}
        return {"data": list(self.traces), "layout": {**self.layout, **({"meta": said} if said else {})}}


@dataclass(frozen=True)
class Layer:
    """A function and the values that it was called with, by their controls' names."""

    function: Callable[..., Part]
    values: Mapping[str, Any]

    def part(self) -> Part:
        """Return what the layer draws."""
        return self.function(**self.values)


_RECORD: ContextVar[list[Layer] | None] = ContextVar("record", default=None)
_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


def layer(function: Callable[..., Part], **values: Any) -> Layer:
    """Name a layer: a function, and the controls that it depends on, by their names.

    Parameters
    ----------
    function : callable
        Returns a `Part`; at the top of a module, so that other processes find it.
    **values
        The controls' values.

    Examples
    --------
    >>> def words(n): return Part(words={"n": str(n)})
    >>> layer(words, n=3).part().words
    {'n': '3'}
    """
    validate.function("function", function, "that returns a Part")
    for name, value in values.items():
        # A number that is none differs from itself.
        if not isinstance(value, str | bool | int | float | UploadedFile) or value != value:
            validate.refuse(name, value, "the value of a control")
    return Layer(function, values)


def stacked(*layers: Layer) -> "go.Figure":
    """Return the figure of some layers.

    Parameters
    ----------
    *layers : Layer
        The lowest first.

    Examples
    --------
    >>> def curve(n): return Part([{"type": "scatter", "y": [0, n]}], meta={"sentence": "{n} up"})
    >>> def words(n): return Part(words={"n": str(n)})
    >>> figure = stacked(layer(curve, n=2), layer(words, n=2))
    >>> figure.layout.meta["sentence"]
    '2 up'
    """
    for each in layers:
        validate.instance("layers", each, Layer, "made by explorable.panels.layer")
    record = _RECORD.get()
    if record is not None:
        record[:] = layers
    return drawn(*(each.part() for each in layers))


def drawn(*parts: Part) -> "go.Figure":
    """Return the figure of some parts, the lowest first."""
    tree = composed(part.tree() for part in parts)
    if _PLAIN.get():
        return Part(tree["data"], tree["layout"])  # type: ignore[return-value]
    import plotly.graph_objects as go

    # Plotly's check of each property takes two thirds of a figure's time; the tests make it.
    return go.Figure(data=tree["data"], layout=tree["layout"], _validate=False)


def plain_tree(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the traces and the layout that a function draws, without a figure if it is made of parts.

    Plotly copies all of a figure, and its template, when that is made and when it is read.
    """
    token = _PLAIN.set(True)
    try:
        found = function(**values)
    finally:
        _PLAIN.reset(token)
    if isinstance(found, Part):
        return found.tree()
    # A figure's own ``to_dict`` encodes every array, for nothing.
    return {"data": [trace.to_plotly_json() for trace in found.data], "layout": found.layout.to_plotly_json()}


def composed(trees: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Lay trees of layers over each other; the page's script does the same.

    Examples
    --------
    >>> words = {"data": [], "layout": {"meta": {"words": {"n": "3"}}}}
    >>> composed([{"data": [], "layout": {"meta": {"alt": "n = {n}"}}}, words])["layout"]
    {'meta': {'alt': 'n = 3'}}
    """
    data: list[Any] = []
    layout: dict[str, Any] = {}
    for tree in trees:
        data += tree.get("data", [])
        layout = _merged(layout, tree.get("layout", {}))
    meta = layout.get("meta", {})
    words = meta.pop("words", {})
    for name in _FILLED:
        if name in meta:
            meta[name] = filled(meta[name], words)
    if "replies" in meta:
        meta["replies"] = {case: filled(text, words) for case, text in meta["replies"].items()}
    return {"data": data, "layout": layout}


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return a text with the words of any layer in the place of their names."""
    return _FIELD.sub(lambda found: words.get(found[1], found[0]), text)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(old)
    for key, value in new.items():
        here = result.get(key)
        if isinstance(value, Mapping) and isinstance(here, Mapping):
            result[key] = _merged(here, value)
        elif key in _LISTS and here:
            result[key] = [*here, *value]
        else:
            result[key] = value
    return {key: dict(v) if isinstance(v, Mapping) else v for key, v in result.items()}


@contextmanager
def recorded() -> Iterator[list[Layer]]:
    """Note the layers of the figure that is made inside; none if it is in one piece."""
    layers: list[Layer] = []
    token = _RECORD.set(layers)
    try:
        yield layers
    finally:
        _RECORD.reset(token)
