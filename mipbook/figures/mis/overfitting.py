"""How two mistakes balance, and how a model remembers whom it learned from."""

import math
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from scipy.stats import norm

import mipbook.figures.kit as k
from explorable.palette import BACKGROUND
from mipbook import learners, mis
from mipbook.mis.overfitting import stopping_terms

_DENSITY, _CROWD, _RIGHT_AT = 1 / math.sqrt(2 * math.pi), 50, "right, at least (bound)"
# Fifty patients stand on the straightened curve, and beside them fifty others, who have noise of their own.
_GAP = 6
# In no ribbon there are more of these than the noise would bring; the last pair would be at infinity.
_STRAYS = np.append(norm.ppf(0.5 + np.arange(1, _CROWD // 2) / _CROWD), 2.4)
_STRAYS = np.random.default_rng(2).permutation(np.concatenate([_STRAYS, -_STRAYS]))
_ERRORS = [digit * 10.0**power for power in range(-6, -1) for digit in (1, 2, 5)] + [0.1]
_ERROR = k.Stops(_ERRORS, label="Training error, in σ²", play=True)
_RIBBONS = [digit * 10.0**power for power in (-2, -1) for digit in (1, 1.5, 2, 3, 4, 5, 7)] + [1.0]
_RIBBON = k.Stops(_RIBBONS, label="Your ribbon, in σ")


def _balance(error):
    """Draw how often the best line is right against the width of the ribbon, for noise of spread 1."""
    fine = np.geomspace(0.01, 1, 81)
    right, held = (
        100 - 50 * mis.stopping_security(error, _DENSITY, np.square(widths)) for widths in (fine, _RIBBONS)
    )
    # Until the guess is made, what a narrow ribbon does and what a wide one does.
    ends = {"type": "scatter", "mode": "text", "name": "ends", "showlegend": False, "hoverinfo": "skip"}
    ends |= {"x": [0.01, 1], "y": [66, 66], "textposition": ["middle right", "middle left"], "meta": "asked"}
    ends["textfont"] = {"color": [k.IN.colour, k.OUT.colour], "size": 13}
    ends["text"] = ["← narrower<br>misses patients", "wider →<br>accuses others"]
    ticks = {"tickvals": [0.01, 0.1, 1], "ticktext": ["0.01", "0.1", "1"]}
    low = {"lower": True, "hover": "right %{y:.0f} times in 100"}
    return k.part(
        k.curve(_RIGHT_AT, fine, k.short(right), k.BEST.bound(), **low),
        ends | k.LOWER,
        x={"range": [-2, 2 * _CROWD + _GAP], "visible": False},
        y=k.axis("off, in spreads", range=[-2.6, 3.9], tickvals=[-2, 0, 2]),
        x2=k.axis("ribbon, in spreads of the noise", log=True, range=[-2.05, 0.05], **ticks),
        y2=k.axis("right at least", range=[48, 102], tickvals=[50, 75, 100]),
        rows=(0.68, 0.13),
        height=540,
        ghost=[],
        probe=[_RIGHT_AT],
        grab=k.drag("ribbon", _RIBBONS, held, along="x2"),
        headline="right at least {right}",
        sentence="A ribbon of {ribbon} spreads of the noise misses at most {missed} in 100 patients and "
        "accuses at most {accused} in 100 others; so it is right at least {right} (bounds).",
        alt="Above, a ribbon around the model: fifty patients, of whom as many lie outside as the training "
        "error can pay for, at most {missed} in 100, and fifty others, of whom some lie inside, at most "
        "{accused} in 100. Below, how often the line is right at least against the width of the ribbon, at "
        "a training error of {error}: a curve with one top, {right} at the diamond.",
        error=error,
    )


def _mistakes(error, ribbon):
    """Light up whom the ribbon misses and whom it accuses, at most."""
    terms = stopping_terms(error, _DENSITY, ribbon**2)
    shares = [k.at_most(min(100.0, round(100 * float(term), 9))) for term in terms]
    right = 1 - float(mis.stopping_security(error, _DENSITY, ribbon**2)) / 2
    # The worst that can be: as many patients lie just outside as the training error pays for.
    out = math.floor(_CROWD * min(1, error / ribbon**2) + 1e-9)
    missed = (
        np.isin(np.arange(_CROWD), np.linspace(0, _CROWD - 1, out).round()) if out else np.zeros(_CROWD, bool)
    )
    sides, quiet = np.where(np.arange(_CROWD) % 4 < 2, 1, -1), {"showlegend": False, "hoverinfo": "skip"}
    accused, right_of = np.abs(_STRAYS) <= ribbon, np.arange(_CROWD) + _CROWD + _GAP
    sizes = (np.where(mistaken, 12, 8) for mistaken in (missed, accused))
    dot, ring = ({"size": size, "opacity": 1} for size in sizes)
    dot |= {"color": k.IN.colour}
    ring |= {"color": BACKGROUND[0], "line": {"color": k.OUT.colour, "width": 2}}
    ends, texts = np.array([-2, 2 * _CROWD + _GAP]), []
    for name, share, middle in zip(
        ("patients outside", "others inside"), shares, (_CROWD / 2, right_of.mean()), strict=True
    ):
        said = f"{name}, at most<br><b>{share} in 100</b>"
        texts.append({"x": middle, "y": 3.35, "text": said, "showarrow": False})
    return k.part(
        k.band("the ribbon", ends, [-ribbon] * 2, np.full(2, ribbon), k.BEST, showlegend=False),
        k.curve("the model", ends, [0, 0], k.ATTACK, **quiet),
        k.points("others", right_of, _STRAYS, k.OUT, marker=ring, **quiet),
        k.points("patients", np.arange(_CROWD), ribbon * sides * missed, k.IN, marker=dot, **quiet),
        k.reading(ribbon, 100 * right, "your ribbon", lower=True),
        annotations=texts,
        ribbon=ribbon,
        **dict(zip(("missed", "accused"), shares, strict=True)),
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
    'right at least 82.4 times in 100'
    """
    return _balance, _mistakes


# Twenty-four made-up people by age and blood pressure; of each two neighbours one taught the model.
_PAIRS, _BUMP, _PEOPLE_SEED = 12, 3.0, 6
_FIRST, _LAST = 29.0, 76.0
_AGES = np.linspace(_FIRST, _LAST, 95)
_STEPS = k.Count(
    [0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 700, 1000],
    label="Steps of training",
    play=True,
)
_LINES = [0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12, 15]
_OFF = k.Stops(_LINES, label="Your line", unit="mmHg")
_STICK = replace(k.LEVEL, dash="solid", width=1)
_UNKNOWN = k.LEVEL.with_symbol("circle-dot")
# Patients are stacked up, others down; who is nearer than such a factor stands on the other.
_ROWS, _ENDS, _PILE, _LEAST = {"patients": 1, "others": -1}, [-4.6, 12.6], 1.17, 0.1


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
    said = learners.descended(
        age[patient], pressure[patient], np.concatenate([age, _AGES]), [steps], width=_BUMP
    )[0]
    return said[: age.size], said[age.size :]


@k.cache
def _distances(steps):
    return np.abs(_folk()[1] - _bent(steps)[0])


def _right(steps, off):
    """Return about how many people a line is right."""
    return int(np.sum((_distances(steps) <= off) == _folk()[2]))


# The first says what they are: a title would lie between two pictures.
AGES: dict[str, Any] = {"tickvals": [30, 40, 50, 60, 70]}
AGES["ticktext"] = ["aged 30", "40", "50", "60", "70"]


def person(name, x, y, patient, small=False, **more):
    """Draw patients as filled dots and others as rings, small ones where they are stacked.

    Examples
    --------
    >>> person("patients", [30, 40], [120, 130], patient=True)["marker"]["size"]
    14
    """
    size, rim = 10 if small else 13, 2.5
    if not patient:
        more["marker"] = {"color": BACKGROUND[0], "size": size, "line": {"color": k.OUT.colour, "width": rim}}
    return k.points(name, x, y, k.IN, **{"size": size + 1, **more})


def _everybody():
    age, pressure, patient = _folk()
    somebody = k.points("not known", age, pressure, _UNKNOWN, size=11, hover="aged %{x:.0f}", meta="asked")
    grown = [
        person(name, age[who], pressure[who], who is patient, hover=f"{one}, aged %{{x:.0f}}")
        for name, who, one in (("patients", patient, "a patient"), ("others", ~patient, "not a patient"))
    ]
    names = {"textposition": "middle left", "textfont": {"color": [k.IN.colour, k.OUT.colour], "size": 15}}
    ticks = {"tickvals": [_LEAST, 1, 10], "ticktext": ["0.1 or less", "1", "10"]}
    return k.part(
        somebody,
        grown,
        k.text("patients and others", [43, 43], [5, -3.4], ["patients", "others"], **names) | k.LOWER,
        x=k.axis("", range=[_FIRST, _LAST], **AGES),
        y=k.axis("blood pressure", range=[92, 168]),
        x2=k.axis("how far the model is off, mmHg", log=True, range=[-1.08, 1.65], **ticks),
        y2={"range": _ENDS, "visible": False},
        rows=(0.5, 0.13),
        height=560,
        showlegend=False,
        ghost=[],
        headline="{right} of {all} right, the best line {most}",
        sentence="After {steps} steps your ribbon of {off} mmHg holds {caught} of {half} patients and "
        "{wrong} of {half} others. The best line, at {best}, gets {most} right (exact).",
        alt="Blood pressure against age: {half} patients as filled dots, {half} others as rings, the model's "
        "curve, and around it a ribbon that reaches {off} mmHg up and down. Below, stacks of the same "
        "people by how far the model is off: patients up to {farthest}, others up to {strangers} mmHg; "
        "upright lines at {off} and, dotted, at {best}.",
        all=age.size,
        half=_PAIRS,
    )


def _piled(apart):
    """Return heights at which people who are about as far off stand on each other."""
    near = np.floor(np.log(apart) / math.log(_PILE))
    return np.tril(near == near[:, None]).sum(axis=1) - 0.4


def _model(steps):
    """Draw the curve, and the people by how far it is off for them."""
    age, pressure, patient = _folk()
    apart, gap = np.maximum(_distances(steps), _LEAST), np.full(age.size, np.nan)
    sticks = [np.array(ends).T.ravel() for ends in ([age, age, gap], [pressure, _bent(steps)[0], gap])]
    lines = [
        person(f"{name} by error", apart[who], _ROWS[name] * _piled(apart[who]), who is patient, lower=True,
                small=True, showlegend=False, hover="off by %{x:.1f} mmHg")
        for name, who in (("patients", patient), ("others", ~patient))
    ]  # fmt: skip
    # Until the guess is made, all stand in one stack.
    unseen = {"size": 9, "lower": True, "showlegend": False, "meta": "asked"}
    grey = k.points("not known by error", apart, _piled(apart), _UNKNOWN, **unseen)
    rights = [_right(steps, off) for off in _OFF.stops]
    best = _OFF.stops[int(np.argmax(rights))]
    return k.part(
        k.curve(
            "off by", *(k.kept(k.short(each), ~np.isnan(each)) for each in sticks), _STICK, hoverinfo="skip"
        ),
        k.curve("the model", _AGES, k.short(_bent(steps)[1]), k.ATTACK, hoverinfo="skip"),
        grey,
        lines,
        k.level("the best line", best, _ENDS, k.BEST.estimate(), lower=True),
        farthest=float(_distances(steps)[patient].max()),
        strangers=float(apart[~patient].max()),
        best=best,
        most=max(rights),
        steps=k.exact(steps, k.count),
    )


def _spied(steps, off):
    """Draw the ribbon around the curve, and count whom it holds."""
    patient, inside = _folk()[2], _distances(steps) <= off
    said = _bent(steps)[1][::2]
    ends, thin = (k.short(said - off), k.short(said + off)), {"width": 1, "color": k.fill(k.BEST.colour)}
    return k.part(
        k.band("your ribbon", _AGES[::2], *ends, k.BEST, line=thin),
        right=_right(steps, off),
        caught=int(np.sum(inside & patient)),
        wrong=int(np.sum(inside & ~patient)),
    )


def _drawn_line(off):
    return k.part(
        k.level("your line", off, _ENDS, k.READING, lower=True, showlegend=False),
        grab=k.drag("off", along="x2", at=_ENDS[0]),
        off=off,
    )


@k.figure
def a_model_remembers(steps: Annotated[int, _STEPS] = 40, off: Annotated[float, _OFF] = 8.0):
    """Draw a curve that bends to twelve patients, and the row of people that parts into two.

    Notes
    -----
    The ages and pressures are made up; the curve is that of `mipbook.learners.descended`.

    Examples
    --------
    >>> a_model_remembers(1000, 0.5).layout.meta["headline"]
    '24 of 24 right, the best line 24'
    """
    return _spied, _everybody, _model, _drawn_line
