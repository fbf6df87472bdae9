"""Numbers of four digits on the safe side: what is printed may be typed in again."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

__all__ = ["down", "up"]


def _rounded(value: float, digits: int, direction: str) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    return float(Context(prec=digits, rounding=direction).plus(Decimal(value)))


def up(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not smaller.

    Examples
    --------
    >>> up(0.123401), up(0.5), up(99999.0)
    (0.1235, 0.5, 100000.0)
    """
    found = _rounded(value, digits, ROUND_CEILING)
    return found if found >= value else math.nextafter(value, math.inf)


def down(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not larger.

    Examples
    --------
    >>> down(0.123499), down(0.5), down(12345.0)
    (0.1234, 0.5, 12340.0)
    """
    found = _rounded(value, digits, ROUND_FLOOR)
    return found if found <= value else math.nextafter(value, -math.inf)
