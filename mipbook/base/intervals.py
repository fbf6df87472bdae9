"""Confidence intervals for means of bounded draws, and what they say of a maximum."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["bernstein"]


def bernstein(variance: Any, count: Any, span: Any, risk: float) -> Any:
    """Return how far a mean of bounded draws may be from the truth, either way.

    Maurer and Pontil's empirical Bernstein bound, Theorem 4, once in each direction: it holds
    with chance 1 - ``risk``, for any law of draws within an interval of length ``span``.
    """
    logarithm = math.log(4 / risk)
    enough = np.maximum(count, 2)
    width = np.sqrt(2 * variance * logarithm / enough) + 7 * span * logarithm / (3 * (enough - 1))
    return np.where(np.asarray(count) < 2, math.inf, width)
