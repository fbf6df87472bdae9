"""Table 1: digits beside their centroids, and accuracy against worst-case security."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import over_rows, scored
from mipbook.mis.discrete import worst_case_securities
from mipbook.stored import limits
from mipbook.stored.limits import ATOMS, CLUSTERINGS, TABLE1_BASE, TABLE1_FACTORS, ladder, scaled, table1
from mipbook.stored.store import load

# What networks are trained on, and what a learner sees: clusters, or clusters with labels.
_CENTROIDS, _RAW, _CLUSTERS, _PAIRS = k.SERIES


@k.cache
def _raw_security(n):
    """Return what raw digits guarantee under the distribution that the clusters are judged by."""
    return float(mis.worst_case_security(table1().raw_law(), n))


@k.cache
def _security(n, of):
    """Return the worst-case security on every clustering, the mean of the trials."""
    return ladder().security(n, of).mean(axis=0)


def _table(n):
    """Return Table 1 at one n: a column for the raw digits and one for each clustering."""
    stored = table1()
    row, places = stored.sizes.index(n), [CLUSTERINGS.index(number) for number in stored.clusters]
    rows = [["", "raw", *(f"K = {number}" for number in stored.clusters)]]
    for name, values in (("raw test", stored.raw), ("centroids", stored.centroids)):
        cells = [
            k.told("{mean}±{spread}%", mean=k.about(c.mean(), ".0f"), spread=k.about(c.std(ddof=1), digits=1))
            for c in 100 * values[:, row].T
        ]
        rows.append([f"right, {name} (estimate)", *cells])
    for of in ATOMS:
        diversity = [float(stored.diversity(number, of).mean()) for number in stored.clusters]
        rows.append([f"C(K), {of} (exact)", *map(k.exact, [mis.diversity(stored.raw_law()), *diversity])])
    for of in ATOMS:
        security = [_raw_security(n), *(float(_security(n, of)[place]) for place in places)]
        rows.append([f"security, {of} (exact)", *map(k.exact, security)])
    return rows


_HIGH, _GAP = 28, 40  # of a picture, and of the space that the lines cross
_READ, _SPY, _ABOVE = 5.8, 0.6, 2.3  # where two rows of a hundred lie, and how far above them words


def _digits(clusters):
    """Draw ten digits, under them the centres of their clusters, and a line from each to its own."""
    digits, centres = ladder().pictures[[0, 1 + CLUSTERINGS.index(clusters)]]
    kinds, which = np.unique(centres.reshape(len(centres), -1), axis=0, return_inverse=True)
    digit = np.arange(len(digits)) + 0.5
    # Centres stand in the order of their digits, so that few lines cross.
    order = np.argsort([digit[which.ravel() == kind].mean() for kind in range(len(kinds))])
    place = np.empty(len(kinds))
    place[order] = (np.arange(len(kinds)) + 0.5) * len(digits) / len(kinds)
    lines = np.zeros((2 * _HIGH + _GAP, _HIGH * len(digits)))
    for places, y, images in ((digit, 0, digits), (place, _HIGH + _GAP, kinds)):
        for at, image in zip(places, images, strict=True):
            left = round(_HIGH * (at - 0.5))
            lines[y : y + _HIGH, left : left + _HIGH] = image.reshape(_HIGH, _HIGH)
    picture = {"type": "heatmap", "name": "digits", "z": lines[::-1].round(3), "zmin": 0, "zmax": 1}
    picture |= {"colorscale": [[0.0, k.marks.BACKGROUND[0]], [1.0, k.INK]], "showscale": False, **k.QUIET}
    which = which.ravel()
    x, y = np.stack([digit, place[which]], axis=1) * _HIGH - 0.5, [_HIGH + _GAP - 1.0, _HIGH + 0.0]
    shares = np.bincount(which)[which] > 1
    sides = (
        ("to its centre", shares | True, k.LEVEL.exact().but(width=2)),
        ("to a shared one", shares, k.IN.but(width=4)),
    )
    tied = [k.curve(n, k.gapped(x[of]), k.gapped([y] * of.sum()), look, **k.QUIET) for n, of, look in sides]
    # The labels stay: under each blur stand those of its digits.
    whose = [", ".join(map(str, np.flatnonzero(which == kind))) for kind in range(len(kinds))]
    blur = place * _HIGH - 0.5, np.full(len(kinds), -7.0)
    said = k.text(
        "labels", *blur, [f"<b>{each}</b>" for each in whose], textfont={"color": k.INK, "size": 14}
    )
    return k.part(picture, tied, said, ghost=[], clusters=clusters, blurs=len(kinds))


@k.cache
def _along(n):
    """Return how often a spy is right at most, and what is read, on all clusterings."""
    read = 100 * ladder().raw[:, table1().sizes.index(n)].mean(axis=0)
    return 100 - 50 * _security(n, ATOMS[1]), read


def _stars(n):
    """Draw what is read of real digits, and that they come with no promise."""
    raw = 100 * float(table1().raw[:, table1().sizes.index(n), 0].mean())
    hidden, high = {"visible": False, "fixedrange": True, "constrain": "domain"}, 2 * _HIGH + _GAP
    said, right = [f"★ real digits: {raw:.0f}", "real digits: no limit"], {"textposition": "middle left"}
    orange = {"textfont": {"color": _RAW.colour}, "lower": True}
    return k.part(
        k.points("real digits", raw, _READ, _RAW.with_symbol("star"), size=18, lower=True, **k.QUIET),
        k.text("from real digits", [101, 101], [_READ + _ABOVE, _SPY + _ABOVE], said, **right, **orange),
        x={**hidden, "range": [-0.5, 279.5]},
        y={**hidden, "range": [-14, high - 0.5], "scaleanchor": "x"},
        **over_rows(0.63, 0.0, (-1.2, 10.6), height=390),
        headline="the network reads {hundred} of 100",
        sentence="From {clusters} blurs it learns to read {hundred} of 100 digits; from real ones, {raw} "
        "(estimates). {share}. A spy, who counts blurs with labels, is right {spied} at most.",
        alt="Above, ten digits, and a line from each down to the centre of its cluster: they share {blurs} "
        "of the {clusters} centres, and under each stand their labels. Below, two rows of a hundred: the "
        "network reads {hundred}; a spy is right {spied} at most. A star, real digits, at {raw}; no limit to "
        "the spy.",
        grab=k.drag("clusters", np.round(_along(n)[1]) - 0.5, _READ, "x2"),
        raw=k.about(raw, ".0f"),
    )


def _here(clusters, n):
    """Light what is read from the reader's clustering, and how often a spy is right."""
    at, count = CLUSTERINGS.index(clusters), k.exact(n, k.count)
    (spied, read), heap = (float(each[at]) for each in _along(n)), k.exact(n / clusters, digits=2)
    return k.part(
        scored(_READ, _ABOVE, "the network reads", round(read), _CENTROIDS, coin=False, size=16),
        scored(_SPY, _ABOVE, "a spy is right, at most", spied, k.MIS, size=16),
        hundred=k.about(read, ".0f"),
        spied=k.exact(spied / 100, k.in_100),
        share=k.told("Each blur hides {heap} of {n} digits on average", heap=heap, n=count)
        if n >= clusters
        else k.told("There are fewer digits, {n}, than blurs", n=count),
    )


@k.figure
def mnist_table(
    # What lies between the stops is not stored, and takes minutes of training.
    clusters: Annotated[int, k.Count(CLUSTERINGS, label="Clusters, K", play=True, between=False)] = 10,
    n: Annotated[int, k.Count([250, 500, 1000, 2000], label="Training digits, n", between=False)] = 2000,
):
    """Draw digits and their centres, what the network reads, and how often a spy can be right.

    Notes
    -----
    Limits paper, Table 1 and Section 6.2: stored runs, ``mipbook.stored.limits``.

    Examples
    --------
    >>> mnist_table(10, 2000).layout.meta["headline"]
    'the network reads 59 of 100'
    """
    return _digits, _here, _stars


_ATOMS = "atoms: clusters", "atoms: with labels"


def trade_off(security, accuracy, numbers, across=(None, None), up=None, names=_ATOMS):
    """Draw accuracy against security, of clusters and with labels, one point for each number of clusters."""
    sides = "middle right", "middle left"
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
    """Return error bars of one standard deviation over the trials; none for a single one."""
    trials = values.shape[axis]
    spread = values.std(axis=axis, ddof=1) if trials > 1 else None
    return {"type": "data", "array": spread, "thickness": 1.5, "visible": trials > 1}


@k.cache
def _by_trial(n):
    """Return the securities of Table 1's clusterings, a row each, of clusters and with labels."""
    return [np.array([table1().security(number, n, of) for number in table1().clusters]) for of in ATOMS]


def _traded(n, test, trials):
    stored = table1()
    accuracy = (stored.raw if test == "raw digits" else stored.centroids)[:trials, stored.sizes.index(n)]
    raw, discretised = float(accuracy[:, 0].mean()), accuracy[:, 1:]
    # One row a clustering, one column a trial.
    security = [values[:, :trials] for values in _by_trial(n)]
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
        "the pool). Raw digits reach {raw} (estimate) at a security of {least}. {drawn}.",
        alt="Accuracy against worst-case security for 10, 30, 100 and 300 clusters: with clusters as atoms "
        "from ({first}, {few}) to ({last}, {many}), with labels to ({pairs}, {many}); a star for raw digits "
        "at ({least}, {star}). {bars}.",
        table=_table(n),
        probe=list(_ATOMS),
        right=k.about(few, k.percent, 2),
        drawn=k.told("Means of {trials} trials", trials=trials) if trials > 1 else "One trial",
        bars="Bars are one standard deviation of the trials" if trials > 1 else "One trial has no bars",
        **k.words(safe=k.exact(float(alone[0]), digits=2), n=n, gain=float(alone[0] - alone[-1])),
        **k.words(k.about, cost=100 * (many - few), few=few, many=many, star=raw),
        **k.words(more=float(labelled[0] - labelled[-1]), raw=k.about(raw, k.percent)),
        **k.words(least=_raw_security(n), first=float(alone[0]), last=float(alone[-1])),
        pairs=float(labelled[-1]),
    )


@k.figure
def mnist_trade_off(
    n: Annotated[int, k.Choice([250, 500, 1000, 2000], label="Training digits, n")] = 1000,
    test: Annotated[str, k.Choice(["raw digits", "their centroids"], label="Tested on")] = "raw digits",
    trials: Annotated[int, k.Choice([1, 3, 5], label="Trials")] = 5,
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


# --- What Table 1 holds fast --------------------------------------------------------------------

_SETTINGS = {
    "training digits, n": "n",
    "width of both layers": "width",
    "learning rate": "learning_rate",
    "iterations": "iterations",
    "samples for clustering": "clustering",
}


@k.cache
def _tried(vary):
    """Return the accuracies at all factors: (trained on raw or on centroids, factors, trials)."""
    run = load(f"table1_vary_{_SETTINGS[vary]}", {"base": TABLE1_BASE, "factors": TABLE1_FACTORS}).arrays
    return np.moveaxis(run["raw"].astype(float), 2, 0)


def _by_factor(vary):
    name, lines = _SETTINGS[vary], []
    values = [k.say(scaled(TABLE1_BASE[name], factor)) for factor in TABLE1_FACTORS]
    sides = (("raw digits (estimate)", _RAW), ("centroids (estimate)", _CENTROIDS))
    for (label, look), tried in zip(sides, _tried(vary), strict=True):
        mean, low, high = (side(axis=1) for side in (tried.mean, tried.min, tried.max))
        bars, said = k.error_bars(mean, low, high, color=look.colour, width=2), f"{vary}: %{{customdata}}: "
        more = {"marked": True, "customdata": values, "hover": said + "right on %{y:.1%}"}
        lines.append(k.curve(label, TABLE1_FACTORS, mean, look, error_y=bars, **more))
    return k.part(
        lines,
        k.level("Table 1's setting", 1, [0, 1]),
        x=k.axis("times Table 1's setting", type="log", tickvals=[0.2, 0.5, 1, 2, 3], range=[-0.75, 0.55]),
        y=k.axis("accuracy on raw digits", range=[0, 1], tickformat=".0%"),
        height=400,
        headline="{right} right on centroids",
        sentence="With {vary} at {value}, {factor} times Table 1's {base}, the network is right on {right} "
        "of raw digits when it was trained on {clusters} centroids, on {raw} when on raw ones (estimates, "
        "{trials} trials each: {low} to {high}, and {least} to {most}).",
        alt="Accuracy on raw digits against {vary}, from a fifth of Table 1's {base} to three times as much: "
        "trained on raw digits from {raw_first} to {raw_last}, on centroids of {clusters} clusters from "
        "{first} to {last}; bars from the lower to the higher of {trials} trials.",
        grab=k.drag("factor", at=0.1),
        probe=["centroids (estimate)", "raw digits (estimate)"],
        **k.words(
            base=k.exact(TABLE1_BASE[name]),
            clusters=limits.TABLE1_CLUSTERS,
            trials=limits.TABLE1_SEEDS,
            vary=vary,
        ),
        **{
            f"{side}{end}": k.about(tried[at].mean(), k.percent)
            for side, tried in zip(("raw_", ""), _tried(vary), strict=True)
            for end, at in (("first", 0), ("last", -1))
        },
    )


def _at_factor(vary, factor):
    raw, right = _tried(vary)[:, TABLE1_FACTORS.index(factor)]
    return k.part(
        k.reading([factor] * 2, [raw.mean(), right.mean()], "your setting"),
        **k.words(value=k.exact(scaled(TABLE1_BASE[_SETTINGS[vary]], factor)), factor=factor),
        **k.words(k.about, k.percent, right=right.mean(), raw=raw.mean(), low=right.min(), high=right.max()),
        **k.words(k.about, k.percent, least=raw.min(), most=raw.max()),
    )


@k.figure
def mnist_training(
    vary: Annotated[str, k.Choice(list(_SETTINGS), label="Vary")] = "training digits, n",
    factor: Annotated[float, k.Stops(TABLE1_FACTORS, 1.0, label="Times its setting", between=False)] = 1.0,
):
    """Draw the accuracy on digits with one setting of Table 1's training times a factor.

    Notes
    -----
    Limits paper, Table 1 and Appendix D, at n = 1,000 and 30 clusters: two trials each, as stored.

    Examples
    --------
    >>> "width of both layers at 384" in mnist_training("width of both layers", 3.0).layout.meta["sentence"]
    True
    """
    return _by_factor, _at_factor


_WEIGHED = (2, 5, 10, 20, 30, 54, 100, 190, 300)
_MANY = [50, 100, 150, 250, 400, 500, 700, 1000, 1400, 2000, 3000, 5000, 10_000, 30_000, 100_000]
_SHARES = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.48, 0.5, 0.52, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8]


@k.cache
def _ratios():
    """Return b / a at all pairs of weights that the panel has stops for, each once."""
    a, b = mis.weights(np.array(_SHARES)[:, None], _SHARES)
    return tuple({round(ratio, 9) for ratio in (b / a).ravel().tolist()})


@k.cache
def _weighed(n, of, gammas):
    """Return the worst-case security on each clustering, the mean of the trials, a row each b / a."""
    pool = [counts for number in _WEIGHED for counts in ladder().pool[number]]
    laws = [(c.sum(axis=1) if of == ATOMS[0] else c.ravel()) / c.sum() for c in pool]
    found = worst_case_securities(laws, n, np.array(gammas)[:, None])
    return found.reshape(len(gammas), len(_WEIGHED), -1).mean(axis=-1)


def _for_weights(n, nu, lam):
    a, b = mis.weights(nu, lam)
    gamma = round(float(b / a), 9)
    gammas = _ratios() if gamma in _ratios() else (gamma,)
    alone, labelled = (_weighed(n, of, gammas)[gammas.index(gamma)] for of in ATOMS)
    said, at = "K = %{x} clusters: security %{y:.3f}", _WEIGHED.index(10)
    return k.part(
        k.curve("clusters (exact)", _WEIGHED, alone, _CLUSTERS, marked=True, hover=said),
        k.curve("with labels (exact)", _WEIGHED, labelled, _PAIRS, marked=True, hover=said),
        x=k.axis("clusters, K", log=True, range=[0.2, 2.6]),
        y=k.axis("worst-case security", range=[-0.03, 1.03]),
        height=400,
        headline="ten clusters with labels: {labelled}",
        sentence="Members weigh {a} and fresh digits {b} here. At n = {n} no learner that sees ten clusters "
        "has a security below {alone}; with labels, {labelled}; with {most} clusters and labels, {last} "
        "(exact for the pool's frequencies).",
        alt="Worst-case security against the number of clusters from 2 to {most}: of clusters, at ten "
        "{alone}, and of clusters with labels, at ten {labelled}, falling to {last}.",
        probe=["with labels (exact)", "clusters (exact)"],
        **k.words(n=n, a=a, b=b, most=_WEIGHED[-1], alone=float(alone[at]), labelled=float(labelled[at])),
        last=float(labelled[-1]),
    )


@k.figure
def mnist_weights(
    n: Annotated[int, k.Count(_MANY, 1000, label="Training digits, n")] = 1000,
    nu: Annotated[float, k.Stops(_SHARES, 0.5, label="Share of fresh digits, ν")] = 0.5,
    lam: Annotated[float, k.Stops(_SHARES, 0.5, label="Weight of members, λ")] = 0.5,
):
    """Draw what discretised digits guarantee at any n and any weights of members and others.

    Notes
    -----
    Limits paper, Table 1, Definition 2 and Theorem 14.

    Examples
    --------
    >>> mnist_weights().layout.meta["headline"]
    'ten clusters with labels: 0.913'
    """
    return _for_weights
