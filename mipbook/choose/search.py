"""The search for an epsilon: the least Gaussian noise, or the exponential mechanism's largest.

Gaussian noise is the least that keeps the target. For the exponential mechanism epsilons are
certified by swaps, and counted where that is cheap.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from explorable import progress, validate
from mipbook import mechanisms, pmp, tradeoff
from mipbook.base.rounding import Estimate, at_most, down, up
from mipbook.base.types import Array
from mipbook.pmp.exponential import Certifier, counting_seconds
from mipbook.pmp.exponential_estimates import first_order
from mipbook.pmp.exponential_sums import Weights, weights
from mipbook.pmp.gaussian_bound import power_of_two
from mipbook.pmp.gaussian_exact import delta_and_error, exact_within
from mipbook.pmp.gaussian_rows import diameter_bounds

# The exact curve of a pool in one dimension takes about n^2; beyond this Proposition 12 certifies.
_EXACT_UP_TO = 400
_PRODUCTS = 1.5e8
# Past this share of delta the rounding of the exact curve is no longer small.
_EXACT_ERROR = 1e-3
# Products that the pool's diameter may cost.
DIAMETER_PRODUCTS = 2e9


class Chosen(NamedTuple):
    """What a mechanism gives: its privacy, what is known of eps~, and what it costs."""

    epsilon: float
    delta: float
    sigma: float
    certificate: Estimate
    likely: Estimate
    subset_epsilon: Estimate
    likely_success: Estimate
    utility: dict[str, str]
    # The epsilon of the DP that is proved for all data.
    promised: float
    notes: tuple[str, ...] = ()


def gaussian(raw: Array, clipped: Array, target: float, clip: float, delta: float) -> Chosen:
    """Return the least noise of four digits that keeps eps~ of the mean at the target.

    Raises ``ValueError`` where all records are equal, or where no noise is needed.
    """
    unit = power_of_two(clipped)
    if unit == 0:
        validate.refuse_as(
            "data",
            "records that are all equal after clipping",
            "records that differ: nothing needs noise here; raise clip if they should differ",
        )
    # Exact: a power of two.  Squares of the scaled numbers neither overflow nor vanish.
    values = clipped / unit
    enough = pmp.gaussian_sigma_bound(values, target, delta)
    low, high = diameter_bounds(values, DIAMETER_PRODUCTS)
    if enough < 1e-15 * high:
        validate.refuse("delta", delta, "smaller: so large a delta allows this release without any noise")
    found = _on_the_line(values, unit, target, delta, enough)
    if found is None:
        sigma = up(enough * unit) / unit
        certified = min(pmp.gaussian_epsilon_bound(values, sigma, delta), target)
        certificate = Estimate(certified, 0.0, certified, "bound")
        normal = _normal_epsilon(values, sigma, delta, certified)
        likely = Estimate(normal, 0.0, certified, "approximation")
        right, most = (float(pmp.success_bound(e, delta)) for e in (likely.value, certified))
        success = Estimate(right, 0.5, most, "approximation")
    else:
        sigma, certified = found
        likely = certificate = Estimate(certified, certified, certified)
        right = 0.5 + float(pmp.gaussian_delta_exact(values, sigma, 0.0)) / 2
        success = Estimate(right, right, right)
    known = [float(tradeoff.gaussian_epsilon(delta, sigma=sigma, sensitivity=r)) for r in (low, high)]
    subset = Estimate(known[1], known[0], known[1], "exact" if low == high else "bound")
    n = len(raw) // 2
    # Divided last: a number near the smallest double keeps its digits until then.
    sigma = sigma * unit / n
    ratio, epsilon = 2 * clip / n / sigma, math.inf
    if ratio < 1e150:  # else no double holds it
        epsilon = float(tradeoff.gaussian_epsilon(delta, sigma=1.0, sensitivity=ratio))
    utility = _mean_utility(raw, clipped, sigma)
    return Chosen(epsilon, delta, sigma, certificate, likely, subset, success, utility, epsilon)


def _on_the_line(
    values: Array, unit: float, target: float, delta: float, enough: float
) -> tuple[float, float] | None:
    """Return the least noise and its eps~, in one dimension, where they can be counted exactly."""
    from scipy.optimize import brentq

    if values.shape[1] > 1 or len(values) > _EXACT_UP_TO:
        return None
    row = int(np.argmax(np.abs(values - values.mean())))

    def over(log_sigma: float) -> float:
        spent = sum(delta_and_error(values, math.exp(log_sigma), target, _PRODUCTS, row))
        return math.log(spent / delta)

    low = high = math.log(enough)
    try:
        while over(low) <= 0:
            low -= 0.5
            if low < high - 20:
                return None
        found = brentq(over, low, min(low + 0.5, high), xtol=1e-6) if low < high else high
        sigma = up(math.exp(found) * unit) / unit
        # The farthest record need not be the most exposed one: all are looked at.
        for _ in range(40):
            spent, error = delta_and_error(values, sigma, target, _PRODUCTS)
            if error > _EXACT_ERROR * delta:
                return None
            if spent + error <= delta:
                return sigma, min(exact_within(values, sigma, delta, 4 * _PRODUCTS), target)
            sigma = up(sigma * unit * 1.002) / unit
            if sigma > enough:
                return None
    except ValueError:
        pass  # outside what the exact curve can do; the bound holds all the same
    return None


def _normal_epsilon(values: Array, sigma: float, delta: float, certified: float) -> float:
    """Return eps~ by the normal curve, never above what is certain; this never refuses."""
    try:
        found = pmp.gaussian_epsilon_normal(values, sigma, delta)
    except (ValueError, np.linalg.LinAlgError):
        return certified
    return min(found, certified) if math.isfinite(found) else certified


def _mean_utility(raw: Array, clipped: Array, sigma: float) -> dict[str, str]:
    """Return what the noise, the draw and the clipping do to the mean."""
    unit = math.ldexp(1.0, min(math.frexp(float(np.abs(raw).max()) or 1.0)[1], 1023))
    raw, clipped = raw / unit, clipped / unit
    spread = float(raw.var(axis=0, ddof=1).sum())
    noise = sigma * math.sqrt(raw.shape[1])
    draw = math.sqrt(spread / len(raw)) * unit
    shift = float(np.linalg.norm(raw.mean(axis=0) - clipped.mean(axis=0))) * unit
    times = f", {noise / draw:.3g} times the draw's" if draw > 0 else ""
    return {
        "noise of the mean, root mean square": f"{noise:.4g} (exact){times}",
        "error of drawing half, root mean square": f"{draw:.4g} (exact)",
        "shift of the mean by clipping": f"{shift:.4g} (exact)",
    }


_GRID, _FINE, _TURNS = 33, 9, 14
_ROUNDING = 1e-15
# Counting goes on from the certified epsilon only where it can go some way.
_WORTH = 6
_SUBSET_BUDGET = 5.0
# The largest epsilon that is tried.
_LARGEST = 1000.0
# Halves of more records are never counted.
_HUGE = 10_000


class Pool:
    """Losses on a pool, and the seconds left for counting its halves."""

    def __init__(self, losses: Array, sensitivity: float, budget: float) -> None:
        self.losses, self.sensitivity = losses, sensitivity
        self.given = weights(losses, 1.0, sensitivity)
        self.certifier = Certifier(self.given)
        # What the rounding of the losses may hide, for epsilon = 1.
        scale = _ROUNDING * float(np.abs(losses).max())
        self.slack = scale / (2 * sensitivity) / (len(losses) // 2)
        self.cap = self.certifier.cap + self.slack
        self.left, self.end = budget, time.monotonic() + budget
        self._seconds: dict[float, float] = {}

    def bound(self, epsilon: float) -> float:
        """Return what is certified for eps~."""
        return self.certifier.bound(epsilon) + self.slack * epsilon

    def at(self, epsilon: float) -> Weights:
        """Return the exponents at an epsilon."""
        return self.given._replace(exponents=epsilon * self.given.exponents)

    def affords(self, epsilon: float, times: int = 1) -> bool:
        """Tell whether halves can be counted so often: by the estimate, and by the clock."""
        left = min(self.left, self.end - time.monotonic())
        return left > 0 and times * self.seconds(epsilon) <= left

    def seconds(self, epsilon: float) -> float:
        """Return about how long one count of all halves takes."""
        if epsilon not in self._seconds:
            # The integral of two objects is not looked into where the pool is huge.
            huge = len(self.losses) > _HUGE
            self._seconds[epsilon] = math.inf if huge else counting_seconds(self.at(epsilon), self.left)
        return self._seconds[epsilon]

    def exact(self, epsilon: float) -> float | None:
        """Return eps~, or None where it costs too much or rounding forbids it."""
        if not self.affords(epsilon):
            return None
        self.left -= self.seconds(epsilon)
        try:
            return pmp.exponential_epsilon(self.losses, epsilon, self.sensitivity, budget=math.inf)
        except ValueError:
            return None


def _certified(pool: Pool, target: float) -> tuple[float, float]:
    """Return the largest epsilon of four digits that the bound certifies, and the bound."""
    high = _LARGEST
    at_high = pool.bound(high)
    if at_high <= target:
        return high, at_high
    # The cap is proportional to epsilon, so below this one nothing can break the target.
    low = down(min(target / pool.cap * (1 - 1e-9), high))
    value = pool.bound(low)
    for turn in progress.track(range(_TURNS), what="certificate", unit="values"):
        if low == 0 or high <= low * (1 + 3e-4):
            break
        # The bound is nearly a power of epsilon: a straight line in logarithms.
        slope = math.log(at_high / value) / math.log(high / low)
        slope = 1.0 if turn == 0 else max(slope, 0.5)
        guess = low * (target / value) ** (1 / slope)
        middle = min(max(guess, low * (1 + 2e-4)), high / (1 + 1e-4), low * 8)
        found = pool.bound(middle)
        if found <= target:
            low, value = middle, found
        else:
            high, at_high = middle, found
    epsilon = down(low)
    while (value := pool.bound(epsilon)) > target:
        epsilon = down(epsilon * 0.999)
    return epsilon, value


def _counted(pool: Pool, start: float, target: float) -> tuple[float, float, tuple[str, ...]] | None:
    """Go up a grid of epsilons, counting all halves, until one breaks the target; refine."""
    if not pool.affords(start, _WORTH):
        return None
    # Numbers of four digits may be typed in again.
    grid = [down(e) for e in np.geomspace(start, max(start, _LARGEST), _GRID).tolist()]
    best = value = 0.0
    broken = math.inf
    notes: tuple[str, ...] = ()
    for epsilon in progress.track(grid, what="epsilon", unit="values"):
        found = pool.exact(epsilon)
        if found is None:
            notes = (
                f"Epsilons above {best:.4g} were not tried: counting all halves there takes "
                "longer than the budget, or more digits than there are.",
            )
            break
        if found > target:
            broken = epsilon
            break
        best, value = epsilon, found
    if best == 0.0:
        return None
    # By hand: the answer is a number of four digits, and the budget may end the search.
    for _ in range(_FINE if math.isfinite(broken) else 0):
        middle = down(math.sqrt(best * broken))
        found = pool.exact(middle) if best < middle < broken else None
        if found is None:
            break
        if found > target:
            broken = middle
        else:
            best, value = middle, found
    return best, value, notes


def _likely(pool: Pool, epsilon: float, certified: float) -> Estimate:
    """Return eps~ as well as it is known; never more than what is certain."""
    found = pool.exact(epsilon)
    if found is not None and found <= certified * (1 + 1e-9):
        return Estimate(found, found, found)
    return Estimate(min(first_order(pool.at(epsilon)), certified), 0.0, certified, "approximation")


def _subset(pool: Pool, epsilon: float) -> Estimate:
    """Return eps(X), or the cap."""
    budget = min(_SUBSET_BUDGET, max(pool.end - time.monotonic(), 1e-9))
    try:
        known = pmp.subset_epsilon(pool.losses, epsilon, pool.sensitivity, budget=budget)
    except ValueError:
        known = epsilon * pool.cap
        return Estimate(known, 0.0, known, "bound")
    return Estimate(known, known, known)


def _success(pool: Pool, epsilon: float, likely: Estimate) -> Estimate:
    """Return how often the best practical attacker is right about the most exposed record."""
    if likely.kind == "exact" and pool.affords(epsilon):
        _, right = pmp.exponential_risks(pool.losses, epsilon, pool.sensitivity, budget=math.inf)
        return Estimate(right, right, right)
    middle, low, high = (float(pmp.success_bound(e)) for e in (likely.value, likely.low, likely.high))
    return Estimate(middle, low, high, "approximation")


def exponential(clipped: Array, target: float, clip: float, objects: Array, budget: float) -> Chosen:
    """Find an epsilon that keeps the target: certified first, then as far as can be counted."""
    n = len(clipped) // 2
    losses = pmp.norm_losses(clipped, objects)
    if np.abs(np.linalg.norm(objects, axis=1) - 1).max() > 1e-9:
        validate.refuse("objects", objects, "of Euclidean length 1; divide each by its length")
    sensitivity = pmp.norm_sensitivity(n, clip)
    notes: tuple[str, ...] = ()
    if np.ptp(objects, axis=0).max() == 0:  # the objects themselves, and not only their rounded losses
        epsilon, notes = _LARGEST, ("All objects lose alike on all records.",)
        certificate = likely = subset = Estimate(0.0, 0.0, 0.0)
        success = Estimate(0.5, 0.5, 0.5)
    else:
        pool = Pool(losses, sensitivity, budget)
        epsilon, value = _certified(pool, target)
        certificate = Estimate(value, 0.0, value, "bound")
        counted = _counted(pool, epsilon, target)
        if counted is not None:
            epsilon, value, notes = counted
            certificate = Estimate(value, value, value)
        if epsilon >= _LARGEST:
            notes = (f"No epsilon up to {_LARGEST:g} breaks the target; a larger one was not tried.",)
        likely = certificate if counted else _likely(pool, epsilon, value)
        subset, success = _subset(pool, epsilon), _success(pool, epsilon, likely)
    proved = pmp.true_epsilon_bound(objects, n, epsilon, sensitivity)
    notes += (f"On all data the mechanism is {at_most(proved)}-DP at most (bound), not its epsilon.",)
    utility = _excess_loss(losses, epsilon, sensitivity)
    return Chosen(epsilon, 0.0, 0.0, certificate, likely, subset, success, utility, proved, notes)


def _excess_loss(losses: Array, epsilon: float, sensitivity: float) -> dict[str, str]:
    """Return how much worse than the best the chosen object is, over random halves."""
    rng, count = np.random.default_rng(0), len(losses)
    halves = max(20, min(400, 4_000_000 // count))
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
