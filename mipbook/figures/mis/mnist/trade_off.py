"""Accuracy against worst-case security, one point for each number of clusters."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.panels import Choice, declared
from mipbook.figures.frame import axis, finish
from mipbook.figures.mis.mnist.shared import raw_star, trade_off
from mipbook.figures.mis.mnist.table import raw_security
from mipbook.figures.words import percent, say
from mipbook.stored.digits import ATOMS, table1

__all__ = ["mnist_trade_off"]

_TESTED_ON = ("raw digits", "their centroids")


def _deviations(values: NDArray[np.float64], axis: int) -> dict[str, Any]:
    """Return error bars of one standard deviation over the trials."""
    return {"type": "data", "array": values.std(axis=axis, ddof=1), "thickness": 1.5}


@declared
def mnist_trade_off(
    n: Annotated[int, Choice([250, 500, 1000, 2000], label="Training digits, n")] = 1000,
    test: Annotated[str, Choice(_TESTED_ON, label="Tested on")] = _TESTED_ON[0],
) -> go.Figure:
    """Draw accuracy against worst-case security, one point for each clustering.

    Notes
    -----
    Limits paper, Section 6.2, and Theorem 14 for the security.

    Examples
    --------
    >>> len(mnist_trade_off(250).data)
    3
    """
    stored = table1()
    row = stored.sizes.index(n)
    accuracy = (stored.raw if test == _TESTED_ON[0] else stored.centroids)[:, row]
    raw, discretised = float(accuracy[:, 0].mean()), accuracy[:, 1:]
    # One row a clustering, one column a trial.
    security = [np.array([stored.security(k, n, of) for k in stored.clusters]) for of in ATOMS]
    alone, labelled = (values.mean(axis=1) for values in security)
    few, many = (float(discretised[:, end].mean()) for end in (0, -1))
    gain = [float(safe[0] - safe[-1]) for safe in (alone, labelled)]
    return finish(
        [
            *trade_off(
                (alone, labelled),
                discretised.mean(axis=0),
                stored.clusters,
                across=(_deviations(security[0], 1), _deviations(security[1], 1)),
                up=_deviations(discretised, 0),
            ),
            raw_star("raw digits", raw_security(n), raw),
        ],
        headline=f"10 clusters: {percent(few, 2)} right, security {say(float(alone[0]), 2)}",
        sentence=(
            f"At n = {n:,}, tested on {test}: going from 300 clusters to 10 costs "
            f"{say(100 * (many - few))} points of accuracy (estimate) and raises the worst-case "
            f"security by {say(gain[0])}, with labels by {say(gain[1])} (exact for the pool). Raw "
            f"digits reach {percent(raw)} (estimate) at a security of {say(raw_security(n))}."
        ),
        alt=(
            f"Accuracy against worst-case security for 10, 30, 100 and 300 clusters: with clusters "
            f"as atoms from ({say(float(alone[0]))}, {say(few)}) to "
            f"({say(float(alone[-1]))}, {say(many)}), with labels to "
            f"({say(float(labelled[-1]))}, {say(many)}); a star for raw digits at "
            f"({say(raw_security(n))}, {say(raw)}). Bars are one standard deviation."
        ),
        layout={
            "xaxis": axis("worst-case security", range=[-0.05, 1.1]),
            "yaxis": axis("accuracy", range=[0.3, 1.0]),
            "height": 430,
        },
        probe=["atoms: clusters", "atoms: with labels"],
    )
