"""How eps~ depends on epsilon around a choice, and choices on made-up pools, as the app shows them.

What takes a minute to search is stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from explorable import progress, validate
from explorable.private import private
from mipbook import data, pmp, tradeoff
from mipbook import data as pools
from mipbook.base.rounding import Estimate
from mipbook.base.types import Array
from mipbook.choose.choice import NOT_PROMISED, EpsilonChoice, as_pool, choose_epsilon
from mipbook.choose.search import DIAMETER_PRODUCTS, Pool, epsilon_of, likely_epsilon
from mipbook.pmp.gaussian_bound import epsilon_within, power_of_two
from mipbook.pmp.gaussian_exact import exact_within
from mipbook.pmp.gaussian_rows import diameter_bounds
from mipbook.stored.store import load

_STEPS = np.geomspace(0.2, 5.0, 9)
# Where every point costs a count of all halves, and there are many: fewer, and nearer.
_DEAR, _FEW = 100, np.geomspace(0.4, 2.5, 5)
# Products for one point of the exact curve, and pairs for one of the bound.
_POINT_PRODUCTS, _POINT_PAIRS = 3e8, 1_000_000
# Seconds for counting the halves of all points.
_SECONDS = 3.0


class Curve(NamedTuple):
    """Epsilon of the mechanism, and eps~ certain, eps~ likely and eps(X) at it, with kinds."""

    epsilon: Array
    certain: Array
    likely: Array
    known: Array
    kinds: tuple[str, str, str]


@private("table", "answer", "objects")
def choice_curve(table: Array, answer: EpsilonChoice, clip: float, objects: Array | None = None) -> Curve:
    """Return eps~ at some epsilons around the one that was chosen.

    Parameters
    ----------
    table : ndarray of shape (2n, dimension)
        The pool, as it was given to `choose_epsilon`.
    answer : EpsilonChoice
        What it returned.
    objects : ndarray, optional
        Its objects, for the exponential mechanism.

    Notes
    -----
    PMP paper, section on the Gaussian mechanism, "Our approach".

    Examples
    --------
    >>> from mipbook.choose import choose_epsilon
    >>> pool = np.arange(8.0)[:, None]
    >>> curve = choice_curve(pool, choose_epsilon(pool, clip=7.0, delta=0.01), 7.0)
    >>> curve.kinds, bool((curve.certain <= curve.known).all())
    (('exact', 'exact', 'exact'), True)
    """
    table = as_pool(table, True, "table")
    validate.instance("answer", answer, EpsilonChoice, "of choose_epsilon")
    clip = validate.number("clip", clip, 1e-150, 1e150)
    short = pools.clip_norm(table, clip)
    if len(table) != answer.records:
        validate.refuse_as("table", f"{len(table)} records", f"the {answer.records} of answer")
    if not np.ptp(short, axis=0).any():
        validate.refuse("table", table, "records that differ within the clip")
    exact = answer.certificate.kind == "exact"
    steps = _FEW if exact and len(table) > _DEAR else _STEPS
    if objects is None:
        return _gaussian(short, answer, clip, steps)
    return _exponential(short, answer, clip, objects)


def _gaussian(short: Array, answer: EpsilonChoice, clip: float, steps: Array) -> Curve:
    n = len(short) // 2
    unit = power_of_two(short)
    values = short / unit
    low, high = diameter_bounds(values, DIAMETER_PRODUCTS)
    exact = answer.certificate.kind == "exact"

    def at(factor: float) -> tuple[float | None, ...]:
        sigma = answer.sigma * n / unit / factor
        if exact:
            certain = likely = _exact_or_nan(values, sigma, answer.delta)
        else:
            certain = epsilon_within(values, sigma, answer.delta, _POINT_PAIRS)
            likely = likely_epsilon(values, sigma, answer.delta, certain)
        known = float(tradeoff.gaussian_epsilon(answer.delta, sigma=sigma, sensitivity=high))
        return epsilon_of(answer.sigma / factor, answer.delta, 2 * clip / n), certain, likely, known

    return _curve(at, steps, exact, "exact" if low == high else "bound")


def _curve(
    at: Callable[[float], tuple[float | None, ...]], steps: Array, exact: bool, known_kind: str
) -> Curve:
    rows = [at(factor) for factor in progress.track(steps.tolist(), what="curve", unit="points")]
    kinds = ("exact", "exact") if exact else ("bound", "approximation")
    epsilon, certain, likely, known = np.array(rows, dtype=float).T
    return Curve(epsilon, certain, likely, known, (*kinds, known_kind))


def _exact_or_nan(values: Array, sigma: float, delta: float) -> float:
    """Return the exact eps~, nan where rounding or time forbid it."""
    try:
        return exact_within(values, sigma, delta, _POINT_PRODUCTS)
    except ValueError:
        return float("nan")


def _exponential(short: Array, answer: EpsilonChoice, clip: float, objects: Array) -> Curve:
    n = len(short) // 2
    pool = Pool(pmp.norm_losses(short, objects), pmp.norm_sensitivity(n, clip), _SECONDS)
    exact = answer.certificate.kind == "exact"

    def at(factor: float) -> tuple[float | None, ...]:
        epsilon = answer.epsilon * factor
        if exact:
            certain = pool.exact(epsilon)
            return epsilon, certain, certain, epsilon * pool.cap
        certain = pool.bound(epsilon)
        return epsilon, certain, min(pool.likely(epsilon), certain), epsilon * pool.cap

    return _curve(at, _STEPS, exact, "bound")


EXAMPLES = ("200 people", "20 people", "60 with outliers")
MECHANISMS = ("gaussian", "exponential")
TARGETS: tuple[float, ...] = (
    *(0.01, 0.012, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.085, 0.1),
    *(0.12, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0),
)
CLIPS = (2.0, 5.0, 20.0)
DELTAS = (1e-5, 1e-3)
# Seconds that halves may be counted while a slider moves.
COUNTING = 2.0
SETTINGS: dict[str, Any] = {
    "version": 1,
    "examples": EXAMPLES,
    "mechanisms": MECHANISMS,
    "targets": TARGETS,
    "clips": CLIPS,
    "deltas": DELTAS,
    "seed": 90,
}
_ESTIMATES = ("certificate", "likely", "subset_epsilon", "likely_success")
# The weakest kind of some numbers is what a curve through them is.
_WEAKEST_FIRST = ("estimate", "approximation", "bound", "exact")


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


def axis_objects(table: Array) -> Array:
    """Return the signed coordinate axes, from which the exponential mechanism chooses here.

    Parameters
    ----------
    table : ndarray of shape (records, columns)
        The pool.

    Examples
    --------
    >>> axis_objects(np.zeros((4, 1))).tolist()
    [[1.0], [-1.0]]
    """
    axes = np.eye(validate.array("table", table, ndim=2).shape[1])
    return np.concatenate([axes, -axes])


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
    if validate.choice("mechanism", mechanism, MECHANISMS) == "gaussian":
        return choose_epsilon(table, target, clip=clip, delta=delta, by_index=True)
    wheel: dict[str, Any] = {"mechanism": "exponential", "objects": axis_objects(table), "budget": COUNTING}
    return choose_epsilon(table, target, clip=clip, by_index=True, **wheel)


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


def example_curve(name: str, mechanism: str, clip: float, delta: float) -> Curve | None:
    """Return eps~ at the epsilons that meet each of `TARGETS`, where they are stored.

    Parameters
    ----------
    name : str
        One of `EXAMPLES`.
    mechanism, clip, delta
        As in `chosen`.

    Examples
    --------
    >>> curve = example_curve("20 people", "gaussian", 5.0, 1e-3)
    >>> curve.kinds, bool((curve.certain <= TARGETS).all())
    (('exact', 'exact', 'exact'), True)
    """
    name = validate.choice("name", name, EXAMPLES)
    cases = [_case(name, mechanism, target, clip, delta) for target in TARGETS]
    if cases[0] not in _stored():
        return None
    answers = [_stored()[case] for case in cases]
    found = [[getattr(a, field) for a in answers] for field in _ESTIMATES[:3]]
    kinds = [next(k for k in _WEAKEST_FIRST if k in {e.kind for e in side}) for side in found]
    certain, likely, known = (np.array([e.value for e in side]) for side in found)
    epsilon = np.array([a.epsilon for a in answers])
    return Curve(epsilon, certain, likely, known, (kinds[0], kinds[1], kinds[2]))


def _case(name: str, mechanism: str, target: float, clip: float, delta: float) -> tuple[Any, ...]:
    # The exponential mechanism has no delta; one entry serves all of them.
    return name, mechanism, target, clip, delta if mechanism == "gaussian" else 0.0


def cases_of(settings: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Return the cases of the stored run, in their order."""
    names = ("examples", "mechanisms", "targets", "clips", "deltas")
    return list(dict.fromkeys(_case(*each) for each in product(*(settings[n] for n in names))))


@lru_cache(maxsize=1)
def _stored() -> dict[tuple[Any, ...], EpsilonChoice]:
    """Return the stored answers by their cases."""
    text = load("choose", SETTINGS).arrays["answers"].tobytes()
    answers = []
    for told in json.loads(text):
        told |= {field: Estimate(*told[field]) for field in _ESTIMATES}
        told |= {"notes": tuple(told["notes"]), "not_promised": NOT_PROMISED}
        answers.append(EpsilonChoice(**told))
    return dict(zip(cases_of(SETTINGS), answers, strict=True))
