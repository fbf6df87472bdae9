"""A table over several axes, for values that a reader types: each is answered by the corner on the safe side.

A figure that is drawn anew for each state needs a state for each value.  Where more of one number
never tells less, a table at the points of a grid answers any values: the point on the safe side of
all of them bounds what is true from above, the point on the other side from below.  A layer says so
with `at_corners`, and the published page then looks the points up::

    @at_corners(table)
    def numbers(records: int, batch: int): ...

With a kernel the layer's function itself is called, for the values as they are.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import reduce
from operator import getitem
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]
F = TypeVar("F", bound=Callable[..., Any])
Path = tuple[str | int, ...]
# What a function with a table of its own is marked with.
CORNERS = "__corners__"
_NAME = re.compile(r"\{([\w.]+)\}")


@dataclass(frozen=True)
class Axis:
    """A number made of what a reader gives, and the points of the table along it.

    Attributes
    ----------
    over, under : tuple of str
        Controls: the number is the product of the first over that of the second.
    points : tuple of float
        In rising order.
    texts : tuple of str
        How each point is written.
    up : bool
        Whether the larger of two points is on the safe side.
    beyond : str
        What to say of a number that lies beyond the last point on the safe side.
    whole : bool
        Whether the number is rounded up to a whole one.
    elsewhere : bool
        Whether the panel's line of a terminal answers beyond the points.
    """

    over: tuple[str, ...]
    points: tuple[float, ...]
    texts: tuple[str, ...]
    up: bool
    beyond: str
    under: tuple[str, ...] = ()
    whole: bool = False
    elsewhere: bool = True


@dataclass(frozen=True)
class Told:
    """Numbers at all points of some axes, as places in a list of texts.

    Attributes
    ----------
    axes : tuple of str
        Along which the numbers stand, the last one fastest.
    high, low : ndarray of int
        What a point tells at most and at least: places among the texts.
    texts : tuple of str
        How each place is written; the first is what no point on the other side tells.
    numbers : tuple of float or None
        What is drawn for each place, nothing where it is not drawn.
    beyond : str
        What to say instead of the last text, where that is no answer; the line of a terminal has one.
    """

    axes: tuple[str, ...]
    high: Indices
    low: Indices
    texts: tuple[str, ...]
    numbers: tuple[float | None, ...] = ()
    beyond: str = ""


@dataclass(frozen=True)
class Corners:
    """A table for a layer, and where its numbers go in the layer's figure.

    Attributes
    ----------
    axes : mapping of str to Axis
        By their names.
    told : mapping of str to Told
        By their names.
    leaves : mapping of path to str
        From a place in the tree of the layer, drawn at the start, to what stands there: ``{name}``
        is what is told at most, ``{name.low}`` at least, of an axis the point's text; a lone ``#name``
        the number.
    exact, between : mapping of str to str
        Words of the layer where the values are a point of the table, and where they are not.
    """

    axes: Mapping[str, Axis]
    told: Mapping[str, Told]
    leaves: Mapping[Path, str]
    exact: Mapping[str, str]
    between: Mapping[str, str]

    def packed(self, tree: dict[str, Any]) -> str:
        """Return the table with the tree of its layer, deflated, in base64."""
        arrays: list[NDArray[Any]] = []
        told = {}
        for name, each in self.told.items():
            kept = {key: getattr(each, key) for key in ("axes", "texts", "numbers", "beyond")}
            told[name] = {**kept, "at": len(arrays)}
            arrays += [_differences(each.high), _differences(each.high - each.low)]
        index = {
            "axes": {name: asdict(axis) for name, axis in self.axes.items()},
            "told": told,
            "tree": tree,
            "leaves": list(self.leaves.items()),
            "exact": dict(self.exact),
            "between": dict(self.between),
            "lengths": [array.size for array in arrays],
        }
        head = json.dumps(index, separators=(",", ":"), allow_nan=False, default=np.ndarray.tolist).encode()
        head += b" " * (-(4 + len(head)) % 4)
        raw = np.array([len(head)], dtype="<u4").tobytes() + head
        raw += b"".join(array.astype("<i2").tobytes() for array in arrays)
        return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")

    def widest(self, tree: dict[str, Any]) -> dict[str, Any]:
        """Return the tree with the longest text in each place, for what a page keeps room for."""
        texts = {name: axis.texts for name, axis in self.axes.items()}
        for name, each in self.told.items():
            texts |= {name: each.texts, f"{name}.low": each.texts}
        words = {name: max(each, key=len) for name, each in texts.items()}
        words |= {name: max(word, self.exact[name], key=len) for name, word in self.between.items()}
        wide = deepcopy(tree)
        for path, text in self.leaves.items():
            if not text.startswith("#"):
                at: Any = wide
                reduce(getitem, path[:-1], at)[path[-1]] = _NAME.sub(lambda found: words[found[1]], text)
        return wide


def _differences(places: Indices) -> Indices:
    """Return second differences along the last axis: smooth rows are small numbers."""
    lines = places.reshape(-1, places.shape[-1])
    return np.diff(lines, n=2, axis=1, prepend=np.zeros((len(lines), 2), dtype=np.int64)).ravel()


def at_corners(table: Callable[[], Corners]) -> Callable[[F], F]:
    """Let the published page answer a layer from a table.

    Parameters
    ----------
    table : callable
        Returns the `Corners`.
    """

    def marked(function: F) -> F:
        setattr(function, CORNERS, table)
        return function

    return marked
