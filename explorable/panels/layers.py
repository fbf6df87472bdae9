"""A figure made of layers, each a function of the controls that it names.

A page without a kernel holds every state of a panel.  Of a figure in one piece these are all
combinations of all stops; of a layered figure each layer's own, which add up::

    def line(slope: ..., at: ...) -> go.Figure:
        return stacked(layer(_curve, slope=slope), layer(_reading, slope=slope, at=at))

Layers are drawn in their order.  Their layouts are merged, the later one first; the headline,
the sentence and the alt text may hold ``{words}`` that any layer gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from explorable import validate
from explorable.panels.controls import UploadedFile

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Layer", "Part", "composed", "layer", "recorded", "stacked"]

# Each layer adds its own of these.
_LISTS = ("annotations", "shapes", "grab", "probe", "table")
_FILLED = ("headline", "sentence", "alt")
_FIELD = re.compile(r"\{(\w+)\}")


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
    meta : mapping
        What the panel needs besides, such as ``sentence`` and ``alt``.
    """

    traces: Sequence[dict[str, Any]] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Any] = field(default_factory=dict)

    def tree(self) -> dict[str, Any]:
        """Return the part as a figure's tree, with the words beside the sentence."""
        meta = {**self.meta, **({"words": dict(self.words)} if self.words else {})}
        layout = {**self.layout, **({"meta": meta} if meta else {})}
        return {"data": list(self.traces), "layout": layout}


@dataclass(frozen=True)
class Layer:
    """A function and the values that it was called with, by their controls' names."""

    function: Callable[..., Part]
    values: Mapping[str, Any]

    def part(self) -> Part:
        """Return what the layer draws."""
        return self.function(**self.values)


_RECORD: ContextVar[list[Layer] | None] = ContextVar("record", default=None)


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


def stacked(*layers: Layer) -> go.Figure:
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
    import plotly.graph_objects as go

    for each in layers:
        validate.instance("layers", each, Layer, "made by explorable.panels.layer")
    record = _RECORD.get()
    if record is not None:
        record[:] = layers
    tree = composed(each.part().tree() for each in layers)
    # Plotly's check of each property takes two thirds of a figure's time; the tests make it.
    return go.Figure(data=tree["data"], layout=tree["layout"], _validate=False)


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
        if name in meta and words:
            meta[name] = _FIELD.sub(lambda m: words.get(m[1], m[0]), meta[name])
    return {"data": data, "layout": layout}


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
