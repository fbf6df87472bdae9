"""How fast Delta falls with n: three kinds of data and learner on logarithmic axes."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Part, Slider, Stops, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.marks import Trace, curve
from mipbook.figures.words import say

__all__ = ["three_slopes"]

_N = np.unique(np.round(np.geomspace(10, 1e5, 33)))
# Where the sentence reads the curves; a point of each.
_AT = 1000
_HALVING = (0.5, 0.25, 0.125, 0.0625, 0.0625)
# A logarithmic axis has no place for an underflow; this is far below the picture.
_FLOOR = 1e-11
_P = [*(0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99), 0.995, 0.998, 0.999]


@lru_cache(maxsize=64)
def _power_law_curve(alpha: float) -> Any:
    return np.array([mis.power_law_delta(int(n), alpha).low for n in _N])


@lru_cache(maxsize=64)
def _five_values_curve(nu: float) -> Any:
    return np.asarray(mis.worst_case_delta(_HALVING, _N, nu))


def _drawn(name: str, delta: Any, look: looks.Look) -> Trace:
    over = f"%{{x:,}} records, {name}: Δ = %{{y:.2g}}<extra></extra>"
    return curve(name, _N, np.maximum(delta, _FLOOR), look, hovertemplate=over)


def _at(delta: Any) -> str:
    found = float(delta[int(np.flatnonzero(_N == _AT)[0])])
    return say(found) if found > 1e-300 else "less than 10⁻³⁰⁰"


def _frame() -> Part:
    five = _five_values_curve(0.5)
    sentence = (
        f"At n = {_AT:,} the worst learner has Δ = {{heavy}} on infinitely many values, with "
        f"exponent {{slope}} in the end, and {_at(five)} on five, with exponent 0.5{{mix}}; the "
        "product learner has {product} (all exact)."
    )
    alt = (
        "Delta against n from 10 to 100,000 on logarithmic axes. Two nearly straight lines, "
        "a flatter one for infinitely many values and one of slope one half for five "
        "values; two curves that bend down and out of the picture unless ν is 0.5. At "
        f"n = {_AT:,}: {{heavy}}, {_at(five)}, {{mixed}} and {{product}}."
    )
    layout = {
        "xaxis": axis("records, n", log=True, range=[1, 5]),
        "yaxis": axis("Δ of the learner", log=True, range=[-8, 0], dtick=2),
        "height": 420,
    }
    probe = ["infinitely many", "five values", "five, your ν", "product learner"]
    meta = {"headline": "Exponent {exponent} against 0.5", "sentence": sentence, "alt": alt}
    drawn = _drawn("five values", five, looks.SERIES[0])
    return Part([drawn], layout, meta={**meta, "probe": probe})


def _heavy(alpha: float) -> Part:
    delta = _power_law_curve(alpha)
    exponent = say(mis.power_law_exponent(alpha))
    slope = exponent + (" up to a logarithm" if alpha == 2 else "")
    words = {"heavy": _at(delta), "slope": slope, "exponent": exponent}
    return Part([_drawn("infinitely many", delta, looks.SERIES[3])], words=words)


def _mixed(nu: float) -> Part:
    delta = _five_values_curve(nu)
    mix = "" if nu == 0.5 else f", but {_at(delta)} at ν = {say(nu)}, where no power of n rules"
    drawn = _drawn("five, your ν", delta, looks.SERIES[2])
    return Part([drawn], words={"mix": mix, "mixed": _at(delta)})


def _product(p: float) -> Part:
    delta = np.asarray(mis.product_delta(p, _N))
    return Part([_drawn("product learner", delta, looks.SERIES[1])], words={"product": _at(delta)})


@declared
def three_slopes(
    alpha: Annotated[float, Slider(1.1, 3.5, step=0.05, label="Tail exponent, α")] = 1.25,
    p: Annotated[float, Stops(_P, label="Product learner, p")] = 0.9,
    nu: Annotated[float, Slider(0.3, 0.5, step=0.01, label="Share of fresh points, ν")] = 0.45,
) -> go.Figure:
    """Draw Delta against n for finitely many values, a heavy tail, and the product learner.

    Notes
    -----
    Limits paper, Corollary 15 and Lemmas 20 and 22.  On the infinite distribution p_k is
    proportional to k^-alpha; the product learner multiplies records that are 1 with chance p.

    Examples
    --------
    >>> "exponent 0.2" in three_slopes().layout.meta["sentence"]
    True
    """
    return stacked(layer(_heavy, alpha=alpha), layer(_frame), layer(_mixed, nu=nu), layer(_product, p=p))
