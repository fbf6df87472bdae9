"""A table of coins, the noisy number of their heads, and what differential privacy alone would allow."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import mis
from mipbook.figures.mis.rows import ROW, scored

_EPSILON = k.Stops(
    [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0, 1.2, 1.5, 2.0, 3.0, 4.0], 1.0, label="Privacy, ε"
)
_COINS = k.Count([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200], 200, label="Coins, n", play=True)
_ROW, _WIDE = 25, 2.9
# Where your coin lies when a stranger's was counted in its place.
_APART = 3.35


@k.cache
def _laws(n, epsilon):
    """Return the distributions of the noisy number of heads: with your head counted, and without."""
    tail, head = mis.geometric_count_laws(n, 0.5, epsilon)
    return head, (tail + head) / 2


@k.cache
def _right(n, epsilon):
    return (1 + float(mis.geometric_count_delta(n, 0.5, epsilon))) / 2


def _scaled(value, n, epsilon):
    """Measure a number of heads from its middle, in deviations of the hill without your coin."""
    law, heads = _laws(n, epsilon)[1], np.arange(n + 1.0)
    return (value - n / 2) / np.sqrt(law @ (heads - n / 2) ** 2)


def _hills(n, epsilon):
    """Draw how often each number is published, with your head counted and with a stranger's coin for it."""
    edges = _scaled(np.arange(-1.0, n + 2), n, epsilon)
    top, steps = max(law.max() for law in _laws(n, epsilon)), {"shape": "hvh"}
    traces = []
    for name, law, look in zip(
        ("your coin counted", "not counted"), _laws(n, epsilon), (k.IN, k.OUT), strict=True
    ):
        hill = k.curve(name, edges, np.pad(law / top, 1), look, hoverinfo="skip", fill="tozeroy")
        traces.append({**hill, "line": {**hill["line"], **steps}})
    # Two numbers say what the ground is.
    deviation = 1 / (_scaled(1, n, epsilon) - _scaled(0, n, epsilon))
    ground = [max(0, round(n / 2 - 1.5 * deviation)), min(n, round(n / 2 + 1.5 * deviation))]
    aside = {"textposition": ["middle right", "middle left"], "textfont": {"color": [k.BLUE, k.ORANGE]}}
    right, most = _right(n, epsilon), (1 + float(mis.delta_from_dp(epsilon))) / 2
    limit = {"text": ["the limit of DP"], "mode": "markers+text", "size": 12}
    limit |= {"textposition": "top center", "lower": True, "showlegend": False, "hoverinfo": "skip"}
    return k.part(
        traces,
        k.text("which hill", [2.05, -2.05], [0.6] * 2, ["counted", "not counted"], cliponaxis=False, **aside),
        k.text("the ground", _scaled(np.array(ground), n, epsilon), [-0.13] * 2, [*map(str, ground)]),
        scored(0, 1.7, "the spy is right", 100 * right, k.ATTACK),
        k.level("the promise", 100 * most, [-1, 1.2], k.DP, lower=True),
        k.points("what DP allows", 100 * most, 1.3, k.DP, **limit),
        x={"visible": False, "range": [-3.8, 3.8]},
        y={"visible": False, "range": [-0.25, 3.1]},
        x2=ROW,
        y2={"visible": False, "range": [-1.4, 3]},
        rows=(0.78, 0.06),
        height=480,
        showlegend=False,
        ghost=[],
        headline="A spy is right {right}",
        sentence="From the noisy number of {coins} a spy is right about yours {right} (exact). With DP alone "
        "it could be {most} (bound).",
        alt="On top {coins}, heads large and tails small; yours is a star, among them or apart. Under them "
        "two hills, the numbers published with your coin counted and without it, and a line at {said}. "
        "Below, a row of 100 rounds: the spy is right {right}; a post stands at {most}, the limit of DP.",
        grab=k.drag(
            "n", [100 * _right(each, epsilon) for each in _COINS.stops], np.zeros(len(_COINS.stops)), "x2"
        ),
        coins=k.told("{n} coins" if n > 1 else "one coin", n=n),
        right=k.exact(right, k.in_100),
        most=k.at_most(most, k.in_100),
    )


def _tossed(n, epsilon, draw):
    """Draw the coins on their table, yours among them or a stranger's, and the number that is published."""
    rng, odds = np.random.default_rng([draw, n]), 1 - np.exp(-epsilon)
    member, head = rng.integers(2) == 1, rng.integers(2, size=n) == 1
    head[0] |= member
    noise = rng.geometric(odds) - rng.geometric(odds)
    said = int(np.clip(head.sum() + noise, 0, n))
    # Yours lies amid the others.
    place, each = (
        np.roll(np.arange(n), -(_ROW * (n // _ROW // 2) + min(n, _ROW) // 2)),
        2 * _WIDE / (_ROW - 1),
    )
    x, y = each * (place % _ROW - (min(n, _ROW) - 1) / 2), 2.27 - 0.14 * (place // _ROW - (n - 1) // _ROW / 2)
    at, words = float(_scaled(said, n, epsilon)), {"hoverinfo": "skip", "showlegend": False}
    counted, without = _laws(n, epsilon)
    bet = "counted" if counted[said] > without[said] else "not counted"
    tick = "✓" if (bet == "counted") == member else "✗"
    told = f"published: <b>{said}</b><br>the spy says: <b>{bet} {tick}</b>"
    mine = np.arange(n) == (0 if member else -1)
    return k.part(
        k.points("heads", x[head & ~mine], y[head & ~mine], k.MIS.with_symbol("circle"), size=9, **words),
        k.points("tails", x[~head], y[~head], k.LEVEL, size=4, **words),
        k.points(
            "yours",
            x[0] if member else _APART,
            y[0] if member else 2.27,
            k.READING.with_symbol("star"),
            size=20,
            hoverinfo="skip",
        ),
        k.level("published", at, [0, 1.06], k.READING),
        k.text("the number", [np.clip(at, -1.7, 1.7)], [1.36], [told]),
        k.text("the signs", [0], [3.0], ["● heads   · tails   ★ your coin, heads"]),
        said=said,
    )


@k.figure
def dp_security(
    n: Annotated[int, _COINS] = 200,
    epsilon: Annotated[float, _EPSILON] = 1.0,
    draw: Annotated[int, k.Draws(15, label="Toss again")] = 1,
):
    """Draw coins, the two hills of their noisy number of heads, and what each lets a spy do.

    Notes
    -----
    Limits paper, Remark 8; tanh(eps/4) is new in this book.

    Examples
    --------
    >>> dp_security().layout.meta["headline"]
    'A spy is right 51.4 times in 100'
    """
    return _hills, _tossed
