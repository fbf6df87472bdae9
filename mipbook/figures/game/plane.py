"""The ROC plane: its axes, what figures draw in it, what DP allows, what the best spy does in noise."""

from typing import Annotated

import numpy as np
from scipy.special import ndtr

import mipbook.figures.kit as k
from mipbook import tradeoff

# The least rate on a logarithmic axis; what would lie below is cut there.
FLOOR = 1e-4
# What a point of a curve says to who points at it.
SPOKEN = {"hovertemplate": "accuse %{x:.2%}, find %{y:.2%}<extra></extra>"}
_LINEAR = 0.5 - 0.5 * np.cos(np.linspace(0, np.pi, 73))
_LOG = np.concatenate([np.geomspace(FLOOR, 0.5, 65)[:-1], np.linspace(0.5, 1, 9)])


def grid(axes):
    """Return the false positive rates at which curves are drawn."""
    return _LINEAR if axes == "linear" else _LOG


def rate_axes(axes):
    """Return the two axes of the ROC plane."""
    log = axes == "logarithmic"
    span = [float(np.log10(FLOOR)), 0.02] if log else [-0.01, 1.01]
    return {
        "xaxis": k.axis("wrong accusations, FPR", log=log, range=span),
        "yaxis": k.axis("members found, TPR", log=log, range=span),
    }


def shown(rates, axes):
    """Cut rates at the floor of a logarithmic axis."""
    found = np.asarray(rates)
    return np.maximum(found, FLOOR / 2) if axes == "logarithmic" else found


def coin(axes, **place):
    """Return the diagonal, the attackers that do not look."""
    ends = [FLOOR, 1.0] if axes == "logarithmic" else [0.0, 1.0]
    return k.level("a coin toss (exact)", ends, ends, **place)


def edge(name, epsilon, delta, axes, look, **place):
    """Return the largest TPR that (epsilon, delta)-DP allows at each FPR."""
    x = grid(axes)
    # An infinite epsilon has no edge to draw; the largest finite one looks the same.
    limit = shown(tradeoff.dp_tpr(x, min(epsilon, 700.0), delta), axes)
    return k.curve(name, x, limit, look, **{**SPOKEN, **place})


def empirical(name, roc, axes, confidence):
    """Return the curve of a played attack in its band; at each drawn FPR the step rule holds."""
    x, look = grid(axes), k.ATTACK.estimate()
    low, high = (shown(end, axes) for end in roc.tpr_band(x, confidence, simultaneous=True))
    return [
        k.band(f"{k.sure(confidence)} band of the whole curve", x, low, high, look),
        k.curve(name, x, shown(roc.tpr_at(x), axes), look, **SPOKEN),
    ]


_BEST, _KEY = "best spy on this noise (exact)", "blue: the best spy<br>grey: DP allows it<br>diagonal: a coin"
# One innocent person in so many is accused where the sentence counts members.
_SELDOM = 100
_PROMISES = k.Slider(0, 8, step=0.2, label="Promise, ε", play=True)


def _spied(sigma):
    """Return what the best spy reaches: what of it the promise leaves uncovered is too much."""
    under = map(np.append, _best(sigma), (1, 0))
    return k.part(k.area("too much", *under, k.OUT, fillcolor=k.ORANGE, opacity=0.6))


def _promise(epsilon, delta):
    """Return what the promise allows, held at its corner."""
    x, line = grid("linear"), {"color": k.DP.colour, "dash": "dash", "width": 2}
    # An attacker who says the opposite mirrors the plane, so the lower edge is the upper one.
    lower, upper = 1 - np.asarray(tradeoff.dp_tpr(1 - x, epsilon, delta)), tradeoff.dp_tpr(x, epsilon, delta)
    # There as many innocent are accused as members are missed.
    corners, odds = (1 - delta) / (1 + np.exp(_PROMISES.stops)), np.exp(epsilon)
    return k.part(
        k.area(
            "covered",
            np.append(x, [1.02, 1.02, 0]),
            np.append(upper, [1, 0, 0]),
            k.DP,
            fillcolor=k.BACKGROUND[0],
        ),
        k.band("all that (ε, δ)-DP allows (bound)", x, lower, upper, k.DP, line=line),
        coin("linear"),
        k.text("a key", 0.99, 0.02, _KEY, textposition="top left"),
        k.reading((1 - delta) / (1 + odds), (odds + delta) / (1 + odds), "the corner (bound)"),
        grab=k.drag("epsilon", corners, 1 - corners),
        **k.words(epsilon=epsilon, delta=delta, accused=_SELDOM),
        allowed=k.at_most(100 * tradeoff.dp_tpr(1 / _SELDOM, epsilon, delta), digits=3),
    )


def _best(sigma):
    """Return the best spy's curve, as fine where it begins as where it ends."""
    x = grid("linear")
    x = np.unique(np.append(x, 1 - np.asarray(tradeoff.gaussian_tpr(x, sigma))))
    return x, np.asarray(tradeoff.gaussian_tpr(x, sigma))


def _noise(sigma):
    """Return the best spy's curve."""
    (x, best), ends = _best(sigma), {"range": [-0.01, 1.02], "tickvals": [0, 0.5, 1], "showgrid": False}
    return k.part(
        k.curve(_BEST, x, best, k.BEST.but(width=4), **SPOKEN),
        x=k.axis("innocent accused, FPR", **ends),
        y=k.axis("members found, TPR", **ends),
        height=420,
        showlegend=False,
        headline="{fits}",
        sentence="{verdict} If one innocent person in {accused} is accused, it allows {allowed} members in "
        "100 to be found (bound). The best spy finds {best} (exact).",
        alt="ROC plane: a shaded region with straight edges shows what ε = {epsilon} and δ = {delta} allow, "
        "a smooth curve the best spy on Gaussian noise of σ = {sigma}. {verdict}",
        probe=[_BEST],
        ghost=[],
        sigma=sigma,
        best=k.exact(100 * tradeoff.gaussian_tpr(1 / _SELDOM, sigma), digits=3),
    )


def _patients(number):
    """Write how many of 100 patients; far below one is not counted."""
    return k.say(number, 2) if number >= 0.001 else "under 0.001"


def _outside(epsilon, delta, sigma):
    """Return where the best spy leaves the promise, ring where he is farthest out, and say by how much."""
    (x, best), needed = _best(sigma), _needed(delta, sigma)
    beyond = k.kept(best, best > np.asarray(tradeoff.dp_tpr(x, epsilon, delta)) * (1 + 1e-9))
    fits = k.told("It fits from ε = {needed}", needed=needed) if np.isfinite(needed) else "At δ = 0 no ε fits"
    verdict, at = "The promise is kept.", np.empty((2, 0))
    if needed > epsilon:
        more = k.exact(100 * (float(tradeoff.gaussian_delta(epsilon, sigma)) - delta), _patients)
        fpr, tpr = ndtr(np.array([-0.5, 0.5]) / sigma - epsilon * sigma)
        at = np.array([[fpr, 1 - tpr], [tpr, 1 - fpr]])
        verdict = k.told("The promise is broken, most of all in the rings. {fits}.", fits=fits)
        fits = k.told("{more} of 100 members too many found", more=more)
    return k.part(
        k.curve("outside the promise (exact)", x, beyond, k.OUT.exact(), hoverinfo="skip"),
        k.points("farthest out", *at, k.OUT.with_symbol("circle-open"), size=20, cliponaxis=False, **k.QUIET),
        verdict=verdict,
        fits=fits,
    )


@k.cache
def _needed(delta, sigma):
    return float(tradeoff.gaussian_epsilon(delta, sigma=sigma))


@k.figure
def roc_plane(
    epsilon: Annotated[float, _PROMISES] = 1.0,
    delta: Annotated[float, k.Stops([0, 1e-5, 0.05], label="Promise, δ")] = 1e-5,
    sigma: Annotated[float, k.Slider(0.25, 6, 1.0, step=0.25, label="Noise, σ")] = 1.0,
):
    """Draw the region of (epsilon, delta)-DP and a Gaussian mechanism's curve.

    Notes
    -----
    Lecture notes, Theorem 1 and Corollary 1.  The mechanism is a noisy sum of numbers in
    [-1, 1], which adding or removing a person moves by at most 1.

    Examples
    --------
    >>> roc_plane(sigma=1.0).layout.meta["headline"]
    '13 of 100 members too many found'
    """
    return _spied, _promise, _noise, _outside


# One innocent person in so many is accused, or where he does best; so many of those found stand in a row.
_RARE, _ROW, _TOP = (10, 100, 1000, 10_000, 100_000), 5, 20
_CELL = 0.17  # how wide one of them is
_NOBODY = k.LEVEL.but(colour=k.BACKGROUND[0])  # covers one
# The share of the members that the promise lets go, and the least noise.
_EXEMPT, _LEAST = 1e-5, 1.0
_RAIL = 5.65  # where the handle of the promise goes up and down
_FENCES = k.Slider(0, 4.6, 1.0, step=0.1, label="Promise, ε", play=True)


def _fence(epsilon):
    """Return the fence of the promise, in each column around as many as it allows."""
    allowed = k.at_most(np.exp(epsilon))
    rows, more = divmod(int(np.exp(epsilon)), _ROW)
    # It goes around full rows and the beginning of the next, so that it cuts no row in two.
    top, left, cut = rows + (more > 0), -_CELL * _ROW / 2, _CELL * (more - _ROW / 2)
    right, said = (-left if rows else cut), max(rows + 1.5, 4.2)
    across, up = [left, left, cut, cut, right, right, left], [0, top, top, rows, rows, 0, 0]
    along = k.gapped(np.add.outer(np.arange(len(_RARE) + 1), across))
    pen, place = (along, k.gapped([up] * (len(_RARE) + 1))), {"xanchor": "left", "yanchor": "bottom"}
    rail = {"look": k.LEVEL.but(dash="solid", width=2), "showlegend": False}
    return k.part(
        k.area("the fence, within", *pen, k.DP),
        k.curve("the fence (bound)", *pen, k.DP.but(dash="solid", width=2.5), hoverinfo="skip"),
        k.level("the fence, its post", left, [top, said], k.DP.but(dash="solid", width=1), **k.QUIET),
        k.level("the fence, its rail", _RAIL, [0, np.exp(epsilon) / _ROW, _TOP], **rail),
        # Above the first column's number, at the end of the post.
        annotations=[k.note(f"the fence:<br>{allowed} for one", left, said, align="left", **place)],
        grab=k.drag("epsilon", _RAIL, np.exp(_FENCES.stops) / _ROW, along="y"),
        **k.words(epsilon=epsilon, allowed=allowed),
    )


@k.cache
def _columns(sigma):
    """Return one in how many is accused, at last where he does best, and how many are found for each."""
    best = ndtr(-_needed(_EXEMPT, sigma) * sigma - 0.5 / sigma)
    rates = np.append(1 / np.array(_RARE), best)
    return 1 / rates, (np.asarray(tradeoff.gaussian_tpr(rates, sigma)) - _EXEMPT) / rates


def _in_rows(name, first, last, look, **more):
    """Return whom the spy finds, in level rows, the lowest first."""
    for which, chosen in (("so far", range(5)), ("at his best", [5])):
        rows = [np.arange(first[each], last[each]) for each in chosen]
        column, place = np.repeat(chosen, [row.size for row in rows]), np.concatenate(rows)
        x, y = column + _CELL * (place % _ROW - 2), place // _ROW + 0.5
        yield k.points(f"{name} {which}", x, y, look, **more, **k.QUIET)


def _crowd():
    """Return the innocent person of each column, and in it whom the spy finds with the least noise."""
    most, middles = np.ceil(_columns(_LEAST)[1]), np.arange(len(_RARE) + 1)
    ticks = dict(enumerate([*(f"{each:,}" for each in _RARE), "<b>best</b>"]))
    axis = k.axis("", ticks, range=[-0.6, 5.8], showgrid=False, zeroline=False)
    return k.part(
        k.points("one innocent person", middles, -1.0, k.OUT.with_symbol("circle"), size=15, **k.QUIET),
        _in_rows("found", 0 * most, most, k.IN, size=6.5),
        x={**axis, "title": {"text": "he accuses one innocent person in ...", "standoff": 6}},
        y=k.unseen(-2, _TOP + 3.5),
        height=460,
        showlegend=False,
        layout={"margin": {"l": 14, "r": 14, "t": 8, "b": 56}},
        ghost=[],
    )


def _beyond(epsilon):
    """Return, hollow, whom the promise does not allow to be found."""
    most = np.ceil(_columns(_LEAST)[1])
    allowed = np.minimum(np.floor(np.exp(epsilon)), most)
    return k.part(_in_rows("beyond", allowed, most, _NOBODY, size=3.3))


def _spared(sigma):
    """Return, pale, whom the spy finds with the least noise alone."""
    (rare, found), most = _columns(sigma), np.ceil(_columns(_LEAST)[1])
    # Each number stands on those who are found, in a gap of the pale; at first the headline says the last.
    told, rows = [f"<b>{k.say(number, 2)}</b>" for number in found], np.maximum(np.ceil(found / _ROW), 2)
    told[-1], pale = told[-1] if sigma > _LEAST else " ", {"size": 5.5, "opacity": 0.35}
    said = "pale: found with a noise of 1" if sigma > _LEAST else "hollow: beyond the fence"
    return k.part(
        _in_rows("spared, their ground", np.ceil(found), most, _NOBODY, size=8),
        _in_rows("spared, below", np.ceil(found), np.minimum(_ROW * rows, most), k.LEVEL, **pale),
        _in_rows("spared", np.minimum(_ROW * (rows + 2), most), most, k.LEVEL, **pale),
        k.text("found, counted", np.arange(len(told)), rows + 0.9, told),
        annotations=[k.note(said, 5.4, _TOP + 2.5, xanchor="right")],
        **k.words(sigma=sigma, often=found[0], needed=_needed(_EXEMPT, sigma)),
        **k.words(best=k.exact(found[-1], digits=2), rare=k.exact(rare[-1], ",.0f")),
    )


def _held(epsilon, sigma):
    """Return whether the spy stays behind the fence."""
    found, allowed = _columns(sigma)[1], np.exp(epsilon)
    # Where only a part of a dot is beyond the fence, and he does not pass it, it is not drawn.
    last = np.where((found > allowed) | (np.ceil(found) <= allowed), np.ceil(found), np.floor(found))
    kept = "and the promise is kept" if _needed(_EXEMPT, sigma) <= epsilon else "and the promise is broken"
    return k.part(
        _in_rows("spared, the last", last, np.ceil(found), _NOBODY, size=7.3),
        headline="{best} found for one accused",
        sentence=f"ε = {{epsilon}} allows {{allowed}} for one, {kept}: it takes ε = {{needed}} "
        "(exact). Each column leaves out one patient in {spared}: that is δ.",
        alt="Six columns of people, those a spy finds for each innocent person whom he accuses, with noise "
        "{sigma}: {often} if he accuses one in ten, {best} at his best, one in {rare}. In each a fence "
        "goes around as many as ε allows, {allowed}; whoever is beyond is hollow.",
        spared=round(1 / _EXEMPT),
    )


@k.figure
def for_one(
    epsilon: Annotated[float, _FENCES] = 1.0,
    sigma: Annotated[float, k.Slider(_LEAST, 3, step=0.1, label="Noise, σ")] = _LEAST,
):
    """Draw how many members the best spy finds for each innocent person, and the fence of a promise.

    Notes
    -----
    Lecture notes, Corollary 1: the largest of ``(TPR - delta) / FPR`` is the least ``exp(epsilon)``;
    delta is 1e-5, and the mechanism that of `roc_plane`.

    Examples
    --------
    >>> for_one().layout.meta["headline"]
    '80 found for one accused'
    """
    return _fence, _crowd, _beyond, _spared, _held
