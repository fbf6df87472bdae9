"""Two questions that sound alike: was she in the study, and is she like those in the study."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtr
from scipy.stats import norm

from explorable.palette import fill
from explorable.panels import Count, Part, Slider, declared, layer, stacked
from mipbook import mip
from mipbook.figures.frame import LOWER, axis, placed
from mipbook.figures.looks import IN, LEVEL, SERIES
from mipbook.figures.marks import Trace, bars, curve, level
from mipbook.figures.words import percent, say

__all__ = ["blood_pressure"]

_X = np.linspace(-3.5, 7.5, 111)
_SIZES = [2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 200, 500, 1000]
_AGAINST = ["anybody", "a patient"]
_PATIENTS, _EVERYBODY = IN, SERIES[1]


def _people(distance: float) -> Part:
    """Return the two populations, and how well a member is told from everybody."""
    everybody = float(ndtr(distance / 2))
    right = percent(everybody)
    traces = [
        curve("everybody (exact)", _X, np.round(norm.pdf(_X), 4), _EVERYBODY, hoverinfo="skip"),
        curve(
            "patients (exact)",
            _X,
            np.round(norm.pdf(_X - distance), 4),
            _PATIENTS,
            hoverinfo="skip",
            fill="tozeroy",
            fillcolor=fill(_PATIENTS.colour),
        ),
        level("where the guess turns", [distance / 2] * 2, [0.0, 0.42]),
        _bar(0, everybody, SERIES[1].colour, "/"),
    ]
    meta = {
        "headline": f"{right} against anybody",
        "grab": [{"control": "distance", "axis": "x", "at": 0.4}],
        "ghost": ["patients (exact)"],
        "beside": 0.6,
    }
    return Part(traces, words={"everybody": right, "at": say(distance)}, meta=meta)


def _bar(place: int, accuracy: float, colour: str, pattern: str = "") -> Trace:
    """Return one of the two accuracies, from the coin's up."""
    against = _AGAINST[place]
    return bars(
        f"member or {against}? (exact)",
        [against],
        [accuracy - 0.5],
        LEVEL,
        base=0.5,
        marker={"color": colour, **({"pattern": {"shape": pattern}} if pattern else {})},
        text=[percent(accuracy)],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
        **LOWER,
    )


def _study(n: int) -> Part:
    """Return how well a member is told from another patient by the published mean."""
    within = mip.peer_accuracy(n)
    layout = {
        "xaxis": axis("blood pressure, in standard deviations", range=[-3.5, 7.5]),
        "yaxis": {"range": [0, 0.43], "visible": False},
        "xaxis2": axis("told from", type="category", range=[-0.6, 1.6], tickangle=0),
        "yaxis2": axis("best accuracy", range=[0.5, 1.04]),
        "rows": (0.55, 0.2),
        "height": 380,
    }
    sentence = (
        "One tells a member from a random person {everybody} of the time (exact), whatever the "
        f"study publishes. From another patient, by the published mean of {n}, at best "
        f"{percent(within)} (exact, by quadrature)."
    )
    alt = (
        "Two bell curves of blood pressure, everybody's around 0 and the patients' around {at}. "
        "Beside them two bars that start at one half: a member told from anybody reaches "
        f"{{everybody}}, from another patient {percent(within)}."
    )
    return Part([_bar(1, within, IN.colour)], placed(layout), meta={"sentence": sentence, "alt": alt})


@declared
def blood_pressure(
    distance: Annotated[float, Slider(0, 4, step=0.125, label="How far patients stand off")] = 1.5,
    n: Annotated[int, Count(_SIZES, label="Patients in the study, n")] = 20,
) -> go.Figure:
    """Draw how well an attacker tells patients from everybody, and members from patients.

    The distance is that of the patients' mean from everybody's, in standard deviations.

    Notes
    -----
    MIP paper, section 3.2.

    Examples
    --------
    >>> "77.3%" in blood_pressure(1.5).layout.meta["sentence"]
    True
    """
    return stacked(layer(_people, distance=distance), layer(_study, n=n))
