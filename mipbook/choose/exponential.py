"""Choosing epsilon for the exponential mechanism: a scan, since eps~ is not monotone."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mipbook import mechanisms, pmp, progress, validate
from mipbook.pmp.estimate import Estimate

__all__ = ["Scan", "excess_loss", "scan"]

Array = NDArray[np.float64]
_GRID = 33
_SUBSET_BUDGET = 5.0


class Scan(NamedTuple):
    """The largest epsilon below which every point of the grid keeps the target."""

    epsilon: float
    certificate: Estimate
    likely: Estimate
    subset: Estimate
    success: Estimate
    notes: tuple[str, ...]


def _certain(
    losses: Array,
    epsilon: float,
    sensitivity: float,
    budget: float,
    confidence: float,
    rng: np.random.Generator | None,
) -> tuple[Estimate, Estimate]:
    """Return what is certain of eps~, and what is likely."""
    cap = pmp.epsilon_cap(losses, epsilon, sensitivity)
    try:
        value = pmp.exponential_epsilon(losses, epsilon, sensitivity, budget=budget)
    except ValueError:
        # Too many halves to count in the time there is.
        if rng is None:
            validate.refuse(
                "rng",
                rng,
                f"a numpy.random.Generator: {len(losses)} records are too many to count all "
                f"halves within {budget:g} seconds, so eps~ is estimated",
            )
        found = pmp.exponential_epsilon_estimate(
            losses, epsilon, sensitivity, rng, confidence=confidence
        )
        if cap <= found.high:
            return Estimate(cap, cap, cap, "bound"), found
        return Estimate(found.high, found.low, found.high, "estimate", found.confidence), found
    exact = Estimate(value, value, value)
    return exact, exact


def scan(
    losses: Array,
    target: float,
    sensitivity: float,
    *,
    largest: float,
    budget: float,
    confidence: float,
    rng: np.random.Generator | None,
) -> Scan:
    """Go up a grid of epsilons until one breaks the target; refine below it."""
    cap_at_one = pmp.epsilon_cap(losses, 1.0, sensitivity)
    if cap_at_one == 0:
        nothing = Estimate(0.0, 0.0, 0.0)
        coin = Estimate(0.5, 0.5, 0.5)
        return Scan(
            largest, nothing, nothing, nothing, coin, ("All objects lose alike on all records.",)
        )
    # The cap is proportional to epsilon: below this one nothing can break the target.
    low = min(target / cap_at_one * (1 - 1e-12), largest)
    grid = np.geomspace(low, largest, _GRID) if low < largest else np.array([largest])
    share = budget / (2 * _GRID)

    def at(epsilon: float) -> tuple[Estimate, Estimate]:
        return _certain(losses, epsilon, sensitivity, share, confidence, rng)

    best, found = float(grid[0]), at(float(grid[0]))
    broken = math.inf
    with progress.reader() as stream:
        for epsilon in progress.track(
            grid[1:], stream, total=len(grid) - 1, what="epsilon", unit="values"
        ):
            tried = at(float(epsilon))
            if tried[0].value > target:
                broken = float(epsilon)
                break
            best, found = float(epsilon), tried
    for _ in range(12 if math.isfinite(broken) else 0):
        middle = math.sqrt(best * broken)
        tried = at(middle)
        if tried[0].value > target:
            broken = middle
        else:
            best, found = middle, tried
    notes: tuple[str, ...] = ()
    if not math.isfinite(broken):
        notes = (f"No epsilon up to {largest:g} breaks the target; a larger one was not tried.",)
    try:
        known = pmp.subset_epsilon(losses, best, sensitivity, budget=_SUBSET_BUDGET)
        subset = Estimate(known, known, known)
    except ValueError:
        known = pmp.epsilon_cap(losses, best, sensitivity)
        subset = Estimate(known, 0.0, known, "bound")
    return Scan(best, *found, subset, _success(losses, best, sensitivity, share, found[1]), notes)


def _success(
    losses: Array, epsilon: float, sensitivity: float, budget: float, likely: Estimate
) -> Estimate:
    """Return how often the best practical attacker is right about the most exposed record."""
    if likely.kind == "exact":
        right = pmp.exponential_success(losses, epsilon, sensitivity, budget=budget)
        return Estimate(right, right, right)
    middle, low, high = (
        float(pmp.success_bound(e)) for e in (likely.value, likely.low, likely.high)
    )
    return Estimate(middle, low, high, "approximation")


def excess_loss(
    losses: Array, epsilon: float, sensitivity: float, seed: int = 0, halves: int = 400
) -> dict[str, str]:
    """Return how much worse than the best the chosen object is, over random halves."""
    rng = np.random.default_rng(seed)
    count = len(losses)
    members = rng.permuted(np.tile(np.arange(count) < count // 2, (halves, 1)), axis=1)
    means = members @ losses / (count // 2)
    chance = mechanisms.exponential_probabilities(means, epsilon, sensitivity)
    excess = (chance * means).sum(axis=1) - means.min(axis=1)
    blind = means.mean(axis=1) - means.min(axis=1)
    band = 1.96 * excess.std(ddof=1) / math.sqrt(halves)
    return {
        "excess loss of the choice": f"{excess.mean():.4g} ± {band:.2g} (estimate, 95% band)",
        "of a blind choice": f"{blind.mean():.4g} (estimate)",
    }
