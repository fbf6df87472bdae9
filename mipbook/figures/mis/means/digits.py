"""A bounded mean without any security: every digit of it gives a little away."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.explore import Count, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say
from mipbook.mis.means.digits import agreement_laws

__all__ = ["digit_leak"]

Array = NDArray[np.float64]
_SIZES = (5, 20, 100, 1000)
_DIGITS = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
_SHOWN = 41


@lru_cache(maxsize=16)
def _security(n: int) -> Array:
    return np.array([1 - mis.digit_delta(n, j).value for j in _DIGITS])


def _around_the_middle(n: int) -> Array:
    """Return counts of records within two deviations of one half of them."""
    reach = 2 * n**0.5
    return np.linspace(max(0.0, n / 2 - reach), min(float(n), n / 2 + reach), _SHOWN)


@declared
def digit_leak(
    n: Annotated[int, Count(_SIZES, label="Records, n")] = 20,
    digits: Annotated[int, Count(_DIGITS, label="Digits, J")] = 100,
) -> go.Figure:
    """Draw what one digit of the mean tells, and the security against the number of digits.

    Notes
    -----
    Limits paper, Theorem 13: what goes wrong without its hypothesis.

    Examples
    --------
    >>> len(digit_leak(5, 10).data)
    7
    """
    counts = _around_the_middle(n)
    without, given = agreement_laws(n, counts)
    delta, one = mis.digit_delta(n, digits).value, mis.digit_delta(n, 1).value
    kind = "exact" if digits == 1 else "approximation"
    read = "the first digit sum" if digits == 1 else f"{digits:,} digit sums"
    if digits == 1:
        rest = "a single digit tells little"
    else:
        together = "leave almost nothing" if delta > 0.95 else "add up"
        rest = f"a single digit has Delta = {say(one)} (exact), and together they {together}"
    return finish(
        [
            curve("target out", counts, without, looks.OUT),
            curve("target in", counts, given, looks.IN),
            *(
                curve(f"n = {size:,}", _DIGITS, _security(size), look, marked=True, **LOWER)
                for size, look in zip(_SIZES, looks.SERIES, strict=True)
            ),
            reading(digits, 1 - delta, "this n and J", **LOWER),
        ],
        sentence=(
            f"From the mean of n = {n:,} records, all numbers between 0 and 0.11, {read} can be "
            f"read. The security is then {say(1 - delta)} at most ({kind}): {rest}. With "
            f"more digits it goes to 0, whatever n is."
        ),
        alt=(
            f"Above, two bells for the number of records that agree with the target in one digit, "
            f"around {say(n / 2)}: with the target in, half a record to the right. Below, the "
            f"security against the number of digits for four n: all curves fall to 0; the diamond "
            f"is at J = {digits:,} and {say(1 - delta)}."
        ),
        layout={
            "xaxis": axis("records that agree in one digit"),
            "yaxis": axis("chance", rangemode="tozero"),
            "xaxis2": axis("digits J", log=True),
            "yaxis2": axis("security", range=[0, 1.03]),
            "rows": (0.45, 0.18),
            "height": 600,
        },
    )
