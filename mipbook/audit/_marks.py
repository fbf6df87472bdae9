"""Which records a caller marks: booleans, or 0 and 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorable import validate

__all__ = ["marks"]


def marks(name: str, value: Any, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Return the marks of all places of *shape*; `ValueError` for other marks, or too few."""
    told = validate.chances(name, value)
    if told.shape != shape:
        validate.refuse_as(name, f"of shape {told.shape}", f"of shape {shape}, as the scores are")
    if not np.isin(told, (0.0, 1.0)).all():
        validate.refuse(name, value, "booleans, or 0 and 1")
    return np.asarray(told == 1.0)
