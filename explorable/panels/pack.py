"""Pack the figures of all states so that a page carries each thing once.

A figure is a tree of plain values and arrays.  Leaves that are the same in every
state stay in one base tree.  The others go to a table: for every path and state
the number of its value, or 0 where the state has no such leaf.  Equal values are
stored once, and the whole is deflated.

Arrays stand as little-endian binary, those of one type and shape behind each other as a block:
numbers of a few decimals as whole numbers, each byte of all numbers behind the other, steps
instead of values, where that packs best.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Packer", "plain"]

Path = tuple[str | int, ...]
_FLOAT32 = np.finfo(np.float32)
_ITSELF = {str, bool, int}
_NUMBER = int | float | np.number
# Shorter lists are settings, such as an axis range, and keep all their digits.
_SHORT = 16
# A block of so few bytes is packed as it is.
_SMALL = 256


def plain(value: Any) -> Any:
    """Turn plotly's figure dictionary into dicts, lists, scalars and numpy arrays."""
    if type(value) in _ITSELF:
        return value
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            return _from_bdata(value)
        return {str(k): plain(v) for k, v in value.items() if v is not None}
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "iuf" else [plain(v) for v in value.tolist()]
    if isinstance(value, list | tuple):
        items = list(value)
        numbers = (v is None or (isinstance(v, _NUMBER) and not isinstance(v, bool)) for v in items)
        if len(items) >= _SHORT and all(numbers):
            return np.array([math.nan if v is None else v for v in items], dtype=float)
        rows = [None if isinstance(v, float) and math.isnan(v) else plain(v) for v in items]
        arrays = [row for row in rows if isinstance(row, np.ndarray)]
        if rows and len(arrays) == len(rows):
            same = len({row.shape for row in arrays}) == 1
            return np.stack(arrays) if same else [row.tolist() for row in arrays]
        return rows
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"the figure holds the number {value}, which no page can show")
    return value


def _from_bdata(value: dict[str, Any]) -> NDArray[Any]:
    flat = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
    return flat.reshape([int(size) for size in value["shape"].split(",")] if "shape" in value else -1)


def _leaves(tree: Any, path: Path, found: list[tuple[Path, Any]]) -> list[tuple[Path, Any]]:
    """Add every leaf with its path; an empty container is a leaf of its own."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        inner = value if type(value) is dict else type(value) is list and dict in map(type, value)
        if inner:
            _leaves(value, (*path, key), found)
        else:
            found.append(((*path, key), value))
    return found


def _narrow(array: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Use as few bytes as the numbers need, and say how many decimals whole numbers stand for.

    What has no few decimals is float32, unless a value would overflow, vanish or, a whole number,
    change.
    """
    wide = np.asarray(array, dtype=np.float64)
    most = np.abs(wide).max(initial=0)
    if most < 2**31 and np.array_equal(np.rint(wide * 1e6) / 1e6, wide):
        decimals = next(d for d in range(7) if np.array_equal(np.rint(wide * 10.0**d) / 10.0**d, wide))
        largest = most * 10.0**decimals
        if largest < 2**31 - 1:
            kind = "<i2" if largest < 2**15 - 1 else "<i4"
            return np.rint(wide * 10.0**decimals).astype(kind), decimals
    size = np.abs(wide[np.isfinite(wide) & (wide != 0)])
    if size.size and (size.max() > _FLOAT32.max or size.min() < _FLOAT32.tiny):
        return wide.astype("<f8"), -1
    if array.dtype.kind in "iu" and size.size and size.max() > 2**24:
        return wide.astype("<f8"), -1
    return wide.astype("<f4"), -1


def _coded(block: NDArray[Any]) -> tuple[int, int, bytes]:
    """Return a block as it packs best, whether in planes of bytes, and whether as steps."""
    ways = [(0, 0, block.tobytes())]
    if block.nbytes <= _SMALL:
        return ways[0]
    words = block.view(f"<u{block.itemsize}")
    steps = words.copy()
    steps[:, 1:] -= words[:, :-1]
    # A browser adds no words of eight bytes.
    for summed, rows in enumerate((words, steps) if block.itemsize < 8 else (words,)):
        planes = rows.view(np.uint8).reshape(-1, block.itemsize).T
        ways.append((1, summed, planes.tobytes()))
    return min(ways, key=lambda way: len(zlib.compress(way[2], 1)))


class Packer:
    """Collect the states one by one, then give the packed form.

    Examples
    --------
    >>> import numpy as np
    >>> packer = Packer()
    >>> for height in (1.0, 2.0):
    ...     packer.add({"data": [{"y": np.array([0.0, height])}], "layout": {"title": "same"}})
    >>> packer.finish()[:2]
    'eN'
    """

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._arrays: list[tuple[NDArray[Any], int]] = []
        self._known: dict[Any, int] = {}
        self._columns: dict[Path, dict[int, int]] = {}
        self._count = 0

    def add(self, tree: dict[str, Any]) -> None:
        """Add the next state: a tree as `plain` gives it."""
        for path, leaf in _leaves(tree, (), []):
            self._columns.setdefault(path, {})[self._count] = self._number(leaf)
        self._count += 1

    def _number(self, leaf: Any) -> int:
        is_array = isinstance(leaf, np.ndarray)
        # What two equal ones would become need not be looked for again.
        given = (leaf.dtype.str, leaf.shape, leaf.tobytes()) if is_array else repr(leaf)
        number = self._known.get(given)
        if number is None:
            array, decimals = _narrow(leaf) if is_array else (None, -1)
            key = given if array is None else (array.dtype.str, array.shape, array.tobytes(), decimals)
            number = self._known.setdefault(key, len(self._values))
            self._known[given] = number
            if number == len(self._values):
                self._values.append(leaf if array is None else {"$array": len(self._arrays)})
                self._arrays += [] if array is None else [(array, decimals)]
        return number

    def finish(self) -> str:
        """Return all states as one blob: deflated, in base64.

        Inside are the length of the index, the index as JSON, the table of
        varying leaves (one row a path, one number a state), then the arrays.
        """
        base: list[tuple[Path, int]] = []
        paths: list[Path] = []
        table: list[NDArray[np.uint32]] = []
        for path, column in self._columns.items():
            numbers = set(column.values())
            if len(numbers) == 1 and len(column) == self._count:
                base.append((path, numbers.pop()))
                continue
            row = np.zeros(self._count, dtype="<u4")
            row[list(column)] = np.fromiter(column.values(), dtype=np.uint32) + 1
            paths.append(path)
            table.append(row)
        rows = np.concatenate(table).tobytes() if table else b""
        alike: dict[Any, list[int]] = {}
        for i, (array, decimals) in enumerate(self._arrays):
            alike.setdefault((array.dtype.str[1:], array.shape, decimals), []).append(i)
        # An array is known by its place among all blocks.
        places = {old: new for new, old in enumerate(i for block in alike.values() for i in block)}
        values = [{"$array": places[v["$array"]]} if type(v) is dict and v else v for v in self._values]
        blocks, coded = [], b""
        for (kind, shape, decimals), block in alike.items():
            planes, summed, told = _coded(np.stack([self._arrays[i][0].reshape(-1) for i in block]))
            blocks.append([kind, shape, len(block), planes, summed, decimals])
            coded += told
        index_json = json.dumps(
            {"states": self._count, "base": base, "paths": paths, "values": values, "blocks": blocks},
            separators=(",", ":"),
            allow_nan=False,
        ).encode()
        index_json += b" " * (-(8 + len(index_json)) % 8)
        head = np.array([len(index_json), len(rows)], dtype="<u4").tobytes()
        raw = head + index_json + rows + coded
        return base64.b64encode(zlib.compress(raw, 9)).decode("ascii")
