"""The last digits give it away: the same noise, added in floating point and on a grid."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game, mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say
from mipbook.release.last_digits import last_digit_edge, plain_release

__all__ = ["ARITHMETICS", "last_digits"]

Array = NDArray[np.float64]
ARITHMETICS = ("floating point", "public grid")
_ETAS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
_GAMES, _SHOWN = 8000, 60
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1


class _Games(NamedTuple):
    released: Array
    member: NDArray[np.bool_]
    edge: Array
    by_value: tuple[float, float, float]
    by_digits: tuple[float, float, float]


@lru_cache(maxsize=32)
def _games(arithmetic: str, eta: float) -> _Games:
    """Play with noise that is just enough for eta, in real arithmetic."""
    rng = np.random.default_rng(90)
    sigma = float(mip.gaussian_sigma_for_mip((_IN - _OUT) / 2, eta))
    member = rng.random(_GAMES) < 0.5
    theta = np.where(member, _IN, _OUT)
    if arithmetic == "floating point":
        released = plain_release(theta, sigma, rng)
    else:
        one = np.ones(1)
        noise = mip.Calibration(sigma, eta, "gaussian", 2.0, one, 0 * one, 0, 1.0)
        released = noise.release(theta[:, None], rng)[:, 0]
    edge = last_digit_edge(released, _OUT, _IN, sigma)
    guesses = (released > (_OUT + _IN) / 2, edge > 0)
    rates = [_rate(int((guess == member).sum())) for guess in guesses]
    return _Games(released, member, edge, *rates)


def _rate(right: int) -> tuple[float, float, float]:
    low, high = game.clopper_pearson(right, _GAMES)
    return right / _GAMES, float(low), float(high)


def last_digits(arithmetic: str = "floating point", eta: float = 0.05) -> go.Figure:
    """Draw releases of a mean with and without one record, and two attacks on them.

    Parameters
    ----------
    arithmetic : {"floating point", "public grid"}
        How value and noise are added.
    eta : float
        What the noise promises in real arithmetic, in [0.01, 0.3].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    2012, on Gaussian noise and the average attack.  The data are nineteen 0s and a 1.

    Examples
    --------
    >>> "breaks the promise" in last_digits().layout.meta["sentence"]
    True
    """
    arithmetic = validate.choice("arithmetic", arithmetic, ARITHMETICS)
    eta = validate.number("eta", eta, _ETAS[0], _ETAS[-1])
    here = _games(arithmetic, eta)
    figure = go.Figure()
    shown = slice(0, _SHOWN)
    sure = np.isinf(here.edge[shown])
    height = np.where(here.member[shown], 1.0, 0.0) + 0.25 * np.sin(2.4 * np.arange(_SHOWN))
    for told, name, colour, symbol in (
        (~sure, "digits that both values can give", BLUE, "circle-open"),
        (sure, "digits that the attack holds for proof", ORANGE, "x-thin-open"),
    ):
        figure.add_scatter(
            x=here.released[shown][told],
            y=height[told],
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.8}},
        )
    every = [_games(arithmetic, e) for e in _ETAS]
    for name, rates, colour, symbol in (
        ("attack on the value (estimate, 95%)", [g.by_value for g in every], GREEN, "square"),
        ("attack on all digits (estimate, 95%)", [g.by_digits for g in every], ORANGE, "diamond"),
    ):
        figure.add_scatter(
            x=_ETAS,
            y=[r[0] for r in rates],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": [r[2] - r[0] for r in rates],
                "arrayminus": [r[0] - r[1] for r in rates],
                "thickness": 1.5,
            },
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 9},
            **LOWER,
        )
    figure.add_scatter(
        x=[0.0, _ETAS[-1]],
        y=[0.5, 0.5 + _ETAS[-1]],
        mode="lines",
        name="promised, 1/2 + eta (bound)",
        line={"color": INK, "width": 2},
        **LOWER,
    )
    broken = here.by_digits[1] > 0.5 + eta
    verdict = "breaks the promise" if broken else "gains nothing over the value alone"
    certain = np.isinf(here.edge)
    right = ((here.edge > 0) == here.member)[certain].mean()
    return finish(
        figure,
        sentence=(
            f"Noise for eta = {say(eta)}, added in {_IN_WORDS[arithmetic]}: who looks at the value "
            f"is right {_told(here.by_value)} of the time, who reads all the digits "
            f"{_told(here.by_digits)} (estimates, 95% bands), and at most {percent(0.5 + eta)} was "
            f"promised (bound). Reading the digits {verdict}. In {percent(certain.mean(), 2)} of "
            f"the releases it finds a proof, which is right {percent(float(right), 3)} of the time "
            "(estimates)."
        ),
        alt=(
            f"Above, {_SHOWN} releases, those with the record over those without, spread alike; "
            f"{int(sure.sum())} crosses mark digits that the attack holds for proof. Below, the "
            f"accuracy of two attacks against eta: the one on the value lies on the line one half "
            f"plus eta, the one on the digits {'above' if broken else 'on or below'} it."
        ),
        layout={
            "xaxis": axis("released mean"),
            "yaxis": axis("the 1 was", range=[-0.5, 1.5], tickvals=[0, 1], ticktext=["out", "in"]),
            "xaxis2": axis("eta", range=[0, 0.32]),
            "yaxis2": axis("accuracy", range=[0.45, 0.9]),
            "rows": (0.42, 0.2),
            "height": 600,
        },
    )


_IN_WORDS = {"floating point": "floating point", "public grid": "whole steps of a public grid"}


def _told(rate: tuple[float, float, float]) -> str:
    return f"{percent(rate[0])} ({percent(rate[1])} to {percent(rate[2])})"
