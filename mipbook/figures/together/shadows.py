"""Five people, and lines that tell members; and whom LiRA finds with few shadow models."""

from typing import Annotated

import numpy as np
from scipy.stats import chi2, ncx2

import mipbook.figures.kit as k
from mipbook.mis.mean_attacks import mean_attack_tpr
from mipbook.stored.trained import FPRS, MODELS, few_shadows

_N, _D = 10, 20
_CAST = [*list(k.PEOPLE)[:8:2], "Zoe"]
_ROWS = np.arange(len(_CAST))
# How plain each of the five is: the fifths of the squared length of a normal person.
_SQUARED = chi2(_D).ppf((_ROWS + 0.5) / len(_ROWS))
_OUT = ncx2(_D, _N * _SQUARED, scale=1 / _N)
_IN = ncx2(_D, (_N - 1) * _SQUARED, scale=(_N - 1) / _N**2)
_END = 41.0
_AXIS = np.linspace(3, _END, 77)
_SIDES = (("models with them", _IN, k.IN), ("models without", _OUT, k.OUT))
_LINES, _ROUNDS = ("one for all", "one for each"), 24
# Here the rows begin.
_LEFT = 1.0
# The spy's own models: which quantiles of how well a model fits, of six that saw each and six that did not.
_SHADOWS = np.random.default_rng(12).random((2, 6, len(_ROWS)))
# Of a row, how high its person stands, and the marks of models with them and without.
_STAND, _LANES = 0.46, (0.8, 0.11)
# The hills of a person fill their row, and do not reach into the next.
_TALL = 0.84 / np.max([law.pdf(_AXIS[:, None]).max(axis=0) for law in (_IN, _OUT)], axis=0)


@k.cache
def _best(lines):
    """Return the best line for each of the five, and how often it is right, on average over them."""
    places = np.linspace(3, 46, 4301)[:, None]
    right = 0.5 + (_IN.cdf(places) - _OUT.cdf(places)) / 2
    if lines == _LINES[0]:
        right = np.repeat(right.mean(axis=1, keepdims=True), len(_ROWS), axis=1)
    return places[right.argmax(axis=0), 0], float(right.max(axis=0).mean())


def _models(lines, who):
    """Draw models of the spy's own, and the lines; with a line for each, hills: of who is asked, later."""
    own, drawn, hidden = lines == _LINES[1], [], {"meta": "reveal"}
    asked, seen = who == _ROWS, {} if own else hidden
    parts = ("", own & ~asked, {}), (" of the one asked", own & asked, hidden)
    for (name, law, look), lane, shares in zip(_SIDES, _LANES, _SHADOWS, strict=True):
        high = law.pdf(_AXIS[:, None])
        places = (_AXIS[:, None] + 0 * high, _ROWS + _TALL * high)
        for whose, rows, when in parts:
            x, y = (k.gapped(np.where(rows & (high > 0.002), each, np.nan).T) for each in places)
            drawn.append(k.curve(f"all {name}{whose}", x, y, look, fill="toself", **when, **k.QUIET))
        fits, lanes = law.ppf(shares).ravel(), np.tile(_ROWS + lane, 6)
        drawn.append(k.points(name, fits, lanes, look, **seen, **k.QUIET))
    at, look = _best(lines)[0], k.Look(k.READING.colour, width=3)
    for whose, rows, when in parts:
        x = k.gapped(np.where(rows if own else not whose, at, np.nan)[:, None].repeat(2, axis=1))
        y = k.gapped(np.column_stack([_ROWS, _ROWS + 1 - 0.1 * own]))
        drawn.append(k.curve(f"say in to the left{whose}", x, y, look, **when, **k.QUIET))
    return drawn


def _people(lines):
    """Draw the rows of the five, and what the spy goes by."""
    at, right = _best(lines)
    own, line = lines == _LINES[1], at[-1]
    sides = {"textposition": ["middle left", "middle right"]}
    sides["textfont"] = {"size": 15, "color": [k.IN.colour, k.OUT.colour]}
    named, how = ["← say in", "say out →"], "Say in on the left of the line"
    if own:
        named, how = ["● saw them", "■ did not"], "Say in where circles are likelier than squares"
    # What lies on the two sides of one line, as one area each; of lines of their own the hills tell.
    edges = (("in", [line if own else _LEFT, line], k.IN), ("out", [line, line if own else _END], k.OUT))
    level = k.gapped(np.column_stack([_ROWS, _ROWS]))
    ticks = {"showgrid": False, "showline": False, "ticks": ""}
    # What nobody sees keeps the names off the ground.
    apart = ticks | {"ticks": "outside", "ticklen": 7, "tickcolor": "rgba(0,0,0,0)"}
    names = [f"<b>{name}</b>" for name in _CAST]
    names[0], names[-1] = f"{names[0]}<br>plainest", f"{names[-1]}<br>oddest"
    return k.part(
        [
            k.band(f"where to say {name}", side, [0, 0], [4.95, 4.95], look, opacity=0.45, showlegend=False)
            for name, side, look in edges
        ],
        k.curve(
            "rows", k.gapped([[_LEFT, _END]] * len(_ROWS)), level, k.LEVEL.exact(), opacity=0.25, **k.QUIET
        ),
        k.text("sides", [line - 0.4, line + 0.4], [5.2, 5.2], named, **sides),
        x=k.axis("", {7.5: "← fits them well", 37: "badly →"}, range=[_LEFT, _END], **ticks),
        y=k.axis("", dict(zip(_ROWS + 0.45, names, strict=True)), range=[-0.15, 5.45], **apart),
        height=370,
        layout={"margin": {"l": 72, "r": 12}},
        ghost=[],
        headline="At best right {right}",
        sentence=f"{how}. Nobody who {'knows both hills' if own else 'goes by one line'} is right more often "
        "(exact, on average over the five).",
        right=k.exact(right, k.in_100),
    )


@k.cache
def _drawn(round):
    """Return who is asked about, whether the model saw them, and how well it fits them."""
    rng = np.random.default_rng((855, round))
    who, inside = int(rng.integers(len(_CAST))), bool(rng.random() < 0.5)
    chance, seen = rng.uniform(0.03, 0.97, len(_ROWS)), rng.random(len(_ROWS)) < 0.5
    seen[who] = inside
    return who, inside, np.where(seen, _IN.ppf(chance), _OUT.ppf(chance))


def _asked(round, lines):
    """Stand everybody where the model fits them, and ring the one who is asked about."""
    one = lines == _LINES[0]
    # With lines of their own he is asked about another model, and first about Zoe, whom one line misjudges.
    who, inside, fits = _drawn(round if one else (round + 8) % _ROUNDS)
    fit, name, truth = fits[who], _CAST[who], "in" if inside else "out"
    best = "in" if fit < _best(lines)[0][who] else "out"
    beside = "beside each, circles are models that saw it, squares ones that did not; hills tell of them all"
    where = "one line says where to answer in, and the others' marks follow the answer" if one else beside
    alike = "plain from seen" if best == "in" else "odd from unseen"
    misled = f" The line cannot tell {alike}." if one else " The hills overlap."
    drawn = " Look at the side of the line." if one else " Look at the side of the line that is drawn now."
    wrong, more = "out" if inside else "in", misled * (best != truth)
    afterwards = "● are other models that saw them, ■ that did not. Among which does each of them stand?"
    if not one:
        afterwards = "Everybody is compared with themselves: odd people are no strangers any more."
    ring, look = (each.with_symbol("circle-open") for each in (k.READING, k.IN if inside else k.OUT))
    asked, up = who == _ROWS, _ROWS + _STAND
    colours = [k.PEOPLE[each] for each in _CAST]
    faces = {"color": colours, "size": np.where(asked, 27, 23), "opacity": 1}
    ways = k.gapped(np.column_stack([np.full(fits.size, _LEFT), fits])), k.gapped(np.column_stack([up, up]))
    return k.part(
        _models(lines, who),
        k.curve("how it fits", *ways, k.Look(k.fill(k.GREY), width=5), **k.QUIET),
        k.cast(fits, up, _CAST, size=26, marker=faces, **k.QUIET),
        k.points("who is asked about", fit, who + _STAND, ring, size=35, **k.QUIET),
        k.points("the truth", fit, who + _STAND, look, size=35, meta="reveal", **k.QUIET),
        question=f"The further left, the better the model fits. Did it see {name}?",
        options=[["in", f"{name} was in"], ["out", f"{name} was out"]],
        answer=truth,
        optimal=best,
        rival="The spy's line" if one else "Their own lines",
        afterwards=afterwards,
        replies={
            f"{truth}/{truth}/{best}": f"Right, {name} was {truth}.{more}",
            f"{wrong}/{truth}/{best}": f"No, {name} was {truth}.{more or drawn}",
        },
        alt=f"Five people in rows, from plain to odd, each as far to the right as a model fits them badly; "
        f"{where}. A ring is around {name}, and tells the truth then.",
    )


@k.figure
def own_lines(
    round: Annotated[int, k.Rounds(_ROUNDS, label="Did the model see them?", alone=1)] = 0,
    lines: Annotated[str, k.Choice(_LINES, label="The line")] = "one for all",
):
    """Ask whether a model saw one of five people, by a line for all or by a line for each.

    Notes
    -----
    The mean of ten people of twenty normal numbers; the squared distance of each from it is a
    non-central chi square (``scipy.stats.ncx2``).

    Examples
    --------
    >>> [own_lines(0, lines).layout.meta["headline"] for lines in ("one for all", "one for each")]
    ['At best right 62.3 times in 100', 'At best right 76.8 times in 100']
    """
    return _people, _asked


# Two attacks, and what their models saw.
_ATTACKS = {"online, pooled": "half of them<br>saw Zoe", "offline": "none of them<br>saw Zoe"}
_FPRS = k.Choice({k.percent(rate): rate for rate in FPRS}, 0.01, label="Others accused")
# By how many others are accused: how many people stand beside each other, how large, how high the picture is.
_ROW, _DOT = {0.001: 4, 0.01: 10, 0.1: 24}, {0.001: 10, 0.01: 7, 0.1: 4}
_HIGH = {0.001: 60, 0.01: 235, 0.1: 620}


def _members(name, i, rate, fpr):
    """Stand the members that an attack finds in a crowd, of a thousand, as high as they are many."""
    number, row = np.arange(round(1000 * rate)), _ROW[fpr]
    x = i + 0.8 * ((number % row + 0.5) / row - 0.5)
    return k.points(name, x, number // row * row + row / 2, k.IN, size=_DOT[fpr], **k.QUIET)


def _ground(fpr):
    """Draw the scale, and what the best attack finds."""
    best, high = 1000 * float(mean_attack_tpr(fpr, _N, _D)), _HIGH[fpr]
    told, ground = [f"nobody finds more: {best:.0f}"], {"showgrid": False, "showline": False, "ticks": ""}
    return k.part(
        k.area("out of reach", [-0.5, 2.2, 2.2, -0.5], [high, high, best, best], k.LEVEL),
        k.level("the ground", [-0.5, 2.2], 0, k.LEVEL.exact(), showlegend=False),
        k.level("the most", [-0.5, 2.2], best, k.BEST, showlegend=False),
        k.text("its number", [-0.47], [best + 0.012 * high], told, textposition="top right"),
        # On the right there is room for a guess.
        x=k.axis("", dict(enumerate(_ATTACKS.values())), range=[-0.5, 2.2], tickangle=0, **ground),
        y=k.axis("members found, of 1,000", range=[-0.11 * high, high], showgrid=False),
        height=400,
        ghost=[],
    )


def _found(models, fpr):
    place, under = MODELS.index(models), [-0.055 * _HIGH[fpr]]
    half, low, high = (float(end[place]) for end in few_shadows(_D, "online, pooled", fpr))
    high = min(high, float(mean_attack_tpr(fpr, _N, _D)))  # nobody finds more
    out = float(mean_attack_tpr(fpr, _N, _D, attack="offline", shadows=models))
    pooled, exact = k.about(1000 * half, ".0f"), k.exact(1000 * out, ".0f")
    return k.part(
        [_members(f"found, {name}", i, (half, out)[i], fpr) for i, name in enumerate(_ATTACKS)],
        k.text("how many, offline", [1], under, [f"<b>{exact}</b>"]),
        k.text("how many", [0], under, [f"<b>about {pooled}</b>"]),
        headline="{exact} found without her, {pooled} with",
        sentence="If none of the {models} models saw Zoe, the spy finds {exact} members (exact). If half of "
        "them did, he finds {pooled} ({low} to {high}, estimate).",
        alt="Two crowds of members that an attack with {models} shadow models finds, of 1,000: {pooled} by "
        "models of which half saw the person, {exact} by models that did not.",
        **k.words(models=models, exact=exact, pooled=pooled),
        **k.words(k.about, ".0f", low=1000 * low, high=1000 * high),
    )


@k.figure
def shadow_count(
    models: Annotated[int, k.Choice(MODELS, 4, label="Shadow models")] = 4,
    fpr: Annotated[float, _FPRS] = 0.01,
):
    """Draw the members that LiRA finds with a number of shadow models, on the mean of ten records.

    Notes
    -----
    Out models with a known variance are exact (`mipbook.mis.mean_attack_tpr`); the others
    are 100,000 members and as many others of `mipbook.mis.few_shadow_scores`, stored.

    Examples
    --------
    >>> shadow_count(4, 0.01).layout.meta["headline"]
    '136 found without her, 94 with'
    """
    return _ground, _found
