"""Table 1: digits beside their centroids, accuracy and worst-case security."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from explorable.palette import GREY, INK, fill
from explorable.panels import Count, Part, declared, layer, stacked
from mipbook import mis
from mipbook.base.rounding import down
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import Trace, band, curve, level, reading
from mipbook.figures.mis.mnist.shared import CENTROIDS, CLUSTERS, PAIRS, RAW
from mipbook.figures.words import percent, say
from mipbook.stored.digits import ATOMS, CLUSTERINGS, ladder, table1

__all__ = ["mnist_table"]

Array = NDArray[np.float64]


def _accuracy(values: Array) -> str:
    """Write the mean over the trials and their standard deviation, in one piece."""
    mean, deviation = 100 * float(values.mean()), 100 * float(values.std(ddof=1))
    return f"{mean:.0f}±{say(deviation, 1)}%"


@lru_cache(maxsize=4)
def raw_security(n: int) -> float:
    """Return what raw digits guarantee under the distribution that the clusters are judged by."""
    return float(np.asarray(mis.worst_case_security(table1().raw_law(), n)))


@lru_cache(maxsize=8)
def _security(n: int, of: str) -> Array:
    """Return the worst-case security on every clustering, the mean of the trials."""
    return np.asarray(ladder().security(n, of).mean(axis=0))


def _table(n: int) -> list[list[str]]:
    """Return Table 1 at one n: a column for the raw digits and one for each clustering."""
    stored = table1()
    row, kinds = stored.sizes.index(n), stored.clusters
    rows = [["", "raw", *(f"K = {k}" for k in kinds)]]
    for name, values in (
        ("right, raw test (estimate)", stored.raw),
        ("right, centroids (estimate)", stored.centroids),
    ):
        rows.append([name, *(_accuracy(column) for column in values[:, row].T)])
    raw_diversity = say(mis.diversity(stored.raw_law()))
    for of in ATOMS:
        cells = (say(float(stored.diversity(k, of).mean())) for k in kinds)
        rows.append([f"C(K), {of} (exact)", raw_diversity, *cells])
    for of in ATOMS:
        cells = (say(float(_security(n, of)[CLUSTERINGS.index(k)])) for k in kinds)
        rows.append([f"security, {of} (exact)", say(raw_security(n)), *cells])
    return rows


def _digits(clusters: int) -> Part:
    """Draw ten digits in the upper row, their centroids in the lower, the last line first."""
    shown = ladder().pictures[[0, 1 + CLUSTERINGS.index(clusters)]]
    lines = np.concatenate([np.concatenate(list(row), axis=1) for row in shown])
    picture: Trace = {
        "type": "heatmap",
        "name": "digits",
        "z": np.asarray(lines[::-1]).round(3),
        "colorscale": [[0.0, fill(GREY)], [1.0, INK]],
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return Part([picture], words={"K": str(clusters)})


def _layout() -> dict[str, Any]:
    hidden = {"visible": False, "fixedrange": True, "constrain": "domain"}
    layout: dict[str, Any] = {
        "xaxis": {**hidden, "range": [-0.5, 279.5]},
        "yaxis": {**hidden, "range": [-0.5, 55.5], "scaleanchor": "x"},
        "xaxis2": axis("clusters, K", log=True, range=[0, 3]),
        "yaxis2": axis("share", range=[0, 1.02]),
        "height": 460,
    }
    for name, place in two_rows(0.4, 0.06).items():
        layout[name] = {**layout[name], **place}
    return layout


def _curves(n: int) -> Part:
    """Draw means over the trials against K, and one standard deviation around the accuracy."""
    stored = table1()
    row = stored.sizes.index(n)
    accuracy, raw = ladder().raw[:, row], stored.raw[:, row, 0]
    mean, spread = accuracy.mean(axis=0), accuracy.std(axis=0, ddof=1)
    right, safe = "right on %{y:.1%}", "security at least %{customdata:.3g}"
    lines = [
        curve(
            name,
            CLUSTERINGS,
            y,
            look,
            hovertemplate=f"K = %{{x}}: {told}<extra></extra>",
            customdata=[down(value, 3) for value in y],
        )
        for name, y, look, told in (
            ("accuracy, centroids", mean, CENTROIDS, right),
            ("security, clusters", _security(n, ATOMS[0]), CLUSTERS, safe),
            ("security, with labels", _security(n, ATOMS[1]), PAIRS, safe),
        )
    ]
    traces = [
        band("± one deviation", CLUSTERINGS, mean - spread, mean + spread, CENTROIDS, **LOWER),
        level("accuracy, raw", [1, 1000], float(raw.mean()), RAW, **LOWER),
        *({**line, **LOWER} for line in lines),
    ]
    sentence = (
        f"Trained on the centroids of {{K}} clusters, n = {n:,} of them, the network is right on "
        f"{{right}} ± {{spread}} of raw digits; on raw ones, {percent(float(raw.mean()))} "
        "(estimates, five trials). No learner that sees clusters has a security below {alone}; "
        "with labels, {labelled} (exact for the pool's frequencies)."
    )
    alt = (
        "Above, ten digits and below each the centroid of its cluster, one of {K}. Under them "
        f"curves against K from 2 to 300: accuracy on raw digits, {say(float(raw.mean()))}, a "
        "level line; accuracy with centroids, rising, at your K {right}; worst-case security of "
        "clusters, {alone}, and of clusters with labels, {labelled}, falling."
    )
    handle = {"x": list(CLUSTERINGS), "y": mean.tolist()}
    meta = {
        "headline": "{count} of 100 digits recognised",
        "sentence": sentence,
        "alt": alt,
        "table": _table(n),
        "grab": [{"control": "clusters", "axis": "x2", "track": handle}],
        "probe": [line["name"] for line in lines],
    }
    return Part(traces, _layout(), meta=meta)


def _here(clusters: int, n: int) -> Part:
    place = CLUSTERINGS.index(clusters)
    accuracy = ladder().raw[:, table1().sizes.index(n), place]
    right = float(accuracy.mean())
    alone, labelled = (float(_security(n, of)[place]) for of in ATOMS)
    words = {
        "count": f"{100 * right:.0f}",
        "right": percent(right),
        "spread": say(100 * float(accuracy.std(ddof=1)), 1),
        "alone": say(alone),
        "labelled": say(labelled),
    }
    here = reading([clusters] * 3, [right, alone, labelled], "your K", **LOWER)
    return Part([here], words=words)


@declared
def mnist_table(
    clusters: Annotated[int, Count(CLUSTERINGS, label="Clusters, K", play=True, between=False)] = 10,
    n: Annotated[int, Count([250, 500, 1000, 2000], label="Training digits, n", between=False)] = 2000,
) -> go.Figure:
    """Draw digits and their centroids, and what the discretisation costs and buys.

    Notes
    -----
    Limits paper, Table 1 and Section 6.2: stored runs, `mipbook.stored.digits`
    and `mipbook.stored.digits`.

    Examples
    --------
    >>> len(mnist_table(10, 250).layout.meta["table"])
    7
    """
    # What lies between the stops is not stored, and takes minutes of training.
    return stacked(
        layer(_digits, clusters=clusters), layer(_curves, n=n), layer(_here, clusters=clusters, n=n)
    )
