"""The log likelihood ratio of two normal distributions, which LiRA fits to shadow models."""

from __future__ import annotations

import numpy as np

from mipbook.base.types import Array

__all__ = ["log_ratio"]


def log_ratio(
    score: Array, mean_in: Array, var_in: Array | float, mean_out: Array, var_out: Array | float
) -> Array:
    """Return ln N(score; in) - ln N(score; out).

    Examples
    --------
    >>> float(log_ratio(np.array(1.0), np.array(1.0), 1.0, np.array(0.0), 1.0))
    0.5
    """
    away = (score - mean_out) ** 2 / var_out - (score - mean_in) ** 2 / var_in
    return np.asarray((away + np.log(var_out) - np.log(var_in)) / 2)
