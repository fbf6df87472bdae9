"""Two questions that sound alike: was she in the study, and is she like those in the study."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from scipy.special import ndtr

from mipbook import mip
from mipbook.explore import Count, Slider, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.looks import SERIES
from mipbook.figures.marks import curve, reading
from mipbook.figures.words import percent, say

__all__ = ["blood_pressure"]

_DISTANCES = np.linspace(0.0, 4.0, 41)
_AGAINST_ANYBODY = ndtr(_DISTANCES / 2)


@declared
def blood_pressure(
    distance: Annotated[float, Slider(0, 4, step=0.25, label="Distance of patients")] = 1.5,
    n: Annotated[int, Count([2, 5, 10, 20, 50, 200, 1000], label="Patients in the study, n")] = 20,
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
    within = mip.peer_accuracy(n)
    everybody = float(ndtr(distance / 2))
    level = np.full(_DISTANCES.size, within)
    return finish(
        [
            curve("member or anybody at all? (exact)", _DISTANCES, _AGAINST_ANYBODY, SERIES[1]),
            curve("member or another patient? (exact)", _DISTANCES, level, SERIES[0]),
            reading([distance, distance], [everybody, within], "at your distance"),
        ],
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
