"""Digits that give a release away, and the short ruler that shows why."""

from dataclasses import replace
from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip
from mipbook.release.attack import digit_games

_GAMES, _SHOWN, _ROUNDS = 4000, 3, 20
# Of each kind so many are passed over: behind them proofs stand close together, whatever the promise.
_PASSED = 137
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1
_GRID = "public grid"
_ARITHMETIC = k.Choice(["floating point", _GRID], label="Zoe is added")
_READ = ["the value", "all digits"]
_CROSS, _LARGE = k.ATTACK.with_symbol("x-thin-open"), {"size": 18, "hoverinfo": "skip", "showlegend": False}
# Where the number of a round stands, above the earlier ones; of the games the first that is played.
_ROUND, _FIRST = 8.0, 349
_SIDES = {"tickvals": [0.8, 5, _ROUND], "ticktext": ["Zoe out", "Zoe in", "<b>today</b>"]}


@k.cache
def _games(arithmetic, eta):
    rng = np.random.default_rng(90)
    return digit_games(_OUT, _IN, eta, _GAMES, rng, on_grid=arithmetic == _GRID)


def _otherwise(value, member, eta):
    """Return the nearest number that could have come about the other way, in floating point."""
    other, sigma = _OUT if member else _IN, float(mip.gaussian_sigma_for_mip((_IN - _OUT) / 2, eta))
    drawn = (value - other) / sigma
    sums = other + sigma * (drawn + np.arange(-9, 10) * np.spacing(drawn))
    return float(sums[np.abs(sums - value).argmin()])


def _bar(place, right, look, pattern=""):
    """Return how often an attack is right: a bar from the coin's 50 up, the number, and its low end."""
    name, value = _READ[place], 100 * float(right.mean())
    low, high = (100 * float(end) for end in game.clopper_pearson(int(right.sum()), right.size))
    more = {"error_y": k.error_bars([value], [low], [high]), "showlegend": False, "lower": True}
    more["hover"] = f"a spy who reads {name} is right {k.say(value)} times in 100"
    bar = k.bars(f"by {name} (estimate, 95%)", [place], [value - 50], look, pattern, base=50, **more)
    return bar, value, low


def _written(value):
    """Write a number with all the digits that a computer prints, its sign in a place of its own."""
    return f" {'−' if value < 0 else '+'}{np.format_float_positional(abs(value))}"


def _number(size, look=k.READING):
    font = {"family": "monospace", "size": size, "color": look.colour}
    return {"textposition": "middle right", "textfont": font}


def _drawn(arithmetic, eta):
    played = _games(arithmetic, eta)
    member, certain = played.member, np.isinf(played.edge)
    value_bar, by_value, _ = _bar(0, (played.released > (_OUT + _IN) / 2) == member, k.SERIES[0])
    digits_bar, by_digits, low = _bar(1, (played.edge > 0) == member, k.SERIES[1], "/")
    broken = low > 50 + 100 * eta
    verdict = "break the promise" if broken else "gain nothing"
    # Some releases of each kind, those with Zoe above; numbers stand with their points aligned.
    some = np.concatenate([np.flatnonzero(kind)[_PASSED:][:_SHOWN] for kind in (member, ~member)])
    proof, digits = certain[some], [_written(value) for value in played.released[some]]
    line = 2 * _SHOWN - np.arange(2 * _SHOWN) - np.repeat([0, 1.2], _SHOWN)
    # On a grid what looks like proof is none.
    cross, seen = (k.LEVEL.with_symbol("x-thin-open"), 0.5) if arithmetic == _GRID else (_CROSS, 1.0)

    return k.part(
        k.text("printed numbers", 0 * line + 0.03, line, digits, **_number(15)),
        k.points("digits taken for proof", 0 * line[proof], line[proof], cross, opacity=seen, **_LARGE),
        value_bar,
        digits_bar,
        k.level("promised (bound)", [-0.6, 1.6], 50 + 100 * eta, k.MIP.bound(), lower=True),
        x={"range": [-0.05, 1], "visible": False},
        y=k.axis("", range=[-0.9, 8.8], showgrid=False, **_SIDES),
        x2=k.axis("the spy reads", range=[-0.6, 1.6], tickvals=[0, 1], ticktext=_READ),
        y2=k.axis("right in 100", range=[48, 100]),
        rows=(0.73, 0.16),
        ghost=[],
        height=430,
        beside=0.62,
        later=["digits taken for proof", *(trace["name"] for trace in (value_bar, digits_bar))],
        headline="{promised} promised, right about {found} times in 100",
        sentence=f"Of {_GAMES:,} games a spy wins {{by_digits}} in 100 by all digits, and {{by_value}} "
        f"by the value (estimates; the bars show 95% bands). The digits {verdict}: {{share}} numbers in 100 "
        "get a cross, and of those {right} in 100 are right.",
        alt="{shown} printed numbers with all their digits, those with Zoe over those without; crosses mark "
        "{crosses} whose digits the attack holds for proof. Beside them two bars of accuracy: the value's "
        f"ends at the promised line, {{promised}}, the digits' {'far above' if broken else 'at or below'} "
        "it.",
        **k.words(k.about, found=max(by_digits, by_value), by_digits=by_digits, by_value=by_value),
        shown=2 * _SHOWN,
        promised=k.at_most(round(50 + 100 * eta, 10)),
        share=k.about(100 * certain.mean(), digits=2),
        right=k.about(((played.edge > 0) == member)[certain].mean() * 100),
        crosses=int(proof.sum()),
    )


def _round(arithmetic, eta, round):
    """Print one more number, ask whether Zoe was in, and say what its digits told."""
    played = _games(arithmetic, eta)
    value, edge = played.released[_FIRST + round], played.edge[_FIRST + round]
    truth, sure, grid = "in" if played.member[_FIRST + round] else "out", np.isinf(edge), arithmetic == _GRID
    # On a grid the digits tell nothing, so the best attack reads the value.
    best = "in" if (value > (_OUT + _IN) / 2 if grid else edge > 0) else "out"
    told, written, seen = "tell nothing" if grid else "are only a hint", _written(value), ""
    if sure and not grid:
        # Up to here the nearest number of the other way is the same.
        near = _written(_otherwise(value, truth == "in", eta))
        cut = [*(a != b for a, b in zip(written[:-1], near[:-1], strict=False)), True].index(True)
        side, seen = "without" if truth == "in" else "with", "\u00a0" * cut + f"<b>{written[cut:]}</b>"
        ends = f"{near[cut - 2 :]}, not {written[cut - 2 :]}"
        told = f"are the proof: {side} her the nearest number ends in {ends}"
    said, right = f"Zoe was {truth}. The last digits {told}.", {True: "Right", False: "No"}
    proof = _number(21, k.IN if truth == "in" else k.OUT)
    return k.part(
        k.text("today's number", [0.03], [_ROUND], [written], **_number(21)),
        k.text("its proof", [0.03], [_ROUND], [seen], meta="reveal", **proof),
        k.points("proof", [0.0 if sure and not grid else None], _ROUND, _CROSS, meta="reveal", **_LARGE),
        options=[["in", "Zoe was in"], ["out", "Zoe was out"]],
        question="Below are six earlier numbers. Look at today's: was Zoe in?",
        answer=truth,
        optimal=best,
        replies={f"{you}/{truth}/{best}": f"{right[you == truth]}, {said}" for you in ("in", "out")},
        afterwards="On the grid the value is all there is to read."
        if grid
        else "You read the value. The best attacker reads every digit.",
    )


@k.figure
def last_digits(
    arithmetic: Annotated[str, _ARITHMETIC] = "floating point",
    eta: Annotated[float, k.promise(0.01, 0.3)] = 0.05,
    round: Annotated[int, k.Rounds(_ROUNDS, label="Was Zoe in?", alone=3)] = 0,
):
    """Draw releases of a mean with and without one record, and two attacks on them.

    The data are nineteen 0s and a 1.  The noise keeps the promise in real arithmetic.

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    2012, on Gaussian noise and the average attack.

    Examples
    --------
    >>> last_digits().layout.meta["headline"]
    '55 promised, right about 72.4 times in 100'
    """
    return _drawn, _round


# --- A ruler so short that its marks can be seen --------------------------------------------------

_SIDE = 0.25
_ADDED = k.Slider(0, 0.25, 0.1, step=0.01, label="Zoe adds", play=True)


def _rounded(numbers, bits):
    """Round to so many binary digits, as a computer does; below 1/32 the marks lie equally close."""
    step = 2.0 ** (np.frexp(np.maximum(np.abs(numbers), 2.0**-5))[1] - bits)
    return np.round(numbers / step) * step


@k.cache
def _marks(bits):
    """Return all marks of the ruler, as far as noise and value together may come from."""
    return np.unique(_rounded(np.arange(-1024, 1025) / 2.0**11, bits))


def _ticks(name, at, row, look, high=30, wide=2.0):
    """Return a row of marks, as a ruler has them."""
    line = {"symbol": "line-ns", "size": high, "line": {"width": wide, "color": look.colour}}
    trace = k.points(name, at, np.full(at.size, float(row)), look, hoverinfo="skip", showlegend=False)
    return {**trace, "marker": line}


def _ruler(shift, bits):
    every = _marks(bits)
    shown, places = every[np.abs(every) <= _SIDE], _rounded(np.array(_ADDED.stops), bits)
    shift = float(_rounded(shift, bits))
    added = shift + every
    hit, moved = np.isin(shown, _rounded(added, bits)), added[np.abs(added) <= _SIDE]
    rows, quiet = ["snapped", "plus Zoe", "noise"], {"hoverinfo": "skip", "showlegend": False}
    lost, thick = shown[~hit], replace(k.READING, width=3)
    return k.part(
        k.curve("what Zoe adds", [0, shift], [3.55, 3.55], thick, **quiet),
        _ticks("Zoe out: the noise alone", shown, 3, k.OUT),
        _ticks("her number added, not yet snapped", moved, 2, k.LEVEL, wide=1.2),
        _ticks("Zoe in: noise and her number, added", shown[hit], 1, k.IN),
        _ticks("out of reach with Zoe: proof", lost, 1, k.ATTACK, high=9, wide=2.5),
        x=k.axis("what is printed", range=[-_SIDE - 0.01, _SIDE + 0.01], showgrid=False),
        y=k.axis("", range=[0.4, 3.9], tickvals=[1, 2, 3], ticktext=rows, showgrid=False, zeroline=False),
        height=340,
        ghost=[],
        grab=k.drag("shift", places, np.full(places.size, 3.55)),
        headline="{lost} of {marks} marks out of reach",
        sentence="The noise alone can stop at all {marks} marks. With Zoe's number added, rounded to "
        "{shift}, the sum can stop at {left} of them (exact). Any other mark is proof: Zoe was out.",
        alt="Three rows of marks, closer together near 0. The upper row, the noise alone, has all {marks}; "
        "the middle one is the same, moved by {shift}; of the lower, where they snap to the ruler, {lost} "
        "are only stumps, out of reach, most of them near 0.",
        **k.words(k.exact, k.count, lost=lost.size, marks=shown.size, left=int(hit.sum())),
        shift=k.exact(shift, "g"),
    )


@k.figure
def short_ruler(
    shift: Annotated[float, _ADDED] = 0.1, bits: Annotated[int, k.Count([3, 4], label="Binary digits")] = 3
):
    """Draw which marks of a computer's ruler a sum can stop at.

    A computer keeps 53 binary digits; here it keeps so few that the marks can be seen.

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy", 2012.

    Examples
    --------
    >>> short_ruler(shift=0.0).layout.meta["headline"][:5]
    '0 of '
    """
    return _ruler
