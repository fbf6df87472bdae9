"""Four releases from the same histogram: the signs leak as much as all the counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from mipbook import mis
from mipbook.explore import Choice, Count, Stops, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import Trace, bars, kept, points
from mipbook.figures.words import percent, say

__all__ = ["signs_are_enough"]

RELEASES = ["constant", "one bit", "signs", "histogram"]
_SLACK = 1e-9


def _learner(release: str, p: tuple[float, ...], nu: float) -> mis.Learner:
    signs = mis.sign_learner(p, nu)
    learners: dict[str, mis.Learner] = {
        "constant": lambda counts: 0,
        "one bit": lambda counts: signs(counts)[0],
        "signs": signs,
        "histogram": lambda counts: counts,
    }
    return learners[release]


@lru_cache(maxsize=1024)
def _model(release: str, p: tuple[float, ...], n: int, nu: float) -> mis.FiniteModel:
    return mis.finite_model(_learner(release, p, nu), p, n)


def _histograms(p: tuple[float, ...], n: int) -> mis.FiniteModel:
    # What is released does not depend on nu here, so one model serves all.
    return _model("histogram", p, n, 0.5)


@lru_cache(maxsize=4096)
def _solved(release: str, p: tuple[float, ...], n: int, nu: float) -> tuple[float, int, Any]:
    """Return Delta, the number of releases, and what the best attack says at each histogram."""
    model = _histograms(p, n) if release == "histogram" else _model(release, p, n, nu)
    histograms: Any = _histograms(p, n).outputs
    gamma = float(mis.weight_ratio(nu))
    # Of a tie the attack makes nothing; rounding must not show it as a choice.
    says = model.given > gamma * model.law * (1 + _SLACK)
    place = {output: j for j, output in enumerate(model.outputs)}
    learner: Any = _learner(release, p, nu)
    where = [place[learner(counts)] for counts in histograms]
    return float(model.delta(nu)), len(place), says[:, where]


@lru_cache(maxsize=1024)
def _order(p: tuple[float, ...], n: int, nu: float) -> tuple[Any, Any, Any]:
    """Return all histograms, which counts are above gamma n p, and an order by these signs."""
    counts = np.array(_histograms(p, n).outputs)
    above = counts > float(mis.weight_ratio(nu)) * n * np.array(p) * (1 + _SLACK)
    order = np.lexsort((*counts.T[::-1], *above.T))
    return counts[order], above[order], order


def _squares(counts: Any, above: Any, says: Any) -> list[Trace]:
    """Return one mark for each value and histogram: is the count above, and what is said."""
    x, y = np.repeat(np.arange(len(counts)) + 1, 3), np.tile([1, 2, 3], len(counts))
    texts = [f"{a}, {b}, {c}" for a, b, c in counts.tolist()]
    hover = {
        "text": np.repeat(np.array(texts, dtype=object), 3),
        "hovertemplate": "counts %{text}, value %{y}",
    }
    drawn = (
        ("above gamma np", above.ravel(), looks.MIS, 11),
        ("not", ~above.ravel(), looks.LEVEL.with_symbol("square-open"), 11),
        ("attack says member", says.T.ravel(), looks.ATTACK.with_symbol("x-thin-open"), 15),
    )
    return [
        points(name, x, kept(y, keep), look, size=size, **hover) for name, keep, look, size in drawn
    ]


@declared
def signs_are_enough(
    p1: Annotated[float, Stops([0.1, 0.2, 0.3, 0.4, 0.5], label="Probability of value 1")] = 0.5,
    p2: Annotated[float, Stops([0.1, 0.3, 0.4], label="Probability of value 2")] = 0.3,
    n: Annotated[int, Count([3, 5, 8], label="Records, n")] = 5,
    nu: Annotated[float, Stops([0.4, 0.5, 0.6], label="Share of fresh points, nu")] = 0.5,
    release: Annotated[str, Choice(RELEASES, label="Release")] = "signs",
) -> go.Figure:
    """Draw which counts are above their mean, what the best attack says, and what it gains.

    Notes
    -----
    Limits paper, Theorem 14.  A record has one of three values.

    Examples
    --------
    >>> "6 releases instead of 21" in signs_are_enough().layout.meta["sentence"]
    True
    """
    p = (p1, p2, 1 - p1 - p2)
    # Histograms with the same signs stand together.
    counts, above, order = _order(p, n, nu)
    solved = {name: _solved(name, p, n, nu) for name in RELEASES}
    deltas = {name: delta for name, (delta, _, _) in solved.items()}
    hatched = ["/" if name == release else "" for name in RELEASES]
    below = {"showlegend": False, **LOWER}
    heights = ", ".join(f"{name} {say(delta)}" for name, delta in deltas.items())
    return finish(
        [
            *_squares(counts, above, solved[release][2][:, order]),
            bars("Delta (exact)", RELEASES, list(deltas.values()), looks.MIS, hatched, **below),
        ],
        sentence=_sentence(release, deltas, solved[release][1], len(counts), nu),
        alt=(
            f"Above, three rows of {len(counts)} squares, one for each value and histogram of "
            f"{n} records, filled where the count is above gamma n p; crosses show where the "
            f"attack on the release ({release}) says member. Below, bars of Delta: {heights}."
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


def _sentence(release: str, deltas: dict[str, float], releases: int, every: int, nu: float) -> str:
    start = f"At gamma = {say(float(mis.weight_ratio(nu)))} "
    delta, most = deltas[release], deltas["histogram"]
    if release == "histogram":
        return (
            f"{start}the histogram, with {releases} possible releases, lets the best attack gain "
            f"Delta = {say(most)}; no learner leaks more (exact)."
        )
    if release == "signs":
        return (
            f"{start}the signs alone leak Delta = {say(delta)}, as much as the histogram (exact), "
            f"with {releases} release{'s' if releases != 1 else ''} instead of {every}."
        )
    if delta < 1e-12:
        what = "a constant" if release == "constant" else "one bit about the first value"
        return f"{start}{what} leaks nothing (exact); the signs would leak {say(most)} (exact)."
    return (
        f"{start}one bit about the first value leaks Delta = {say(delta)} (exact), "
        f"{percent(delta / most)} of the {say(most)} that signs or histogram leak (exact)."
    )
