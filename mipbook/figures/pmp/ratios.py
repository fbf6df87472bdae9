"""What Figures 4 to 6 of the PMP paper share: ratios along an axis, with any parameter moved."""

from typing import Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook.base.rounding import mean_band
from mipbook.stored.pmp import SENSITIVITIES, USUAL

_EPSILONS = {"epsilon": "ε", "subset": "ε(X)"}
FIXED = k.Choice({word: value for value, word in _EPSILONS.items()}, label="Held fixed")
SENSITIVITY = k.Choice(SENSITIVITIES, label="Sensitivity")
# The mean over records is no bound, and no PMP parameter.
AVERAGE = k.Choice(
    {"worst record": "worst", "mean over records": "mean", "worst data set": "set"}, label="ε̃ of the"
)
_HOW = {
    "worst": "estimates of the bound's mean, {trials} data sets, 95% bands",
    "mean": "estimates of the mean over records, {trials} data sets, 95% bands",
    "set": "bounds, the largest of {trials} data sets",
}
_POOLS = (2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 20, 22, 25, 28, 30)
# The least that a logarithmic axis takes.
_FLOOR = 1e-12
# What can be moved: in the menu, and how a sentence says where it is.
_MOVED = {
    "n": ("Records drawn, n", "n = {moved}"),
    "dimension": ("Dimension, d", "d = {moved}"),
    "clip": ("Clip threshold, C", "C = {moved}"),
    "sigma": ("Spread of the data, σ", "σ = {moved}"),
    "delta": ("δ", "δ = {moved}"),
    "outliers": ("Outliers", "{moved} outliers"),
    "factor": ("Outliers scaled by", "a factor of {moved}"),
    "epsilon": ("ε or ε(X), held", "{word} = {moved}"),
    "pools": ("Data sets", "{moved} data sets"),
}


class _Ratio(NamedTuple):
    """What is drawn at each point of the axis, with the half width of its 95% band if a mean."""

    name: str
    look: k.Look
    mean: Any
    half: Any

    def told(self, at):
        """Write the value at a point, with its band."""
        if self.half is None:
            return k.told("{most}", most=k.at_most(self.mean[at]))
        # What rounding leaves of a band that is none is none.
        half = self.half[at] if self.half[at] > 1e-9 * self.mean[at] else 0.0
        mean, half = k.about(self.mean[at]), k.about(half, digits=2)
        return k.told("{mean} ± {half}", mean=mean, half=half)

    def end(self, at):
        return k.at_most(self.mean[at]) if self.half is None else k.about(self.mean[at])

    def trend(self):
        steps = np.diff(self.mean)
        if (steps > 0).all() or (steps < 0).all():
            return "rises all the way" if steps[0] > 0 else "falls all the way"
        return k.told("goes from {first} to {last}", first=self.end(0), last=self.end(-1))

    def traces(self, at, kind, symbol):
        """Return the curve along the axis, over its band."""
        area, told = ((), (), ()), ", the largest,"
        if self.half is not None:
            area, told = (at, _above(self.mean - self.half), _above(self.mean + self.half)), ""
        over = {"hover": f"{self.name} = %{{y:.3g}}{told} at {symbol} = %{{x}}"}
        yield k.band(f"95% band of {self.name}", *area, self.look, showlegend=False)
        yield k.curve(f"{self.name} ({kind})", list(at), _above(self.mean), self.look, marked=True, **over)


def _above(values):
    """Return values as a logarithmic axis takes them."""
    return k.short(np.maximum(values, _FLOOR))


def _stops(figure):
    """Return the stops of all that can be moved, the axis last; and where each starts."""
    stops = {name: figure.stops[name] for name in _MOVED if name in figure.stops} | {"pools": _POOLS}
    stops[figure.along] = stops.pop(figure.along)
    return stops, {**figure.own, "pools": USUAL}


def controls(figure):
    """Return the menu of what is moved, and the slider that moves it."""
    stops, own = _stops(figure)
    menu = k.Choice({_MOVED[name][0]: name for name in stops}, label="Vary")
    return menu, k.Along("vary", stops, {name: own[name] for name in stops}, "n", label="Set it to")


def drawn(figure, vary, to, reading, quote, verdict, **texts):
    """Return the ratios along the figure's axis with one parameter moved, and what is told.

    Away from the paper's setting nothing is quoted, and the trace of the quote keeps its size.
    """
    (held, sensitivity, average), along = reading, figure.along
    stops, own = _stops(figure)
    value, word = stops[vary][to], _EPSILONS[held]
    moved = {} if vary == along else {vary: value}
    found = figure.read(held, sensitivity, "mean" if average == "mean" else "worst", **moved)
    theirs, own_place = vary in (along, "pools") or value == own[vary], found.at.index(own[along])
    place = found.at.index(value) if vary == along else own_place
    kind, look = ("estimate", k.Look.estimate) if average == "mean" else ("bound", k.Look.bound)

    def over(name, idea, by):
        values = found.pmp / by
        band = (values.max(axis=-1), None) if average == "set" else mean_band(values)
        return _Ratio(name, look(idea), *band)

    ratios = {
        "pool": over("ε̃ / ε(X)", k.PMP, np.maximum(found.subset, 1e-300)),
        "all": over("ε̃ / ε", k.DP, found.epsilon),
    }
    itself, named = over("ε̃", k.PMP, 1.0), {"word": word}
    symbol = _MOVED[along][1].partition(" ")[0].format(word=word)
    x, y, text = ([each] for each in quote or (None, None, None))
    shown = {"showlegend": bool(quote), "hover": "%{text}"}
    there = k.told(_MOVED[along][1], moved=found.at[place], **named)
    silent = theirs or vary == "epsilon"
    return k.part(
        *(ratio.traces(found.at, kind, symbol) for ratio in ratios.values()),
        k.reading([found.at[place]] * 2, [max(ratio.mean[place], _FLOOR) for ratio in ratios.values()]),
        k.quoted("quoted in the paper", x, y if theirs else [None], text=text, **shown),
        y=k.axis("ratio", log=True, range=[-4, 0.15]),
        height=430,
        probe=[f"{ratio.name} ({kind})" for ratio in ratios.values()],
        headline="{where}: ε̃ = {short}",
        kept=k.told("{word} = {target}", target=found.target[place], **named),
        setting="" if silent else k.told(f" and {_MOVED[vary][1]}", moved=value, **named),
        where=there if silent else k.told(_MOVED[vary][1], moved=value, **named),
        **k.words(there=there, told=itself.told(place), one=itself.told(0)),
        short=(k.at_most if average == "set" else k.about)(itself.mean[place]),
        how=k.told(_HOW[average], trials=found.pmp.shape[1]),
        verdict=verdict(found, held, ratios, itself, own_place) if theirs else "",
        **{f"trend_{side}": ratio.trend() for side, ratio in ratios.items()},
        **{side: ratio.told(place) for side, ratio in ratios.items()},
        **{
            f"{side}_{end}": r.end(at)
            for side, r in ratios.items()
            for end, at in (("first", 0), ("last", -1))
        },
        **named,
        **texts,
    )
