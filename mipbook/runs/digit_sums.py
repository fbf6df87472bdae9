"""What the digits of a bounded mean give away; each value is a transform of 262,144 numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from mipbook import mis
from mipbook.stored import store

__all__ = ["DIGITS", "RUNS", "SIZES", "known_digit_delta", "summed"]

SIZES = (5, 20, 100, 1000)
DIGITS = (
    *(1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700),
    *(1000, 1500, 2000, 3000, 5000, 7000, 10_000),
)
SETTINGS: dict[str, Any] = {"version": 1, "sizes": SIZES, "digits": DIGITS}


def summed(settings: dict[str, Any]) -> store.Arrays:
    """Return Delta for each size and number of digits.

    Examples
    --------
    >>> summed({"sizes": (5,), "digits": (1, 2)})["deltas"].shape
    (1, 2)
    """
    rows = [[mis.digit_delta(n, j).value for j in settings["digits"]] for n in settings["sizes"]]
    return {"deltas": np.array(rows)}


RUNS = (store.Run("digit_sums", SETTINGS, lambda: summed(SETTINGS)),)


@lru_cache(maxsize=1024)
def known_digit_delta(n: int, digits: int) -> float:
    """Return the value of `mipbook.mis.digit_delta`, from the stored run if it is there.

    Examples
    --------
    >>> known_digit_delta(20, 1000) > 0.999
    True
    """
    if n in SIZES and digits in DIGITS:
        place = SIZES.index(n), DIGITS.index(digits)
        return float(store.load("digit_sums").arrays["deltas"][place])
    return mis.digit_delta(n, digits).value
