"""What the reciprocal-sum query really needs, beside what the routes ask for."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mip
from mipbook.explore import Choice, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import axis, finish
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import say

__all__ = ["exact_noise"]

_STOPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4]
_ETA = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4])


@lru_cache(maxsize=256)
def _need(n: int, eta: float) -> float:
    outputs, members = mip.reciprocal_outputs(n)
    return float(mip.minimal_laplace_scale(outputs, members, eta))


def _routes(n: int, eta: Any) -> list[Any]:
    """Return the scale by DP, by the published and by the tight constant, and the least one."""
    return [
        mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(n)),
        mip.noise_scale(eta, M=2, as_published=True) * mip.reciprocal_absolute_moment(n, 2),
        mip.noise_scale(eta) * mip.reciprocal_absolute_moment(n, 1),
        np.array([_need(n, float(e)) for e in np.atleast_1d(eta)]),
    ]


@declared
def exact_noise(
    n: Annotated[int, Choice([4, 6, 8, 10, 12], label="Records, n")] = 8,
    eta: Annotated[float, Stops(_STOPS, label="Promise, eta")] = 0.1,
) -> go.Figure:
    """Draw the smallest sufficient Laplace scale against eta, with three upper bounds.

    Notes
    -----
    The query of MIP Proposition 11.  The tight bound uses the first absolute moment.

    Examples
    --------
    >>> [trace.name for trace in exact_noise(4).data][:2]
    ['DP (exact)', 'MIP, published constant (bound)']
    """
    drawn = (
        ("DP (exact)", looks.DP),
        ("MIP, published constant (bound)", looks.PUBLISHED),
        ("MIP, tight constant, first moment (bound)", looks.MIP.bound()),
        ("smallest sufficient scale (exact)", looks.MIP),
    )
    curves = zip(drawn, _routes(n, _ETA), strict=True)
    here = [float(np.squeeze(route)) for route in _routes(n, eta)]
    dp, published, tight, need = map(say, here)
    return finish(
        [
            *(curve(name, _ETA, y, look, marked=True) for (name, look), y in curves),
            reading([eta] * 4, here, "at your eta"),
        ],
        sentence=(
            f"At n = {n} and eta = {say(eta)} a Laplace scale of {need} is enough and no smaller "
            f"one is (exact). The tight bound asks for {tight}, DP for {dp}, the published "
            f"constant for {published} (sufficient, not necessary)."
        ),
        alt=(
            f"Four falling curves of noise scale against eta for n = {n}, on a logarithmic axis. "
            f"From the top at eta = {say(eta)}: published {published}, DP {dp}, tight {tight}, "
            f"exact need {need}."
        ),
        layout={
            "xaxis": axis("eta, the edge over a coin", range=[0, 0.42]),
            "yaxis": axis("Laplace scale of the noise", log=True, dtick=2),
            "height": 440,
        },
    )
