"""What Figures 1 to 6 of the PMP paper share: ratios with bands, and what the paper quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from mipbook.base.intervals import mean_band
from mipbook.base.types import Array
from mipbook.figures import looks
from mipbook.figures.frame import axis
from mipbook.figures.looks import Look
from mipbook.figures.marks import Trace, band, curve, quoted
from mipbook.figures.words import say

__all__ = ["TO_ALL", "TO_EXACT", "TO_PUBLISHED", "Ratio", "ratio_layout", "ratio_traces"]

# eps~ is compared with three parameters of DP: on all data, on the pool as the paper's figures
# measure it, and on the pool as its text defines it.
TO_ALL = looks.DP
TO_PUBLISHED = looks.PUBLISHED.with_symbol("square")
TO_EXACT = looks.PMP


class Ratio(NamedTuple):
    """A mean over pools at each setting of the axis, and the half width of its 95% band."""

    name: str
    mean: Array
    half: Array

    @classmethod
    def over_pools(cls, name: str, values: Array) -> Ratio:
        """Make it from one row a setting, one column a pool."""
        return cls(name, *mean_band(values))

    def told(self, at: int) -> str:
        """Write the mean at a setting, with its band."""
        return f"{say(self.mean[at])} ± {say(self.half[at], 2)}"


def ratio_traces(
    x: Sequence[float],
    ratios: Sequence[tuple[Ratio, Look]],
    kind: str,
    points: Sequence[tuple[float, float, str]],
    *,
    along: str,
    shown: bool = True,
    floor: float,
) -> Iterator[Trace]:
    """Yield each ratio with its band, cut at the floor of the axis, and the quoted points.

    Away from the paper's own setting the quoted points are not shown, and their trace keeps
    its size.
    """
    for ratio, look in ratios:
        low, high = (np.maximum(ratio.mean + s * ratio.half, floor) for s in (-1, 1))
        yield band(f"95% band of {ratio.name}", x, low, high, look, showlegend=False)
        mean = np.maximum(ratio.mean, floor)
        more: dict[str, Any] = {
            "customdata": [ratio.told(at) for at in range(len(x))],
            "hovertemplate": f"{ratio.name} = %{{customdata}} at {along} = %{{x}}<extra></extra>",
        }
        yield curve(f"{ratio.name} ({kind})", list(x), mean, look, marked=True, **more)
    yield quoted(
        "quoted in the paper",
        [p[0] for p in points],
        [p[1] if shown else None for p in points],
        text=[p[2] for p in points],
        showlegend=bool(points),
        hovertemplate="%{text}<extra></extra>",
    )


def ratio_layout(title: str, ends: tuple[float, float], *, log: bool, lowest: float) -> dict[str, Any]:
    """Return the layout: ratios on a log axis, whose lowest decade is ``lowest``."""
    return {
        "xaxis": axis(title, log=log, range=list(ends)),
        "yaxis": axis("ratio", log=True, range=[lowest, 0.15]),
        "height": 430,
    }
