"""The sum modulo 2n: how often each remainder comes up with a record in, and with it out."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

import numpy as np
import plotly.graph_objects as go

from mipbook import pmp
from mipbook.explore import Choice, Slider, declared
from mipbook.figures import looks
from mipbook.figures.frame import LOWER, axis, finish
from mipbook.figures.marks import bars, level, points
from mipbook.figures.words import percent, say

__all__ = ["modular_sum_bars"]

_SAME, _LOOSE = "the same output", "largest over smallest"
_counts = lru_cache(maxsize=64)(pmp.modular_sum)


def _marked(counts: pmp.SumCounts, same: bool) -> list[tuple[int, int]]:
    """Return the remainder and the height of the bars that are compared."""
    both = np.stack([counts.inside, counts.outside], axis=1)
    if same:
        # The first remainder at which the ratio is attained: its two bars.
        at = int(np.argmax(np.abs(np.log(counts.inside / counts.outside))))
        return [(at, int(both[at].max()))]
    top, bottom = counts.loose_odds
    high, low = np.argwhere(both == top)[0], np.argwhere(both == bottom)[0]
    return [(int(high[0]), top), (int(low[0]), bottom)]


def _sentence(n: int, counts: pmp.SumCounts, same: bool) -> str:
    exact = f"ln({counts.odds[0]}/{counts.odds[1]}) = {say(counts.epsilon)}"
    top, bottom = counts.loose_odds
    loose = math.log(top / bottom)
    if same:
        text = (
            f"The sum modulo {2 * n} is epsilon-PMP for epsilon = {exact} and no less (exact): at "
            f"no remainder do the two bars differ more. The best attack against this record is "
            f"right {percent(counts.accuracy, 7)} of the time (exact)."
        )
    elif counts.odds == counts.loose_odds:
        text = (
            f"The tallest bar over the shortest gives ln({top}/{bottom}) = {say(loose)} (bound). "
            f"Here it is also the exact epsilon, {exact}: both bars stand at one remainder."
        )
    else:
        text = (
            f"The tallest bar over the shortest gives ln({top}/{bottom}) = {say(loose)} (bound), "
            f"{say(loose / counts.epsilon)} times the exact epsilon, {exact}: the two bars belong "
            f"to different remainders, which no attacker can confuse."
        )
    return f"{text} No noise is added, so it is not DP for any epsilon (exact)."


@declared
def modular_sum_bars(
    n: Annotated[int, Slider(3, 12, step=1, label="Records drawn, n")] = 6,
    record: Annotated[int, Choice([0, 1, 2, 3, 4, 5], label="Record in question")] = 0,
    compare: Annotated[str, Choice([_SAME, _LOOSE], label="Compare")] = _SAME,
) -> go.Figure:
    """Draw the counts of each remainder with the record in and out, and their log ratios.

    Record i has the label i.

    References
    ----------
    PMP paper, Proposition 5 and the remark on n = 6.

    Examples
    --------
    >>> "38/37" in modular_sum_bars(6).layout.meta["sentence"]
    True
    """
    counts = _counts(n, record)
    outputs = np.arange(2 * n)
    same = compare == _SAME
    top, bottom = counts.odds if same else counts.loose_odds
    line = math.log(top / bottom)
    marked = _marked(counts, same)
    places, heights = zip(*marked, strict=True)
    compared = looks.READING.with_symbol("triangle-down")
    ends = [-0.6, 2 * n - 0.4]
    return finish(
        [
            bars("record in", outputs, counts.inside, looks.IN),
            bars("record out", outputs, counts.outside, looks.OUT, "/"),
            points("compared", places, [1.05 * h for h in heights], compared, size=11),
            bars(
                "ln(in / out)",
                outputs,
                np.log(counts.inside / counts.outside),
                looks.LEVEL,
                ".",
                **LOWER,
            ),
            level("plus and minus epsilon", ends, line, looks.PMP.bound(), **LOWER),
            level("minus epsilon", ends, -line, looks.PMP.bound(), showlegend=False, **LOWER),
        ],
        sentence=_sentence(n, counts, same),
        alt=(
            f"Above, pairs of bars for the remainders 0 to {2 * n - 1}: how many of the "
            f"{int(counts.inside.sum()):,} subsets with record {record}, and of as many without, "
            f"give each; all lie between {counts.loose_odds[1]} and {counts.loose_odds[0]}. Below, "
            f"the logarithms of their ratios between dashed lines at plus and minus {say(line)}."
        ),
        layout={
            "xaxis": axis("remainder of the sum", dtick=1 if n <= 6 else 2),
            "yaxis": axis("subsets", range=[0, 1.16 * counts.loose_odds[0]]),
            "xaxis2": axis("remainder of the sum", dtick=1 if n <= 6 else 2),
            "yaxis2": axis("ln(in / out)", range=[-1.3 * line, 1.3 * line]),
            "rows": (0.55, 0.22),
            "barmode": "group",
            "height": 520,
        },
    )
