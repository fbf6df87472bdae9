"""The release of random records: safe from reconstruction, and no protection at all."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go

from mipbook import game
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say
from mipbook.mechanisms import sampling_mechanism

__all__ = ["half_sample"]

_SIZES = (10, 20, 50, 100, 200)
# So many of the records right, and the data set counts as reconstructed.
_BLATANT = 0.95
_COLUMNS = 20


def half_sample(n: int = 100, fraction: float = 0.5, values: int = 2) -> go.Figure:
    """Draw how many records an attacker rebuilds from a random part, and who is exposed.

    Parameters
    ----------
    n : int
        Records in the data set, one of 10, 20, 50, 100, 200.
    fraction : float
        Share of the records that is released, in [0, 1].
    values : int
        How many equally likely values a record that is not released can have, in [2, 1000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Lecture notes, section 2.

    Examples
    --------
    >>> "(exact)" in half_sample(10, 0.5).layout.meta["sentence"]
    True
    """
    n = validate.choice("n", validate.integer("n", n, 1), _SIZES)
    fraction = validate.number("fraction", fraction, 0.0, 1.0)
    values = validate.integer("values", values, 2, 1000)
    released = round(fraction * n)
    law = game.rows_recovered(n, released, 1 / values)
    needed = math.ceil(_BLATANT * n)
    rebuilt = game.reconstruction_probability(n, released, 1 / values, _BLATANT)
    average = float(law @ np.arange(n + 1))
    laws = sampling_mechanism(released / n)
    accuracy = game.optimal_accuracy(laws)
    (tpr, _) = game.finite_rates(laws, [False, True])
    # The same order for every fraction, so that the released ones only ever grow.
    order = np.random.default_rng(n).permutation(n)
    drawn = np.zeros(n, dtype=bool)
    drawn[order[:released]] = True
    figure = go.Figure()
    likely = np.flatnonzero(law > 1e-6)
    figure.add_bar(
        x=likely,
        y=law[likely],
        name="how likely so many records are right (exact)",
        marker={"color": BLUE},
    )
    figure.add_scatter(
        x=[needed, needed],
        y=[0, float(law.max()) * 1.05],
        mode="lines",
        name=f"from here on: reconstructed ({percent(_BLATANT)} right)",
        line={"color": INK, "dash": "dash", "width": 2},
    )
    for flag, name, colour, symbol in (
        (True, "released: membership is certain", ORANGE, "square"),
        (False, "not released: hidden", GREY, "circle-open"),
    ):
        where = np.flatnonzero(drawn == flag)
        figure.add_scatter(
            x=where % _COLUMNS,
            y=-(where // _COLUMNS),
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 11, "line": {"width": 2}},
            hoverinfo="name",
            **LOWER,
        )
    # Half ones, half zeros: the data whose mean is hardest to estimate.
    if released:
        error = game.sample_mean_error(np.arange(n) % 2, released)
        useful = (
            f" The released mean of a yes-or-no question is off by {say(error, 2)} (standard "
            "deviation, exact, half the records yes)."
        )
    else:
        useful = ""
    exposed = (
        f"Yet each of the {released} who were drawn is recognised with certainty: TPR "
        f"{percent(float(tpr))} at FPR 0, accuracy {percent(accuracy)}, and no epsilon is large "
        f"enough while delta is below {say(float(tpr))} (exact, one record replaced)."
        if released
        else "Nobody is drawn, so nobody is exposed, and nothing is learnt (exact)."
    )
    sentence = (
        f"{released} of {n} records are released. The best attacker gets {say(average)} right on "
        f"average, and {needed} or more with probability {say(rebuilt)} (exact). {exposed}{useful}"
    )
    return finish(
        figure,
        sentence=sentence,
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
