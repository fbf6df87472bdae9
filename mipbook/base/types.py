"""The types of numbers that all rooms speak of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Floats"]

Array = NDArray[np.float64]
# What a function returns that broadcasts: a float where every argument is one.
Floats = float | Array
