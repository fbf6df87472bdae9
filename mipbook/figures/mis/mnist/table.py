"""Table 1: digits beside their centroids, accuracy and worst-case security."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, fill
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say
from mipbook.runs.table1 import ATOMS, table1

__all__ = ["mnist_table", "mnist_trade_off"]

Array = NDArray[np.float64]


def _spread(values: Array) -> tuple[float, float]:
    """Return the mean over the trials, and their standard deviation."""
    return float(values.mean()), float(values.std(ddof=1))


def _told(values: Array) -> str:
    mean, deviation = _spread(values)
    return f"{say(mean)} ± {say(deviation, 1)}"


def _picture(clusters: int) -> Array:
    """Return digits in the upper row, their centroids in the lower, the last line first."""
    stored = table1()
    rows = stored.pictures[[0, 1 + stored.clusters.index(clusters)]].reshape(2, -1, 28, 28)
    lines = np.concatenate([np.concatenate(list(row), axis=1) for row in rows])
    return np.asarray(lines[::-1] / 255).round(3)


def _rows(n: int) -> list[list[str]]:
    """Return Table 1 at one n: a column for the raw digits and one for each clustering."""
    stored = table1()
    row, kinds = stored.sizes.index(n), stored.clusters
    rows = [["", "raw", *(f"K = {k}" for k in kinds), "kind"]]
    for name, values in (
        ("accuracy, raw test", stored.raw),
        ("accuracy, discretised test", stored.centroids),
    ):
        rows.append([name, *(_told(column) for column in values[:, row].T), "estimate"])
    raw = say(mis.diversity(stored.raw_law())), say(_raw_security(n))
    for of in ATOMS:
        found = (_told(stored.diversity(k, of)) for k in kinds)
        rows.append([f"C_K, {of}", raw[0], *found, "exact for the pool"])
    for of in ATOMS:
        found = (_told(stored.security(k, n, of)) for k in kinds)
        rows.append([f"security, {of}", raw[1], *found, "exact for the pool"])
    return rows


def _raw_security(n: int) -> float:
    """Return what raw digits guarantee under the law that the clusters are judged by."""
    return float(mis.worst_case_security(table1().raw_law(), n))


def mnist_table(clusters: int = 100, n: int = 1000) -> go.Figure:
    """Draw digits and their centroids, and what the discretisation costs and buys.

    Parameters
    ----------
    clusters : {10, 30, 100, 300}
        K, the clusters that replace the digits.
    n : {250, 500, 1000, 2000}
        Records in the training set.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument that is not stored.

    Notes
    -----
    Limits paper, Table 1: stored runs, `mipbook.runs.table1`.

    Examples
    --------
    >>> len(mnist_table(10, 250).layout.meta["table"])
    7
    """
    stored = table1()
    clusters = validate.choice("clusters", clusters, stored.clusters)
    n = validate.choice("n", n, stored.sizes)
    column, row = 1 + stored.clusters.index(clusters), stored.sizes.index(n)
    figure = go.Figure()
    figure.add_heatmap(
        z=_picture(clusters),
        colorscale=[[0.0, fill(GREY)], [1.0, INK]],
        zmin=0,
        zmax=1,
        showscale=False,
        hoverinfo="skip",
        name="digits",
    )
    security = {
        of: np.array([stored.security(clusters, size, of) for size in stored.sizes]).T
        for of in ATOMS
    }
    for name, values, colour, dash, symbol in (
        ("accuracy, raw", stored.raw[:, :, 0], GREY, "dash", "square-open"),
        ("accuracy, centroids", stored.raw[:, :, column], BLUE, "solid", "circle"),
        ("security, clusters", security[ATOMS[0]], GREEN, "dot", "diamond"),
        ("security, with labels", security[ATOMS[1]], PURPLE, "dashdot", "x"),
    ):
        figure.add_scatter(
            x=stored.sizes,
            y=values.mean(axis=0),
            error_y={"type": "data", "array": values.std(axis=0, ddof=1), "thickness": 1.5},
            mode="lines+markers",
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 9},
            **LOWER,
        )
    figure.add_scatter(
        x=[n, n],
        y=[0.0, 1.0],
        mode="lines",
        name="your n",
        line={"color": ORANGE, "dash": "longdash", "width": 1.5},
        hoverinfo="skip",
        **LOWER,
    )
    raw, coarse = stored.raw[:, row, 0], stored.raw[:, row, column]
    constant = [_spread(stored.diversity(clusters, of))[0] for of in ATOMS]
    safe = [_spread(security[of][:, row])[0] for of in ATOMS]
    lost = _spread(raw - coarse)
    return finish(
        figure,
        sentence=(
            f"With n = {n:,} digits the network reaches {percent(float(raw.mean()))} (estimate). "
            f"Trained on the centroids of {clusters} clusters it loses "
            f"{say(100 * lost[0])} ± {say(100 * lost[1], 1)} points (estimate, five trials). The "
            f"clusters have C_K = {say(constant[0])}, and no learner that sees them alone has a "
            f"security below {say(safe[0])}; with the labels it is C_K = {say(constant[1])} and "
            f"{say(safe[1])} (exact for the pool's frequencies). Raw digits have "
            f"{say(_raw_security(n))} in the same pool, and nothing where no picture comes twice."
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
        table=_rows(n),
    )


def mnist_trade_off(n: int = 1000, test: str = "raw digits") -> go.Figure:
    """Draw accuracy against worst-case security, one point for each clustering.

    Parameters
    ----------
    n : {250, 500, 1000, 2000}
        Records in the training set.
    test : {"raw digits", "their centroids"}
        What the networks are tested on.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument that is not stored.

    Notes
    -----
    Limits paper, Section 6.2, and Theorem 14 for the security.

    Examples
    --------
    >>> len(mnist_trade_off(250).data)
    3
    """
    stored = table1()
    n = validate.choice("n", n, stored.sizes)
    test = validate.choice("test", test, ("raw digits", "their centroids"))
    row = stored.sizes.index(n)
    accuracy = (stored.raw if test == "raw digits" else stored.centroids)[:, row]
    figure = go.Figure()
    safe = {}
    for of, name, colour, dash, symbol, place in (
        (ATOMS[0], "atoms: clusters", GREEN, "dot", "diamond", "middle right"),
        (ATOMS[1], "atoms: with labels", PURPLE, "dashdot", "x", "middle left"),
    ):
        security = np.array([stored.security(k, n, of) for k in stored.clusters])
        safe[of] = security.mean(axis=1)
        figure.add_scatter(
            x=safe[of],
            y=accuracy[:, 1:].mean(axis=0),
            error_x={"type": "data", "array": security.std(axis=1, ddof=1), "thickness": 1.5},
            error_y={
                "type": "data",
                "array": accuracy[:, 1:].std(axis=0, ddof=1),
                "thickness": 1.5,
            },
            mode="lines+markers+text",
            text=[str(k) for k in stored.clusters],
            textposition=place,
            textfont={"color": colour},
            name=name,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"color": colour, "symbol": symbol, "size": 10},
        )
    raw = float(accuracy[:, 0].mean())
    figure.add_scatter(
        x=[_raw_security(n)],
        y=[raw],
        mode="markers",
        name="raw digits",
        marker={"color": ORANGE, "symbol": "star", "size": 14},
    )
    few, many = accuracy[:, 1].mean(), accuracy[:, -1].mean()
    gain = [float(safe[of][0] - safe[of][-1]) for of in ATOMS]
    return finish(
        figure,
        sentence=(
            f"At n = {n:,}, tested on {test}: going from 300 clusters to 10 costs "
            f"{say(100 * float(many - few))} points of accuracy (estimate) and raises the "
            f"worst-case security by {say(gain[0])} when only clusters are seen, by "
            f"{say(gain[1])} when labels are (exact for the pool's frequencies). Raw digits reach "
            f"{percent(raw)} (estimate) at a guaranteed security of {say(_raw_security(n))} in the "
            f"same pool. Bars are one standard deviation over five trials."
        ),
        alt=(
            f"Accuracy against worst-case security for 10, 30, 100 and 300 clusters: with clusters "
            f"as atoms from ({say(float(safe[ATOMS[0]][0]))}, {say(float(few))}) to "
            f"({say(float(safe[ATOMS[0]][-1]))}, {say(float(many))}), with labels to "
            f"({say(float(safe[ATOMS[1]][-1]))}, {say(float(many))}); a star for raw digits at "
            f"({say(_raw_security(n))}, {say(raw)})."
        ),
        layout={
            "xaxis": axis("worst-case security", range=[-0.05, 1.1]),
            "yaxis": axis("accuracy", range=[0.3, 1.0]),
            "height": 440,
        },
    )
