"""The last digits give it away: the same noise, added in floating point and on a grid."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, declared
from mipbook import game
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import ATTACK, MIP, SERIES, Look
from mipbook.figures.marks import Trace, bars, error_bars, level, points
from mipbook.figures.mip.promises import promise
from mipbook.figures.words import percent
from mipbook.release.attack import DigitGames, digit_games

__all__ = ["last_digits"]

_GAMES, _SHOWN = 4000, 60
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1
_GRID = "public grid"
_READ = ["the value", "all digits"]


@lru_cache(maxsize=64)
def _games(arithmetic: str, eta: float) -> DigitGames:
    rng = np.random.default_rng(90)
    return digit_games(_OUT, _IN, eta, _GAMES, rng, on_grid=arithmetic == _GRID)


def _rate(right: NDArray[np.bool_]) -> tuple[float, float, float]:
    """Return the share of right guesses, and the ends of its interval."""
    low, high = game.clopper_pearson(int(right.sum()), right.size)
    return float(right.mean()), float(low), float(high)


def _in_words(rate: tuple[float, float, float]) -> str:
    return f"{percent(rate[0])} ({percent(rate[1])} to {percent(rate[2])})"


def _releases(played: DigitGames) -> list[Trace]:
    """Return some releases, those with the record above those without, and the proofs."""
    shown = slice(0, _SHOWN)
    proof = np.isinf(played.edge[shown])
    height = np.where(played.member[shown], 1.0, 0.0) + 0.25 * np.sin(2.4 * np.arange(_SHOWN))

    def digits(name: str, kept: NDArray[np.bool_], look: Look) -> Trace:
        return points(name, played.released[shown][kept], height[kept], look, size=9)

    return [
        digits("digits that both can give", ~proof, SERIES[0].with_symbol("circle-open")),
        digits("digits taken for proof", proof, ATTACK.with_symbol("x-thin-open")),
    ]


def _bar(place: int, rate: tuple[float, float, float], look: Look, pattern: str = "") -> Trace:
    """Return how often an attack is right, from the coin's one half up."""
    name = _READ[place]
    value, low, high = rate
    return bars(
        f"by {name} (estimate, 95%)",
        [place],
        [value - 0.5],
        look,
        pattern,
        base=0.5,
        error_y=error_bars([value], [low], [high]),
        hovertemplate=f"who reads {name} is right {percent(value)} of the time<extra></extra>",
        showlegend=False,
        **LOWER,
    )


@declared
def last_digits(
    arithmetic: Annotated[
        str, Choice(["floating point", _GRID], label="Noise is added in / on")
    ] = "floating point",
    eta: Annotated[float, promise(0.01, 0.3)] = 0.05,
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
    certain = np.isinf(played.edge)
    right = float(((played.edge > 0) == played.member)[certain].mean())
    by_value = _rate((played.released > (_OUT + _IN) / 2) == played.member)
    by_digits = _rate((played.edge > 0) == played.member)
    broken = by_digits[1] > 0.5 + eta
    verdict = "breaks the promise" if broken else "gains nothing over the value alone"
    promised = percent(0.5 + eta)
    upper = _releases(played)
    return finish(
        [
            *upper,
            _bar(0, by_value, SERIES[0]),
            _bar(1, by_digits, SERIES[1], "/"),
            level("promised, 1/2 + η (bound)", [-0.6, 1.6], 0.5 + eta, MIP.bound(), **LOWER),
        ],
        sentence=(
            f"Promised: right at most {promised} of the time (bound). Who reads all the digits is "
            f"right {_in_words(by_digits)}, who looks at the value {_in_words(by_value)} "
            f"(estimates, 95%). Reading the digits {verdict}; what it takes for proof is right "
            f"{percent(right, 3)} of the time."
        ),
        alt=(
            f"{_SHOWN} releases, those with the record over those without, spread alike; crosses "
            f"mark {upper[1]['x'].size} whose digits the attack holds for proof. Beside them two "
            f"bars of accuracy: the value's ends at the promised line, {promised}, the digits' "
            f"{'far above' if broken else 'at or below'} it."
        ),
        layout={
            "xaxis": axis("released mean", range=[-1.3, 1.4]),
            "yaxis": axis("the 1 was", range=[-0.5, 1.5], tickvals=[0, 1], ticktext=["out", "in"]),
            "xaxis2": axis("who reads", range=[-0.6, 1.6], tickvals=[0, 1], ticktext=_READ),
            "yaxis2": axis("how often right", range=[0.48, 1.0]),
            "rows": (0.5, 0.2),
            "height": 400,
        },
        beside=0.58,
        headline=f"{percent(by_digits[0])} right, {promised} promised",
    )
