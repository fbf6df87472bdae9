"""Bad and extreme values, alone and made from a valid one."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse


def awkward() -> dict[str, Callable[[], Any]]:
    """Return bad and extreme values that do not depend on the function, each made anew."""
    plain: dict[str, Any] = {
        repr(v): v
        for v in (
            *(None, "text", "", b"raw", True, False, np.nan, np.inf, -np.inf, 1e308, -1e308),
            *(1e-320, -0.0, 0, 0.0, -1, 1, 0.5, 2**63, -(2**63), 1j, (), [], {}, {"a": 1.0}),
            *([[1.0, 2.0], [3.0]], [np.nan, 1.0], [np.inf, 1.0], [1e308, -1e308], [None, 1.0]),
            *([1e-320, 0.0], ["a", "b"], {1.0, 2.0}, [[]], [True, False]),
        )
    }
    made: dict[str, Callable[[], Any]] = {k: lambda v=v: copy.copy(v) for k, v in plain.items()}
    made |= {
        "10**400": lambda: 10**400,
        "-10**400": lambda: -(10**400),
        "[10**400, 1]": lambda: [10**400, 1],
        "object()": object,
        "a generator": lambda: (x for x in (1.0, 2.0)),
        "an empty array": lambda: np.zeros(0),
        "a 2x3x4 array": lambda: np.ones((2, 3, 4)),
        "an array without dimension": lambda: np.array(0.5),
        "complex": lambda: np.array([1 + 2j, 3.0]),
        "objects": lambda: np.array([None, 1.0, "a"], dtype=object),
        "dates": lambda: np.array(["2020-01-01", "NaT"], dtype="M8[D]"),
        "a span of time": lambda: np.timedelta64(1, "s"),
        "masked": lambda: np.ma.array([1.0, 2.0], mask=[True, False]),
        "a frame": lambda: pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        "a mixed frame": lambda: pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]}),
        "a series": lambda: pd.Series([0.5, 0.5], index=[3, 7]),
        "pandas.NA": lambda: pd.NA,
        "sparse": lambda: scipy.sparse.csr_array(np.eye(3)),
    }
    return made


def bent(value: Any) -> dict[str, Callable[[], Any]]:
    """Return what is almost the valid value: one entry, the shape, the type or the sign wrong."""
    if isinstance(value, str):
        return {"longer": lambda: value + "x", "capitals": lambda: value.upper()}
    if isinstance(value, int | float) and not isinstance(value, bool):
        halves = {"a half more": lambda: value + 0.5} if isinstance(value, int) else {}
        return halves | {
            "negated": lambda: -value,
            "as text": lambda: str(value),
            "in a list": lambda: [value],
            "times 1e9": lambda: value * 10**9,
        }
    if not isinstance(value, np.ndarray | list | tuple):
        return {}
    try:
        array = np.asarray(value)
    except ValueError:
        return {}
    if array.dtype.kind not in "biuf" or array.size == 0:
        return {}

    def entry(bad: Any, kind: Any = float) -> Callable[[], Any]:
        def make() -> Any:
            changed = array.astype(kind)
            changed.flat[-1] = bad
            return changed

        return make

    changes = {
        **{f"one entry {b!r}": entry(b) for b in (np.nan, np.inf, -np.inf, 1e308, 1e-320, -1.0)},
        "one entry missing": entry(None, object),
        "one entry text": entry("a", object),
        "as text": lambda: array.astype(str),
        "as complex": lambda: array.astype(complex),
        "as objects": lambda: array.astype(object),
        "all 1e308": lambda: np.full(array.shape, 1e308),
        "alternating 1e308": lambda: np.resize([1e308, -1e308], array.shape),
        "all 1e-320": lambda: np.full(array.shape, 1e-320),
        "all 0": lambda: np.zeros(array.shape),
        "as booleans": lambda: array.astype(bool),
        "in a box": lambda: array[None],
        "masked": lambda: np.ma.array(array, mask=np.arange(array.size).reshape(array.shape) == 0),
    }
    if array.ndim:
        changes |= {
            "none": lambda: array[:0],
            "one only": lambda: array[:1],
            "one fewer": lambda: array[:-1],
            "one more": lambda: np.concatenate([array, array[:1]]),
            "a series or a frame": lambda: pd.DataFrame(array) if array.ndim == 2 else array,
        }
    return changes
