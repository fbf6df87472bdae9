"""Noise against eta for ten numbers of the reader's own and any of five queries."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, File, Part, UploadedFile, declared, layer, stacked
from explorable.tables import Role, read_columns
from mipbook import mip
from mipbook.base.types import Array
from mipbook.figures.frame import axis
from mipbook.figures.looks import DP, MIP, PUBLISHED
from mipbook.figures.marks import curve, reading
from mipbook.figures.mip.promises import promise
from mipbook.figures.uploads import even_records
from mipbook.figures.words import say

__all__ = ["EXAMPLE_NUMBERS", "NUMBER_ROLES", "noise_lab"]

EXAMPLE_NUMBERS = {
    "ranks": tuple(float(i) for i in range(10)),
    "incomes": (31.0, 34.0, 36.0, 38.0, 40.0, 41.0, 43.0, 46.0, 49.0, 92.0),
    "two camps": (0.0, 0.1, 0.2, 0.3, 0.4, 9.6, 9.7, 9.8, 9.9, 10.0),
}
NUMBER_ROLES = (Role("value", "Numbers", "is used", "to use", otherwise="place"),)
_QUERIES = ["mean", "median", "maximum", "variance", "one over the sum"]
_PROMISES = promise(0.01, 0.45)
_DRAWN = np.array([0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45])
_ROUTES = {
    "published (bound)": PUBLISHED,
    "corrected, average sensitivity (bound)": MIP.bound(),
    "smallest sufficient (exact)": MIP,
    "through DP (bound)": DP,
}


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
    """Return the query's answer on every half, and the halves."""
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
    average = float(mip.average_sensitivity(answers, members).max())
    return answers, members, average, mip.largest_sensitivity(answers, members)


@lru_cache(maxsize=1024)
def _scales(values: tuple[float, ...], query: str, eta: float) -> tuple[float, ...]:
    """Return the published, corrected, exact and DP scales."""
    answers, members, average, largest = _query(values, query)
    return (
        float(mip.noise_scale(eta, M=2, as_published=True)) * float(answers.std()),
        float(mip.scale_from_distance(average, eta)),
        mip.minimal_laplace_scale(answers, members, eta),
        float(mip.laplace_dp_scale(eta, largest)),
    )


def _routes(numbers: str | UploadedFile, query: str) -> Part:
    """Return what each route asks for, along all of eta."""
    values, read = _read(numbers)
    curves = np.array([_scales(values, query, float(e)) for e in _DRAWN]).T
    traces = [
        curve(
            name,
            _DRAWN,
            scale,
            look,
            marked=True,
            hovertemplate="η = %{x}: a scale of %{y:.3g}<extra></extra>",
        )
        for (name, look), scale in zip(_ROUTES.items(), curves, strict=True)
    ]
    seen = np.log10(curves[curves > 0])
    ends = [float(np.floor(seen.min())), float(np.ceil(seen.max()))] if seen.size else [-1.0, 1.0]
    layout = {
        "xaxis": axis("η, the edge over a coin toss", range=[0, 0.47]),
        "yaxis": axis("Laplace scale of the noise", log=True, range=ends),
        "height": 400,
    }
    probe = [trace["name"] for trace in traces]
    stops = _PROMISES.stops
    track = {"x": stops, "y": mip.laplace_dp_scale(stops, _query(values, query)[3])}
    meta: dict[str, Any] = {
        "probe": probe,
        "ghost": probe[2:3],
        "grab": [{"control": "eta", "axis": "x", "track": track}],
        "moving_axes": "numbers and queries have units of their own",
        **({"read": read} if read else {}),
    }
    return Part(traces, layout, {"people": str(len(values))}, meta)


def _at_eta(numbers: str | UploadedFile, query: str, eta: float) -> Part:
    """Return what each route asks for at the reader's eta."""
    values, _ = _read(numbers)
    scales = _scales(values, query, eta)
    published, corrected, exact, dp = map(say, scales)
    sentence = (
        f"For the {query} of a random half of these {{people}} numbers at η = {say(eta)}, a "
        f"Laplace scale of {exact} is enough and no smaller one is (exact). The corrected bound "
        f"asks for {corrected}, DP for {dp}, the published one for {published} (bounds). "
        "Neighbours: replace one record."
    )
    alt = (
        f"Noise scale on a logarithmic axis against eta. At eta = {say(eta)}: published "
        f"{published}, DP {dp}, corrected {corrected}, smallest sufficient {exact}. Where the "
        f"exact need is 0, its curve leaves the picture."
    )
    headline = f"a scale of {exact} is enough"
    here = reading([eta] * 4, scales, "at your η")
    return Part([here], meta={"sentence": sentence, "alt": alt, "headline": headline})


@declared
def noise_lab(
    numbers: Annotated[
        str | UploadedFile, File(EXAMPLE_NUMBERS, roles=NUMBER_ROLES, label="Numbers")
    ] = "ranks",
    query: Annotated[str, Choice(_QUERIES, label="Query")] = "mean",
    eta: Annotated[float, _PROMISES] = 0.1,
) -> go.Figure:
    """Draw the Laplace scale that four routes ask for, on the reader's own numbers.

    A file holds 4 to 14 numbers; of an odd number one, drawn at random, is left out.

    Notes
    -----
    MIP paper, Theorem 9 and Corollary 14, with the corrected constant; replace-one
    neighbours among the halves.

    Examples
    --------
    >>> len(noise_lab("ranks").data)
    5
    """
    return stacked(
        layer(_routes, numbers=numbers, query=query), layer(_at_eta, numbers=numbers, query=query, eta=eta)
    )
