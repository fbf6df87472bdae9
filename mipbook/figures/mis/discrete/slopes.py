"""How fast Delta falls with n: three kinds of data and learner on logarithmic axes."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["three_slopes"]

_N = np.unique(np.round(np.geomspace(10, 1e5, 33)))
_HALVING = (0.5, 0.25, 0.125, 0.0625, 0.0625)
# A logarithmic axis has no place for an underflow; this is far below the picture.
_FLOOR = 1e-11
_ALPHA = [1.1, 1.25, 1.5, 2.0, 3.0]
_P = [0.5, 0.9, 0.99, 0.999]
_NU = [0.3, 0.4, 0.45, 0.49, 0.5]
_RECORDS = [10, 100, 1000, 10_000, 100_000]


@lru_cache(maxsize=512)
def _on_power_law(n: int, alpha: float) -> float:
    return mis.power_law_delta(n, alpha).low


@lru_cache(maxsize=64)
def _power_law_curve(alpha: float) -> Any:
    return np.array([_on_power_law(int(n), alpha) for n in _N])


@lru_cache(maxsize=512)
def _on_five_values(n: int, nu: float) -> float:
    return float(mis.worst_case_delta(_HALVING, n, nu))


@lru_cache(maxsize=64)
def _five_values_curve(nu: float) -> Any:
    return np.maximum(mis.worst_case_delta(_HALVING, _N, nu), _FLOOR)


@lru_cache(maxsize=64)
def _product_curve(p: float) -> Any:
    return np.maximum(mis.product_delta(p, _N), _FLOOR)


@declared
def three_slopes(
    alpha: Annotated[float, Stops(_ALPHA, label="Tail exponent, alpha")] = 1.25,
    p: Annotated[float, Stops(_P, label="Product learner, p")] = 0.9,
    nu: Annotated[float, Stops(_NU, label="Share of fresh points, nu")] = 0.45,
    n: Annotated[int, Count(_RECORDS, label="Records, n")] = 1000,
) -> go.Figure:
    """Draw Delta against n for finitely many values, a heavy tail, and the product learner.

    Notes
    -----
    Limits paper, Corollary 15 and Lemmas 20 and 22.  On the infinite law p_k is proportional
    to k^-alpha; the product learner multiplies records that are 1 with chance p.

    Examples
    --------
    >>> "exponent 0.2" in three_slopes().layout.meta["sentence"]
    True
    """
    deltas = [
        _on_power_law(n, alpha),
        _on_five_values(n, 0.5),
        _on_five_values(n, nu),
        float(mis.product_delta(p, n)),
    ]
    amounts = [say(delta) if delta > 1e-300 else "less than 10⁻³⁰⁰" for delta in deltas]
    heavy, five, mixed, product = amounts
    slope = say(mis.power_law_exponent(alpha)) + (" up to a logarithm" if alpha == 2 else "")
    mix = "" if nu == 0.5 else f", but {mixed} at nu = {say(nu)}, where no power of n applies"
    return finish(
        [
            curve("infinitely many", _N, _power_law_curve(alpha), looks.SERIES[3]),
            curve("five values", _N, _five_values_curve(0.5), looks.SERIES[0]),
            curve("five, your nu", _N, _five_values_curve(nu), looks.SERIES[2]),
            curve("product learner", _N, _product_curve(p), looks.SERIES[1]),
            reading([n] * 4, np.maximum(deltas, _FLOOR), "at your n"),
        ],
        sentence=(
            f"At n = {n:,} the worst learner on infinitely many values has Delta = {heavy} "
            f"(exact), falling with exponent {slope} in the end. On five values it has {five}, "
            f"with exponent 0.5{mix} (exact). The product learner has {product} (exact)."
        ),
        alt=(
            f"Delta against n from 10 to 100,000 on logarithmic axes. Two nearly straight lines, "
            f"a flatter one for infinitely many values and one of slope one half for five "
            f"values; two curves that bend down and out of the picture unless nu is 0.5. At "
            f"n = {n:,}: {', '.join(amounts)}."
        ),
        layout={
            "xaxis": axis("records, n", log=True, range=[1, 5]),
            "yaxis": axis("Delta", log=True, range=[-8, 0], dtick=2),
            "height": 420,
        },
    )
