"""Four releases from the same histogram: the signs leak as much as all the counts."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from mipbook import mis
from mipbook.base import validate
from mipbook.base.palette import BLUE, GREY, INK, ORANGE
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.words import percent, say

__all__ = ["DISCRETE_RELEASES", "signs_are_enough"]

DISCRETE_RELEASES = ("constant", "one bit", "signs", "histogram")
_SLACK = 1e-9


def _learner(release: str, p: tuple[float, ...], nu: float) -> Any:
    signs = mis.sign_learner(p, nu)

    def learner(counts: tuple[int, ...]) -> Hashable:
        if release == "histogram":
            return counts
        if release == "constant":
            return 0
        return signs(counts) if release == "signs" else signs(counts)[0]

    return learner


@lru_cache(maxsize=4096)
def _solved(
    release: str, p: tuple[float, ...], n: int, nu: float
) -> tuple[float, int, NDArray[np.bool_]]:
    """Return Delta, the number of releases, and what the best attack says at each histogram."""
    learner = _learner(release, p, nu)
    model = mis.finite_model(learner, p, n)
    gamma = float(mis.weight_ratio(nu))
    # Of a tie the attack makes nothing; rounding must not show it as a choice.
    says = model.given > gamma * model.law * (1 + _SLACK)
    place = {output: j for j, output in enumerate(model.outputs)}
    every = mis.finite_model(lambda counts: counts, p, n).outputs
    where = [place[learner(counts)] for counts in every]  # type: ignore[arg-type]
    return float(model.delta(nu)), len(place), np.asarray(says[:, where])


@lru_cache(maxsize=1024)
def _counts(p: tuple[float, ...], n: int, nu: float) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return all histograms and which counts are above gamma n p."""
    counts = np.array(mis.finite_model(lambda c: c, p, n).outputs)
    gamma = float(mis.weight_ratio(nu))
    return counts, counts > gamma * n * np.array(p) * (1 + _SLACK)


def signs_are_enough(
    p1: float = 0.5, p2: float = 0.3, n: int = 5, nu: float = 0.5, release: str = "signs"
) -> go.Figure:
    """Draw which counts are above their mean, what the best attack says, and what it gains.

    Parameters
    ----------
    p1, p2 : float
        Probabilities of the first two of three values, in [0.01, 0.98], sum at most 0.99.
    n : int
        Records in the training set, in [1, 10].
    nu : float
        Chance that the test point is a fresh one, in [0.05, 0.95].
    release : {"constant", "one bit", "signs", "histogram"}
        What the learner publishes.

    Returns
    -------
    plotly.graph_objects.Figure

    Raises
    ------
    ValueError
        For an argument outside its range.

    Notes
    -----
    Limits paper, Theorem 14.

    Examples
    --------
    >>> "6 releases instead of 21" in signs_are_enough().layout.meta["sentence"]
    True
    """
    p1, p2 = validate.number("p1", p1, 0.01, 0.98), validate.number("p2", p2, 0.01, 0.98)
    if p1 + p2 > 0.99 + 1e-12:
        validate.refuse("p2", p2, f"at most {0.99 - p1:g}, so that a third value is left")
    n = validate.integer("n", n, 1, 10)
    nu = validate.number("nu", nu, 0.05, 0.95)
    release = validate.choice("release", release, DISCRETE_RELEASES)
    p = (p1, p2, 1 - p1 - p2)
    counts, above = _counts(p, n, nu)
    solved = {name: _solved(name, p, n, nu) for name in DISCRETE_RELEASES}
    delta, values, says = solved[release]
    # Histograms with the same signs stand together.
    order = np.lexsort((*counts.T[::-1], *above.T))
    counts, above, says = counts[order], above[order], says[:, order]
    x, y = np.repeat(np.arange(len(counts)) + 1, 3), np.tile([1, 2, 3], len(counts))
    text = [f"{c[0]}, {c[1]}, {c[2]}" for c in counts for _ in range(3)]
    figure = go.Figure()
    for name, keep, marker in (
        ("above gamma np", above.ravel(), {"color": BLUE, "symbol": "square", "size": 11}),
        ("not", ~above.ravel(), {"color": GREY, "symbol": "square-open", "size": 11}),
        (
            "attack says member",
            says.T.ravel(),
            {"color": ORANGE, "symbol": "x-thin-open", "size": 10, "line": {"width": 3}},
        ),
    ):
        figure.add_scatter(
            x=x,
            y=np.where(keep, y, np.nan),
            mode="markers",
            name=name,
            marker=marker,
            text=text,
            hovertemplate="counts %{text}, value %{y}",
        )
    figure.add_bar(
        x=list(DISCRETE_RELEASES),
        y=[solved[name][0] for name in DISCRETE_RELEASES],
        name="Delta (exact)",
        showlegend=False,
        marker={
            "color": BLUE,
            "pattern": {
                "shape": ["/" if name == release else "" for name in DISCRETE_RELEASES],
                "fgcolor": INK,
                "solidity": 0.3,
                "fillmode": "overlay",
            },
        },
        **LOWER,
    )
    most = solved["histogram"][0]
    told = ", ".join(f"{name} {say(solved[name][0])}" for name in DISCRETE_RELEASES)
    return finish(
        figure,
        sentence=_sentence(release, delta, most, values, len(counts), nu),
        alt=(
            f"Above, three rows of {len(counts)} squares, one for each value and histogram of "
            f"{n} records, filled where the count is above gamma n p; crosses show where the "
            f"attack on the release ({release}) says member. Below, bars of Delta: {told}."
        ),
        layout={
            "rows": (0.5, 0.24),
            "xaxis": axis(f"the {len(counts)} histograms", showticklabels=False, zeroline=False),
            "yaxis": axis("value", tickvals=[1, 2, 3], range=[0.5, 3.5], zeroline=False),
            "xaxis2": axis("what is released", type="category"),
            "yaxis2": axis("Delta", rangemode="tozero"),
            "height": 460,
        },
    )


def _sentence(release: str, delta: float, most: float, values: int, all_: int, nu: float) -> str:
    gamma = say(float(mis.weight_ratio(nu)))
    start = f"At gamma = {gamma} "
    if most < 1e-12:
        return start + "no release, not even the histogram, helps an attack: Delta = 0 (exact)."
    if release == "histogram":
        return (
            f"{start}the histogram, with {values} possible releases, lets the best attack gain "
            f"Delta = {say(most)}; no learner leaks more (exact)."
        )
    if release == "signs":
        return (
            f"{start}the signs alone leak Delta = {say(delta)}, as much as the histogram (exact), "
            f"with {values} release{'s' if values != 1 else ''} instead of {all_}."
        )
    if delta < 1e-12:
        what = "a constant" if release == "constant" else "one bit about the first value"
        return f"{start}{what} leaks nothing (exact); the signs would leak {say(most)} (exact)."
    return (
        f"{start}one bit about the first value leaks Delta = {say(delta)} (exact), "
        f"{percent(delta / most)} of the {say(most)} that signs or histogram leak (exact)."
    )
