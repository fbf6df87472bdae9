"""Two questions that sound alike: was she in the study, and is she like those in the study."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtr

from mipbook.base import validate
from mipbook.base.palette import BLUE, INK, ORANGE
from mipbook.figures.frame import axis, finish
from mipbook.figures.words import percent, say

__all__ = ["blood_pressure"]

_DISTANCES = np.linspace(0.0, 4.0, 41)


@lru_cache(maxsize=256)
def _within(n: int) -> float:
    """Return the best accuracy against a random person of the study's own population.

    Without her the mean is N(0, 1/n) around the population's, with her, whose deviation is
    x, it is N(x/n, (n-1)/n^2); the densities cross at two points.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    first, second = 1 / n, (n - 1) / n**2
    shift = nodes / n
    # Equal log densities: a quadratic a z^2 + b z + c = 0.
    a = 1 / second - 1 / first
    b = -2 * shift / second
    c = shift**2 / second + np.log(second / first)
    root = np.sqrt(np.maximum(b * b - 4 * a * c, 0.0))
    low, high = (-b - root) / (2 * a), (-b + root) / (2 * a)

    def inside(mean: np.ndarray | float, variance: float) -> np.ndarray:
        sd = np.sqrt(variance)
        return np.asarray(ndtr((high - mean) / sd) - ndtr((low - mean) / sd))

    distance = np.abs(inside(shift, second) - inside(0.0, first))
    return float(0.5 + (weights * distance).sum() / 2)


def blood_pressure(distance: float = 1.5, n: int = 20) -> go.Figure:
    """Draw how well an attacker tells patients from everybody, and members from patients.

    Parameters
    ----------
    distance : float
        How far the patients' mean lies above everybody's, in standard deviations, in [0, 4].
    n : int
        Patients in the study whose mean blood pressure is published, in [2, 10,000].

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    MIP paper, section 3.2.

    Examples
    --------
    >>> "77.3%" in blood_pressure(1.5).layout.meta["sentence"]
    True
    """
    distance = validate.number("distance", distance, 0.0, 4.0)
    n = validate.integer("n", n, 2, 10_000)
    within = _within(n)
    everybody = float(ndtr(distance / 2))
    figure = go.Figure()
    for name, curve, colour, dash in (
        ("member or anybody at all? (exact)", ndtr(_DISTANCES / 2), ORANGE, "dash"),
        ("member or another patient? (exact)", np.full(_DISTANCES.size, within), BLUE, "solid"),
    ):
        figure.add_scatter(
            x=_DISTANCES,
            y=curve,
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash, "width": 3},
        )
    figure.add_scatter(
        x=[distance, distance],
        y=[everybody, within],
        mode="markers",
        name="at your distance",
        showlegend=False,
        marker={"color": INK, "symbol": "diamond", "size": 11},
    )
    return finish(
        figure,
        sentence=(
            f"Knowing only that the study was about patients, one tells a member from a random "
            f"person {percent(everybody)} of the time (exact), whatever the study publishes. "
            f"Telling a member from another patient by the published mean of {n} succeeds "
            f"{percent(within)} of the time at best (exact, by quadrature)."
        ),
        alt=(
            f"Accuracy against the distance of the two populations. The dashed curve, member or "
            f"anybody, rises from one half to 0.98; the solid line, member or another patient, "
            f"stays at {say(within)}. At distance {say(distance)} the dashed one is at "
            f"{say(everybody)}."
        ),
        layout={
            "xaxis": axis("distance of patients from everybody, in standard deviations"),
            "yaxis": axis("best accuracy", range=[0.48, 1.01]),
            "height": 400,
        },
    )
