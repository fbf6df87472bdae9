"""What PMP buys of MIP, and mechanisms on which the two notions disagree."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from mipbook import mip, pmp
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.figures.frame import axis, finish
from mipbook.figures.roc import add_point
from mipbook.figures.words import percent, say
from mipbook.mechanisms import randomised_response

__all__ = ["pmp_to_mip"]

_GRID = np.linspace(0, 8, 65)
# Where the axis puts infinity.
_FAR = 9.0
_RECORDS = 3


def pmp_to_mip(epsilon: float = 1.0, eta: float = 0.1) -> go.Figure:
    """Draw eta against the PMP parameter, as published and sharp, and three bad mechanisms.

    Parameters
    ----------
    epsilon : float
        Where to read the curves, in [0, 8].
    eta : float
        Of the mechanism that publishes one of n = 3 members with probability n eta; in
        (0, 1/3].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    PMP paper, Lemma 13 and the examples of its appendix.

    Examples
    --------
    >>> "0.231" in pmp_to_mip(1.0).layout.meta["sentence"]
    True
    """
    epsilon = validate.number("epsilon", epsilon, 0.0, 8.0)
    eta = validate.number("eta", eta, 0.0, 1 / _RECORDS, open_low=True)
    published = float(pmp.eta_from_pmp(epsilon, as_published=True))
    sharp = float(pmp.eta_from_pmp(epsilon))
    attained = mip.finite_eta(randomised_response(epsilon), mip.subsets(2))
    halves = mip.subsets(2 * _RECORDS)
    one, first = (
        mip.finite_eta(pmp.publish_one(_RECORDS, eta, which), halves)
        for which in ("random", "smallest")
    )
    figure = go.Figure()
    for name, curve, colour, dash in (
        ("as published (bound)", pmp.eta_from_pmp(_GRID, as_published=True), ORANGE, "dash"),
        ("sharp (bound)", pmp.eta_from_pmp(_GRID), BLUE, "solid"),
    ):
        figure.add_scatter(
            x=_GRID,
            y=np.asarray(curve),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    add_point(figure, epsilon, attained, "randomised response (exact)")
    for name, height, colour, symbol in (
        ("publish a random member", one, GREEN, "triangle-up"),
        ("publish the smallest", first, PURPLE, "square"),
        ("publish all: even parity", 0.5, INK, "star"),
    ):
        figure.add_scatter(
            x=[_FAR],
            y=[height],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 13},
        )
    if epsilon == 0:
        told = "At epsilon = 0 both say that eta is 0 (bound)."
    else:
        told = (
            f"{say(epsilon)}-PMP gives eta = {say(published, 4)} as published and "
            f"{say(sharp, 4)} by the sharp form (both bound); randomised response needs "
            f"{say(attained, 4)} (exact)."
        )
    return finish(
        figure,
        sentence=(
            f"{told} On the right, no epsilon is finite: to publish a random member with chance "
            f"{percent(_RECORDS * eta)} has eta {say(one)}, to publish the smallest has "
            f"{say(first)} (both exact). To publish everything has one half, and distributional DP "
            f"lets it pass when the data have even parity (exact)."
        ),
        alt=(
            f"Eta against the PMP parameter from 0 to 8: a dashed curve above a solid one, both "
            f"from 0 to one half; at {say(epsilon)} they are {say(published)} and {say(sharp)}. "
            f"At the right edge, infinity: a triangle at {say(one)}, a square at {say(first)}, a "
            f"star at 0.5."
        ),
        layout={
            "xaxis": axis(
                "PMP parameter, epsilon",
                range=[-0.2, 9.5],
                tickvals=[0, 2, 4, 6, 8, _FAR],
                ticktext=["0", "2", "4", "6", "8", "∞"],
            ),
            "yaxis": axis("eta", range=[0, 0.55]),
            "height": 430,
        },
    )
