"""Numbers and counts as a sentence says them, and what the labs say of a file's records."""

import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Any

import numpy as np

from explorable.tables import Reading
from mipbook.base.rounding import down, up
from mipbook.base.types import Array

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


Rounding = Callable[[float, int], float]


def say(value: float, digits: int = 3, to: Rounding | None = None) -> str:
    """Write a number to a few significant digits, as prose does.

    Infinities are written as words; ``digits`` are the significant ones.  What someone may rely
    on goes ``to`` its safe side, `mipbook.base.rounding.up` or ``down``.

    Examples
    --------
    >>> say(234948.7), say(0.00159), say(2.44e-10), say(1.0191, to=up)
    ('235,000', '0.00159', '2.44 × 10⁻¹⁰', '1.02')
    """
    if math.isnan(value):
        raise ValueError("value = nan: must be a real number")
    if to is not None:
        value = to(value, digits)
    if math.isinf(value):
        return "infinity" if value > 0 else "minus infinity"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(float(f"{value:.{digits - 1}e}"))))
    if -4 <= exponent < 6:
        text = f"{round(value, digits - 1 - exponent):,.{max(digits - 1 - exponent, 0)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, power = f"{value:.{digits - 1}e}".split("e")
    if value == float(f"1e{power}"):
        return f"10{str(int(power)).translate(_SUPERSCRIPT)}"
    return f"{mantissa} × 10{str(int(power)).translate(_SUPERSCRIPT)}"


def percent(rate: float, digits: int = 3, to: Rounding | None = None) -> str:
    """Write a rate as a percentage.

    Examples
    --------
    >>> percent(0.01), percent(0.92364), percent(0.0), percent(0.92312, to=up)
    ('1%', '92.4%', '0%', '92.4%')
    """
    return f"{say(100 * (rate if to is None else to(rate, digits)), digits)}%"


def in_100(rate: float, to: Rounding | None = None) -> str:
    """Write how often a guess is right, the unit of every headline; a coin is right 50 times in 100.

    Only what is certain is 100, and only what never is so is 0.

    Examples
    --------
    >>> in_100(0.7310585), in_100(0.5), in_100(0.7311, to=up)
    ('73.1 times in 100', '50 times in 100', '73.2 times in 100')
    >>> in_100(0.99966, to=up), in_100(1 - 1e-9), in_100(1e-20), in_100(1.0)
    ('99.97 times in 100', 'nearly 100 times in 100', 'nearly 0 times in 100', '100 times in 100')
    """
    miss = 1 - rate
    rate = rate if abs(miss) > 1e-12 else 1.0  # a double's last digits
    if 1e-6 <= miss < 5e-4:  # all digits up to the first that is not 9
        short = float(f"{miss:.0e}") if to is None else down(miss, 1) if to is up else up(miss, 1)
        text = f"{100 - 100 * short:.10g}"
    elif to is None and ((rate < 1 and miss < 1e-6) or 0 < rate < 1e-6):
        text = f"nearly {100 * round(rate)}"
    else:
        text = say(100 * (rate if to is None else to(rate, 3)))
    return f"{text} times in 100"


def short_of_100(right: float) -> str:
    """Write how often in 100, of what is never certain: what would round to always is not always.

    Examples
    --------
    >>> short_of_100(73.811), short_of_100(99.97)
    ('73.8', 'over 99.9')
    """
    return say(right) if right < 99.95 else "over 99.9"


def sure(confidence: float) -> str:
    """Write a confidence with all its digits.

    Examples
    --------
    >>> sure(0.95), sure(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * confidence:g}%"


def people(rate: float, to: Rounding | None = None) -> str:
    """Write a rate as a count of people, ``92 of 1,000``.

    The smallest round number of people for which the count is off by at most a twentieth.

    Examples
    --------
    >>> people(0.0924), people(0.00137), people(0.0), people(1.0), people(0.0921, to=up)
    ('92 of 1,000', '14 of 10,000', 'none', 'all', '93 of 1,000')
    """
    way = ROUND_CEILING if to is up else ROUND_FLOOR if to is down else ROUND_HALF_EVEN
    if not 0 <= rate <= 1:
        raise ValueError(f"rate = {rate!r}: must be in [0, 1]")
    if rate in (0, 1):
        return "all" if rate else "none"
    for crowd in (10**e for e in range(3, 10)):
        count = int((Decimal(repr(float(rate))) * crowd).to_integral_value(way))
        if min(count, crowd - count) >= 1 and abs(count / crowd - rate) <= 0.05 * rate:
            return f"{count:,} of {crowd:,}"
    return "nearly all" if rate > 0.5 else "fewer than 1 of 1,000,000,000"


def times(ratio: float) -> str:
    """Write a ratio as ``61.9 times``."""
    return f"{say(ratio)} times"


# A whole number of the trace's points, and the noun behind it.
_COUNT = re.compile(r"(%\{(x|y|customdata)(?::,(?:\.0f)?)?\}) (\w+?)(ies|lves|s)\b")
_SINGULAR = {"ies": "y", "lves": "lf", "s": ""}


def counted(hover: str, columns: Mapping[str, Any]) -> str | list[str]:
    """Return a hover text that counts, with the noun in the singular at the points that are one.

    Parameters
    ----------
    hover : str
        A template of plotly, with the noun in the plural.
    columns : mapping
        What a trace counts, by the names that plotly gives it: ``x``, ``y`` or ``customdata``.

    Examples
    --------
    >>> counted("%{x} queries: %{y:.2f} times", {"x": [1, 2], "y": [1, 1]})
    ['%{x} query: %{y:.2f} times', '%{x} queries: %{y:.2f} times']
    >>> counted("%{x} records", {"x": [2, 3]})
    '%{x} records'
    """
    found = _COUNT.search(hover)
    single = [count == 1 for count in np.ravel(columns[found[2]])] if found else []
    if found is None or not any(single):
        return hover
    one = hover.replace(found[0], f"{found[1]} {found[3]}{_SINGULAR[found[4]]}", 1)
    return [one if alone else hover for alone in single]


def even_records(reading: Reading, records: Array, seed: int) -> tuple[Array, str]:
    """Leave a record out where the count is odd, and say which; it is drawn at random."""
    if len(records) % 2 == 0:
        return records, ""
    place = int(np.random.default_rng(seed).integers(len(records)))
    left = f"row {reading.table.lines[place]}, drawn at random, is left out, since halves need an even count"
    return np.delete(records, place, axis=0), left


def repeats(records: Array) -> str:
    """Say how many records repeat an earlier one, nothing where none does."""
    count = len(records) - len(np.unique(records, axis=0))
    if count == 1:
        return "1 record repeats an earlier one and counts as a different person"
    return f"{count:,} records repeat an earlier one and count as different persons" if count else ""
