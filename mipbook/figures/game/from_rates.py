"""Reading an attack backwards: from its rates or counts to a lower bound on epsilon."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game
from mipbook.figures.game.plane import SPOKEN, coin, edge, rate_axes

_TPRS = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0]
# The largest epsilon on the axis; a perfect attack taken as exact would prove infinity.
_TOP = 12.0
_PROVED = "proved by these games (bound, 95%)"
_WRONG = k.LogSlider(0.0001, 1, 0.01, points=25, label="Wrong accusations, FPR").safe("up")
_DELTA = k.Stops([0, 1e-5, 0.05], label="Promise, δ").safe("up")


def _bound(value):
    return (
        k.told("ε\u00a0≥\u00a0{least}", least=k.at_least(value))
        if np.isfinite(value)
        else "ε beyond any number"
    )


# A hundred games are a square of tiles; where that with Zoe begins, and that without her.
_ROW, _WITH, _WITHOUT, _TILE = 10, 0, 14, 0.43 * k.SQUARE


def _tiles(numbers, left):
    """Return the outlines of the tiles of these games."""
    x, y = left + numbers % _ROW, -(numbers // _ROW)
    return [k.gapped(np.add.outer(*side)) or [None] for side in ((x, _TILE[0]), (y, _TILE[1]))]


def _games(delta):
    """Return a hundred games with Zoe and as many without her, and the axes of what is proved."""
    every = [
        np.concatenate(side)
        for side in zip(*(_tiles(np.arange(100), at) for at in (0, _WITHOUT)), strict=True)
    ]
    return k.part(
        k.area("games", *every, k.LEVEL),
        **k.stage((-0.9, _WITHOUT + _ROW - 0.3), (-9.6, 3.4), height=460, showlegend=False, ghost=[]),
        # At its right end the lower edge of the tiles can be held.
        grab=k.drag("tpr", _ROW - 0.1, 0.5 - _ROW * np.array(_TPRS), along="y"),
        x2=k.axis("proves ε at least", range=[0, _TOP], showgrid=False),
        y2={"range": [-0.6, 1.6], "tickvals": [0, 1], "ticktext": ["if exact", "played"], "showgrid": False},
        rows=(0.7, 0.1),
        probe=[_PROVED],
        delta=delta,
    )


def _lit(name, left, ends, look, said):
    """Return the games of the lower share, and outlined those up to the upper one, which may be luck."""
    sure, seen = (np.arange(round(100 * end)) for end in ends)
    rim = {"color": look.colour, "width": 2}
    place = {"xanchor": "left", "yanchor": "bottom", "align": "left"}
    return k.part(
        k.area(name, *_tiles(sure, left), look, fillcolor=look.colour),
        k.area(f"{name}, perhaps", *_tiles(seen[sure.size :], left), look, line=rim),
        annotations=[k.note(said, left - 0.5, 0.7, **place)],
    )


def _found(tpr, games):
    """Return the games in which Zoe is found: so many at least, and the rest may be luck."""
    found = round(tpr * games)
    low, _ = game.clopper_pearson(found, games, 0.95)  # each end errs half of the 5%
    said = f"<b>Zoe in</b>, found<br>in {found:,} of {games:,}"
    return _lit("found", _WITH, (np.floor(100 * low) / 100, found / games), k.IN, said)


def _accused(fpr, games):
    """Return the games in which Zoe is accused, and how many more they may be in the long run."""
    accused = round(fpr * games)
    _, high = game.clopper_pearson(accused, games, 0.95)
    said = f"<b>Zoe out</b>, accused<br>in {accused:,} of {games:,}"
    ends = accused / games, np.ceil(100 * high) / 100
    return _lit("accused", _WITHOUT, ends, k.OUT, said)


def _measured(tpr, fpr, games, delta):
    """Return what so many games prove of the attack, and what the rates would if no game were luck."""
    tp, fp = round(tpr * games), round(fpr * games)
    certified = float(game.epsilon_lower_bound(tp, games - tp, fp, games - fp, delta))
    point = game.epsilon_from_rates(tpr, fpr, delta)
    worse = " The opposite of all it says is a better attack." if tpr < fpr else ""
    lying = {"orientation": "h", "width": 0.76, "lower": True}
    return k.part(
        k.bars("rates taken as exact", [min(point, _TOP)], [0], k.LEVEL, "/", opacity=0.5, **lying),
        k.bars(_PROVED, [certified], [1], k.ATTACK, hover="ε ≥ %{x:.3g}", **lying),
        headline="{proved} proved",
        sentence="These games prove {proved} (bound, 95%; δ = {delta}): what may be luck, outlined, is "
        "held against the spy. Taken as exact, {found} and {accused} would prove {point} (exact)."
        f"{worse}",
        alt="Two squares of a hundred tiles, each for one game in a hundred. With Zoe the spy finds her in "
        "{tp} of {games}, without her he accuses her in {fp}; outlined is what may be luck. Below them two "
        "bars: what {games} games prove, {certified}, and what the rates would prove if they were exact.",
        **k.words(games=games, tp=tp, fp=fp, proved=_bound(certified), certified=k.at_least(certified)),
        **k.words(k.exact, k.percent, found=tpr, accused=fpr),
        point=_bound(point),
    )


@k.figure
def attack_backwards(
    tpr: Annotated[float, k.Stops(_TPRS, label="Members found, TPR").safe("down")] = 0.9,
    fpr: Annotated[float, _WRONG] = 0.01,
    games: Annotated[int, k.Count([100, 1000, 10_000, 100_000], label="Games each way")] = 100,
    delta: Annotated[float, _DELTA] = 0.0,
):
    """Draw the games of an attack, and the least epsilon that allows it, with confidence.

    Notes
    -----
    Lecture notes, Corollary 1 and the example after it.

    Examples
    --------
    >>> "2.71 (bound" in attack_backwards(0.9, 0.01).layout.meta["sentence"]
    True
    """
    return _games, _found, _accused, _measured


@k.figure
def attack_counts(
    tp: Annotated[int, k.Count([0, 45, 90, 1_000_000], label="Members found, TP")] = 90,
    fn: Annotated[int, k.Count([0, 5, 10, 1_000_000], label="Members missed, FN")] = 10,
    fp: Annotated[int, k.Count([0, 1, 10, 1_000_000], label="Wrong accusations, FP")] = 1,
    tn: Annotated[int, k.Count([0, 49, 99, 1_000_000], label="Others cleared, TN")] = 99,
    delta: Annotated[float, _DELTA] = 0.0,
):
    """Draw what an attack's counts say: rates with bands, and a lower bound on epsilon.

    Notes
    -----
    Lecture notes, section 3 and Corollary 1.  All bands and bounds are at 95% confidence.

    Examples
    --------
    >>> attack_counts().layout.meta["table"][0][0]
    'quantity'
    """
    attack = game.Confusion(tp, fn, fp, tn)
    point = float(game.epsilon_from_rates(attack.tpr, attack.fpr, delta))
    counts = tp, fn, fp, tn, delta
    certified, halved = (float(game.epsilon_lower_bound(*counts, steps=steps)) for steps in (1, 2))
    # Half of the error of 5% each, so that two intervals hold.
    tprs, fprs = (np.array(each(0.975)) for each in (attack.tpr_interval, attack.fpr_interval))
    # On a logarithmic axis zero is beyond the left end.
    box = np.maximum(fprs[[0, 1, 1, 0, 0]], 1e-9), tprs[[0, 0, 1, 1, 0]]
    rim, where = {"color": k.ATTACK.colour, "width": 1.5}, "where the true rates lie (95% box)"

    def row(name, value, band):
        return [name, k.about(value, k.percent), k.between(*band, k.percent), "estimate"]

    return k.part(
        edge("edge of DP, rates taken as exact", point, delta, "linear", k.DP.estimate().but(width=1.5)),
        k.curve(where, *box, k.ATTACK, fill="toself", line=rim, hoverinfo="skip"),
        edge("edge of DP, proved (bound)", certified, delta, "linear", k.BEST.bound()),
        coin("linear", showlegend=False),
        k.text("the coin, named", [0.52], [0.5], ["a coin toss"], textposition="bottom right"),
        k.points("the attack", attack.fpr, attack.tpr, k.ATTACK, size=11, **SPOKEN),
        layout=rate_axes("linear"),
        height=420,
        headline="ε ≥ {certified} proved",
        sentence="The attack found {tp} of {members} members and accused {fp} of {others} others: ε ≥ "
        "{certified} at δ = {delta} (bound, 95%), if it was fixed before these games. If a record was "
        "replaced, that is ε ≥ {halved} under add or remove (bound).",
        alt="ROC plane with the attack at FPR {fpr} and TPR {tpr}, a box for where its true rates lie, and "
        "the edges of DP for the proved ε {certified} and the one of the rates themselves.",
        table=[
            ["quantity", "value", "95% band", "kind"],
            row("members found, TPR", attack.tpr, attack.tpr_interval()),
            row("wrong accusations, FPR", attack.fpr, attack.fpr_interval()),
            ["advantage, TPR − FPR", k.about(attack.advantage), k.between(*(tprs - fprs[::-1])), "estimate"],
            ["accuracy at equal odds", k.about((1 + attack.advantage) / 2, k.percent), "", "estimate"],
            ["ε, rates taken as exact", k.at_least(point), "at least", "if exact"],
        ],
        **k.words(members=attack.members, others=attack.others, tp=tp, fp=fp, delta=delta),
        **k.words(k.at_least, certified=certified, halved=halved),
        **k.words(k.about, fpr=attack.fpr, tpr=attack.tpr),
    )
