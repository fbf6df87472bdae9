"""Noise against eta for ten numbers of the reader's own and any of five queries."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mip, validate
from mipbook.explore.controls import UploadedFile
from mipbook.figures.style import axis, finish
from mipbook.figures.words import say
from mipbook.palette import BLUE, GREEN, INK, ORANGE, PURPLE

__all__ = ["EXAMPLE_NUMBERS", "noise_lab", "read_numbers"]

Array = NDArray[np.float64]
EXAMPLE_NUMBERS = {
    "ranks": tuple(float(i) for i in range(10)),
    "incomes": (31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0),
    "two camps": (0.0, 0.1, 0.2, 0.3, 0.4, 9.6, 9.7, 9.8, 9.9, 10.0),
}
_QUERIES = ("mean", "median", "maximum", "variance", "one over the sum")
_ETA = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])


def read_numbers(text: str) -> Array:
    r"""Return the numbers of a file: one a row, or separated by commas, semicolons or spaces.

    Parameters
    ----------
    text : str
        Its content; 4 to 14 numbers, an even count.  A first row of words is skipped.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        With the row and what stands there.

    Notes
    -----
    MIP paper, Definition 1: halves need an even count.

    Examples
    --------
    >>> read_numbers("1, 2\n3 4").tolist()
    [1.0, 2.0, 3.0, 4.0]
    """
    if not isinstance(text, str):
        validate.refuse("text", text, "the content of a file, a string")
    numbers: list[float] = []
    for row, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        for word in line.replace(",", " ").replace(";", " ").split():
            try:
                value = float(word)
            except ValueError:
                if row == 1:
                    continue
                raise ValueError(f"row {row}: {word!r} is not a number") from None
            if not np.isfinite(value):
                raise ValueError(f"row {row}: {word!r} is not a finite number")
            numbers.append(value)
    if len(numbers) not in range(4, 15, 2):
        raise ValueError(f"the file holds {len(numbers)} numbers; 4, 6, ... or 14 are needed")
    return np.array(numbers)


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
        The name of an example, or a file with 4 to 14 numbers.
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
    if isinstance(numbers, UploadedFile):
        values = tuple(read_numbers(numbers.text).tolist())
    else:
        values = EXAMPLE_NUMBERS[validate.choice("numbers", numbers, tuple(EXAMPLE_NUMBERS))]
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
    )
