"""Digits that give a release away, and the short ruler that shows why."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import game, mip
from mipbook.release.attack import cut_edge, digit_games

_GAMES, _SHOWN, _PROMISE = 4000, 3, 0.05
# Of each kind so many are passed over: behind them proofs stand close together.
_PASSED = 137
# The mean of half of nineteen 0s and a 1, without the 1 and with it.
_OUT, _IN = 0.0, 0.1
_GRID = "public grid"
_ARITHMETIC = k.Choice(["floating point", _GRID], label="Noise is added")
_DECIMALS = k.Slider(1, 19, 19, step=1, label="Decimals read", play=True)
_TOLD = "right, by so many decimals (estimate)"


@k.cache
def _games(arithmetic):
    rng = np.random.default_rng(90)
    return digit_games(_OUT, _IN, _PROMISE, _GAMES, rng, on_grid=arithmetic == _GRID)


@k.cache
def _edges(arithmetic):
    """Return the log odds of every game, a row for each number of decimals read; above 0 he says *in*."""
    sigma = float(mip.gaussian_sigma_for_mip((_IN - _OUT) / 2, _PROMISE))
    released, stops = _games(arithmetic).released, np.array(_DECIMALS.stops)
    if arithmetic != _GRID:
        return np.array([cut_edge(released, int(each), _OUT, _IN, sigma) for each in stops])
    # On a grid no digit proves anything: he compares the middle of what he read with the middle of both.
    step = 10.0 ** -stops[:, None]
    return step * (np.trunc(released / step) + np.sign(released) / 2) - (_OUT + _IN) / 2


@k.cache
def _won(arithmetic):
    """Return how often the spy is right, and the band's ends, for each number of decimals read."""
    right = ((_edges(arithmetic) > 0) == _games(arithmetic).member).sum(axis=1)
    bands = [game.clopper_pearson(int(each), _GAMES) for each in right]
    return 100 * right / _GAMES, 100 * np.array(bands).T


def _written(value):
    """Write a number with its sign, and with all the digits that a computer prints."""
    return f"{'−' if value < 0 else '+'}{np.format_float_positional(abs(value))}"


def _numbers(arithmetic, decimals):
    """Print some numbers as far as they are read, and colour those that are proof by now."""
    played, edge = _games(arithmetic), _edges(arithmetic)
    kinds = (np.flatnonzero(kind)[_PASSED:][:_SHOWN] for kind in (played.member, ~played.member))
    some = np.concatenate([*kinds])
    line = 2.0 * _SHOWN - np.arange(2 * _SHOWN) - np.repeat([0, 0.6], _SHOWN)
    proof, inside = np.isinf(edge[_DECIMALS.stops.index(decimals)][some]), played.member[some]
    # A pen over the whole row.
    ends, pens = [0, 0.99, None] * line.size, []
    for side, known, look in (("in", inside, k.IN), ("out", ~inside, k.OUT)):
        marked = k.kept(np.repeat(line, 3), np.outer(proof & known, [True, True, False]).ravel())
        pen = {"line": {"color": look.colour, "width": 22}, "opacity": 0.3, **k.QUIET}
        pens.append(k.curve(f"proof: Zoe {side}", ends, marked, look, **pen))
    font = {"family": "monospace", "size": 19, "color": k.READING.colour}
    texts = [
        f"{number[:end]}<span style='fill-opacity:0.6'>{number[end:]}</span>"
        for number in map(_written, played.released[some])
        for end in [number.index(".") + 1 + decimals]
    ]
    return k.part(
        pens,
        k.text(
            "numbers", 0 * line, line, texts, textposition="middle right", textfont=font, cliponaxis=False
        ),
        x=k.unseen(-0.03, 1),
        y=k.axis("", {1.4: "Zoe out", 5: "Zoe in"}, range=[-0.4, 6.6], showgrid=False),
        x2=k.axis("decimals read", range=[0.3, 19.7], tickvals=[1, 5, 10, 15, 19]),
        y2=k.axis("right in 100", {50: "50", 55: "<b>55</b>", 65: "65", 75: "75"}, range=[47.5, 76]),
        rows=(0.68, 0.12),
        height=420,
        beside=0.58,
        showlegend=False,
        proofs=int(proof.sum()),
        shown=2 * _SHOWN,
    )


def _read(arithmetic, decimals):
    """Return how often the spy is right, for each number of decimals and for this one."""
    won, (lows, highs) = _won(arithmetic)
    at, promised = _DECIMALS.stops.index(decimals), 50 + 100 * _PROMISE
    sure, broken = np.isinf(_edges(arithmetic)[at]), lows[at] > promised
    proof = k.told("{share} numbers in 100 are proof", share=k.about(100 * sure.mean(), digits=2))
    stops, hover = np.array(_DECIMALS.stops), "%{x} decimals read: right %{y:.1f} times in 100"
    return k.part(
        k.curve(_TOLD, stops, won, k.ATTACK, lower=True, marked=True, hover=hover),
        k.level("promised (bound)", [0.3, 19.7], promised, k.MIP.bound(), lower=True),
        k.reading(int(decimals), won[at], "at your decimals (estimate)", lower=True),
        ghost=[],
        probe=[_TOLD],
        grab=k.drag("decimals", stops, won, along="x2"),
        alt="{shown} printed numbers, those with Zoe over those without; digits that are not read are pale, "
        "and {proofs} numbers are marked as proof. Beside them how often a spy is right, against "
        "the decimals that he reads: at {decimals} it is {right}, and {promised} were promised.",
        headline=f"{{decimals}} decimal{'s' * (decimals > 1)}: right about {{right}} in 100",
        sentence="In {games} games he is right {low} to {high} times in 100 (estimate, 95%). "
        f"{'The promise is broken' if broken else 'No breach is seen'}, and {{proof}}.",
        **k.words(k.about, right=won[at], low=lows[at], high=highs[at]),
        **k.words(decimals=int(decimals), games=k.count(_GAMES), promised=k.at_most(round(promised, 10))),
        proof=proof if sure.any() else "no number is proof",
    )


@k.figure
def last_digits(
    decimals: Annotated[int, _DECIMALS] = 19, arithmetic: Annotated[str, _ARITHMETIC] = "floating point"
):
    """Draw releases of a mean with and without one record, read to so many decimals.

    The data are nineteen 0s and a 1.  The noise keeps the promise in real arithmetic.

    References
    ----------
    I. Mironov, "On Significance of the Least Significant Bits for Differential Privacy",
    2012, on Gaussian noise and the average attack.

    Examples
    --------
    >>> last_digits(19).layout.meta["headline"]
    '19 decimals: right about 72.4 in 100'
    """
    return _numbers, _read


# --- A ruler so short that its marks can be seen --------------------------------------------------

_SIDE, _BITS, _EVEN = 0.25, 3, 2.0**-6
# The rulers of the noise, of the sum and of what is printed, half as high as this, and Zoe's number.
_NOISE, _ZOE, _SUM, _PRINTED, _TALL = 4, 3.3, 2.6, 1, 0.32
_RULER = k.Choice(["a computer's", "even"], label="Ruler")
_ADDED = k.Slider(0, 0.25, 0.1, step=0.01, label="Zoe adds", play=True)


def _rounded(numbers, ruler):
    """Round to few binary digits, as a computer does to many; if even, all lie equally close."""
    digits = 2.0 ** (np.frexp(np.maximum(np.abs(numbers), 2.0**-5))[1] - _BITS)
    step = _EVEN if ruler == "even" else digits
    return np.round(numbers / step) * step


def _ticks(name, at, row, look, keep=True, high=_TALL, wide=1.7):
    """Return a row of marks, as a ruler has them, and a gap for each that is not kept."""
    middle = np.where(keep, row, np.nan) + 0 * at
    ends = (k.gapped(np.transpose(pair)) for pair in ([at, at], [middle - high, middle + high]))
    return k.curve(name, *ends, look.exact().but(width=wide), **k.QUIET)


@k.figure
def short_ruler(shift: Annotated[float, _ADDED] = 0.1, ruler: Annotated[str, _RULER] = "a computer's"):
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
    # As far as noise and value together may come from.
    marks = np.unique(_rounded(np.arange(-1024, 1025) / 2.0**11, ruler))
    places, asked, shift = _rounded(np.array(_ADDED.stops), ruler), shift, float(_rounded(shift, ruler))
    shown, added = marks[np.abs(marks) <= _SIDE], shift + marks
    ends = _rounded(added, ruler)
    hit = np.isin(shown, ends)
    # What comes from beyond the picture's edges is cut off there.
    snaps = [_SUM - _TALL - 0.06, _PRINTED + _TALL + 0.06, None] * added.size
    rows = {_PRINTED: "printed", _SUM: "the sum", _ZOE: "Zoe adds", _NOISE: "noise"}
    lost, (across, up), thin = shown[~hit], k.SQUARE, k.IN.but(width=1.2)
    middle = float(np.median(lost)) if lost.size else 0.0
    return k.part(
        [
            k.area(f"{rows[row]}, a ruler", (_SIDE + 0.01) * across, row + (_TALL + 0.06) * up, look)
            for row, look in ((_NOISE, k.OUT), (_SUM, k.IN), (_PRINTED, k.LEVEL))
        ],
        _ticks("the ruler", shown, _PRINTED, k.LEVEL, wide=1.2),
        k.level("what Zoe adds", [0, shift], _ZOE, k.READING.but(width=3), **k.QUIET),
        _ticks("Zoe out: the noise alone", shown, _NOISE, k.OUT),
        _ticks("her number added, not yet snapped", added, _SUM, k.IN),
        k.curve("snaps", k.gapped(np.transpose([added, ends])), snaps, thin, **k.QUIET),
        _ticks("Zoe in: noise and her number, added", shown, _PRINTED, k.IN, hit),
        _ticks("out of reach with Zoe: proof", shown, _PRINTED, k.ATTACK, ~hit, high=0.46, wide=3),
        k.text("out of reach, named", middle, 0.3, "<b>proof</b>" if lost.size else " "),
        x=k.axis("what is printed", range=[-_SIDE - 0.01, _SIDE + 0.01], showgrid=False),
        y=k.axis("", rows, range=[0.1, 4.45], showgrid=False, zeroline=False),
        height=390,
        ghost=[],
        grab=k.drag("shift", places, _ZOE),
        headline="{lost} of {marks} marks out of reach",
        sentence="The noise alone can stop at each mark, "
        f"{'the sum not at the thick ones' if lost.size else 'and so can the sum'} (exact): "
        f"{'a number printed there proves that Zoe was out' if lost.size else 'no number is proof'}. "
        "Her {asked} is {shift} on this ruler.",
        alt=f"Three rulers, marked {'evenly' if ruler == 'even' else 'more closely near 0'}. "
        "The upper, the noise alone, has {marks} marks; the middle one is the same, moved by {shift}; from "
        "it lines run to the lower, to the nearest old marks, and {lost} are thick and black, out of reach.",
        **k.words(k.exact, k.count, lost=lost.size, marks=shown.size),
        shift=k.exact(shift, digits=2),
        asked=k.exact(asked, digits=2),
    )
