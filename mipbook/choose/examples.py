"""Choices on made-up pools, as the app shows them.

What takes a minute to search is stored.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from explorable import validate
from mipbook import data
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array
from mipbook.choose.choice import MECHANISMS, EpsilonChoice, choose_epsilon
from mipbook.stored.store import load

EXAMPLES = ("200 people", "20 people", "60 with outliers")
TARGETS: tuple[float, ...] = (
    *(0.01, 0.012, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.085, 0.1),
    *(0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0),
)
CLIPS = (2.0, 2.4, 2.8, 3.3, 4.0, 4.5, 5.0, 6.0, 7.0, 8.5, 10.0, 12.0, 14.0, 17.0, 20.0)
# A wheel takes a minute.
WHEEL_CLIPS = (2.0, 5.0, 20.0)
DELTAS = (1e-5, 1e-3)
# Seconds that halves may be counted while a slider moves.
COUNTING = 2.0
SETTINGS: dict[str, Any] = {
    "version": 2,
    "examples": EXAMPLES,
    "mechanisms": MECHANISMS,
    "targets": TARGETS,
    "clips": CLIPS,
    "wheel_clips": WHEEL_CLIPS,
    "deltas": DELTAS,
    "seed": 90,
}
_ESTIMATES = ("certificate", "likely", "subset_epsilon", "likely_success")


@lru_cache(maxsize=8)
def example_pool(name: str) -> Array:
    """Return a made-up pool.

    Examples
    --------
    >>> example_pool("20 people").shape
    (20, 1)
    """
    name = validate.choice("name", name, EXAMPLES)
    rng = np.random.default_rng(SETTINGS["seed"])
    if name == EXAMPLES[0]:
        return rng.normal(size=(200, 5))
    if name == EXAMPLES[1]:
        return rng.normal(size=(20, 1))
    return data.scale_outliers(rng.normal(size=(60, 3)), 2, 20.0, rng)


def chosen(table: Array, mechanism: str, target: float, clip: float, delta: float) -> EpsilonChoice:
    """Return the answer of `choose_epsilon` as the app asks for it.

    Parameters
    ----------
    table : ndarray of shape (2n, columns)
        The pool; equal rows are different persons.
    mechanism : {"gaussian", "exponential"}
        A noisy mean, or the nearest signed coordinate axis.
    target, clip, delta
        As in `choose_epsilon`; delta is for the noise only.

    Examples
    --------
    >>> pool = example_pool("20 people")
    >>> chosen(pool, "gaussian", 0.1, 5.0, 1e-3).certificate.value <= 0.1
    True
    """
    if mechanism == "gaussian":
        return choose_epsilon(table, target, clip=clip, delta=delta, by_index=True)
    axes = np.eye(validate.array("table", table, ndim=2).shape[1])
    wheel: dict[str, Any] = {"objects": np.concatenate([axes, -axes]), "budget": COUNTING}
    return choose_epsilon(table, target, mechanism=mechanism, clip=clip, by_index=True, **wheel)


def example_choice(name: str, mechanism: str, target: float, clip: float, delta: float) -> EpsilonChoice:
    """Return `chosen` on an example, read where it is stored.

    Parameters
    ----------
    name : str
        One of `EXAMPLES`.
    mechanism, target, clip, delta
        As in `chosen`.

    Examples
    --------
    >>> round(example_choice("200 people", "gaussian", 0.1, 5.0, 1e-3).epsilon, 3)
    0.243
    """
    pool = example_pool(name)
    case = _case(name, mechanism, target, clip, delta)
    return _stored().get(case) or chosen(pool, mechanism, target, clip, delta)


def _case(name: str, mechanism: str, target: float, clip: float, delta: float) -> tuple[Any, ...]:
    # The exponential mechanism has no delta; one entry serves all of them.
    return name, mechanism, target, clip, delta if mechanism == "gaussian" else 0.0


def cases_of(settings: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the cases of the stored run, in their order."""
    names = ("examples", "mechanisms", "targets", "clips", "deltas")
    every = product(*(settings[n] for n in names))
    kept = (each for each in every if each[1] == "gaussian" or each[3] in settings["wheel_clips"])
    return list(dict.fromkeys(_case(*each) for each in kept))


@lru_cache(maxsize=1)
def _stored() -> dict[tuple[Any, ...], EpsilonChoice]:
    """Return the stored answers by their cases."""
    text = load("choose", SETTINGS).arrays["answers"].tobytes()
    answers = []
    for told in json.loads(text):
        told |= {field: Estimate(*told[field]) for field in _ESTIMATES}
        answers.append(EpsilonChoice(**told | {"notes": tuple(told["notes"])}))
    return dict(zip(cases_of(SETTINGS), answers, strict=True))
