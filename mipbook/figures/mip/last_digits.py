"""The last digits give it away: the same noise, added in floating point and on a grid."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game
from mipbook.explore import Choice, Stops, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import MIP, SERIES, Look
from mipbook.figures.marks import Trace, curve, error_bars, points
from mipbook.figures.words import percent, say
from mipbook.release.last_digits import DigitGames, digit_games

__all__ = ["last_digits"]

_ETAS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3]
_GAMES, _SHOWN = 8000, 60
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1
_IN_WORDS = {"floating point": "floating point", "public grid": "whole steps of a public grid"}


@lru_cache(maxsize=32)
def _games(arithmetic: str, eta: float) -> DigitGames:
    rng = np.random.default_rng(90)
    return digit_games(_OUT, _IN, eta, _GAMES, rng, on_grid=arithmetic == "public grid")


def _by_value(played: DigitGames) -> tuple[float, float, float]:
    return _rate((played.released > (_OUT + _IN) / 2) == played.member)


def _by_digits(played: DigitGames) -> tuple[float, float, float]:
    return _rate((played.edge > 0) == played.member)


def _rate(right: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the share of right guesses, and the ends of its interval."""
    low, high = game.clopper_pearson(int(right.sum()), right.size)
    return float(right.mean()), float(low), float(high)


def _in_words(rate: tuple[float, float, float]) -> str:
    return f"{percent(rate[0])} ({percent(rate[1])} to {percent(rate[2])})"


def _accuracies(name: str, rates: list[tuple[float, float, float]], look: Look) -> Trace:
    values, low, high = np.transpose(rates)
    return points(name, _ETAS, values, look, size=9, error_y=error_bars(values, low, high), **LOWER)


@lru_cache(maxsize=4)
def _measured(arithmetic: str) -> list[Trace]:
    """Return how often both attacks are right, at every eta."""
    every = [_games(arithmetic, eta) for eta in _ETAS]
    by_value, by_digits = map(_by_value, every), map(_by_digits, every)
    return [
        _accuracies("attack on the value (estimate, 95%)", list(by_value), SERIES[0]),
        _accuracies("attack on all digits (estimate, 95%)", list(by_digits), SERIES[1]),
    ]


@declared
def last_digits(
    arithmetic: Annotated[
        str, Choice(_IN_WORDS.keys(), label="Value and noise are added in")
    ] = "floating point",
    eta: Annotated[float, Stops(_ETAS, label="Promise, eta")] = 0.05,
) -> go.Figure:
    """Draw releases of a mean with and without one record, and two attacks on them.

    The data are nineteen 0s and a 1.  The noise keeps the promise in real arithmetic.

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    2012, on Gaussian noise and the average attack.

    Examples
    --------
    >>> "breaks the promise" in last_digits().layout.meta["sentence"]
    True
    """
    played = _games(arithmetic, eta)
    shown = slice(0, _SHOWN)
    proof = np.isinf(played.edge[shown])
    height = np.where(played.member[shown], 1.0, 0.0) + 0.25 * np.sin(2.4 * np.arange(_SHOWN))

    def digits(name: str, kept: NDArray[np.bool_], look: Look) -> Trace:
        return points(name, played.released[shown][kept], height[kept], look, size=9)

    certain = np.isinf(played.edge)
    right = float(((played.edge > 0) == played.member)[certain].mean())
    by_value, by_digits = _by_value(played), _by_digits(played)
    broken = by_digits[1] > 0.5 + eta
    verdict = "breaks the promise" if broken else "gains nothing over the value alone"
    ends = np.array([0.0, _ETAS[-1]])
    return finish(
        [
            digits(
                "digits that both values can give", ~proof, SERIES[0].with_symbol("circle-open")
            ),
            digits(
                "digits that the attack holds for proof",
                proof,
                SERIES[1].with_symbol("x-thin-open"),
            ),
            *_measured(arithmetic),
            curve("promised, 1/2 + eta (bound)", ends, 0.5 + ends, MIP.bound(), **LOWER),
        ],
        sentence=(
            f"Noise for eta = {say(eta)}, added in {_IN_WORDS[arithmetic]}: who looks at the value "
            f"is right {_in_words(by_value)} of the time, who reads all the digits "
            f"{_in_words(by_digits)} (estimates, 95% bands), and at most "
            f"{percent(0.5 + eta)} was promised (bound). Reading the digits {verdict}. In "
            f"{percent(certain.mean(), 2)} of the releases it finds a proof, which is right "
            f"{percent(right, 3)} of the time (estimates)."
        ),
        alt=(
            f"Above, {_SHOWN} releases, those with the record over those without, spread alike; "
            f"{int(proof.sum())} crosses mark digits that the attack holds for proof. Below, the "
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
