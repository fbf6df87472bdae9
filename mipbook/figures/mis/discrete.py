"""Releases from the same histogram: the signs leak as much as all the counts."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from scipy.stats import binom

import mipbook.figures.kit as k
from explorable.palette import PURPLE
from mipbook import mis
from mipbook.figures.mis.rows import ROW, scored

RELEASES = ["constant", "one bit", "signs", "histogram"]
_SLACK = 1e-9


def _law(p1):
    """Return the three probabilities; the last two share what is left as 3 to 2."""
    p2 = 0.6 * (1 - p1)
    return p1, p2, 1 - p1 - p2


def _learner(release, p, nu):
    signs = mis.sign_learner(p, nu)
    learners = (lambda counts: 0, lambda counts: signs(counts)[0], signs, lambda counts: counts)
    return learners[RELEASES.index(release)]


@k.cache
def _model(release, p, n, nu):
    # What the histogram releases does not depend on nu, so one model serves all.
    if release == "histogram" and nu != 0.5:
        return _model(release, p, n, 0.5)
    return mis.finite_model(_learner(release, p, nu), p, n)


@k.cache
def _solved(release, p1, n, nu):
    """Return Delta, the number of releases, and what the best attack says at each histogram."""
    p = _law(p1)
    model, learner = _model(release, p, n, nu), _learner(release, p, nu)
    # Of a tie the attack makes nothing; rounding must not show it as a choice.
    says = model.given > float(mis.weight_ratio(nu)) * model.law * (1 + _SLACK)
    place = {output: j for j, output in enumerate(model.outputs)}
    where = [place[learner(counts)] for counts in _model("histogram", p, n, nu).outputs]
    return float(model.delta(nu)), len(place), says[:, where]


@k.cache
def _ordered(p1, n, nu):
    """Return all histograms, which counts are above gamma n p, and an order by these signs."""
    p = _law(p1)
    counts = np.array(_model("histogram", p, n, nu).outputs)
    above = counts > float(mis.weight_ratio(nu)) * n * np.array(p) * (1 + _SLACK)
    order = np.lexsort((*counts.T[::-1], *above.T))
    return counts[order], above[order], order


def _cells(count):
    """Return where the columns stand; however many there are, they fill the same axis."""
    return (np.arange(count) + 0.5) / count


def _squares(p1, n, nu):
    """Draw a mark for each value and histogram, filled where the count is above its mean, and the leaks."""
    # Histograms with the same signs stand together.
    counts, above, _ = _ordered(p1, n, nu)
    places, filled = _cells(len(counts)), above.ravel()
    x, y = np.repeat(places, 3), np.tile([1, 2, 3], len(counts))
    texts = np.array([", ".join(map(str, row)) for row in counts.tolist()], dtype=object)
    marks = {"size": 9, "text": np.repeat(texts, 3), "hover": "counts %{text}: value %{y}"}
    columns = {"tickvals": places.tolist(), "ticktext": ["".join(map(str, row)) for row in counts.tolist()]}
    columns |= {"range": [0, 1], "tickangle": -90, "tickfont": {"size": 11}, "zeroline": False}
    names = [f"{i}: {k.percent(p, 2)}" for i, p in enumerate(_law(p1), 1)]
    rows: dict[str, Any] = {"tickvals": [1, 2, 3], "ticktext": names}
    deltas = [_solved(release, p1, n, nu)[0] for release in RELEASES]
    bars = {"showlegend": False, "hover": "%{x}: Δ = %{y:.3f}", "lower": True}
    return k.part(
        k.points("above γ n p", x, k.kept(y, filled), k.MIS, **marks),
        k.points("not", x, k.kept(y, ~filled), k.LEVEL.with_symbol("square-open"), **marks),
        k.bars("Δ of each release (exact)", RELEASES, deltas, k.MIS, **bars),
        x=k.axis(f"the {len(counts)} histograms of {n} records", **columns),
        y=k.axis("", range=[0.5, 3.5], zeroline=False, **rows),
        x2=k.axis("what is released", type="category"),
        y2=k.axis("Δ", range=[0, 0.4], nticks=4),
        rows=(0.5, 0.27),
        height=460,
        gamma=float(mis.weight_ratio(nu)),
        every=len(counts),
        **dict(zip(("constant", "bit", "signs", "histogram"), deltas, strict=True)),
    )


def _attack(p1, n, nu, release):
    """Draw what the best attack on the release says, and say what it gains."""
    counts, _, order = _ordered(p1, n, nu)
    delta, releases, says = _solved(release, p1, n, nu)
    most = _solved("histogram", p1, n, nu)[0]
    x, y, told = np.repeat(_cells(len(counts)), 3), np.tile([1, 2, 3], len(counts)), says[:, order].T.ravel()
    cross = k.ATTACK.with_symbol("x-thin-open")
    if release == "histogram":
        headline, gain = "All counts: Δ = {delta}", "lets the best attack gain Δ = {delta}"
        sentence = (
            f"the histogram, with {{releases}} possible releases, {gain}; no learner leaks more (exact)."
        )
    elif release == "signs":
        headline, plural = "Signs alone: Δ = {delta}", "s" if releases != 1 else ""
        sentence = (
            "the signs alone leak Δ = {delta}, as much as all the counts (exact), with {releases} "
            f"release{plural} instead of {{every}}."
        )
    elif delta < 1e-12:
        what = "a constant" if release == "constant" else "one bit about the first value"
        headline = "Leaks nothing: Δ = 0"
        sentence = f"{what} leaks nothing (exact); the signs would leak {{most}} (exact)."
    else:
        headline = "One bit: Δ = {delta}"
        sentence = (
            "one bit about the first value leaks Δ = {delta} (exact), {share} of the {most} that signs or "
            "histogram leak (exact)."
        )
    return k.part(
        k.points("attack says member", x, k.kept(y, told), cross, size=12, hoverinfo="skip"),
        k.reading([release], [delta], "your release", lower=True),
        headline=headline,
        sentence=f"At γ = {{gamma}} {sentence}",
        alt="Above, three rows of {every} squares, one for each value and histogram of {n} records, filled "
        "where the count is above γ n p; crosses show where the attack on the release ({release}) says "
        "member. Below, bars of Delta: constant {constant}, one bit {bit}, signs {signs}, histogram "
        "{histogram}.",
        n=n,
        release=release,
        releases=releases,
        delta=delta,
        most=most,
        share=k.exact(delta / most, k.percent) if most else "",
    )


@k.figure
def signs_are_enough(
    p1: Annotated[float, k.Slider(0.1, 0.7, step=0.025, label="Probability of value 1")] = 0.5,
    n: Annotated[int, k.Count([3, 4, 5], label="Records, n")] = 5,
    nu: Annotated[float, k.Stops([0.4, 0.5, 0.6], label="Share of fresh points, ν")] = 0.5,
    release: Annotated[str, k.Choice(RELEASES, label="Release")] = "signs",
):
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
    return _squares, _attack


_CITIES = ("Accra", "Cairo", "Delhi", "Kyoto", "Lagos", "Lima", "Oslo", "Paris", "Quito", "Rome")
_EQUAL = [1 / len(_CITIES)] * len(_CITIES)
_PLACES = np.arange(len(_CITIES))
# In no draw of this seed a bar leaves its place.
_DRAWN = 776
# How long a usual stray is; on which side of the line a sign or the spy's word stands; its name.
_BAR, _SIGN_AT, _WORD_AT, _TOP = 1.5, 2.5, 1.5, -1.1
_SIGN: dict[str, Any] = {"type": "scatter", "mode": "text", "showlegend": False, "hoverinfo": "skip"}
_PEOPLE = k.Count(
    [20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 2000], label="Patients, n"
)


@k.cache
def _dealt(n, draw):
    """Return the cities' counts."""
    named = np.random.default_rng([_DRAWN, n, draw]).integers(len(_CITIES), size=n)
    return np.bincount(named, minlength=len(_CITIES))


@k.cache
def _right(n):
    return 50 * (1 + float(mis.worst_case_delta(_EQUAL, n)))


def _board(n):
    """Draw the line of the average, name the cities, and mark how often the spy is right."""
    right = _right(n)
    return k.part(
        k.level("the average", 0, [-0.5, 9.5], replace(k.LEVEL, dash="solid"), showlegend=False),
        k.text("its name", [0], [_TOP], [f"average: {n // len(_CITIES)}"]),
        scored(0, 1.9, "the spy is right", right, k.MIS),
        x={"range": [-6.5, 6.5], **k.BARE},
        y={"range": [9.6, -1.7], "tickvals": [*range(len(_CITIES))], "ticktext": [*_CITIES]}
        | {"showgrid": False, "zeroline": False, "ticks": "", "showline": False},
        x2=ROW,
        y2={"range": [-1, 2.9], "visible": False},
        rows=(0.82, 0.02),
        height=560,
        layout={"margin": {"b": 30}},
        barmode="overlay",
        bargap=0.3,
        showlegend=False,
        ghost=[],
        headline="Right {right} times in 100, on average",
        sentence="From {what} a spy says “in” above the average, “out” below, and at it either. "
        "That wins {over} times in 100 more than a coin toss (exact).",
        alt="Ten cities, each a row with {what}, and beside it what the spy says of who comes from there. "
        "Below, a row of 100 rounds: he is right in {right}, from either.",
        right=k.exact(right, ".1f"),
        over=k.exact(right - 50, ".1f"),
    )


def _published(n, draw, published):
    """Draw how far each city's count is from the average, or only on which side it is."""
    counts = _dealt(n, draw)
    mean = n / len(_CITIES)
    # A bar is as long as its city strays, counted in what is usual for so many people.
    counted, above = published == "counts", (counts > mean).astype(int)
    # Where only a side is told, the bars shrink into it.
    strays = _BAR * (counts - mean) / np.sqrt(mean) * counted
    told: dict[str, Any] = {"hover": "%{y}: %{customdata} people"} if counted else {"hoverinfo": "skip"}
    told |= {"customdata": counts, "orientation": "h"}
    beyond = strays + np.where(counts < mean, -1, 1) * (0.3 + 0.25 * len(str(n // 10)))
    texts = [f"{c}" if counted else " " for c in counts]
    sides = k.kept(_SIGN_AT * (2 * above - 1), np.full(_PLACES.size, not counted))
    signs = k.points("▲ or ▼", sides, _PLACES, k.IN, size=17, hoverinfo="skip", showlegend=False)
    signs["marker"]["color"] = np.array([k.OUT.colour, k.IN.colour])[above].tolist()
    signs["marker"]["symbol"] = np.array(["triangle-down", "triangle-up"])[above].tolist()
    return k.part(
        k.bars("above the average", np.maximum(strays, 0), _PLACES, k.IN, **told),
        k.bars("below", np.minimum(strays, 0), _PLACES, k.OUT, "/", **told),
        {**_SIGN, "name": "count", "x": beyond, "y": _PLACES, "text": texts, "textfont": {"size": 15}},
        signs,
        what="all the counts" if counted else "▲ and ▼ alone",
    )


def _answers(n, draw):
    """Draw what the spy says of each city, on the other side of its line."""
    sides = np.sign(_dealt(n, draw) * len(_CITIES) - n)
    # At the average either answer is as good.
    colours = [(k.OUT.colour, k.LEVEL.colour, k.IN.colour)[side + 1] for side in sides]
    says = [f"<b>{('“out”', 'either', '“in”')[side + 1]}</b>" for side in sides]
    look = {"text": says, "textfont": {"color": colours, "size": 15}, "y": _PLACES}
    return k.part({**_SIGN, "name": "he says", "x": np.where(sides > 0, -_WORD_AT, _WORD_AT), **look})


@k.figure
def ten_cities(
    published: Annotated[str, k.Choice(["counts", "only ▲▼"], label="Published")] = "counts",
    draw: Annotated[int, k.Draws(20, 9, label="Draw again")] = 9,
    n: Annotated[int, _PEOPLE] = 50,
):
    """Draw patients of ten cities, their counts or only the sides, and the attacker's answers.

    Notes
    -----
    Limits paper, Theorem 14, with ten equally likely values: the same answers from both.

    Examples
    --------
    >>> one, other = (ten_cities(each).layout.meta["headline"] for each in ("counts", "only ▲▼"))
    >>> one == other
    True
    """
    return _board, _published, _answers


# The hills stand around what is expected; so far from it they are drawn.
_FAR, _SHARED = 14, 100
_KINDS = [2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 120, 145, 160, 180, 200]
_SEEN = _KINDS.index(20) + 1


@k.cache
def _rights():
    return [50 * (1 + float(mis.worst_case_delta([1 / kinds] * kinds, _SHARED))) for kinds in _KINDS]


def _against_kinds():
    """Draw how often a spy is right, however many cities there are."""
    right, name = np.round(_rights(), 3), "the best spy (exact)"
    low = {"lower": True, "showlegend": False, "hover": "%{x} cities: right %{y:.1f} times in 100"}
    quiet = {"lower": True, "showlegend": False, "hoverinfo": "skip"}
    far = {"tickvals": [-10, -5, 0, 5, 10], "ticktext": ["−10", "−5", "average", "+5", "+10"]}
    return k.part(
        k.curve(name, _KINDS, right, k.BEST, **low),
        # Before the guess one sees how it begins.
        k.curve("to twenty cities", _KINDS[:_SEEN], right[:_SEEN], k.BEST, **quiet),
        k.level("75 in 100", [0, 202], 75, replace(k.LEVEL, dash="solid"), **quiet),
        x=k.axis("patients from your city", range=[-_FAR - 0.5, _FAR + 0.5], showgrid=False) | far,
        y={"range": [0, 1.5], "visible": False},
        x2=k.axis("cities, all equally large", range=[0, 203]),
        y2=k.axis("right in 100", range=[48, 86], tickvals=[50, 75]),
        rows=(0.55, 0.21),
        height=540,
        barmode="overlay",
        bargap=0.1,
        showlegend=False,
        probe=[name],
        ghost=[],
        grab=k.drag("kinds", _KINDS, right, along="x2"),
    )


def _crowd(kinds):
    """Draw how many patients come from the target's city, with the target among them and without."""
    n, p, right = _SHARED, 1 / kinds, _rights()[_KINDS.index(kinds)]
    mean = n * p
    counts = math.floor(mean) + np.arange(-_FAR, _FAR + 2)
    without, within = binom.pmf(counts, n, p), binom.pmf(counts - 1, n - 1, p)
    # However narrow, the hills are as high as the picture.
    top = max(without.max(), within.max())
    shown, ends = counts >= 0, np.array([0, 1 - p])
    bars = [
        k.bars(name, counts - mean, k.kept(k.short(each / top), shown), look, pattern, opacity=0.6,
               customdata=counts, hover="%{customdata} patients")
        for name, each, look, pattern in (
            ("without you", without, k.OUT, "/"),
            ("with you", within, k.IN, ""),
        )
    ]  # fmt: skip
    # From the mean of each hill a line goes up, and what lies between is a step, or nearly so.
    means = {"line": {"color": PURPLE, "width": 2}, "showlegend": False, "hoverinfo": "skip"}
    sides = {"textposition": ["middle left", "middle right", "top center"], "cliponaxis": False}
    sides["textfont"] = {"color": [k.OUT.colour, k.IN.colour, PURPLE], "size": 15}
    names = ["without you\u2002", "\u2002with you", "<b>what you add</b>"]
    lone = "nobody comes:<br>surely no patient ▸" if without[counts == 0].sum() > 0.03 else " "
    return k.part(
        bars,
        k.curve("what you add", np.repeat(ends, 2), [0, 1.2, 1.2, 0], k.LEVEL, **means),
        k.text("whose they are", [*ends, ends.mean()], [1.12, 1.12, 1.22], names, **sides),
        k.text("nobody", [-0.6 - mean], [0.6], [lone], textposition="middle left"),
        k.reading(kinds, right, "your cities", lower=True),
        headline="right {right} times in 100, with {kinds} cities",
        sentence="Without you {without} of {n} patients come from your city on average, with you {within}. "
        "The less the hills overlap, the more a spy can tell: right {right} times in 100 (exact).",
        alt="Above, two hills: how many of {n} patients come from your city, about {without} without you, "
        "about {within} with you; the more cities, the less they overlap. Below, how often the spy is right "
        "against the number of cities: a rising curve, {right} times in 100 at {kinds}.",
        **k.words(kinds=kinds, n=n, right=right),
        without=k.exact(mean),
        within=k.exact(1 + (n - 1) / kinds, digits=3),
    )


@k.figure
def many_kinds(kinds: Annotated[int, k.Stops(_KINDS, label="Cities", play=True)] = 20):
    """Draw how far one person moves the count of a city, among many cities or few.

    Notes
    -----
    Limits paper, Theorem 14, with equally likely values, where one count tells as much as all.

    Examples
    --------
    >>> many_kinds(2).layout.meta["headline"]
    'right 52 times in 100, with 2 cities'
    """
    return _against_kinds, _crowd
