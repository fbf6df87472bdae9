"""Four releases from the same histogram: the signs leak as much as all the counts."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

import numpy as np
import plotly.graph_objects as go

from explorable.panels import Choice, Count, Part, Slider, Stops, declared, layer, stacked
from mipbook import mis
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, two_rows
from mipbook.figures.marks import bars, kept, points, reading
from mipbook.figures.words import percent, say

__all__ = ["signs_are_enough"]

RELEASES = ["constant", "one bit", "signs", "histogram"]
_SLACK = 1e-9


def _law(p1: float) -> tuple[float, ...]:
    """Return the three probabilities; the last two share what is left as 3 to 2."""
    p2 = 0.6 * (1 - p1)
    return p1, p2, 1 - p1 - p2


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
def _order(p1: float, n: int, nu: float) -> tuple[Any, Any, Any]:
    """Return all histograms, which counts are above gamma n p, and an order by these signs."""
    p = _law(p1)
    counts = np.array(_histograms(p, n).outputs)
    above = counts > float(mis.weight_ratio(nu)) * n * np.array(p) * (1 + _SLACK)
    order = np.lexsort((*counts.T[::-1], *above.T))
    return counts[order], above[order], order


def _places(count: int) -> Any:
    """Return where the columns stand; however many there are, they fill the same axis."""
    return (np.arange(count) + 0.5) / count


def _squares(p1: float, n: int, nu: float) -> Part:
    """Draw one mark for each value and histogram, filled where the count is above its mean."""
    # Histograms with the same signs stand together.
    counts, above, _ = _order(p1, n, nu)
    x, y = np.repeat(_places(len(counts)), 3), np.tile([1, 2, 3], len(counts))
    texts = [", ".join(map(str, row)) for row in counts.tolist()]
    hover = {
        "text": np.repeat(np.array(texts, dtype=object), 3),
        "hovertemplate": "counts %{text}: value %{y}<extra></extra>",
    }
    drawn = (
        ("above γ n p", above.ravel(), looks.MIS),
        ("not", ~above.ravel(), looks.LEVEL.with_symbol("square-open")),
    )
    layout = {
        "xaxis": axis(
            f"the {len(counts)} histograms of {n} records",
            range=[0, 1],
            tickvals=_places(len(counts)).tolist(),
            ticktext=["".join(map(str, row)) for row in counts.tolist()],
            tickangle=-90,
            tickfont={"size": 11},
            zeroline=False,
        ),
        "yaxis": axis(
            "",
            tickvals=[1, 2, 3],
            ticktext=[f"{k}: {percent(p, 2)}" for k, p in enumerate(_law(p1), 1)],
            range=[0.5, 3.5],
            zeroline=False,
        ),
    }
    marks = [points(name, x, kept(y, keep), look, size=9, **hover) for name, keep, look in drawn]
    words = {"gamma": say(float(mis.weight_ratio(nu))), "every": str(len(counts))}
    return Part(marks, layout, words=words)


def _bars(p1: float, n: int, nu: float) -> Part:
    """Draw what each release leaks."""
    deltas = [_solved(name, _law(p1), n, nu)[0] for name in RELEASES]
    over = "%{x}: Δ = %{y:.3f}<extra></extra>"
    below = {"showlegend": False, "hovertemplate": over, **LOWER}
    heights = ", ".join(f"{name} {say(d)}" for name, d in zip(RELEASES, deltas, strict=True))
    layout: dict[str, Any] = {
        "xaxis2": axis("what is released", type="category"),
        "yaxis2": axis("Δ", range=[0, 0.4], nticks=4),
        "height": 460,
    }
    for name, place in two_rows(0.5, 0.27).items():
        layout[name] = {**layout.get(name, {}), **place}
    return Part(
        [bars("Δ of each release (exact)", RELEASES, deltas, looks.MIS, **below)],
        layout,
        words={"heights": heights},
    )


def _attack(p1: float, n: int, nu: float, release: str) -> Part:
    """Draw what the best attack on the release says, and say what it gains."""
    counts, _, order = _order(p1, n, nu)
    deltas = {name: _solved(name, _law(p1), n, nu)[0] for name in RELEASES}
    _, releases, says = _solved(release, _law(p1), n, nu)
    x, y = np.repeat(_places(len(counts)), 3), np.tile([1, 2, 3], len(counts))
    cross = looks.ATTACK.with_symbol("x-thin-open")
    told = says[:, order].T.ravel()
    crosses = points("attack says member", x, kept(y, told), cross, size=12, hoverinfo="skip")
    here = reading([release], [deltas[release]], "your release", **LOWER)
    headline, sentence = _told(release, deltas, releases)
    alt = (
        f"Above, three rows of {{every}} squares, one for each value and histogram of "
        f"{n} records, filled where the count is above γ n p; crosses show where the "
        f"attack on the release ({release}) says member. Below, bars of Delta: {{heights}}."
    )
    return Part([crosses, here], meta={"headline": headline, "sentence": sentence, "alt": alt})


def _told(release: str, deltas: dict[str, float], releases: int) -> tuple[str, str]:
    """Return the headline and the sentence."""
    delta, most = deltas[release], deltas["histogram"]
    if release == "histogram":
        return f"All counts: Δ = {say(most)}", (
            f"At γ = {{gamma}} the histogram, with {releases} possible releases, lets the best "
            f"attack gain Δ = {say(most)}; no learner leaks more (exact)."
        )
    if release == "signs":
        return f"Signs alone: Δ = {say(delta)}", (
            f"At γ = {{gamma}} the signs alone leak Δ = {say(delta)}, as much as the histogram "
            f"(exact), with {releases} release{'s' if releases != 1 else ''} instead of {{every}}."
        )
    if delta < 1e-12:
        what = "a constant" if release == "constant" else "one bit about the first value"
        return "Leaks nothing: Δ = 0", (
            f"At γ = {{gamma}} {what} leaks nothing (exact); the signs would leak {say(most)} (exact)."
        )
    return f"One bit: Δ = {say(delta)}", (
        f"At γ = {{gamma}} one bit about the first value leaks Δ = {say(delta)} (exact), "
        f"{percent(delta / most)} of the {say(most)} that signs or histogram leak (exact)."
    )


@declared
def signs_are_enough(
    p1: Annotated[float, Slider(0.1, 0.7, step=0.025, label="Probability of value 1")] = 0.5,
    n: Annotated[int, Count([3, 4, 5], label="Records, n")] = 5,
    nu: Annotated[float, Stops([0.4, 0.5, 0.6], label="Share of fresh points, ν")] = 0.5,
    release: Annotated[str, Choice(RELEASES, label="Release")] = "signs",
) -> go.Figure:
    """Draw which counts are above their mean, what the best attack says, and what it gains.

    Notes
    -----
    Limits paper, Theorem 14.  A record has one of three values; the second and the third share
    what the first one leaves in the ratio 3 to 2.

    Examples
    --------
    >>> "6 releases instead of 21" in signs_are_enough().layout.meta["sentence"]
    True
    """
    return stacked(
        layer(_squares, p1=p1, n=n, nu=nu),
        layer(_bars, p1=p1, n=n, nu=nu),
        layer(_attack, p1=p1, n=n, nu=nu, release=release),
    )
