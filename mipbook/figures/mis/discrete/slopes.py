"""How fast Delta falls with n: three kinds of data and learner on logarithmic axes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import say

__all__ = ["three_slopes"]

_N = np.unique(np.round(np.geomspace(10, 1e5, 33)))
_HALVING = (0.5, 0.25, 0.125, 0.0625, 0.0625)
_FLOOR = 1e-9


@lru_cache(maxsize=64)
def _power_law(alpha: float) -> NDArray[np.float64]:
    return np.array([mis.power_law_delta(int(n), alpha).low for n in _N])


@lru_cache(maxsize=64)
def _finite(nu: float) -> NDArray[np.float64]:
    return np.asarray(mis.worst_case_delta(_HALVING, _N, nu))


def three_slopes(alpha: float = 1.25, p: float = 0.9, nu: float = 0.45, n: int = 1000) -> go.Figure:
    """Draw Delta against n for finitely many values, a heavy tail, and the product learner.

    Parameters
    ----------
    alpha : float
        Exponent of the infinite law, p_k proportional to k^-alpha, in [1.1, 10].
    p : float
        Chance of a 1 for the product learner, in [0.01, 0.9999].
    nu : float
        Test mix of the fourth curve, in [0.05, 0.95].
    n : int
        Where to read the curves, in [10, 100000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Corollary 15 and Lemmas 20 and 22.

    Examples
    --------
    >>> "exponent 0.2" in three_slopes().layout.meta["sentence"]
    True
    """
    alpha = validate.number("alpha", alpha, 1.1, 10.0)
    p = validate.number("p", p, 0.01, 0.9999)
    nu = validate.number("nu", nu, 0.05, 0.95)
    n = validate.integer("n", n, 10, 100_000)
    at = [
        mis.power_law_delta(n, alpha).low,
        mis.worst_case_delta(_HALVING, n),
        mis.worst_case_delta(_HALVING, n, nu),
        mis.product_delta(p, n),
    ]
    figure = go.Figure()
    for name, y, colour, dash in (
        ("infinitely many", _power_law(alpha), PURPLE, "dashdot"),
        ("five values", _finite(0.5), BLUE, "solid"),
        ("five, your nu", _finite(nu), GREEN, "dot"),
        ("product learner", np.asarray(mis.product_delta(p, _N)), ORANGE, "dash"),
    ):
        figure.add_scatter(
            x=_N,
            # A logarithmic axis has no place for an underflow.
            y=np.maximum(y, _FLOOR / 100),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    dots = [float(v) for v in at]
    add_point(figure, [n] * 4, [max(v, _FLOOR / 100) for v in dots], "at your n", showlegend=False)
    told = [say(v) if v > 1e-300 else "less than 10⁻³⁰⁰" for v in dots]
    slope = say(mis.power_law_exponent(alpha)) + (" up to a logarithm" if alpha == 2 else "")
    mix = "" if nu == 0.5 else f", but {told[2]} at nu = {say(nu)}, where no power of n applies"
    return finish(
        figure,
        sentence=(
            f"At n = {n:,} the worst learner on infinitely many values has Delta = {told[0]} "
            f"(exact), falling with exponent {slope} in the end. On five values it has {told[1]}, "
            f"with exponent 0.5{mix} (exact). The product learner has {told[3]} (exact)."
        ),
        alt=(
            f"Delta against n from 10 to 100,000 on logarithmic axes. Two nearly straight lines, "
            f"a flatter one for infinitely many values and one of slope one half for five "
            f"values; two curves that bend down and out of the picture unless nu is 0.5. At "
            f"n = {n:,}: {', '.join(told)}."
        ),
        layout={
            "xaxis": axis("records, n", log=True, range=[1, 5]),
            "yaxis": axis("Delta", log=True, range=[-8, 0], dtick=2),
            "height": 420,
        },
    )
