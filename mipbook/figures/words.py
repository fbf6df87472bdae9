"""Numbers and counts as a sentence says them."""

from __future__ import annotations

import math

__all__ = ["say", "times"]

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def say(value: float, digits: int = 3) -> str:
    """Write a number to a few significant digits, as prose does.

    Parameters
    ----------
    value : float
        Any real number; infinities are written as words.
    digits : int
        Significant digits.

    Returns
    -------
    str

    Examples
    --------
    >>> say(234948.7), say(0.00159), say(2.44e-10)
    ('235,000', '0.00159', '2.44 × 10⁻¹⁰')
    """
    if math.isnan(value):
        raise ValueError("value = nan: must be a real number")
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if -4 <= exponent < 6:
        text = f"{round(value, digits - 1 - exponent):,.{max(digits - 1 - exponent, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPT)}"


def times(ratio: float) -> str:
    """Write a ratio as ``61.9 times``."""
    return f"{say(ratio)} times"
