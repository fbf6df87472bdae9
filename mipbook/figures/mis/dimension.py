"""Against the dimension: Figures 2a and 2b of the Limits paper."""

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import learners
from mipbook.stored import load
from mipbook.stored.limits import (
    ADAM_AT,
    ADAM_LEVELS,
    ADAM_RATES,
    LEVELS,
    MODELS,
    NEIGHBOUR_DIMENSIONS,
    NEIGHBOUR_SIZES,
    NEIGHBOURS,
)

_LEVEL = k.Choice(LEVELS, label="Threshold")
_NOISES = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
# Who is counted: as a curve names them, as a run stores them, how they look, and as a sentence says it.
_SIDES = ("members", "train", k.IN, "members"), ("fresh", "validation", k.OUT, "fresh records")
# So many of the stored models are counted; the figures' own is all of them.
_MODELS = [*range(1, 11), 12, 14, 16, 18, MODELS]
_MENU = {"Records, n": "n", "Noise of the labels, σ": "noise", "Models per dimension": "models"}


def _moved(own, stops, vary, to):
    """Return a setting with one value moved, and how many models are counted there: none but at their own."""
    at = {**own, vary: stops[vary][to]}
    return at, at["models"] if at == own | {"models": at["models"]} else 0


def _axes(low, high):
    """Return the layout of these figures; the dimensions run between two decades."""
    ticks = [2, 5, 10, 50, 200, 1000, 5000]
    return {
        "x": k.axis("dimension of x, d", type="log", tickvals=ticks, range=[low, high]),
        "y": k.axis("share of losses below", range=[-0.03, 1.05], tickformat=".0%"),
        "height": 400,
    }


def _said(who):
    return f"%{{x:,}} dimensions: %{{y:.1%}} of {who} are below"


def _counted(name, of, look, x, shares):
    """Draw the mean over models as dots, with bars from the lowest to the highest; none if there are none."""
    if not shares.shape[1]:
        return k.points(name, x, [None] * len(x), look, showlegend=False)
    # To a tenth of a percent, as they are told: what repeats packs well. Two models lie equally far
    # from their mean, so that one array serves both of their bars.
    digits = 3 if shares.shape[1] > 2 else 4
    mean, low, high = (side(axis=1).round(digits) for side in (shares.mean, shares.min, shares.max))
    bars = k.error_bars(mean, low, high, color=look.colour, width=2)
    return k.points(name, x, mean, look, size=9, error_y=bars, hover=_said(f"{of} (simulated)"))


def _in_models(dimension, x, shares):
    """Say what the models have at a dimension, and how the dots are drawn; nothing if there are none."""
    models, here = shares.shape[1], shares[x.tolist().index(dimension)]
    if not models:
        return {"measured": "", "dots": ""}
    many = "{models} models, {low} to {high}" if models > 1 else "one model"
    rates = {"share": here.mean(), "low": here.min(), "high": here.max()}
    values = {name: k.about(rate, k.percent) for name, rate in rates.items()}
    drawn = "means of {models} models, with bars from the lowest to the highest"
    drawn = drawn if models > 1 else "one model"
    return {
        "measured": k.told(f"; {{share}} in {many}, estimate", models=models, **values),
        "dots": k.told(f" Dots: {drawn}.", models=models),
    }


# --- Figure 2a ----------------------------------------------------------------------------------

_RECORDS = [20, 30, 40, 50, 70, 100, 140, 200, 280, 400, 500, 600, 700, 850, 1000]
_SHARES = (0.25, 0.5, 0.75, 0.9, 0.97, 1, 1.03, 1.1, 1.25, 1.6, 2.5)
_NARROW, _WIDE = 10, 2000
# Where it starts was simulated too, with inputs on the sphere.
_OWN_A = {"n": 200, "noise": 0.1, "models": MODELS}
_STOPS_A: dict[str, Sequence[float]] = {"n": _RECORDS, "noise": _NOISES, "models": _MODELS}
_TO_A = k.Along("vary", _STOPS_A, _OWN_A, "n", label="Set it to")


@k.cache
def _dimensions(n):
    """Return where the curves have points, the more the nearer to n."""
    near = {round(n * share) for share in _SHARES}
    return sorted(d for d in {_NARROW, _WIDE, 5000, *near} if _NARROW <= d <= 5000)


@k.cache
def _below(n, d, noise, of):
    """Return the exact share of a side's losses below each threshold, for a signal of size pi."""
    return learners.residual_law(n, d, math.pi**2 / d, noise, of=of).below(np.array(LEVELS))


def _simulated(vary, to, threshold):
    """Draw what some models have at the one setting that was run, and say it."""
    run, column = load("overfitting_2a").arrays, LEVELS.index(threshold)
    x, (_, models) = run["dimensions"], _moved(_OWN_A, _STOPS_A, vary, to)
    shares = [run[key][:, :models, column].astype(float) for _, key, _, _ in _SIDES]
    dots = [
        _counted(f"{name} (estimate)", name, look, x, share)
        for (name, _, look, _), share in zip(_SIDES, shares, strict=True)
    ]
    return k.part(dots, **_in_models(_OWN_A["n"], x, shares[1]))


def _exact(n, noise, threshold, how):
    """Return the dimensions with a point, and the exact shares of both sides there, drawn."""
    places, at = _dimensions(n), LEVELS.index(threshold)
    shares = [np.array([_below(n, d, noise, of)[at] for d in places]) for of in ("train", "test")]
    lines = [
        k.curve(f"{name}{how}", places, share, look, hover=_said(who))
        for (name, _, look, who), share in zip(_SIDES, shares, strict=True)
    ]
    return places, shares, [*lines, k.level("d = n", n, [0, 1])]


def _least_squares(vary, to, threshold):
    n, noise, _ = _moved(_OWN_A, _STOPS_A, vary, to)[0].values()
    places, (inside, outside), lines = _exact(n, noise, threshold, " (exact)")
    right = (inside + 1 - outside) / 2
    near, far = places.index(n), places.index(_WIDE)
    return k.part(
        lines,
        **_axes(0.95, 3.75),
        headline="right {right}",
        sentence="From d = n = {n} on all training losses are 0 (exact). There {caught} of fresh losses are "
        "at most {threshold} (exact, normal inputs, noise {noise}{measured}). The attack is right {right} "
        "there, {beyond} at d = {wide} (exact).",
        alt="Fraction of losses at most {threshold} against the dimension from 10 to 5,000. Members go from "
        "{first} to 1 at d = {n} and stay there; fresh records vary between {least} and {most}.{dots}",
        probe=["fresh (exact)", "members (exact)"],
        grab=k.drag("to", _RECORDS, [0.5] * len(_RECORDS)) if vary == "n" else [],
        **k.words(n=n, noise=noise, wide=_WIDE, threshold=threshold, first=inside[0], least=outside.min()),
        **k.words(k.exact, k.in_100, right=right[near], beyond=right[far]),
        **k.words(caught=k.exact(outside[near], k.percent), most=outside.max()),
    )


@k.figure
def mis_figure_2a(
    vary: Annotated[str, k.Choice(_MENU, label="Vary")] = "n",
    to: Annotated[int, _TO_A] = _TO_A.value,
    threshold: Annotated[float, _LEVEL] = 1e-3,
):
    """Draw what least squares does to the losses of members and others, against the dimension.

    Notes
    -----
    Limits paper, Figure 2a and Example 2.  The curves are the exact distributions for normal
    inputs; the dots, at n = 200 and noise 0.1, up to twenty models each with inputs on the sphere.

    Examples
    --------
    >>> [t.name for t in mis_figure_2a().data][2:4]
    ['members (exact)', 'fresh (exact)']
    """
    return _simulated, _least_squares


@k.cache
def _by_adam():
    run = load("overfitting_2a_adam", {"rates": ADAM_RATES, "watched": ADAM_AT}).arrays
    return run["dimensions"], run["train"] / 200, run["validation"] / 1000


def _solved(threshold):
    """Draw what the weights of least squares have, exactly."""
    solved = k.exact(float(_below(200, 400, 0.1, "test")[LEVELS.index(threshold)]), k.percent)
    lines = _exact(200, 0.1, threshold, ", solved (exact)")[2]
    return k.part(lines, threshold=threshold, solved=solved, **_axes(1.6, 3.75))


def _stepped(rate, iteration, threshold):
    """Draw what the models have after so many steps of Adam from a random start."""
    dimensions, *sides = _by_adam()
    row, column, level = ADAM_AT.index(iteration), ADAM_RATES.index(rate), ADAM_LEVELS.index(threshold)
    shares = [side[:, :, row, column, level] for side in sides]
    dots = [
        _counted(f"{name}, Adam (estimate)", who, look, dimensions, share)
        for (name, _, look, who), share in zip(_SIDES, shares, strict=True)
    ]
    inside, fresh = (share[dimensions.tolist().index(400)] for share in shares)
    at_n = shares[0][dimensions.tolist().index(200)]
    return k.part(
        dots,
        headline="{fresh} of fresh losses at d = 400",
        sentence="After {iteration} steps of Adam at rate {rate}, {inside} of members' and {fresh} of fresh "
        "losses are at most {threshold} at d = 400 (estimates, {models} models: {low} to {high} of fresh "
        "ones). Solved for in closed form, {solved} of fresh ones are (exact). At d = n = 200 Adam has "
        "{stuck} of the members there (estimate).",
        alt="Fraction of losses at most {threshold} against the dimension. Lines: least squares in closed "
        "form. Dots with bars from the lowest to the highest of {models} models: after {iteration} steps of "
        "Adam, members at {stuck} at d = 200 and {inside} at d = 400, fresh records at {fresh} there.",
        probe=[dot["name"] for dot in dots[::-1]],
        **k.words(iteration=iteration, rate=rate, models=len(fresh)),
        **k.words(k.about, k.percent, inside=inside.mean(), fresh=fresh.mean(), low=fresh.min()),
        **k.words(k.about, k.percent, high=fresh.max(), stuck=at_n.mean()),
    )


@k.figure
def mis_figure_2a_adam(
    rate: Annotated[float, k.Stops(ADAM_RATES, 0.1, label="Learning rate", between=False)] = 0.1,
    iteration: Annotated[int, k.Count(ADAM_AT, label="Step of Adam", play=True, between=False)] = 1000,
    threshold: Annotated[float, k.Choice(ADAM_LEVELS[1:], label="Threshold")] = 1e-2,
):
    """Draw what Adam from a random start does to the losses, beside least squares in closed form.

    Notes
    -----
    Limits paper, Figure 2a, trained as there: n = 200, noise 0.1, two models a dimension.

    Examples
    --------
    >>> mis_figure_2a_adam(iteration=2000).data[3].name
    'members, Adam (estimate)'
    """
    return _solved, _stepped


# --- Figure 2b ----------------------------------------------------------------------------------

# Those that are drawn against n and the noise, with the models that count them.
_SHOWN = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
_OWN_B = {"n": 1000, "noise": 0.1, "models": MODELS, "neighbours": 1}
_STOPS_B = {"n": NEIGHBOUR_SIZES, "noise": _NOISES, "models": _MODELS, "neighbours": NEIGHBOURS[:15]}
_TO_B = k.Along("vary", _STOPS_B, _OWN_B, "n", label="Set it to")


@k.cache
def _shifts(of):
    return load("overfitting_2b_shifts", {"sizes": NEIGHBOUR_SIZES}).arrays[of].astype(float)


@k.cache
def _shares(n, noise, neighbours, threshold):
    """Return the shares of members and of fresh records below the threshold, at the ten dimensions."""
    rows = [NEIGHBOUR_DIMENSIONS.index(d) for d in _SHOWN]
    if neighbours == 1:
        shifts = _shifts("by_n")[rows, NEIGHBOUR_SIZES.index(n)]
        return np.ones(len(rows)), learners.neighbour_below(shifts, noise, 1, threshold)
    at = NEIGHBOURS.index(neighbours)
    return tuple(
        learners.neighbour_below(_shifts(of)[rows, at], noise, neighbours, threshold, member=member)
        for of, member in (("members", True), ("by_k", False))
    )


def _counts(vary, to, threshold):
    """Draw what some models have at the one setting that was counted, and say it at ten dimensions."""
    run, column = load("overfitting_2b").arrays, LEVELS.index(threshold)
    x, (_, models) = run["dimensions"], _moved(_OWN_B, _STOPS_B, vary, to)
    shares = run["validation"][:, :models, column].astype(float)
    dot = _counted("fresh, counted (estimate)", "fresh records", k.OUT, x, shares)
    return k.part(dot, **_in_models(10, x, shares))


def _neighbour(vary, to, threshold):
    n, noise, _, neighbours = _moved(_OWN_B, _STOPS_B, vary, to)[0].values()
    inside, fresh = _shares(n, noise, neighbours, threshold)
    right, ten = (inside + 1 - fresh) / 2, _SHOWN.index(10)
    said = "%{x:,} dimensions: the attack is right in %{y:.1%} of cases"
    itself = k.told("A training record is its own nearest neighbour of {n}, so its loss is 0 (exact).", n=n)
    throughout, kind = "at 1 throughout", "exact"
    if neighbours > 1:
        itself = k.told(
            "With {mean} neighbours of {n} averaged, {own} of members' losses are small enough at d = 10 "
            "(estimate).",
            **k.words(mean=neighbours, n=n, own=k.about(inside[ten], k.percent)),
        )
        ends = k.words(k.about, bottom=inside.min(), top=inside.max())
        throughout, kind = k.told("between {bottom} and {top}", **ends), "estimate"
    return k.part(
        k.curve(f"members ({kind})", _SHOWN, inside, k.IN, hover=_said("members")),
        k.curve("fresh (estimate)", _SHOWN, fresh, k.OUT, marked=True, hover=_said("fresh records")),
        k.curve("attack right (estimate)", _SHOWN, right, k.ATTACK.estimate(), hover=said),
        **_axes(0.2, 3.1),
        headline="right {low} or more",
        sentence="{itself} Saying member at a loss of at most {threshold} is right {low} at d = {worst} and "
        "{high} at d = {best} (estimates, five models each, ± 1 point); the noise is {noise}. Of fresh "
        "losses {ten} are that small at d = 10 (estimate{measured}).",
        alt="Fraction of losses at most {threshold} against the dimension from 2 to 1,000: members "
        "{throughout}, fresh records between {least} and {most}, and the accuracy of the attack between "
        "{lowest} and {highest}.{dots}",
        probe=["attack right (estimate)", "fresh (estimate)"],
        itself=itself,
        throughout=throughout,
        **k.words(n=n, noise=noise, threshold=threshold, low=k.about(right.min(), k.in_100)),
        **k.words(high=k.about(right.max(), k.in_100), ten=k.about(fresh[ten], k.percent)),
        **k.words(worst=_SHOWN[right.argmin()], best=_SHOWN[right.argmax()]),
        **k.words(k.about, least=fresh.min(), most=fresh.max(), lowest=right.min(), highest=right.max()),
    )


@k.figure
def mis_figure_2b(
    vary: Annotated[str, k.Choice(_MENU | {"Neighbours, k": "neighbours"}, label="Vary")] = "n",
    to: Annotated[int, _TO_B] = _TO_B.value,
    threshold: Annotated[float, _LEVEL] = 1e-3,
):
    """Draw what the nearest neighbour does to the losses of members and others.

    Notes
    -----
    Limits paper, Figure 2b: five models a dimension.  How far a neighbour is off is simulated, the
    noise of both labels is integrated.  The dots count losses, at n = 1,000 and noise 0.1, of up to
    twenty models.  The paper's k is lost; a training error of 0 needs one neighbour.

    Examples
    --------
    >>> float(mis_figure_2b().data[1].y[0])
    1.0
    """
    return _counts, _neighbour
