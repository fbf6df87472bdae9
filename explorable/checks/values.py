"""What a planted error does to a value: scaled, sharper, turned round, vacuous."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

Path = tuple[Any, ...]


def is_table(value: Any) -> bool:
    """Tell whether a value is one distribution, or one distribution a row."""
    array = np.asarray(value) if isinstance(value, np.ndarray) else np.zeros(0)
    if array.dtype.kind != "f" or array.ndim == 0 or array.shape[-1] < 2:
        return False
    return bool((array >= 0).all() and np.allclose(array.sum(axis=-1), 1.0, atol=1e-9))


def is_flag(value: Any) -> bool:
    """Tell whether a value is yes or no."""
    return isinstance(value, bool | np.bool_) or getattr(value, "dtype", None) == np.bool_


def is_number(value: Any) -> bool:
    """Tell whether a value is a number or an array of numbers, in any real type."""
    if isinstance(value, int | float | np.number):
        return not is_flag(value)
    return isinstance(value, np.ndarray) and value.dtype.kind in "iuf" and value.size > 0


def scaled(value: Any, factor: float) -> Any:
    """Return the value times the factor; a count changes by one at least, a zero to it."""
    array = np.asarray(value)
    if array.dtype.kind in "iu":
        step = np.maximum(1, np.round(np.abs(array * (factor - 1)))).astype(array.dtype)
        made = array + step if factor > 1 else array - step
    elif (array == 0).all():
        made = array + (factor - 1)
    else:
        made = array * np.asarray(factor, dtype=array.dtype)
    return made if isinstance(value, np.ndarray) else made.item()


def tempered(value: Any, power: float) -> Any:
    """Return distributions made sharper (power above 1) or flatter, which still sum to 1."""
    raised = np.where(value > 0, value, 0.0) ** power
    return raised / raised.sum(axis=-1, keepdims=True)


def turned(value: Any) -> Any:
    """Return no for yes."""
    return ~value if isinstance(value, np.ndarray) else not value


def all_equal(value: Any, to: Any) -> Any:
    """Return a value of the same shape whose entries are all ``to``."""
    return np.full(np.shape(value), to) if np.ndim(value) else to


def _fields(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return list(getattr(value, "_fields", range(len(value))))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [f.name for f in dataclasses.fields(value)]
    return []


def leaves(value: Any, spoken: set[str]) -> list[Path]:
    """Return where the numbers of a value are.

    Of named fields, those that the cell reads; all of a tuple, if it reads none and so takes
    them by position.
    """
    if isinstance(value, list) and value:
        return leaves(value[0], spoken)
    if is_flag(value) or is_number(value):
        return [()]
    fields = _fields(value)
    read = [f for f in fields if f in spoken]
    if not read and not isinstance(value, tuple):
        return []
    found = read or fields
    return [(f,) for f in found if is_flag(part(value, f)) or is_number(part(value, f))]


def part(value: Any, key: Any) -> Any:
    """Return the field or the entry of a value."""
    return value[key] if isinstance(key, int) else getattr(value, key)


def at(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """Return the value with the number at ``path`` changed, in each entry of a list."""
    if isinstance(value, list):
        return [at(v, path, change) for v in value]
    if not path:
        return change(value) if is_flag(value) or is_number(value) else value
    (key,) = path
    if isinstance(value, tuple) and hasattr(value, "_replace"):
        return value._replace(**{key: change(part(value, key))})
    if isinstance(value, tuple):
        return tuple(change(v) if i == key else v for i, v in enumerate(value))
    made = copy.copy(value)
    object.__setattr__(made, key, change(part(value, key)))  # the class may be frozen
    return made


def same(left: Any, right: Any) -> bool:
    """Tell whether nothing changed."""
    if isinstance(left, list):
        return all(map(same, left, right))
    if _fields(left):
        return all(same(part(left, f), part(right, f)) for f in _fields(left))
    try:
        # What a formula's rounding may do is no change.
        return np.shape(left) == np.shape(right) and bool(
            np.allclose(left, right, rtol=1e-12, atol=0.0, equal_nan=True)
        )
    except (TypeError, ValueError):
        return bool(np.all(left == right))
