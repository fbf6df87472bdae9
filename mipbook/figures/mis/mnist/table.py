"""Table 1: digits beside their centroids, accuracy and worst-case security."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base.palette import GREY, INK, fill
from mipbook.explore import Choice, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, curve, level
from mipbook.figures.mis.mnist.shared import CENTROIDS, CLUSTERS, PAIRS, RAW
from mipbook.figures.words import percent, say
from mipbook.runs.table1 import ATOMS, table1

__all__ = ["mnist_table"]

Array = NDArray[np.float64]


def _with_deviation(values: Array) -> str:
    """Write the mean over the trials and their standard deviation."""
    return f"{say(float(values.mean()))} ± {say(float(values.std(ddof=1)), 1)}"


@lru_cache(maxsize=4)
def _digits(clusters: int) -> Trace:
    """Draw digits in the upper row, their centroids in the lower, the last line first."""
    stored = table1()
    rows = stored.pictures[[0, 1 + stored.clusters.index(clusters)]].reshape(2, -1, 28, 28)
    lines = np.concatenate([np.concatenate(list(row), axis=1) for row in rows])
    return {
        "type": "heatmap",
        "name": "digits",
        "z": np.asarray(lines[::-1] / 255).round(3),
        "colorscale": [[0.0, fill(GREY)], [1.0, INK]],
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "hoverinfo": "skip",
    }


@lru_cache(maxsize=8)
def _security(clusters: int, of: str) -> Array:
    """Return the worst-case security, of shape (trials, sizes)."""
    stored = table1()
    return np.array([stored.security(clusters, size, of) for size in stored.sizes]).T


@lru_cache(maxsize=8)
def _diversity(clusters: int, of: str) -> Array:
    return table1().diversity(clusters, of)


@lru_cache(maxsize=4)
def raw_security(n: int) -> float:
    """Return what raw digits guarantee under the law that the clusters are judged by."""
    return float(np.asarray(mis.worst_case_security(table1().raw_law(), n)))


@lru_cache(maxsize=4)
def _table(n: int) -> list[list[str]]:
    """Return Table 1 at one n: a column for the raw digits and one for each clustering."""
    stored = table1()
    row, kinds = stored.sizes.index(n), stored.clusters
    rows = [["", "raw", *(f"K = {k}" for k in kinds), "kind"]]
    for name, values in (
        ("accuracy, raw test", stored.raw),
        ("accuracy, discretised test", stored.centroids),
    ):
        rows.append([name, *(_with_deviation(column) for column in values[:, row].T), "estimate"])
    raw_diversity = say(mis.diversity(stored.raw_law()))
    for of in ATOMS:
        cells = (_with_deviation(_diversity(k, of)) for k in kinds)
        rows.append([f"C_K, {of}", raw_diversity, *cells, "exact for the pool"])
    for of in ATOMS:
        cells = (_with_deviation(_security(k, of)[:, row]) for k in kinds)
        rows.append([f"security, {of}", say(raw_security(n)), *cells, "exact for the pool"])
    return rows


def _curves(clusters: int, n: int) -> list[Trace]:
    """Draw means over the trials against n, with one standard deviation."""
    stored = table1()
    column = 1 + stored.clusters.index(clusters)
    return [
        *(
            curve(
                name,
                stored.sizes,
                values.mean(axis=0),
                look,
                marked=True,
                error_y={"type": "data", "array": values.std(axis=0, ddof=1), "thickness": 1.5},
                **LOWER,
            )
            for name, values, look in (
                ("accuracy, raw", stored.raw[:, :, 0], RAW),
                ("accuracy, centroids", stored.raw[:, :, column], CENTROIDS),
                ("security, clusters", _security(clusters, ATOMS[0]), CLUSTERS),
                ("security, with labels", _security(clusters, ATOMS[1]), PAIRS),
            )
        ),
        level("your n", n, [0.0, 1.0], looks.READING, **LOWER),
    ]


@declared
def mnist_table(
    clusters: Annotated[int, Choice([10, 30, 100, 300], label="Clusters, K")] = 100,
    n: Annotated[int, Choice([250, 500, 1000, 2000], label="Training digits, n")] = 1000,
) -> go.Figure:
    """Draw digits and their centroids, and what the discretisation costs and buys.

    Notes
    -----
    Limits paper, Table 1: stored runs, `mipbook.runs.table1`.

    Examples
    --------
    >>> len(mnist_table(10, 250).layout.meta["table"])
    7
    """
    stored = table1()
    column, row = 1 + stored.clusters.index(clusters), stored.sizes.index(n)
    raw, coarse = stored.raw[:, row, 0], stored.raw[:, row, column]
    constant = [float(_diversity(clusters, of).mean()) for of in ATOMS]
    safe = [float(_security(clusters, of)[:, row].mean()) for of in ATOMS]
    lost = 100 * float((raw - coarse).mean()), 100 * float((raw - coarse).std(ddof=1))
    return finish(
        [_digits(clusters), *_curves(clusters, n)],
        sentence=(
            f"With n = {n:,} digits the network reaches {percent(float(raw.mean()))} (estimate). "
            f"Trained on the centroids of {clusters} clusters it loses "
            f"{say(lost[0])} ± {say(lost[1], 1)} points (estimate, five trials). The "
            f"clusters have C_K = {say(constant[0])}, and no learner that sees them alone has a "
            f"security below {say(safe[0])}; with the labels it is C_K = {say(constant[1])} and "
            f"{say(safe[1])} (exact for the pool's frequencies). Raw digits have "
            f"{say(raw_security(n))} in the same pool, and nothing where no picture comes twice."
        ),
        alt=(
            f"Above, four digits and below each the centroid of its cluster, one of {clusters}. "
            f"Under them curves against n from 250 to 2,000: accuracy on raw digits, at your n "
            f"{say(float(raw.mean()))}, accuracy with centroids {say(float(coarse.mean()))}, "
            f"worst-case security of clusters {say(safe[0])} and of clusters with labels "
            f"{say(safe[1])}."
        ),
        layout={
            "xaxis": {"visible": False, "fixedrange": True, "constrain": "domain"},
            "yaxis": {
                "visible": False,
                "fixedrange": True,
                "scaleanchor": "x",
                "constrain": "domain",
            },
            "xaxis2": axis(
                "training records, n",
                type="log",
                tickvals=list(stored.sizes),
                range=[math.log10(200), math.log10(2500)],
            ),
            "yaxis2": axis("share", range=[0, 1.02]),
            "rows": (0.36, 0.1),
            "height": 620,
        },
        table=[list(row) for row in _table(n)],
    )
