"""The release of random records: safe from reconstruction, and no protection at all."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import game
from mipbook.explore import Choice, Count, Slider, declared
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.looks import BEST, IN, LEVEL
from mipbook.figures.marks import bars, level, points
from mipbook.figures.words import percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["half_sample"]

# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS = 20


@lru_cache(maxsize=16)
def _order(n: int) -> NDArray[np.int64]:
    """Return the order in which records are drawn: the released ones only ever grow."""
    return np.random.default_rng(n).permutation(n)


def _exposed(n: int, released: int) -> str:
    """Say who is recognised, and what the release is good for."""
    if not released:
        return "Nobody is drawn, so nobody is exposed, and nothing is learnt (exact)."
    laws = sampling_mechanism(released / n)
    (tpr, _) = game.finite_rates(laws, [False, True])
    # Half ones, half zeros: the data whose mean is hardest to estimate.
    error = game.sample_mean_error(np.arange(n) % 2, released)
    return (
        f"Yet each of the {released} who were drawn is recognised with certainty: TPR "
        f"{percent(float(tpr))} at FPR 0, accuracy {percent(game.optimal_accuracy(laws))}, and no "
        f"epsilon is large enough while delta is below {say(float(tpr))} (exact, one record "
        f"replaced). The released mean of a yes-or-no question is off by {say(error, 2)} "
        f"(standard deviation, exact, half the records yes)."
    )


@declared
def half_sample(
    n: Annotated[int, Choice([10, 20, 50, 100, 200], label="Records, n")] = 100,
    fraction: Annotated[float, Slider(0, 1, step=0.05, label="Share released")] = 0.5,
    values: Annotated[int, Count([2, 3, 10, 100], label="Values a record can have")] = 2,
) -> go.Figure:
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Notes
    -----
    Lecture notes, section 2.  A record that is not released has one of so many equally likely
    values.

    Examples
    --------
    >>> "(exact)" in half_sample(10, 0.5).layout.meta["sentence"]
    True
    """
    released = round(fraction * n)
    law = game.rows_recovered(n, released, 1 / values)
    needed = math.ceil(_BLATANT * n)
    rebuilt = game.reconstruction_probability(n, released, 1 / values, _BLATANT)
    average = float(law @ np.arange(n + 1))
    likely = np.flatnonzero(law > 1e-6)
    drawn, hidden = np.sort(_order(n)[:released]), np.sort(_order(n)[released:])

    def places(name: str, records: NDArray[np.int64], symbol: str) -> dict[str, object]:
        look = (IN if symbol == "square" else LEVEL).with_symbol(symbol)
        x, y = records % _COLUMNS, -(records // _COLUMNS)
        return points(name, x, y, look, size=11, hoverinfo="name", **LOWER)

    return finish(
        [
            bars("how likely so many records are right (exact)", likely, law[likely], BEST),
            level(
                f"from here on: reconstructed ({percent(_BLATANT)} right)",
                needed,
                [0, float(law.max()) * 1.05],
            ),
            places("released: membership is certain", drawn, "square"),
            places("not released: hidden", hidden, "circle-open"),
        ],
        sentence=(
            f"{released} of {n} records are released. The best attacker gets {say(average)} right "
            f"on average, and {needed} or more with probability {say(rebuilt)} (exact). "
            f"{_exposed(n, released)}"
        ),
        alt=(
            f"Above, a bar chart of how many of {n} records the attacker gets right, centred at "
            f"{say(average)}, with a line at {needed}. Below, {n} marks for the records, "
            f"{released} filled squares that are exposed and {n - released} open circles."
        ),
        layout={
            "xaxis": axis("records right", range=[-0.5, n + 0.5]),
            "yaxis": axis("probability", rangemode="tozero"),
            "xaxis2": {"visible": False, "range": [-0.7, min(n, _COLUMNS) - 0.3]},
            "yaxis2": {"visible": False, "range": [-((n - 1) // _COLUMNS) - 0.7, 0.7]},
            "rows": (0.55, 0.22),
            "height": 520,
            "bargap": 0.1,
        },
    )
