"""The best fit to twenty patients, with few features, as many as patients, and many."""

from typing import Annotated

import numpy as np

import mipbook.figures.kit as k
from mipbook import learners
from mipbook.figures.mis.overfitting import AGES, person

_N, _SEEDS, _YOUNG, _OLD = 20, (8, 1), 30.0, 75.0
_FEATURES = [*range(2, 31), 35, 40, 50, 60, 70, 80]
_LOW, _HIGH = 95.0, 165.0


@k.cache
def _folk(seed):
    """Return ages, as shares of the way from the youngest to the oldest, and blood pressures."""
    rng = np.random.default_rng(seed)
    age = np.sort(rng.random(_N) if seed == _SEEDS[0] else 0.02 + 0.95 * rng.random(_N))
    return age, 115 + 27 * age + 5 * np.sin(5 * age) + 7 * rng.standard_normal(_N)


@k.cache
def _grid():
    """Return where the fit is drawn: everywhere, and at each patient."""
    return np.union1d(np.linspace(0, 1, 381), _folk(_SEEDS[0])[0])


def _waves(age, dimension):
    """Return cosines, the faster the lower."""
    number = np.arange(dimension)
    return np.cos(np.pi * np.outer(age, number)) / np.sqrt(1 + number)


@k.cache
def _fit(dimension):
    """Return the best fit everywhere, and how far it is off for each patient and each stranger."""
    (age, pressure), (others, theirs) = map(_folk, _SEEDS)
    middle, fit = pressure.mean(), learners.MinimumNorm()
    fit.fit(_waves(age, dimension), pressure - middle, rng=np.random.default_rng(0))
    everywhere, inside, outside = (middle + fit.predict(_waves(x, dimension)) for x in (_grid(), age, others))
    return everywhere, inside - pressure if dimension < _N else np.zeros(_N), outside - theirs


@k.cache
def _off(dimension):
    """Return how far the fit is off for patients and for strangers, root mean square."""
    return tuple(float(np.sqrt(np.mean(np.square(each)))) for each in _fit(dimension)[1:])


def _everybody():
    """Draw twenty patients and twenty strangers, and how far off the best fits are."""
    kinds = zip(("patients", "strangers"), _SEEDS, (True, False), strict=True)
    people = [
        person(name, _YOUNG + (_OLD - _YOUNG) * _folk(seed)[0], _folk(seed)[1], patient, hoverinfo="skip")
        for name, seed, patient in kinds
    ]
    inside, outside = zip(*map(_off, _FEATURES), strict=True)
    low = {"lower": True, "hover": "%{x} features: off by %{y:.1f} mmHg"}
    shown = [d < _N for d in _FEATURES]
    ticks = {"tickvals": [1, 10, 100, 1000], "ticktext": ["1", "10", "100", "1,000"]}
    names = {"textposition": ["middle right", "middle left"], "textfont": {"size": 15}}
    names["textfont"] |= {"color": [k.IN.colour, k.OUT.colour]}
    return k.part(
        people,
        k.curve("patients, off", _FEATURES, k.kept(inside, shown), k.IN, **low),
        k.curve("strangers, off", _FEATURES, k.short(outside), k.OUT, **low),
        k.text("patients or strangers", [21, 81], [1, 80], ["patients: 0", "strangers"], **names) | k.LOWER,
        x=k.axis("", range=[_YOUNG - 1, _OLD + 1], **AGES),
        y=k.axis("blood pressure", range=[_LOW, _HIGH], tickvals=[100, 130, 160]),
        x2=k.axis("features", range=[0, 82]),
        y2=k.axis("off by, mmHg", log=True, range=[-0.5, 4], **ticks),
        rows=(0.6, 0.14),
        height=540,
        showlegend=False,
        ghost=[],
        probe=["strangers, off", "patients, off"],
        grab=k.drag("dimension", _FEATURES, np.minimum(outside, 8000), along="x2"),
        headline="patients off by {inside}, strangers by {outside}",
        sentence="With {d} features the best fit is off by {inside} mmHg for its {n} patients and by "
        "{outside} for {n} strangers (root mean square, exact).",
        alt="Above, blood pressure against age: {n} patients as filled dots, {n} strangers as rings, and "
        "the best fit with {d} features. Below, how far off it is against the features: for patients it "
        "falls to 0 at {n}; for strangers it leaves the picture there and comes down again, to {outside}.",
        n=_N,
    )


def _best_fit(dimension):
    """Draw the fit, as far as it stays in the picture, and a mark at its features."""
    line = np.clip(_fit(dimension)[0], _LOW - 40, _HIGH + 40)
    inside, outside = _off(dimension)
    return k.part(
        k.curve(
            "the best fit", _YOUNG + (_OLD - _YOUNG) * _grid(), k.short(line), k.ATTACK, hoverinfo="skip"
        ),
        d=dimension,
        inside=inside,
        outside=outside,
    )


@k.figure
def wild_fit(dimension: Annotated[int, k.Count(_FEATURES, label="Features", play=True)] = 5):
    """Draw least squares on twenty made-up patients, and how far it is off for them and for strangers.

    Notes
    -----
    Limits paper, Example 2: with as many features as records none has an error left.

    Examples
    --------
    >>> wild_fit(20).layout.meta["headline"].split(",")[0]
    'patients off by 0'
    """
    return _best_fit, _everybody
