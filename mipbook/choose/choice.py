"""The tool: a data set and a target in, an epsilon with its certificate out."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorable import validate
from explorable.private import private
from mipbook import data as pools
from mipbook import pmp
from mipbook.base.estimate import Estimate
from mipbook.base.rounding import at_most
from mipbook.base.types import Array
from mipbook.choose.exponential import excess_loss, scan
from mipbook.choose.gaussian import choose_noise, epsilon_of, mean_utility
from mipbook.choose.report import EpsilonChoice
from mipbook.choose.table import as_pool

__all__ = ["choose_epsilon"]

MECHANISMS = ("gaussian", "exponential")
NOT_PROMISED = (
    "Composition: a second release, even one that is safe alone, may together with this one "
    "reveal who was drawn.",
    "Later releases and side knowledge: the attacker is assumed to know the pool and nothing of the draw.",
    "Records outside the pool: the certificate is about these records; only epsilon-DP holds for all.",
    "The draw: half of the pool, uniformly at random, and kept secret.",
    "Groups: each record is protected alone.",
    "Another preparation: the release must clip at the same threshold.",
)
# From here on an epsilon promises nothing to speak of by itself.
_VOID = 20.0


class _Chosen(NamedTuple):
    """What a mechanism gives: its privacy, what is known of eps~, and what it costs."""

    epsilon: float
    delta: float
    sigma: float
    certificate: Estimate
    likely: Estimate
    subset: Estimate
    success: Estimate
    utility: dict[str, str]
    notes: tuple[str, ...] = ()
    # The epsilon of the DP that is proved for all data, where it is not the mechanism's own.
    proved: float | None = None


def _notes(n: int, clipped: int, short: Array) -> tuple[str, ...]:
    notes: tuple[str, ...] = ()
    if n == 1:
        notes += ("With two records PMP is DP: the attacker who knows the pool knows the rest.",)
    if clipped == len(short):
        notes += (
            "Clipping shortens every record: only directions are left.  Raise clip, or centre the "
            "columns with numbers that are no secret.",
        )
    if np.ptp(short, axis=0).max() == 0:
        notes += ("All clipped records are equal, so no mechanism can tell them apart.",)
    return notes


def _gaussian(table: Array, short: Array, target: float, clip: float, delta: float) -> _Chosen:
    n = len(table) // 2
    found = choose_noise(short, target, delta)
    # Divided last: a number near the smallest double keeps its digits until then.
    sigma = found.sigma / n
    epsilon = epsilon_of(sigma, delta, 2 * clip / n)
    utility = mean_utility(table, short, sigma)
    return _Chosen(epsilon, delta, sigma, *found[1:], utility=utility)


def _exponential(short: Array, target: float, clip: float, objects: Array, **search: Any) -> _Chosen:
    n = len(short) // 2
    losses = pmp.norm_losses(short, objects)
    lengths = np.linalg.norm(objects, axis=1)
    if np.abs(lengths - 1).max() > 1e-9:
        validate.refuse("objects", objects, "of Euclidean length 1; divide each by its length")
    sensitivity = pmp.norm_sensitivity(n, clip)
    alike = float(np.ptp(objects, axis=0).max()) == 0.0
    found = scan(losses, target, sensitivity, alike=alike, **search)
    proved = pmp.true_epsilon_bound(objects, n, found.epsilon, sensitivity)
    return _Chosen(
        found.epsilon,
        0.0,
        0.0,
        *found[1:5],
        utility=excess_loss(losses, found.epsilon, sensitivity),
        notes=(
            *found.notes,
            f"On all data the mechanism is {at_most(proved)}-DP at most (bound), not its epsilon.",
        ),
        proved=proved,
    )


@private("data", "objects")
def choose_epsilon(
    data: Any,
    target: float = 0.1,
    *,
    mechanism: str = "gaussian",
    clip: float,
    by_index: bool = False,
    # for Gaussian noise alone
    delta: float = 1e-5,
    # for the exponential mechanism alone
    objects: ArrayLike | None = None,
    largest: float = 1000.0,
    budget: float = 60.0,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> EpsilonChoice:
    """Choose the largest epsilon for which the practical attacker's parameter meets a target.

    Parameters
    ----------
    data : array_like or data frame of shape (2n, columns)
        The pool: one record a row, finite numbers, all rows different.  Half of it is drawn
        and released through the mechanism.
    target : float
        Largest PMP parameter, in (0, 100]; the paper suggests 0.1.
    mechanism : {"gaussian", "exponential"}
        A mean with Gaussian noise, or the choice of the object with the least mean distance.
    clip : float
        Largest Euclidean length of a record, in [1e-150, 1e150], chosen without looking at the
        data; longer ones are shortened.
    by_index : bool
        Whether equal rows count as different persons; refused otherwise.
    delta : float
        In (0, 1).  Gaussian noise only.
    objects : array_like of shape (objects, columns)
        What is chosen from; unit vectors.  This and what follows serve the exponential
        mechanism only.
    largest : float
        The largest epsilon that is tried, in (0, 1e6].
    budget : float
        Seconds that halves may be counted, in (0, inf).  What is certified without counting
        takes a few seconds more for 100,000 records.
    confidence : float
        Of an estimated likely value.
    rng : numpy.random.Generator, optional
        If given, and where the halves are too many to count, the likely value is estimated
        with its interval; otherwise it is an approximation.

    Notes
    -----
    PMP paper, section on the Gaussian mechanism ("Our approach") and its conclusion.  The
    certificate is exact or a bound, never an estimate.  Gaussian: the least noise for which the
    exact curve (one column, up to 400 records) or Proposition 12 keeps the target; epsilon is
    that noise's DP parameter at sensitivity ``2 * clip / n``.  Exponential: the largest epsilon
    that `mipbook.pmp.exponential_epsilon_bound` certifies; where all halves can be counted, the
    largest of a grid above it, refined, below which every point of the grid keeps the target,
    because eps~ is not monotone.  The noise (upwards) or the exponential mechanism's epsilon
    (downwards) is rounded to four digits, so that it can be typed in again.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> answer = choose_epsilon(rng.normal(size=(200, 2)), 0.1, clip=4.0, delta=1e-3)
    >>> answer.certificate.value <= 0.1 < answer.epsilon
    True
    """
    largest = validate.number("largest", largest, 0.0, 1e6, open_low=True)
    budget = validate.number("budget", budget, 0.0, math.inf, open_low=True)
    confidence = validate.confidence(confidence)
    if rng is not None:
        rng = validate.generator("rng", rng)
    if objects is not None:
        objects = pools.populations.points("objects", objects)
    table = as_pool(data, by_index)
    target = validate.number("target", target, 0.0, 100.0, open_low=True)
    mechanism = validate.choice("mechanism", mechanism, MECHANISMS)
    if clip is None:
        validate.refuse("clip", clip, "a public bound on the length of a record")
    clip = validate.number("clip", clip, 1e-150, 1e150)
    short = pools.clip_norm(table, clip)
    if mechanism == "gaussian":
        delta = validate.number("delta", delta, 0.0, 1.0, open_low=True, open_high=True)
        found = _gaussian(table, short, target, clip, delta)
    else:
        if objects is None:
            validate.refuse("objects", objects, "the objects that the mechanism chooses from")
        search = {"largest": largest, "budget": budget, "confidence": confidence, "rng": rng}
        found = _exponential(short, target, clip, objects, **search)
    return _report(mechanism, target, table, short, clip, found)


def _report(
    mechanism: str, target: float, table: Array, short: Array, clip: float, found: _Chosen
) -> EpsilonChoice:
    """Say what was found, with the notes that all mechanisms share."""
    n = len(table) // 2
    clipped = int((pools.populations.norms(table) > clip).sum())
    notes = _notes(n, clipped, short) + found.notes
    promised = found.epsilon if found.proved is None else found.proved
    if promised > _VOID:
        notes += (
            f"An epsilon of {promised:.3g} promises nothing by itself: outside this pool, or to "
            f"an attacker who knows the other records, the release is not private.",
        )
    return EpsilonChoice(
        mechanism=mechanism,
        epsilon=found.epsilon,
        delta=found.delta,
        sigma=found.sigma,
        target=target,
        certificate=found.certificate,
        likely=found.likely,
        subset_epsilon=found.subset,
        success=float(pmp.success_bound(found.certificate.value, found.delta)),
        likely_success=found.success,
        utility=found.utility,
        records=len(table),
        drawn=n,
        clipped=clipped,
        not_promised=NOT_PROMISED,
        notes=notes,
    )
