"""Table 1: digits beside their centroids, and accuracy against worst-case security."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.stored.digits import ATOMS, CLUSTERINGS, ladder, table1

# What networks are trained on, and what a learner sees: clusters, or clusters with labels.
_CENTROIDS, _RAW, _CLUSTERS, _PAIRS = k.SERIES


@k.cache
def _raw_security(n):
    """Return what raw digits guarantee under the distribution that the clusters are judged by."""
    return float(np.asarray(mis.worst_case_security(table1().raw_law(), n)))


@k.cache
def _security(n, of):
    """Return the worst-case security on every clustering, the mean of the trials."""
    return np.asarray(ladder().security(n, of).mean(axis=0))


def _table(n):
    """Return Table 1 at one n: a column for the raw digits and one for each clustering."""
    stored = table1()
    row, places = stored.sizes.index(n), [CLUSTERINGS.index(number) for number in stored.clusters]
    rows = [["", "raw", *(f"K = {number}" for number in stored.clusters)]]
    for name, values in (("raw test", stored.raw), ("centroids", stored.centroids)):
        columns = [100 * column for column in values[:, row].T]
        cells = [
            k.told("{mean}±{spread}%", mean=k.about(c.mean(), ".0f"), spread=k.about(c.std(ddof=1), digits=1))
            for c in columns
        ]
        rows.append([f"right, {name} (estimate)", *cells])
    for of in ATOMS:
        diversity = [float(stored.diversity(number, of).mean()) for number in stored.clusters]
        rows.append([f"C(K), {of} (exact)", *map(k.exact, [mis.diversity(stored.raw_law()), *diversity])])
    for of in ATOMS:
        security = [_raw_security(n), *(float(_security(n, of)[place]) for place in places)]
        rows.append([f"security, {of} (exact)", *map(k.exact, security)])
    return rows


def _digits(clusters):
    """Draw ten digits in the upper row, their centroids in the lower, the last line first."""
    shown = ladder().pictures[[0, 1 + CLUSTERINGS.index(clusters)]]
    lines = np.concatenate([np.concatenate(list(row), axis=1) for row in shown])
    picture = {
        "type": "heatmap",
        "name": "digits",
        "z": lines[::-1].round(3),
        "colorscale": [[0.0, k.fill(k.GREY)], [1.0, k.INK]],
        "zmin": 0,
        "zmax": 1,
        "showscale": False,
        "showlegend": False,
        "hoverinfo": "skip",
    }
    return k.part(picture, clusters=clusters)


def _curves(n):
    """Draw means over the trials against K, and one standard deviation around the accuracy."""
    row = table1().sizes.index(n)
    accuracy, raw = ladder().raw[:, row], float(table1().raw[:, row, 0].mean())
    mean, spread = accuracy.mean(axis=0), accuracy.std(axis=0, ddof=1)
    right, safe = "right on %{y:.1%}", "security at least %{customdata:.3g}"
    lines = []
    for name, y, look, said in (
        ("accuracy, centroids", mean, _CENTROIDS, right),
        ("security, clusters", _security(n, ATOMS[0]), _CLUSTERS, safe),
        ("security, with labels", _security(n, ATOMS[1]), _PAIRS, safe),
    ):
        more = {"hover": f"K = %{{x}}: {said}", "customdata": [k.down(value, 3) for value in y]}
        lines.append(k.curve(name, CLUSTERINGS, y, look, lower=True, **more))
    hidden = {"visible": False, "fixedrange": True, "constrain": "domain"}
    return k.part(
        k.band("± one deviation", CLUSTERINGS, mean - spread, mean + spread, _CENTROIDS, lower=True),
        k.level("accuracy, raw", [1, 1000], raw, _RAW, lower=True),
        lines,
        x={**hidden, "range": [-0.5, 279.5]},
        y={**hidden, "range": [-0.5, 55.5], "scaleanchor": "x"},
        x2=k.axis("clusters, K", log=True, range=[0, 3]),
        y2=k.axis("share", range=[0, 1.02]),
        rows=(0.4, 0.06),
        height=460,
        headline="{hundred} of 100 digits recognised",
        sentence="Trained on the centroids of {clusters} clusters, n = {n} of them, the network is right on "
        "{right} ± {spread} of raw digits; on raw ones, {raw} (estimates, five trials). No learner that sees "
        "clusters has a security below {alone}; with labels, {labelled} (exact for the pool's frequencies).",
        alt="Above, ten digits and below each the centroid of its cluster, one of {clusters}. Under them "
        "curves against K from 2 to 300: accuracy on raw digits, {level}, a level line; accuracy with "
        "centroids, rising, at your K {right}; worst-case security of clusters, {alone}, and of clusters "
        "with labels, {labelled}, falling.",
        table=_table(n),
        grab=k.drag("clusters", CLUSTERINGS, mean, along="x2"),
        probe=[line["name"] for line in lines],
        n=n,
        raw=k.about(raw, k.percent),
        level=k.about(raw),
    )


def _here(clusters, n):
    place = CLUSTERINGS.index(clusters)
    accuracy = ladder().raw[:, table1().sizes.index(n), place]
    right = float(accuracy.mean())
    alone, labelled = (float(_security(n, of)[place]) for of in ATOMS)
    return k.part(
        k.reading([clusters] * 3, [right, alone, labelled], "your K", lower=True),
        hundred=k.about(100 * right, ".0f"),
        right=k.about(right, k.percent),
        spread=k.about(100 * float(accuracy.std(ddof=1)), digits=1),
        alone=alone,
        labelled=labelled,
    )


@k.figure
def mnist_table(
    # What lies between the stops is not stored, and takes minutes of training.
    clusters: Annotated[int, k.Count(CLUSTERINGS, label="Clusters, K", play=True, between=False)] = 10,
    n: Annotated[int, k.Count([250, 500, 1000, 2000], label="Training digits, n", between=False)] = 2000,
):
    """Draw digits and their centroids, and what the discretisation costs and buys.

    Notes
    -----
    Limits paper, Table 1 and Section 6.2: stored runs, ``mipbook.stored.digits``
    and ``mipbook.stored.digits``.

    Examples
    --------
    >>> len(mnist_table(10, 250).layout.meta["table"])
    7
    """
    return _digits, _curves, _here


def trade_off(security, accuracy, numbers, across=(None, None), up=None):
    """Draw accuracy against security, of clusters and with labels, one point for each number of clusters."""
    names, sides = ("atoms: clusters", "atoms: with labels"), ("middle right", "middle left")
    more = {"marked": True, "mode": "lines+markers+text", "text": [str(number) for number in numbers]}
    more |= {"error_y": up, "hover": "K = %{text}: right on %{y:.1%}, security %{x:.3f}"}
    traces = []
    for name, x, bars, look, side in zip(names, security, across, (_CLUSTERS, _PAIRS), sides, strict=True):
        text = {"textposition": side, "textfont": {"color": look.colour}, "error_x": bars}
        traces.append(k.curve(name, x, accuracy, look, **text, **more))
    return traces


def raw_star(name, security, accuracy):
    """Mark the network that was trained on raw records."""
    return k.points(name, security, accuracy, _RAW.with_symbol("star"), size=14)


def _deviations(values, axis):
    """Return error bars of one standard deviation over the trials."""
    return {"type": "data", "array": values.std(axis=axis, ddof=1), "thickness": 1.5}


def _traded(n, test):
    stored = table1()
    accuracy = (stored.raw if test == "raw digits" else stored.centroids)[:, stored.sizes.index(n)]
    raw, discretised = float(accuracy[:, 0].mean()), accuracy[:, 1:]
    # One row a clustering, one column a trial.
    security = [np.array([stored.security(number, n, of) for number in stored.clusters]) for of in ATOMS]
    alone, labelled = (values.mean(axis=1) for values in security)
    few, many = (float(discretised[:, end].mean()) for end in (0, -1))
    across = [_deviations(values, 1) for values in security]
    ends = discretised.mean(axis=0), stored.clusters
    return k.part(
        trade_off((alone, labelled), *ends, across=across, up=_deviations(discretised, 0)),
        raw_star("raw digits", _raw_security(n), raw),
        x=k.axis("worst-case security", range=[-0.05, 1.1]),
        y=k.axis("accuracy", range=[0.3, 1.0]),
        height=430,
        headline="10 clusters: {right} right, security {safe}",
        sentence=f"At n = {{n}}, tested on {test}: going from 300 clusters to 10 costs {{cost}} points of "
        "accuracy (estimate) and raises the worst-case security by {gain}, with labels by {more} (exact for "
        "the pool). Raw digits reach {raw} (estimate) at a security of {least}.",
        alt="Accuracy against worst-case security for 10, 30, 100 and 300 clusters: with clusters as atoms "
        "from ({first}, {few}) to ({last}, {many}), with labels to ({pairs}, {many}); a star for raw digits "
        "at ({least}, {star}). Bars are one standard deviation.",
        probe=["atoms: clusters", "atoms: with labels"],
        right=k.about(few, k.percent, 2),
        safe=k.exact(float(alone[0]), digits=2),
        n=n,
        cost=k.about(100 * (many - few)),
        gain=float(alone[0] - alone[-1]),
        more=float(labelled[0] - labelled[-1]),
        raw=k.about(raw, k.percent),
        least=_raw_security(n),
        first=float(alone[0]),
        few=k.about(few),
        last=float(alone[-1]),
        many=k.about(many),
        pairs=float(labelled[-1]),
        star=k.about(raw),
    )


@k.figure
def mnist_trade_off(
    n: Annotated[int, k.Choice([250, 500, 1000, 2000], label="Training digits, n")] = 1000,
    test: Annotated[str, k.Choice(["raw digits", "their centroids"], label="Tested on")] = "raw digits",
):
    """Draw accuracy against worst-case security, one point for each clustering.

    Notes
    -----
    Limits paper, Section 6.2, and Theorem 14 for the security.

    Examples
    --------
    >>> len(mnist_trade_off(250).data)
    3
    """
    return _traded
