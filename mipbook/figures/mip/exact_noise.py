"""What the reciprocal-sum query really needs, beside what the routes ask for."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import say

__all__ = ["exact_noise"]

_ETA = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)


@lru_cache(maxsize=256)
def _need(n: int, eta: float) -> float:
    outputs, members = mip.reciprocal_outputs(n)
    return float(mip.minimal_laplace_scale(outputs, members, eta))


def exact_noise(n: int = 8, eta: float = 0.1) -> go.Figure:
    """Draw the smallest sufficient Laplace scale against eta, with three upper bounds.

    Parameters
    ----------
    n : int
        Records in the data set, even, in [4, 14].
    eta : float
        Where to read the curves, in [0.01, 0.4].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    The query of MIP Proposition 11.  The tight bound uses the first absolute moment.

    Examples
    --------
    >>> [trace.name for trace in exact_noise(4).data][:2]
    ['DP (exact)', 'MIP, published constant (bound)']
    """
    n = validate.integer("n", n, 4, 14, multiple_of=2)
    eta = validate.number("eta", eta, _ETA[0], _ETA[-1])
    grid = np.array(_ETA)
    sensitivity = mip.reciprocal_sensitivity(n)
    first = mip.reciprocal_absolute_moment(n, 1)
    second = mip.reciprocal_absolute_moment(n, 2)

    def routes(at: float | np.ndarray) -> list[np.ndarray]:
        return [
            np.asarray(mip.laplace_dp_scale(at, sensitivity)),
            np.asarray(mip.noise_scale(at, M=2, as_published=True)) * second,
            np.asarray(mip.noise_scale(at)) * first,
        ]

    truth = np.array([_need(n, float(e)) for e in grid])
    here = [*(float(r) for r in routes(eta)), _need(n, eta)]
    looks = (
        ("DP (exact)", ORANGE, "dot", "triangle-up"),
        ("MIP, published constant (bound)", BLUE, "solid", "circle"),
        ("MIP, tight constant, first moment (bound)", GREEN, "dash", "square"),
        ("smallest sufficient scale (exact)", PURPLE, "longdashdot", "x"),
    )
    figure = go.Figure()
    for (name, colour, dash, symbol), curve in zip(looks, [*routes(grid), truth], strict=True):
        figure.add_scatter(
            x=grid,
            y=curve,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
            marker={"symbol": symbol, "size": 8},
        )
    figure.add_scatter(
        x=[eta] * 4,
        y=here,
        mode="markers",
        name="at your eta",
        showlegend=False,
        marker={"color": INK, "symbol": "diamond", "size": 10},
    )
    dp, published, tight, need = (say(v) for v in here)
    return finish(
        figure,
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
