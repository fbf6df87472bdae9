"""The packed states of a panel, as the page's script reads them."""

import base64
import json
import math
import zlib
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any

import numpy as np


@lru_cache(maxsize=32)
def parts(blob: str) -> tuple[dict[str, Any], Any, bytes]:
    """Return the index of a blob, its rows and its arrays."""
    data = zlib.decompress(base64.b64decode(blob))
    json_size, rows_size = (int(v) for v in np.frombuffer(data, dtype="<u4", count=2))
    index = json.loads(data[8 : 8 + json_size])
    rows = np.frombuffer(data, "<u4", count=index["states"] * len(index["paths"]), offset=8 + json_size)
    return index, rows, data[8 + json_size + rows_size :]


def unpack(blob: str, state: int) -> dict[str, Any]:
    """Rebuild one state; the page's script does the same, and tests compare both."""
    index, rows, arrays = parts(blob)
    count = index["states"]
    numbers = rows[state::count].tolist()
    picks = [(path, number - 1) for path, number in zip(index["paths"], numbers, strict=True) if number]
    tree: dict[str, Any] = {}
    for path, number in [*index["base"], *picks]:
        _put(tree, path, _value(index, arrays, index["values"][number]))
    return tree


def _value(index: dict[str, Any], arrays: bytes, value: Any) -> Any:
    if not (isinstance(value, dict) and "$array" in value):
        return deepcopy(value) if isinstance(value, dict | list) else value
    number, at = value["$array"], 0
    for kind, shape, count, planes, summed, decimals in index["blocks"]:
        dtype, size = np.dtype("<" + kind), math.prod(shape)
        told = np.frombuffer(arrays, np.uint8, count * size * dtype.itemsize, at)
        at += told.size
        if number >= count:
            number -= count
            continue
        parts = told.reshape(dtype.itemsize, -1).T if planes else told.reshape(-1, dtype.itemsize)
        words = parts[number * size : (number + 1) * size].copy().view(f"<u{dtype.itemsize}")[:, 0]
        words = np.add.accumulate(words, dtype=words.dtype) if summed else words
        flat = words.view(dtype)
        return (flat if decimals < 0 else flat / 10.0**decimals).reshape(shape)
    raise AssertionError(f"{value} is in no block")


def _put(tree: Any, path: Sequence[str | int], value: Any) -> None:
    """Set a leaf, making the dicts and lists on the way to it."""
    for place, key in enumerate(path, start=1):
        last = place == len(path)
        child: Any = value if last else [] if isinstance(path[place], int) else {}
        if isinstance(key, int):
            tree.extend({} for _ in range(key + 1 - len(tree)))
        if last or not (tree[key] if isinstance(key, int) else key in tree):
            tree[key] = child
        tree = tree[key]
