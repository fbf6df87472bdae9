"""What Figures 1 to 6 of the PMP paper share: ratios along an axis, their bands, and the quotes."""

from typing import Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k

_EPSILONS = {"epsilon": "ε", "subset": "ε(X)"}
_SIDES = ("pool", "all", "exact")


class _Ratio(NamedTuple):
    """A mean over pools at each setting of the axis, and the half width of its 95% band."""

    name: str
    look: k.Look
    mean: Any
    half: Any

    def told(self, at):
        """Write the mean at a setting, with its band."""
        mean, half = k.about(self.mean[at]), k.about(self.half[at], digits=2)
        return k.told("{mean} ± {half}", mean=mean, half=half)

    def trend(self):
        steps, (first, *_, last) = np.diff(self.mean), self.mean
        if (steps > 0).all() or (steps < 0).all():
            return "rises all the way" if steps[0] > 0 else "falls all the way"
        return k.told("goes from {first} to {last}", first=k.about(first), last=k.about(last))


def _part(figure, along, ratios, at, *quotes, symbol, kind="estimate", theirs=True, **more):
    """Return the ratios along an axis, what is told of each ``at`` a setting, and the quotes.

    Away from the paper's own setting the quoted points are not shown, and their trace keeps its
    size.
    """
    floor, lowest = (1e-6, -3.3) if kind == "estimate" else (1e-4, -4)
    stops = figure.axes[along]
    place = stops.index(at)
    traces, words = [], {"trials": figure.trials}
    for side, ratio in zip(_SIDES, ratios, strict=False):
        low, mean, high = (np.maximum(ratio.mean + s * ratio.half, floor) for s in (-1, 0, 1))
        over: dict[str, Any] = {"hover": f"{ratio.name} = %{{customdata}} at {symbol} = %{{x}}"}
        over["customdata"] = [ratio.told(each) for each in range(len(stops))]
        traces += [
            k.band(f"95% band of {ratio.name}", stops, low, high, ratio.look, showlegend=False),
            k.curve(f"{ratio.name} ({kind})", list(stops), mean, ratio.look, marked=True, **over),
        ]
        ends = {"first": ratio.mean[0], "last": ratio.mean[-1]}
        ends |= {"least": ratio.mean.min(), "most": ratio.mean.max()}
        words |= {f"{side}_{end}": k.about(value) for end, value in ends.items()}
        words |= {side: ratio.told(place), f"{side}_short": k.about(ratio.mean[place], digits=2)}
    x, y, text = ([quote[i] for quote in quotes] for i in range(3))
    y = y if theirs else [None] * len(y)
    quoted = k.quoted("quoted in the paper", x, y, text=text, showlegend=bool(x), hover="%{text}")
    axis = k.axis("ratio", log=True, range=[lowest, 0.15])
    probe = [trace["name"] for trace in traces[1::2]]
    return k.part(traces, quoted, y=axis, height=430, probe=probe, **words, **more)
