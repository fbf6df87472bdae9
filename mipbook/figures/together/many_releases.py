"""What k releases let a spy do, and what each further answer is worth to him."""

from typing import Annotated

import numpy as np
from scipy.stats import binom

# One of the controls is called k.
import mipbook.figures.kit as kit
from mipbook.accounting.composition import composed
from mipbook.accounting.known import from_dp
from mipbook.tradeoff import dp_accuracy

_RELEASES = [1, 2, 3, 4, 6, 8, 10, 14, 20, 26, 32, 40, 50, 60, 70, 80, 90, 100]
_EPSILONS = [0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0]
# The draw of the hints that are shown.
_HINTS = 23


def _short_of_100(right):
    """Write how often in 100; what would round to always is not always."""
    return kit.say(right) if right < 99.95 else "over 99.9"


@kit.cache
def _together(epsilon, k):
    return composed(from_dp(epsilon), k)


def _against_k(epsilon):
    """Return how often the best spy of k releases is right, and how often if evidence only added up."""
    told = {"hover": "%{x} releases, %{fullData.name}: right %{customdata} times in 100"}
    # The odds of k releases that all speak for one side.
    summed = [100 * dp_accuracy(k * epsilon) for k in _RELEASES]
    exact = [100 * _together(epsilon, k).accuracy() for k in _RELEASES]
    lines = [
        kit.curve(name, _RELEASES, y, look, customdata=[kit.up(v, 3) for v in y], **told)
        for name, y, look in (
            ("sum of ε, at most", summed, kit.PUBLISHED),
            ("together, exact", exact, kit.BEST),
        )
    ]
    return kit.part(
        lines,
        x=kit.axis("releases, k", range=[0, 102]),
        y=kit.axis("right, times in 100", range=[49, 102]),
        x2={"visible": False, "range": [-0.7, 9.7], "constrain": "domain"},
        y2={"visible": False, "range": [-11, 0.7], "scaleanchor": "x2", "constrain": "domain"},
        rows=(0.5, 0.17),
        beside=0.62,
        height=430,
        grab=kit.drag("k", _RELEASES, np.round(exact, 4)),
        probe=[line["name"] for line in lines],
        ghost=["together, exact"],
    )


def _cost(k, epsilon):
    right, summed = 100 * _together(epsilon, k).accuracy(), 100 * dp_accuracy(k * epsilon)
    hints = np.arange(_RELEASES[-1])
    lies, said = np.random.default_rng(_HINTS).random(hints.size) < 1 / (1 + np.exp(epsilon)), hints < k
    places, plain = (hints % 10, -(hints // 10)), {"showlegend": False, "hoverinfo": "skip", **kit.LOWER}
    told = f"<b>{(said & ~lies).sum()}</b> say in, <b>{(said & lies).sum()}</b> say out"
    return kit.part(
        kit.reading(k, right, "at your k"),
        [
            kit.points(name, *(side[which] for side in places), look, size=size, **plain)
            for name, which, look, size in (
                ("hints to come", ~said, kit.LEVEL, 3),
                ("hints that are true", said & ~lies, kit.IN, 10),
                ("hints that lie", said & lies, kit.OUT.with_symbol("x"), 7),
            )
        ],
        annotations=[{"x": 4.5, "y": -10.3, "xref": "x2", "yref": "y2", "showarrow": False, "text": told}],
        headline="right {right} times in 100",
        sentence="The best spy follows the majority. He is right {right} times in 100 at most (exact); the "
        "sum of ε would allow {summed} (bound).",
        alt="How often the best spy is right against the number of releases: by the sum of ε it shoots "
        "to 100, in truth it climbs slowly and is {right} for {k}. Beside it {k} hints about somebody who "
        "is in: those that say in, and those that lie.",
        k=int(k),
        right=kit.exact(right, _short_of_100),
        summed=kit.at_most(summed, digits=4),
    )


@kit.figure
def composition_costs(
    k: Annotated[int, kit.Stops(_RELEASES, label="Releases, k", play=True).safe("up")] = 100,
    epsilon: Annotated[float, kit.Stops(_EPSILONS, label="ε of each").safe("up")] = 0.1,
):
    """Draw how often a spy is right after k releases, beside what their sum would allow.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorems 3.3 and 3.4.

    Examples
    --------
    >>> composition_costs(100).layout.meta["headline"]
    'right 69.1 times in 100'
    """
    return _against_k, _cost


_MOST = 15
_ANSWERED = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0]


def _advantages(epsilon):
    """Return how often the best attacker is right, against the number of answers."""
    steps = np.arange(1, _MOST + 1)
    found = [100 * _together(epsilon, k).accuracy() for k in steps.tolist()]
    name = "the worst case for this ε (exact)"
    most = {"hover": "%{x} answers: right at most %{customdata:.3g} times in 100", "marked": True}
    most["customdata"] = [kit.up(value, 3) for value in found]
    return kit.part(
        kit.curve(name, steps, found, kit.BEST, **most),
        x=kit.axis("answers, k", range=[0, _MOST + 1]),
        y=kit.axis("right, times in 100", range=[50, 101.5]),
        x2=kit.axis("share of answers that say “in”", dtick=0.5),
        y2=kit.axis("chance", showgrid=False),
        rows=(0.5, 0.2),
        barmode="group",
        moving_axes="however many bars there are, they fill the picture",
        height=430,
        grab=kit.drag("k", steps, np.round(found, 4)),
        probe=[name],
        beside=0.5,
    )


def _answers(k, epsilon):
    """Return how many of k answers say *in*, with the member and without."""
    count = np.arange(k + 1)
    lie = 1 / (1 + np.exp(epsilon))
    member, other = binom.pmf(count, k, 1 - lie), binom.pmf(count, k, lie)
    right = _together(epsilon, k).accuracy()
    more = {"customdata": count, "hover": f"%{{customdata}} of {k} say in: %{{y:.3f}}", "lower": True}
    share, high = np.round(count / k, 5), float(member.max())
    bars = [
        kit.bars(name, share, np.round(chance, 6), look, pattern, **more)
        for name, chance, look, pattern in (
            ("member", member, kit.IN, ""),
            ("no member", other, kit.OUT, "/"),
        )
    ]
    middle = {"x": 0.5, "y": 1.03 * high, "xref": "x2", "yref": "y2", "yanchor": "bottom"}
    verdict = (
        "The last answer gained nothing: at most it made a tie." if k % 2 == 0 else "The majority decides."
    )
    return kit.part(
        kit.reading(k, 100 * right, "at your k"),
        bars,
        x2={"range": [-0.55 / k, 1 + 0.55 / k], "tickvals": [0, 0.5, 1]},
        y2={"range": [0, 1.35 * high]},
        annotations=[{"text": "a tie", "showarrow": False, "visible": k % 2 == 0, **middle}],
        headline="right {right} times in 100",
        sentence=f"After {{k}} answer{'s' * (k > 1)} the best spy is right {{right}} times in 100 (exact). "
        f"{verdict}",
        alt="Left, how often the best attacker is right, against the number of answers: a staircase whose "
        "every second step is flat, {right} for {k}. Right, bars: how many of {k} answers say in, with the "
        "member to the right, without mirrored to the left.",
        k=k,
        right=kit.exact(100 * right, _short_of_100),
    )


@kit.figure
def votes(
    k: Annotated[int, kit.Slider(1, _MOST, step=1, value=2, label="Answers, k", play=True)] = 2,
    epsilon: Annotated[float, kit.Stops(_ANSWERED, label="ε of each")] = 0.5,
):
    """Draw how often the best attacker is right after k randomised responses, and what it counts.

    References
    ----------
    P. Kairouz, S. Oh and P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE
    Trans. Inf. Theory 2017, Theorem 3.3.

    Examples
    --------
    >>> votes(1).layout.meta["headline"] == votes(2).layout.meta["headline"]
    True
    """
    return _advantages, _answers
