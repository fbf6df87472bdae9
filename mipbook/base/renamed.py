"""Names that stand elsewhere now: the old ones work for one more version, and say so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any


def renamed(old: str, *places: ModuleType) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module whose names moved.

    Parameters
    ----------
    old : str
        The module's name.
    *places : module
        Where its names are now, each in the first of these that offers it.
    """

    def get(name: str) -> Any:
        for place in places:
            if name in place.__all__:
                said = f"{old}.{name} is {place.__name__}.{name} now; the next version drops the old name"
                warnings.warn(said, DeprecationWarning, stacklevel=2)
                return getattr(place, name)
        raise AttributeError(f"module {old!r} has no attribute {name!r}")

    return get, lambda: sorted({name for place in places for name in place.__all__})
