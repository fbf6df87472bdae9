"""Noise against eta for ten numbers of the reader's own and any of five queries."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, INK, ORANGE, PURPLE
from mipbook.explore.controls import UploadedFile
from mipbook.figures.frame import axis, finish
from mipbook.figures.uploads import even_records
from mipbook.figures.words import say
from mipbook.tables import Role, read_columns

__all__ = ["EXAMPLE_NUMBERS", "NUMBER_ROLES", "noise_lab"]

Array = NDArray[np.float64]
EXAMPLE_NUMBERS = {
    "ranks": tuple(float(i) for i in range(10)),
    "incomes": (31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0),
    "two camps": (0.0, 0.1, 0.2, 0.3, 0.4, 9.6, 9.7, 9.8, 9.9, 10.0),
}
NUMBER_ROLES = (Role("value", "Numbers", "is used", "to use", otherwise="place"),)
_QUERIES = ("mean", "median", "maximum", "variance", "one over the sum")
_ETA = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])


@lru_cache(maxsize=8)
def _read(numbers: str | UploadedFile) -> tuple[tuple[float, ...], str]:
    """Return the numbers, and what was read of an own file."""
    if not isinstance(numbers, UploadedFile):
        return EXAMPLE_NUMBERS[numbers], ""
    reading = read_columns(numbers.text, NUMBER_ROLES, numbers.columns)
    reading.check_records(4, 14)
    values, left = even_records(reading, reading.numbers("value")[:, 0], 85)
    return tuple(values.tolist()), reading.say(left)


def _answers(values: Array, query: str) -> tuple[Array, NDArray[np.bool_]]:
    members = mip.subsets(values.size)
    halves = np.stack([values[row] for row in members])
    if query == "mean":
        return halves.mean(axis=1), members
    if query == "median":
        return np.median(halves, axis=1), members
    if query == "maximum":
        return halves.max(axis=1), members
    if query == "variance":
        return halves.var(axis=1), members
    sums = halves.sum(axis=1)
    if np.any(sums == 0):
        raise ValueError("numbers: some half sums to 0, and one over it is infinite")
    return 1 / sums, members


@lru_cache(maxsize=64)
def _query(values: tuple[float, ...], query: str) -> tuple[Array, NDArray[np.bool_], float, float]:
    """Return the answers, the halves, and the average and the largest change of a swap."""
    answers, members = _answers(np.array(values), query)
    one_swap = members.astype(int) @ members.T == members.shape[1] // 2 - 1
    largest = float(np.abs(answers[:, None] - answers)[one_swap].max())
    return answers, members, float(mip.average_sensitivity(answers, members).max()), largest


@lru_cache(maxsize=1024)
def _scales(values: tuple[float, ...], query: str, eta: float) -> tuple[float, ...]:
    """Return the published, corrected, exact and DP scales."""
    answers, members, swap, largest = _query(values, query)
    return (
        float(mip.noise_scale(eta, M=2, as_published=True)) * float(answers.std()),
        float(mip.scale_from_distance(swap, eta)),
        mip.minimal_laplace_scale(answers, members, eta),
        float(mip.laplace_dp_scale(eta, largest)),
    )


def noise_lab(
    numbers: str | UploadedFile = "incomes", query: str = "mean", eta: float = 0.1
) -> go.Figure:
    """Draw the Laplace scale that four routes ask for, on the reader's own numbers.

    Parameters
    ----------
    numbers : str or UploadedFile
        The name of an example, or a CSV file with 4 to 14 numbers in the column for
        `NUMBER_ROLES`; of an odd number one, drawn at random, is left out.
    query : str
        *mean*, *median*, *maximum*, *variance* or *one over the sum*.
    eta : float
        Where to read the curves, in [0.01, 0.45].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range, and for a malformed file.

    Notes
    -----
    MIP paper, Theorem 9 and Corollary 14, with the corrected constant; replace-one
    neighbours among the halves.

    Examples
    --------
    >>> len(noise_lab("ranks").data)
    5
    """
    if not isinstance(numbers, UploadedFile):
        validate.choice("numbers", numbers, tuple(EXAMPLE_NUMBERS))
    values, read = _read(numbers)
    query = validate.choice("query", query, _QUERIES)
    eta = validate.number("eta", eta, float(_ETA[0]), float(_ETA[-1]))
    curves = np.array([_scales(values, query, float(e)) for e in _ETA]).T
    here = _scales(values, query, eta)
    figure = go.Figure()
    for (name, colour, dash, symbol), curve in zip(
        (
            ("published (bound)", ORANGE, "dot", "triangle-up"),
            ("corrected, average sensitivity (bound)", GREEN, "dash", "square"),
            ("smallest sufficient (exact)", PURPLE, "longdashdot", "x"),
            ("through DP (bound)", BLUE, "solid", "circle"),
        ),
        curves,
        strict=True,
    ):
        figure.add_scatter(
            x=_ETA,
            y=curve,
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2.5},
            marker={"symbol": symbol, "size": 7},
        )
    figure.add_scatter(
        x=[eta] * 4,
        y=here,
        mode="markers",
        name="at your eta",
        showlegend=False,
        marker={"color": INK, "symbol": "diamond", "size": 10},
    )
    published, corrected, exact, dp = (say(v) for v in here)
    return finish(
        figure,
        sentence=(
            f"For the {query} of a random half of these {len(values)} numbers at eta = {say(eta)}, "
            f"a Laplace scale of {exact} is enough and no smaller one is (exact). The corrected "
            f"bound asks for {corrected}, DP for {dp}, the published one for {published} "
            f"(bounds). Neighbours: replace one record."
        ),
        alt=(
            f"Noise scale on a logarithmic axis against eta. At eta = {say(eta)}: published "
            f"{published}, DP {dp}, corrected {corrected}, smallest sufficient {exact}. Where the "
            f"exact need is 0, its curve leaves the picture."
        ),
        layout={
            "xaxis": axis("eta, the edge over a coin", range=[0, 0.47]),
            "yaxis": axis("Laplace scale of the noise", log=True),
            "height": 440,
        },
        read=read,
    )
