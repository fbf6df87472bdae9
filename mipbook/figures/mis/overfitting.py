"""How many losses can be large, and what interpolating learners do to those of members and others."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np
from scipy.special import ndtri

import mipbook.figures.kit as k
from mipbook import learners, mis

_BOX = [0, 1, 1, 0]
LOSS_SHAPES = ("worst case", "all equal", "evenly spread", "normal residuals")


def _losses(shape, n, alpha):
    """Return falling losses in units of epsilon with mean alpha."""
    if shape == "worst case":
        return mis.worst_losses(n, 1.0, alpha)[::-1]
    place = (np.arange(n) + 0.5) / n
    raw = {"all equal": np.ones(n), "evenly spread": place, "normal residuals": ndtri((1 + place) / 2) ** 2}
    return (alpha * raw[shape] / raw[shape].mean())[::-1]


def _box():
    return k.part(
        x=k.axis("share of the training records", range=[-0.02, 1.02], tickformat=".0%"),
        y=k.axis("loss / ε", range=[0, 2.6]),
        height=400,
        headline="{small} of the losses are small",
        sentence="The mean loss is {alpha} of ε: {above} (exact), and {room} (bound, sharp). So {small} of "
        "the losses are small, where Proposition 10 promises {least} (bound).",
        alt="Losses of {n} records over ε, sorted from {first} down to {last}, as a staircase of area "
        "{alpha}; the picture is cut at 2.6. A dashed rectangle of height 1 and width {width} lies below it, "
        "a dotted one of the whole area is {alpha} wide.",
        grab=k.drag("alpha", at=0.5),
    )


def _stairs(shape, n, alpha):
    """Draw the sorted losses, and the rectangle of those above epsilon."""
    losses = _losses(shape, n, alpha)
    above = float((losses > 1).mean())
    area = {"fill": "tozeroy", "fillcolor": k.fill(k.IN.colour), "hover": "%{y:.2f} times ε from here on"}
    # A step goes right from its corner, so that areas are means.
    edges = np.append(np.arange(n) / n, 1.0)
    stairs = k.curve("loss / ε", edges, np.append(losses, losses[-1]), k.IN, **area)
    return k.part(
        {**stairs, "line": {**stairs["line"], "shape": "hv"}},
        k.curve("above ε", [0, 0, above, above], _BOX, k.SERIES[1], hoverinfo="skip"),
        small=k.exact(1 - above, k.percent) if above else "all",
        above=k.told("{many} exceed ε" if above else "no loss exceeds ε", many=k.exact(above, k.percent)),
        first=float(losses[0]),
        last=float(losses[-1]),
        width=above,
    )


def _room(n, alpha):
    """Draw the rectangle of the whole area, and say how many losses can be large."""
    most = 1 - float(mis.overfitting_fraction(n, alpha))
    room = "at most {most} of {n} can" if most else "none of {n} can"
    return k.part(
        k.curve("α by ε", [0, 0, alpha, alpha], _BOX, k.SERIES[2], hoverinfo="skip"),
        alpha=alpha,
        least=k.at_least(round(1 - alpha, 12), k.percent),
        n=n,
        room=k.told(room, most=k.at_most(most, k.percent), n=n),
    )


@k.figure
def markov_rectangle(
    shape: Annotated[str, k.Choice(LOSS_SHAPES, label="Losses")] = "normal residuals",
    n: Annotated[
        int, k.Count([2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100], label="Records, n")
    ] = 20,
    alpha: Annotated[float, k.Slider(0.05, 0.95, step=0.025, label="Mean loss / ε, α")] = 0.25,
):
    """Draw sorted losses with mean alpha * epsilon, and the rectangle that fits below them.

    Notes
    -----
    Limits paper, Proposition 10.

    Examples
    --------
    >>> markov_rectangle("worst case", 10, 0.25).layout.meta["headline"]
    '80% of the losses are small'
    """
    return _box, _stairs, _room


_N, _SIGNAL, _NOISE = 20, 1.0, 0.5
_REACH, _TOP = 2.5, 2.0
_GRID = np.linspace(-_REACH, _REACH, 100)
_THRESHOLD = k.LogSlider(1e-4, 1.0, points=17, label="Threshold, ε")
_BELOW = {"showlegend": False, "lower": True}


@k.cache
def _law(dimension, of):
    return learners.residual_law(_N, dimension, _SIGNAL, _NOISE, of=of)


@k.cache
def _mean_loss(dimension, of):
    return learners.mean_loss(_N, dimension, _SIGNAL, _NOISE, of=of)


@k.cache
def _density(dimension, of):
    # The distribution is even.
    half = _law(dimension, of).density(_GRID[50:])
    return np.concatenate([half[::-1], half])


@k.cache
def _below(dimension, of, epsilon):
    return float(_law(dimension, of).below(epsilon))


def _residuals(dimension):
    """Draw both distributions of the residual, and mark the features below."""
    needle = dimension >= _N
    inside, outside = (_mean_loss(dimension, of) for of in ("train", "test"))
    # Where all of a member's mass is in one point, a needle.
    member = (np.zeros(len(_GRID)), np.linspace(0, _TOP, len(_GRID)))
    if not needle:
        member = _GRID, np.minimum(_density(dimension, "train"), _TOP)
    return k.part(
        k.curve("member", *member, k.IN, hoverinfo="skip"),
        k.curve("fresh", _GRID, _density(dimension, "test"), k.OUT, hoverinfo="skip"),
        k.level("your d", dimension, [0, 3], k.READING, **_BELOW),
        features=k.told(f"{{d}} feature{'s' * (dimension > 1)}", d=dimension),
        shape="is a needle at 0" if needle else "is the narrower one",
        inside=inside,
        outside="infinite" if math.isinf(outside) else outside,
        d=dimension,
    )


def _edges(epsilon):
    """Draw the residuals between which the attack says member."""
    edge, look = math.sqrt(epsilon), replace(k.ATTACK, dash="dot")
    box = k.curve("says member", [-edge, -edge, edge, edge], [0, _TOP, _TOP, 0], look)
    return k.part(box, edge=edge, epsilon=epsilon)


def _means():
    """Draw the mean losses against the number of features, and say what is around the numbers."""
    # A fresh one is infinite around d = n.
    features = [d for d in range(1, 81) if abs(d - _N) != 1]
    lines = []
    for name, of, look, who in (("member", "train", k.IN, "members"), ("fresh", "test", k.OUT, "others")):
        means = [None if d == _N else _mean_loss(d, of) for d in features]
        said = f"%{{x}} features: mean square %{{y:.2f}} for {who}"
        lines.append(k.curve(f"{name}, mean", features, means, look, hover=said, **_BELOW))
    edges = np.sqrt(_THRESHOLD.stops)
    return k.part(
        lines,
        k.level("d = n", _N, [0, 3], lower=True),
        x=k.axis("residual", range=[-_REACH, _REACH]),
        y=k.axis("density", range=[0, _TOP]),
        x2=k.axis("features, d", range=[0, 81]),
        y2=k.axis("mean squared residual", range=[0, 3]),
        rows=(0.52, 0.2),
        height=440,
        headline="the threshold's gain is {gain}",
        sentence="{n} records, {features}: saying member up to a squared residual of {epsilon} finds {found} "
        "of members and accuses {caught} of others, a gain of {gain} (exact); {best}. The mean square is "
        "{inside} for members, {outside} for others (exact).",
        alt="Above, two densities of the residual: the member's {shape}, the fresh one's is broad; dotted "
        "lines at plus and minus {edge}. Below, the mean squared residuals against d: the member's falls to "
        "0 at d = {n}, the other's goes to infinity there and comes down again; at d = {d} it is {outside}.",
        beside=0.55,
        probe=["fresh, mean", "member, mean"],
        grab=k.drag("epsilon", edges, [0.9 * _TOP] * len(edges)) + k.drag("dimension", along="x2"),
        n=_N,
    )


def _gained(dimension, epsilon):
    """Say what the threshold finds."""
    inside, outside = (_below(dimension, of, epsilon) for of in ("train", "test"))
    found, best = "all members", "smaller thresholds gain more, up to all: the security is 0 (exact)"
    if dimension < _N:
        found = k.told("{share} of members", share=k.exact(inside, k.percent))
        best = k.told(
            "the best threshold, with n large, {limit} (approximation)",
            limit=k.approximate(mis.threshold_advantage(dimension / _N)),
        )
    return k.part(gain=inside - outside, caught=k.exact(outside, k.percent), found=found, best=best)


@k.figure
def ols_residuals(
    dimension: Annotated[
        int, k.Count([*range(1, 31), 35, 40, 50, 60, 70, 80], label="Features, d", play=True)
    ] = 10,
    epsilon: Annotated[float, _THRESHOLD] = 0.1,
):
    """Draw the distributions of a member's and a fresh residual of least squares on 20 records.

    Notes
    -----
    Limits paper, Example 2, with exact distributions that are new here: normal inputs, noise
    0.5, a signal of variance 1.

    Examples
    --------
    >>> "finds all members" in ols_residuals(30).layout.meta["sentence"]
    True
    """
    return _residuals, _edges, _means, _gained
