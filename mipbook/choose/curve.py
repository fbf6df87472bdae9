"""How eps~ depends on epsilon around a choice: what is certain, what is likely."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from explorable import progress, validate
from explorable.private import private
from mipbook import data as pools
from mipbook import pmp, tradeoff
from mipbook.base.types import Array
from mipbook.choose.exponential import Pool
from mipbook.choose.gaussian import DIAMETER_PRODUCTS, epsilon_of, likely_epsilon
from mipbook.choose.report import EpsilonChoice
from mipbook.choose.table import as_pool
from mipbook.pmp.gaussian_bound import epsilon_within, power_of_two
from mipbook.pmp.gaussian_exact import exact_within
from mipbook.pmp.gaussian_rows import diameter_bounds

__all__ = ["Curve", "choice_curve"]

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
    rows: list[tuple[float | None, ...]] = []
    with progress.reader() as stream:
        for factor in progress.track(steps.tolist(), stream, total=len(steps), what="curve", unit="points"):
            sigma = answer.sigma * n / unit / factor
            if exact:
                certain = likely = _exact_or_nan(values, sigma, answer.delta)
            else:
                certain = epsilon_within(values, sigma, answer.delta, _POINT_PAIRS)
                likely = likely_epsilon(values, sigma, answer.delta, certain)
            known = float(tradeoff.gaussian_epsilon(answer.delta, sigma, sensitivity=high))
            epsilon = epsilon_of(answer.sigma / factor, answer.delta, 2 * clip / n)
            rows.append((epsilon, certain, likely, known))
    kinds = ("exact", "exact") if exact else ("bound", "approximation")
    return _curve(rows, (*kinds, "exact" if low == high else "bound"))


def _curve(rows: list[tuple[float | None, ...]], kinds: tuple[str, str, str]) -> Curve:
    epsilon, certain, likely, known = np.array(rows, dtype=float).T
    return Curve(epsilon, certain, likely, known, kinds)


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
    rows: list[tuple[float | None, ...]] = []
    with progress.reader() as stream:
        for factor in progress.track(_STEPS.tolist(), stream, total=len(_STEPS), what="curve", unit="points"):
            epsilon = answer.epsilon * factor
            if exact:
                certain = likely = pool.exact(epsilon)
            else:
                certain = pool.bound(epsilon)
                likely = min(pool.likely(epsilon), certain)
            rows.append((epsilon, certain, likely, epsilon * pool.cap))
    kinds = ("exact", "exact") if exact else ("bound", "approximation")
    return _curve(rows, (*kinds, "bound"))
