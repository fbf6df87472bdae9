"""Numbers of a few digits on the safe side: what is printed may be typed in again, and relied on.

Whoever reads *epsilon 1.02* takes it for a promise.  So a number is printed with its last digit
rounded to the side on which relying on it is safe, also where the number itself is exact:

- *at most*, up: epsilon, delta, advantage, accuracy, rates found, areas, eta, Delta, the noise
  that is needed, and every other upper bound on what leaks;
- *at least*, down: security, and what an audit proves of a leak;
- estimates, errors and utility are nobody's promise: to the nearest, with their band.

An epsilon that is to be *used*, a setting of a mechanism, is rounded down.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

__all__ = ["CERTAIN", "at_least", "at_most", "down", "up"]

# Digits that a double of ours holds for sure: what a program reads is rounded to its side there.
CERTAIN = 12


def _rounded(value: float, digits: int, direction: str) -> float:
    value = float(value)
    if value == 0 or not math.isfinite(value):
        return value
    # The digits by which the double is known: 0.1 is a number of one digit.
    return float(Context(prec=digits, rounding=direction).plus(Decimal(repr(value))))


def up(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not smaller.

    Examples
    --------
    >>> up(0.123401), up(0.5), up(0.1), up(99999.0)
    (0.1235, 0.5, 0.1, 100000.0)
    """
    return _rounded(value, digits, ROUND_CEILING)


def down(value: float, digits: int = 4) -> float:
    """Return the next number of so many digits that is not larger.

    Examples
    --------
    >>> down(0.123499), down(0.5), down(0.3), down(12345.0)
    (0.1234, 0.5, 0.3, 12340.0)
    """
    return _rounded(value, digits, ROUND_FLOOR)


def at_most(value: float, digits: int = 4) -> str:
    """Write a number that is at most so much.

    Examples
    --------
    >>> at_most(1.01901), at_most(2.00001e-6, 3), at_most(math.inf)
    ('1.02', '2.01e-06', 'inf')
    """
    return f"{up(value, digits):.{digits}g}"


def at_least(value: float, digits: int = 4) -> str:
    """Write a number that is at least so much.

    Examples
    --------
    >>> at_least(0.75508), at_least(0.99999)
    ('0.755', '0.9999')
    """
    return f"{down(value, digits):.{digits}g}"
