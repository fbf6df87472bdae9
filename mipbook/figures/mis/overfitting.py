"""How two mistakes balance, and how a model remembers whom it learned from."""

import math
from dataclasses import replace
from typing import Annotated

import numpy as np
from scipy.stats import norm

import mipbook.figures.kit as k
from explorable.palette import BACKGROUND
from mipbook import learners, mis
from mipbook.mis.overfitting import residual_edge, stopping_terms

_DENSITY, _CROWD = 1 / math.sqrt(2 * math.pi), 100
# Everybody stands as far to the right as the model is off: above the patients, ten by ten on its curve,
# below the others, under the bell of their noise.  The ribbon is held between the two.
_PITCH, _RISE, _DEEP, _FLOOR, _HELD, _TOP, _BELL = 0.105, 0.6, 10, 7.0, 6.2, 13.0, 5.6
_BARE = {"showgrid": False, "showline": False}
_SIZE, _PALE, _ENDS = 8, 0.3, [-1.15, 2.75]
# Above all, what the opponent may spend; so many coins are drawn one by one.
_PURSE, _COINS = [15.3, 16.0], 25
# In no ribbon there are more of the others than the noise would bring; the last would be at infinity.
_STRAYS = np.append(norm.ppf(0.5 + np.arange(1, _CROWD) / _CROWD / 2), 2.5)


def in_100_at_most(share):
    """Write a share of 100 that is at most so much, with the tenths that its headline needs.

    Examples
    --------
    >>> in_100_at_most(1 / 9), in_100_at_most(0.0399), in_100_at_most(3.0)
    ('11.2', '4', '100')
    """
    share = min(100.0, round(100 * share, 9))
    return k.at_most(share, digits=3 if share > 10 else 2)


def _heaped(off):
    """Return how high each stands who is put, one by one, as low as there is room."""
    ends, heights = np.full(_CROWD, -math.inf), []
    for at in off:
        heights.append(int(np.argmax(ends <= at - _PITCH)))
        ends[heights[-1]] = at
    return _RISE * (0.6 + np.array(heights))


_STRAYS_UP = _heaped(_STRAYS)
_ROWS = _FLOOR + _RISE * (0.5 + np.arange(_CROWD) % _DEEP)
_SEATS = -0.13 - _PITCH * (np.arange(_CROWD) // _DEEP), _ROWS
_FIRST_OUT = np.random.default_rng(3).permutation(_CROWD)
_ERRORS = [digit * 10.0**power for power in (-4, -3, -2) for digit in (1, 1.5, 2, 2.5, 4, 6)] + [0.1]
_ERROR = k.Stops(_ERRORS, label="Training error, in σ²", play=True)
_RIBBON = k.Stops(np.arange(1, 21) / 20, label="Your ribbon, in σ")


def _box(left, right):
    """Return the sides of a part of the purse."""
    return [left, left, right, right, left], [*_PURSE, *_PURSE[::-1], _PURSE[0]]


def _side_by_side(ends):
    """Return the sides of the coins between these ends, with a gap after each."""
    lefts, rights = k.short(ends[:-1]), k.short(ends[1:] - np.minimum(0.03, np.diff(ends) / 4))
    boxes = [_box(*each) for each in zip(lefts, rights, strict=True)]
    return [k.gapped([box[side] for box in boxes]) for side in (0, 1)] if boxes else ([], [])


def _straight(error):
    """Draw the model, the floors and the bell, and say which ribbon is the best."""
    out, left = np.linspace(0, _ENDS[1], 45), {"textposition": "middle center"}
    names = left | {"textfont": {"color": [k.IN.colour, k.OUT.colour], "size": 16}}
    bell = np.append(0, out), np.append(0, _BELL * np.exp(-(out**2) / 2))
    return k.part(
        k.area("the noise", *bell, k.OUT),
        k.level("the patients' floor", _ENDS, _FLOOR, k.LEVEL.exact(), **k.QUIET),
        k.curve("the model", [0, 0], [0, _TOP], k.ATTACK.but(width=3), **k.QUIET),
        k.level("the others' floor", [0, _ENDS[1]], 0, k.LEVEL.exact(), cliponaxis=False, **k.QUIET),
        k.curve("his purse", *_box(*_ENDS), k.LEVEL.exact(), **k.QUIET),
        k.text(
            "what he has", _ENDS[0], 16.8, f"his purse: <b>{100 * error:g}</b>", textposition="middle right"
        ),
        k.text("who they are", -0.58, [_TOP + 0.55, 3.6], ["<b>patients</b>", "<b>others</b>"], **names),
        k.text(
            "why they are off",
            -0.58,
            [5.9, 2.1],
            ["off by 0,<br>or just outside", "off by their<br>own noise"],
            **left,
        ),
        x=k.axis("how far the model is off, in σ", range=_ENDS, tickvals=[0, 1, 2], **_BARE),
        y=k.unseen(0, 17.4),
        height=500,
        ghost=[],
        grab=k.drag("ribbon", along="x", at=_HELD, ring=True),
        headline="Promised: right {right}",
        sentence="A ribbon of {ribbon} misses at most {missed} in 100 patients and accuses at most {accused} "
        "in 100 others (bounds). {fewest}.",
        alt="Two crowds by how far the model is off, and a ribbon that begins at 0. Above, {crowd} patients: "
        "a block at 0, in the ribbon, and just outside it as many as the training error, {error}, leaves "
        "room for, at most {missed} in 100; below, {crowd} others under the bell of their noise, of whom "
        "some lie inside, at most {accused} in 100; all about whom it is right are pale. On top a purse of "
        "{purse}, and in it a coin of {cost} for each patient outside.",
        error=error,
        purse=_CROWD * error,
        crowd=_CROWD,
    )


def _mistakes(error, ribbon):
    """Light up whom the ribbon misses and whom it accuses, at most; about the pale ones it is right."""
    terms = stopping_terms(error, _DENSITY, ribbon**2)
    shares = [in_100_at_most(float(term)) for term in terms]
    # What this ribbon promises, and a bad one promises less than a coin.
    right = 1 - sum(min(1.0, float(term)) for term in terms) / 2
    best = min(_RIBBON.stops, key=lambda width: mis.stopping_security(error, _DENSITY, width**2))
    if error >= ribbon**2 * (1 - 1e-9):
        fewest = "The error lets every patient reach the ribbon's edge"
    elif ribbon == best:
        fewest = "No ribbon on this slider promises fewer mistakes"
    else:
        fewest = k.told("One of {best} promises the fewest mistakes", best=best)
    # The worst that can be: as many patients lie just outside as the training error leaves room for.
    out = math.floor(min(_CROWD, _CROWD * error / ribbon**2) + 1e-9)
    missed, accused = np.isin(np.arange(_CROWD), _FIRST_OUT[:out]), ribbon >= _STRAYS
    (off, up), place = np.array(_SEATS), np.arange(out)
    off[missed], up[missed] = ribbon + 0.07 + _PITCH * (place // _DEEP), _ROWS[:out]
    dot = {"size": _SIZE, "color": k.IN.colour, "opacity": np.where(missed, 1, _PALE)}
    ring = {"size": _SIZE - 2, "opacity": np.where(accused, 1, 1.4 * _PALE), "color": BACKGROUND[0]}
    ring["line"] = {"color": k.OUT.colour, "width": 1.8}
    told = ["<b>perhaps all</b>" if share == "100" else f"<b>at most {share} in 100</b>" for share in shares]
    words = {"textfont": {"color": [k.IN.colour, k.OUT.colour], "size": 15}, "textposition": "middle left"}
    # The block is off by nothing, so the ribbon holds it; it has a frame of its own, left of the axis.
    edge, (left, right_of_it) = {"color": k.MIS.colour, "width": 2.5}, (_ENDS[0], -0.06)
    held = [0, 0, ribbon, ribbon, None, left, left, right_of_it, right_of_it], [*[0, _TOP, _TOP, 0], None]
    held[1].extend([_FLOOR, _TOP, _TOP, _FLOOR])
    # Who escapes is off by the ribbon, and costs its square.
    coins = out if out <= _COINS else 1
    ends = _ENDS[0] + np.linspace(0, out * ribbon**2 / error / _CROWD * (_ENDS[1] - _ENDS[0]), coins + 1)
    price = f"one escape costs {ribbon:g}² = <b>{ribbon**2:.4g}</b>"
    return k.part(
        k.area("the ribbon", *held, k.MIS),
        k.level("its edge", ribbon, [0, _TOP], k.MIS, line=edge, **k.QUIET),
        k.points("others", _STRAYS, _STRAYS_UP, k.OUT, marker=ring, **k.QUIET),
        k.points("patients", off, up, k.IN, marker=dot, **k.QUIET),
        k.area("coins", *_side_by_side(ends), k.IN, fillcolor=k.IN.colour),
        k.text("price", _ENDS[1], 16.8, price, **{**words, "textfont": {"color": k.IN.colour}}),
        k.text("mistakes", _ENDS[1], [_TOP + 0.55, 4.65], told, **words),
        k.text("whose they are", _ENDS[1], [_TOP + 1.5, 5.65], ["missed", "accused"], **words),
        **k.words(ribbon=ribbon, missed=shares[0], accused=shares[1], fewest=fewest, cost=ribbon**2),
        right=k.at_least(right, k.in_100),
    )


@k.figure
def two_mistakes(error: Annotated[float, _ERROR] = 0.01, ribbon: Annotated[float, _RIBBON] = 0.1):
    """Draw what a ribbon of a width misses and accuses at most, when training stopped at an error.

    Notes
    -----
    Limits paper, Proposition 10 and Theorem 11, for normal noise of spread 1; new here.

    Examples
    --------
    >>> two_mistakes(0.01, 0.3).layout.meta["headline"]
    'Promised: right 82.4 times in 100'
    """
    return _straight, _mistakes


_FEATURES = k.Count(range(10, 91, 5), label="Features, of 100 patients", play=True)
_AWAY = np.linspace(0, 3.05, 62)


def _least_squares(features):
    """Draw the hills of patients above and of others below, and in full colour the ribbon's mistakes."""
    kappa = features / 100
    spreads = math.sqrt(1 - kappa), 1 / math.sqrt(1 - kappa)
    edge, shares = residual_edge(kappa), []
    drawn = [k.area("the ribbon", [0, 0, edge, edge], [-1, 3, 3, -1], k.MIS)]
    for name, spread, up, look in zip(("patients", "others"), spreads, (1, -1), (k.IN, k.OUT), strict=True):
        side = np.linspace(*((edge, 3.05) if up > 0 else (0, edge)), 41)
        for part, at, more in (("", _AWAY, {}), ("mistakes, ", side, {"fillcolor": look.colour})):
            height = k.short(2 * up * norm.pdf(at, scale=spread))
            outline = np.concatenate([at[:1], at, at[-1:]]), np.concatenate([[0], height, [0]])
            drawn.append(k.area(part + name, *outline, look, **more))
        shares.append(float(norm.cdf(edge, scale=spread) * 2 - 1))
    said = [f"missed: {100 - 100 * shares[0]:.0f} in 100", f"accused: {100 * shares[1]:.0f} in 100"]
    words = {"textfont": {"color": [k.IN.colour, k.OUT.colour], "size": 15}, "textposition": "middle left"}
    line = {"color": k.MIS.colour, "width": 2.5}
    return k.part(
        drawn,
        k.level("its edge", edge, [-1, 3], k.MIS, line=line, **k.QUIET),
        k.level("floor", [0, 3], 0, k.ATTACK, **k.QUIET),
        k.text("who they are", 3, [2.75, -0.45], ["<b>patients</b>", "<b>others</b>"], **words),
        k.text("told", 3, [2.35, -0.8], said, **words),
        x=k.axis("how far the model is off, in σ", range=[0, 3.05], tickvals=[0, 1, 2, 3], **_BARE),
        y=k.unseen(-1, 3),
        height=400,
        ghost=[],
        headline="Right {right}",
        sentence="With {features} features of 100 patients the best ribbon finds {found} in 100 patients and "
        "accuses {accused} in 100 others (exact, in the limit of many people).",
        alt="Two hills by how far least squares is off: above the line {found} in 100 patients within the "
        "best ribbon, below it the others, a wider hill, of whom {accused} in 100 are within.",
        right=k.exact(0.5 + (shares[0] - shares[1]) / 2, k.in_100),
        features=features,
        found=k.exact(100 * shares[0], ".0f"),
        accused=k.exact(100 * shares[1], ".0f"),
    )


@k.figure
def least_squares_leaks(features: Annotated[int, _FEATURES] = 50):
    """Draw how far least squares is off for those that it learned from and for others.

    Notes
    -----
    The limit for many people, of `mipbook.mis.threshold_advantage`.

    Examples
    --------
    >>> least_squares_leaks(50).layout.meta["headline"]
    'Right 66.1 times in 100'
    """
    return _least_squares


# Twenty-four made-up people by age and blood pressure; of each two neighbours one taught the model.
_PAIRS, _BUMP, _PEOPLE_SEED = 12, 3.0, 228
# The curve goes on where nobody is, so that there is room to hold the ribbon.
_FIRST, _LAST = 29.0, 78.0
_AGES = np.linspace(_FIRST, _LAST, 99)
_STEPS = k.Count(
    [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 700, 1000],
    label="Steps of training",
    play=True,
)
_OFF = k.Stops(np.arange(1, 31) / 2, label="Your ribbon", unit="mmHg")
_STICK, _DISC = replace(k.LEVEL, dash="solid", width=1.5), 17
# The ribbon is held at its end, beside everybody.
_HELD_AT, _LOW, _HIGH = _LAST, 81.0, 161.0


@k.cache
def _folk():
    """Return ages, blood pressures, and who is a patient."""
    rng, number = np.random.default_rng(_PEOPLE_SEED), 2 * _PAIRS
    age = 30 + 45 * (np.arange(number) + 0.15 + 0.7 * rng.random(number)) / number
    pressure = 112 + 0.6 * (age - 30) + 5 * np.sin((age - 30) / 9) + 9 * rng.standard_normal(number)
    patient = np.zeros(number, dtype=bool)
    patient[2 * np.arange(_PAIRS) + rng.integers(2, size=_PAIRS)] = True
    return age, pressure, patient


@k.cache
def _bent(steps):
    """Return the curve at the people's ages and everywhere, after so many steps."""
    age, pressure, patient = _folk()
    at = np.concatenate([age, _AGES])
    (said,) = learners.descended(age[patient], pressure[patient], at, [steps], width=_BUMP)
    return said[: age.size], said[age.size :]


@k.cache
def _distances(steps):
    return np.abs(_folk()[1] - _bent(steps)[0])


def ribbon_rights(steps):
    """Return about how many people each ribbon is right, by its width.

    Examples
    --------
    >>> ribbon_rights(1000)[0.5]
    24
    """
    return {off: int(np.sum((_distances(steps) <= off) == _folk()[2])) for off in _OFF.stops}


def held_over(steps):
    """Return the age at which the ribbon is held, and what the model says there.

    Examples
    --------
    >>> held_over(40)[0]
    78.0
    """
    return _HELD_AT, float(np.interp(_HELD_AT, _AGES, _bent(steps)[1]))


def _person(name, x, y, patient, **more):
    """Draw patients as filled dots and others as rings."""
    disc = {"color": k.IN.colour, "size": _DISC, "line": {"color": BACKGROUND[0], "width": 1.5}}
    if not patient:
        disc = {"color": BACKGROUND[0], "size": _DISC - 3, "line": {"color": k.OUT.colour, "width": 3}}
    # What the filled and the hollow ones are stands in the picture.
    return k.points(name, x, y, k.IN, marker=disc, showlegend=False, **more)


def _everybody():
    age, pressure, patient = _folk()
    grown = [
        _person(name, age[who], pressure[who], who is patient, hover=f"{one}, aged %{{x:.0f}}")
        for name, who, one in (("patients", patient, "a patient"), ("others", ~patient, "not a patient"))
    ]
    bare = {"showgrid": False, "showline": False, "ticks": ""}
    colours, said = [k.IN.colour, k.OUT.colour, k.INK], ["● patients", "○ others", "◎ mistaken"]
    names = {"textposition": "middle right", "textfont": {"color": colours, "size": 15}}
    return k.part(
        grown,
        k.text("patients and others", [36, 51, 64], _LOW + 3, said, **names),
        x=k.axis("age", range=[_FIRST, _LAST + 3], tickvals=[30, 40, 50, 60, 70], showgrid=False),
        y=k.axis("", range=[_LOW, _HIGH], tickvals=[100, 120, 140], **bare),
        annotations=[k.note("blood pressure, mmHg", _FIRST, _HIGH, xanchor="left", yanchor="top")],
        height=450,
        showlegend=False,
        ghost=[],
        headline="{right} of {all} right",
        sentence="After {steps} step{more} your ribbon of {off} mmHg holds {caught} of {half} patients and "
        "{wrong} of {half} others. {best_of} (exact).",
        alt="Blood pressure against age: {half} patients as filled dots, {half} others as rings, the model's "
        "curve, and around it a ribbon that reaches {off} mmHg up and down; larger rings mark its mistakes. "
        "The curve is off by up to {farthest} mmHg for patients, and by up to {strangers} for others.",
        all=age.size,
        half=_PAIRS,
    )


def _model(steps):
    """Draw the curve, and how far it is off for each."""
    age, pressure, patient = _folk()
    apart, gap = _distances(steps), np.full(age.size, np.nan)
    sticks = [np.array(ends).T.ravel() for ends in ([age, age, gap], [pressure, _bent(steps)[0], gap])]
    rights, (at, said) = ribbon_rights(steps), held_over(steps)
    most, best = max((right, off) for off, right in rights.items())
    return k.part(
        k.curve("off by", *(k.kept(each, ~np.isnan(each)) for each in sticks), _STICK, hoverinfo="skip"),
        k.curve("the model", _AGES, k.short(_bent(steps)[1]), k.ATTACK.but(width=4), hoverinfo="skip"),
        grab=k.drag("off", [at] * len(rights), said + np.array(_OFF.stops), along="y", ring=True),
        farthest=float(apart[patient].max()),
        strangers=float(apart[~patient].max()),
        best_of=k.told("The best ribbon, {best}, gets {most} right", best=best, most=most)
        if most > _PAIRS
        else "No ribbon beats a coin toss",
        steps=k.exact(steps, k.count),
        more="s" * (steps != 1),
    )


def _spied(steps, off):
    """Draw the ribbon around the curve, and who is in it."""
    (age, pressure, patient), inside = _folk(), _distances(steps) <= off
    said = _bent(steps)[1]
    ends, thin = (k.short(said - off), k.short(said + off)), {"width": 2, "color": k.MIS.colour}
    # Until the guess is made all are alike but for the ribbon: whom it holds has its colour.
    colours = np.where(inside, k.MIS.colour, k.LEVEL.colour).tolist()
    look = {"size": _DISC, "color": colours, "line": {"color": BACKGROUND[0], "width": 1.5}}
    called = k.points("called", age, pressure, k.LEVEL, marker=look, meta="asked", hover="aged %{x:.0f}")
    told = f"{_PAIRS} of {age.size} are patients; you accuse <b>{np.sum(inside)}</b>"
    left = {"textposition": "middle right", "textfont": {"size": 15}, "meta": "asked"}
    return k.part(
        k.band("your ribbon", _AGES, *ends, k.MIS, line=thin),
        called,
        k.text("you accuse", 36, _LOW + 3, told, **left),
        **k.words(right=ribbon_rights(steps)[off], off=off, caught=int(np.sum(inside & patient))),
        wrong=int(np.sum(inside & ~patient)),
    )


def _mistaken(steps, off):
    """Encircle the mistakes, in front of everybody."""
    (age, pressure, patient), inside = _folk(), _distances(steps) <= off
    ring = {"symbol": "circle-open", "size": 27, "color": k.INK, "line": {"width": 2}}
    wrong = k.kept(pressure, inside != patient)
    return k.part(k.points("others and patients mistaken", age, wrong, k.READING, marker=ring, **k.QUIET))


@k.figure
def a_model_remembers(steps: Annotated[int, _STEPS] = 40, off: Annotated[float, _OFF] = 8.0):
    """Draw a curve that bends to twelve patients, and whom a ribbon around it holds.

    Notes
    -----
    The ages and pressures are made up; the curve is that of `mipbook.learners.descended`.

    Examples
    --------
    >>> a_model_remembers(1000, 0.5).layout.meta["headline"]
    '24 of 24 right'
    """
    return _spied, _model, _everybody, _mistaken
