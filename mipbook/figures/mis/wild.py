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
    """Draw twenty patients and twenty strangers."""
    kinds = zip(("patients", "strangers"), _SEEDS, (True, False), strict=True)
    people = [
        person(name, _YOUNG + (_OLD - _YOUNG) * _folk(seed)[0], _folk(seed)[1], patient, hoverinfo="skip")
        for name, seed, patient in kinds
    ]
    return k.part(
        people,
        x=k.axis("", range=[_YOUNG - 1, _OLD + 1], **AGES),
        y=k.axis("blood pressure", range=[_LOW, _HIGH], tickvals=[100, 120, 140, 160]),
        height=450,
        legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        ghost=[],
        headline="patients off by {inside}, strangers by {outside}",
        sentence="With {d} features the best fit is off by {inside} mmHg for its {n} patients and by "
        "{outside} for {n} strangers (root mean square, exact).",
        alt="Blood pressure against age: {n} patients as filled dots, {n} strangers as rings, and the "
        "best fit with {d} features.",
        n=_N,
    )


def _best_fit(dimension):
    """Draw the fit, as far as it stays in the picture."""
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
    """Draw least squares on twenty made-up patients, beside twenty strangers.

    Notes
    -----
    Limits paper, Example 2: with as many features as records none has an error left.

    Examples
    --------
    >>> wild_fit(20).layout.meta["headline"].split(",")[0]
    'patients off by 0'
    """
    return _best_fit, _everybody
