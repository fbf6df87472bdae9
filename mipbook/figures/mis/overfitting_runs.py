"""A training run, seen through the losses: one that is trained here, that of Figure 1, and variations.

Above, how the losses of members and of fresh records lie at one iteration, with the threshold
between them; below, what the threshold makes of them at every iteration.
"""

from dataclasses import replace
from typing import Annotated, Any, NamedTuple

import numpy as np

import mipbook.figures.kit as k
from mipbook import learners
from mipbook.mis.overfitting import accuracy_from_rates
from mipbook.stored import load
from mipbook.stored.limits import FACTORS, SMALL, VARIED_AT, VARIED_SEEDS, scaled, train_run, varied

_RIGHT = "attack right (estimate)"
_accuracy = k.cache(accuracy_from_rates)


class _Run(NamedTuple):
    """Fractions of members' and of fresh losses below each level, by iteration."""

    iterations: Any
    levels: Any
    train: Any
    fresh: Any
    members: int
    drawn: int

    def row(self, iteration):
        """Return the row of the last iteration up to this one that was looked at."""
        return int(np.searchsorted(self.iterations, iteration, side="right")) - 1

    def column(self, threshold):
        """Return the column of the nearest level that was looked at."""
        return int(np.abs(np.log(self.levels / threshold)).argmin())

    def right(self, column):
        """Return how often the attack with this threshold is right, at every iteration."""
        return (self.train[:, column] + 1 - self.fresh[:, column]) / 2


def _run(n, fresh, arrays):
    """Return what `mipbook.stored.limits.train_run` counted, as fractions."""
    counts = arrays["train"] / n, arrays["validation"] / fresh
    return _Run(arrays["iterations"], arrays["thresholds"], *counts, n, fresh)


def _levels(thresholds):
    """Return the choice of a threshold."""
    return k.Choice({k.say(level): level for level in thresholds}, label="Threshold")


def _losses(run, iteration, step=1):
    """Draw how the losses are spread at one iteration; every ``step``-th level is an edge."""
    row, levels = run.row(iteration), run.levels[::step]
    # What lies beyond the levels ends the outline.
    edges = [levels[0] / (levels[1] / levels[0]), *levels, levels[-1] * (levels[-1] / levels[-2])]
    bells, half = [], {}
    for name, shares, look, who in (
        ("members' losses", run.train[row], k.IN, "members"),
        ("fresh losses", run.fresh[row], k.OUT, "fresh records"),
    ):
        inside = np.diff(np.concatenate([[0.0], shares[::step], [1.0]]))
        heights = np.append(inside, inside[-1])
        said = f"%{{y:.0%}} of {who} from here to the next step"
        bell = k.curve(name, edges, heights, look, hover=said, fill="tozeroy")
        bells.append({**bell, "line": {**bell["line"], "shape": "hv"}})
        at = int(np.searchsorted(shares, 0.5))
        side, level = ("at most", run.levels[at]) if at < len(run.levels) else ("above", run.levels[-1])
        half[who[0]] = k.told(f"{side} {{level}}", level=float(level))
    return k.part(bells, iteration=run.iterations[row], half_in=half["m"], half_out=half["f"])


_STANDS: k.Settings = {
    "y": k.axis("share of records", range=[0, 1.03], tickformat=".0%", tickvals=[0, 0.5, 1])
}
_STANDS |= {"rows": (0.5, 0.3), "height": 440, "beside": 0.5}
_TIME = k.drag("iteration", along="x2", at=-0.03)
_STANDS |= {"grab": k.drag("threshold", at=0.9) + _TIME}


def _over_time(run, threshold, decades, below=(), also="", time=None, shares="share below", **more):
    """Draw the fractions under one threshold at all iterations, over some traces."""
    column = run.column(threshold)
    train, fresh, right = run.train[:, column], run.fresh[:, column], run.right(column)
    level, last = float(run.levels[column]), int(run.iterations[-1])
    # A logarithmic axis has a place for no iterations.
    at = np.maximum(run.iterations, _NONE) if time else run.iterations
    lines = (
        ("members below", train, k.IN, "%{y:.0%} of the members are below", {"showlegend": False}),
        ("fresh below", fresh, k.OUT, "%{y:.0%} of fresh records are below", {"showlegend": False}),
        (_RIGHT, right, k.ATTACK.estimate(), "the attack is right in %{y:.0%} of cases", {}),
    )
    known = {"customdata": run.iterations, "lower": True}
    curves = [
        k.curve(name, at, y, look, hover=f"after %{{customdata}} iterations {said}", **more, **known)
        for name, y, look, said, more in lines
    ]
    return k.part(
        below,
        curves,
        k.level("threshold", level, [0, 1.03], replace(k.READING, dash="dashdot")),
        x=k.axis("loss", log=True, dtick=2, range=list(decades)),
        x2=time or k.axis("iterations", range=[-0.01 * last, 1.01 * last]),
        y2=k.axis(shares, range=[-0.03, 1.03], tickformat=".0%"),
        headline="right {right}",
        sentence="After {iteration} iterations of this run {caught} of {members} members and "
        "{wrong} of fresh records have a loss of at most {threshold}. Whoever says “member” there is right "
        "{right} (estimates, 95% band {low} to {high}); {ever}.",
        alt="Above, how the losses are spread at iteration {iteration}, on a logarithmic axis: half of the "
        "members' are {half_in}, half of the fresh ones {half_out}; an upright line at the "
        "threshold, {threshold}. Below, the shares under it against iterations: members end at {end_in}, "
        "fresh records at {end_out}, the attack's accuracy at {end_right}.{also}",
        probe=[_RIGHT],
        **_STANDS | more,
        **k.words(threshold=level, members=run.members, also=also, end_in=float(train[-1])),
        **k.words(end_out=k.about(float(fresh[-1])), end_right=k.about(float(right[-1]))),
    )


def _spot(run, iteration, threshold, more="", since=0):
    """Mark one iteration on the curves of one threshold, and say what the attack reaches there."""
    row, column = run.row(iteration), run.column(threshold)
    train, fresh, right = float(run.train[row, column]), float(run.fresh[row, column]), run.right(column)
    accuracy = _accuracy(train, round(fresh * run.drawn), run.drawn)
    best = int(np.argmax(right))
    ever = "at its best, after {at} iterations, {best}" if right[row] < right[best] else "it is at its best"
    top = {"at": run.iterations[best], "best": k.about(right[best], k.in_100)}
    return k.part(
        k.reading(
            [max(run.iterations[row], since)] * 3,
            [train, fresh, right[row]],
            "your iteration",
            lower=True,
            cliponaxis=False,
        ),
        caught=k.exact(train, k.percent),
        ever=k.told(f"{ever}{{more}}", more=more, **top),
        right=k.about(accuracy.value, k.in_100),
        **k.words(k.about, k.percent, wrong=fresh, low=accuracy.low, high=accuracy.high),
    )


_LONGEST, _FRESH, _RATE, _NOISE, _SEED = 1000, 500, 0.02, 0.1, 20231013
_WATCHED = tuple(sorted({*range(0, 101, 5), *range(100, _LONGEST + 1, 10)}))
_SHORT = sorted({*range(0, 100, 5), *range(100, 300, 20), *range(300, _LONGEST + 1, 50)})
# Eight levels a decade are counted; the histogram has two steps a decade.
_LEVELS, _STEP = np.geomspace(1e-8, 10, 73), 4


@k.few
def _arrays(n, width):
    more = {"rate": _RATE, "watched": _WATCHED, "thresholds": _LEVELS, "seed": _SEED, "shown": _PEOPLE}
    return train_run(n, width, _NOISE, fresh=_FRESH, **more)


@k.few
def _trained(n, width):
    """Train once; every iteration and every threshold is read off the same run."""
    return _run(n, _FRESH, _arrays(n, width))


# So many members and others stand in two rows before the heaps, each where its loss is.
_PEOPLE, _ROWS = 20, (0.79, 0.53)
_ENDS, _STREWN = (10**-9.25, 10**1.4), 0.08 * k.strewn(_PEOPLE)
# Who is beyond an end of the picture stands before it, strewn as well.
_EDGES = 10 ** (-8.65 + 0.35 * k.strewn(_PEOPLE)[7 * np.arange(_PEOPLE) % _PEOPLE]), 10**1.2
_BIG: k.Settings = {
    "y": k.axis("", {_ROWS[0]: "members", _ROWS[1]: "others"}, range=[0, 1.03], showgrid=False)
}
_BIG |= {"rows": (0.56, 0.22), "height": 480, "beside": 0.52}
# The climb takes a tenth of the time, so the axis is logarithmic; no iterations stand at its left end.
_NONE = 3.5
_TICKS = {_NONE: "0", 10: "10", 100: "100", 1000: "1,000"}
_BIG["time"] = k.axis(
    "iterations", _TICKS, log=True, range=np.log10([0.6 * _NONE, 1300]).tolist(), showgrid=False
)
_BIG["shares"] = "share"
_BIG |= {
    "grab": k.drag("threshold", at=0.36) + k.drag("iteration", np.maximum(_SHORT, _NONE), -0.03, along="x2")
}


def _rows(n, width, iteration):
    """Draw twenty members and twenty others, each at its own loss, the smallest strewn near the left edge."""
    row, seen = _trained(n, width).row(iteration), _arrays(n, width)
    rows = []
    for name, key, look, who, height in (
        ("twenty members", "train_shown", k.IN, "a member", _ROWS[0]),
        ("twenty others", "validation_shown", k.OUT, "a fresh record", _ROWS[1]),
    ):
        loss, (low, high) = k.short(seen[key][row]), _EDGES
        at = k.short(np.clip(loss, low, high))
        more = {"opacity": 0.8, "showlegend": False, "customdata": loss}
        more["hover"] = f"{who}, with a loss of %{{customdata:.2g}}"
        rows.append(k.points(name, at, height + _STREWN, look, size=10, **more))
    return k.part(rows)


def _called(n, width, threshold):
    """Fill where he says member, and how far he is above a coin toss while the network trains."""
    run = _trained(n, width)
    column = run.column(threshold)
    level, right = float(run.levels[column]), run.right(column)
    place, named = ({"textposition": side, "cliponaxis": False} for side in ("bottom left", "top right"))
    # At a large threshold its line begins high, and goes down to where the name would stand.
    grey = "in the grey" if run.fresh[0, column] < 0.2 else " "
    since = np.maximum(run.iterations, _NONE)
    over = k.band("over a coin toss", since, 0.5, right, k.ATTACK, lower=True, **k.QUIET)
    return k.part(
        k.area("where he says member", [_ENDS[0], level, level, _ENDS[0]], [0, 0, 1.03, 1.03], k.LEVEL),
        k.text("what he says", level, 1.03, "he says <b>member</b>\u2002", **place),
        over,
        k.level("a coin toss", [_NONE, _LONGEST], 0.5, lower=True, showlegend=False),
        k.text("which line", 0.7 * _NONE, [0.52, 0.07], ["he is right", grey], lower=True, **named),
    )


def _small_losses(n, width, iteration):
    return _losses(_trained(n, width), iteration, _STEP)


def _small_over_time(n, width, threshold):
    also = " Before the heaps stand twenty members and twenty others, each at its own loss, the "
    also += "smallest strewn at the left end."
    return _over_time(_trained(n, width), threshold, np.log10(_ENDS).tolist(), also=also, **_BIG)


def _small_spot(n, width, iteration, threshold):
    return _spot(_trained(n, width), iteration, threshold, since=_NONE)


@k.figure
def train_and_attack(
    n: Annotated[int, k.Count([25, 100, 200], label="Records, n")] = 100,
    width: Annotated[int, k.Count([32, 128, 512], label="Hidden units")] = 128,
    iteration: Annotated[int, k.Count(_SHORT, label="Iteration", play=True)] = 60,
    threshold: Annotated[float, k.LogSlider(1e-7, 1.0, points=15, label="Threshold")] = 1e-4,
):
    """Train a small network now, watch members and others part by their losses, attack it.

    Notes
    -----
    Limits paper, Example 1, Theorem 11 and a small Figure 1.  Thresholds and iterations are read
    on a grid, which the sentence names; a training is kept, so only a new one takes time.

    Examples
    --------
    >>> figure = train_and_attack(25, 32, iteration=500)
    >>> rows = {trace.name: trace for trace in figure.data}
    >>> bool(rows["members below"].y[-1] > rows["fresh below"].y[-1])
    True
    """
    return _called, _small_losses, _small_over_time, _rows, _small_spot


# Records, hidden units and noise of the paper's run.
_PAPER = (1000, 4096, 0.1)
_ITERATIONS = sorted({*range(0, 100, 10), *range(100, 200, 20), *range(200, 3001, 100)})


@k.cache
def _stored():
    run = load("overfitting_1_n1000_w4096_s0.1")
    return _run(run.settings["n"], run.settings["fresh"], run.arrays)


@k.cache
def _seeds():
    """Return the runs with other seeds: members' fractions, the most there were, and 99% of them."""
    run = load("overfitting_1_seeds")
    arrays, n = run.arrays, run.settings["n"]
    return arrays["train"] / n, arrays["most"] / n, arrays["reached"]


def _stored_losses(iteration):
    return _losses(_stored(), iteration)


def _stored_over_time(threshold):
    """Draw the shares at all iterations, over where the members' curve lies with other seeds."""
    run = _stored()
    shares, x = _seeds()[0][:, :, run.column(threshold)], run.iterations
    bare = {"line": {"width": 0}, "hoverinfo": "skip", "lower": True}
    low = k.curve("members, lowest seed", x, shares.min(axis=0), k.IN, showlegend=False, **bare)
    high = k.curve("members, all seeds", x, shares.max(axis=0), k.IN, fill="tonexty", **bare)
    also = " A band holds the members of all seeds."
    return _over_time(run, threshold, (-7.2, 0.7), [low, high], also=also)


def _stored_spot(iteration, threshold):
    """Say how far apart the seeds are, and how many reach the threshold at all."""
    run = _stored()
    column, (train, most, reached) = run.column(threshold), _seeds()
    shares = train[:, run.row(iteration), column]
    more = k.told(
        ". Over {runs} seeds the members' share is {least} to {most}; {nearly} ever have 99%, "
        "{every} all (estimates: another processor rounds otherwise)",
        **k.words(k.about, k.percent, least=shares.min(), most=shares.max()),
        **k.words(k.about, k.count, nearly=(reached[:, column] >= 0).sum()),
        **k.words(k.about, k.count, every=(most[:, column] == 1).sum()),
        runs=len(train),
    )
    return _spot(run, iteration, threshold, more)


@k.figure
def mis_figure_1(
    threshold: Annotated[float, _levels(learners.THRESHOLDS)] = 1e-4,
    iteration: Annotated[int, k.Count(_ITERATIONS, label="Iteration", play=True)] = 2000,
):
    """Draw the losses and the fractions under a threshold while a network trains, as stored.

    Notes
    -----
    Limits paper, Figure 1.  Its settings were run with several seeds, which the band shows.  The
    last iteration up to the chosen one that was stored is read.

    Examples
    --------
    >>> mis_figure_1(iteration=0).layout.meta["headline"]
    'right 49.9 times in 100'
    """
    return _stored_losses, _stored_over_time, _stored_spot


# --- One setting at a time ----------------------------------------------------------------------

_NAMES = {
    "records, n": "n",
    "hidden units": "width",
    "noise of the labels": "noise",
    "learning rate": "rate",
    "dimension, d": "dimension",
    "validation samples": "fresh",
}
# What Figure 1 has above, for the line in the picture.
_PAPERS = dict(zip(_NAMES.values(), (*_PAPER, 0.1, 10, 1000), strict=True))
_VARIED_LEVELS = (1e-6, 1e-4, 1e-3, 1e-2)
_VARIED_STOPS = [0, 20, 50, 100, 150, *range(200, 800, 100), *range(800, 2001, 200)]


@k.cache
def _varied(vary, threshold):
    """Return the shares of members and of fresh records, and how often the attack is right, by seed."""
    name, column = _NAMES[vary], learners.THRESHOLDS.index(threshold)
    run = load(f"overfitting_1_vary_{name}", {"base": SMALL, "factors": FACTORS}).arrays
    train, fresh = (
        run[side][..., column] / np.array([varied(name, factor)[size] for factor in FACTORS])[:, None, None]
        for side, size in (("train", "n"), ("validation", "fresh"))
    )
    return train, fresh, (train + 1 - fresh) / 2


def _whole(value):
    """Name a setting; what is counted keeps all its digits."""
    return k.exact(value, k.count) if isinstance(value, int) else k.exact(value)


def _seeds_of(name, x, shares, look, said, **more):
    """Draw the mean of the seeds as a line, over the band from the lowest to the highest."""
    low, high, mean = (side(axis=0).round(3) for side in (shares.min, shares.max, shares.mean))
    around = k.band(f"{name}, all seeds", x, low, high, look, showlegend=False, **more)
    return [around, k.curve(name, x, mean, look, hover=said, **more)]


def _run_of(vary, factor, threshold):
    """Draw one setting's shares against iterations."""
    train, fresh, right = (side[FACTORS.index(factor)] for side in _varied(vary, threshold))
    said, mean = "after %{x:,} iterations ", right.mean(axis=0).round(3)
    return k.part(
        _seeds_of("members below", VARIED_AT, train, k.IN, said + "%{y:.0%} of the members are below"),
        _seeds_of("fresh below", VARIED_AT, fresh, k.OUT, said + "%{y:.0%} of fresh records are below"),
        k.curve("right (estimate)", VARIED_AT, mean, k.ATTACK.estimate(), hover=said + "right %{y:.0%}"),
        **k.words(value=_whole(scaled(SMALL[_NAMES[vary]], factor)), factor=factor, vary=vary),
        threshold=threshold,
    )


def _against(vary, iteration, threshold):
    """Draw how often the attack is right at one iteration against the factor; a cross at the paper's."""
    name, row = _NAMES[vary], VARIED_AT.index(iteration)
    right = _varied(vary, threshold)[2][:, :, row].T
    values = [str(_whole(scaled(SMALL[name], factor))) for factor in FACTORS]
    said = f"{vary}: %{{customdata}}: right in %{{y:.0%}} of cases"
    lines = _seeds_of("right, by setting (estimate)", FACTORS, right, k.ATTACK, said, lower=True)
    lines[1]["customdata"] = values
    paper, ticks = _PAPERS[name] / SMALL[name], [0.2, 0.5, 1, 2, 4, 8]
    return k.part(
        {**lines[0], "name": "all seeds"},
        {**lines[1], "showlegend": False},
        k.level("Figure 1's", paper, [0.45, 1.02], lower=True),
        x=k.axis("iterations", range=[-20, 2020]),
        y=k.axis("share below", range=[-0.03, 1.03], tickformat=".0%"),
        x2=k.axis("times the small network's setting", type="log", tickvals=ticks, range=[-0.75, 0.95]),
        y2=k.axis("right", range=[0.45, 1.02], tickformat=".0%"),
        rows=(0.5, 0.3),
        height=460,
        headline="right {right}",
        sentence="With {vary} at {value}, {factor} times the small network's {base}, {caught} of the members "
        "and {wrong} of fresh records have a loss of at most {threshold} after {iteration} iterations. The "
        "attack is right {right} (estimates, means of {seeds} seeds, which lie between {low} "
        "and {high}). Figure 1 has {paper}.",
        alt="Above, shares of losses under {threshold} against iterations with {vary} at {value}: members "
        "reach {caught} and fresh records {wrong} at iteration {iteration}, with bands over the seeds. "
        "Below, how often the attack is right there against {vary}, from {first} at the least value to "
        "{last} at the largest; an upright line at Figure 1's {paper}.",
        grab=k.drag("factor", along="x2") + k.drag("iteration"),
        probe=["right, by setting (estimate)", "right (estimate)"],
        beside=0.5,
        **k.words(base=_whole(SMALL[name]), paper=_whole(_PAPERS[name]), seeds=VARIED_SEEDS),
        **k.words(iteration=iteration, first=k.about(right[:, 0].mean(), k.percent)),
        last=k.about(right[:, -1].mean(), k.percent),
    )


def _varied_spot(vary, factor, iteration, threshold):
    place, row = FACTORS.index(factor), VARIED_AT.index(iteration)
    train, fresh, right = (side[place, :, row] for side in _varied(vary, threshold))
    there = k.short([train.mean(), fresh.mean(), right.mean()])
    return k.part(
        k.reading([iteration] * 3, there, "your iteration"),
        k.reading([factor], there[2:], "your setting", lower=True),
        **k.words(k.about, k.percent, caught=train.mean(), wrong=fresh.mean(), low=right.min()),
        **k.words(right=k.about(right.mean(), k.in_100), high=k.about(right.max(), k.percent)),
    )


@k.figure
def mis_figure_1_vary(
    vary: Annotated[str, k.Choice(list(_NAMES), label="Vary")] = "learning rate",
    factor: Annotated[float, k.Stops(FACTORS, 1.0, label="Times its setting", between=False)] = 1.0,
    iteration: Annotated[int, k.Count(_VARIED_STOPS, label="Iteration", play=True, between=False)] = 1000,
    threshold: Annotated[float, _levels(_VARIED_LEVELS)] = 1e-4,
):
    """Draw Figure 1 on a smaller network, with one of its six settings times a factor.

    Notes
    -----
    Limits paper, Figure 1, with 200 records and 128 units around which one setting varies; four
    seeds each, as stored.  Figure 1's values of the setting lie among the stops.  More validation
    samples look at the same networks.

    Examples
    --------
    >>> mis_figure_1_vary("hidden units", 8.0).layout.meta["sentence"][:34]
    'With hidden units at 1,024, 8 time'
    """
    return _against, _run_of, _varied_spot
