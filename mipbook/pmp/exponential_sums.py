"""The exponential mechanism on a pool: its weights, and their sums over all halves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logsumexp

from explorable import progress, validate
from explorable.checked import checked
from mipbook.base.types import Array, FiniteEpsilon, Sensitivity
from mipbook.pmp.gaussian_rows import distinct


class Weights(NamedTuple):
    """``p(w|D)`` is proportional to the exponential of ``exponents[D, w]`` summed over D.

    Objects with equal losses are merged: ``copies`` counts them, ``column`` says where each
    went.
    """

    exponents: Array
    copies: Array
    column: NDArray[np.intp]

    @property
    def n(self) -> int:
        """Records drawn, half of the pool."""
        return len(self.exponents) // 2


@checked
def weights(losses: Any, epsilon: FiniteEpsilon, sensitivity: Sensitivity) -> Weights:
    """Check the three arguments and return the exponents."""
    table = validate.array("losses", losses, ndim=2)
    if table.size == 0 or not np.isfinite(table).all():
        validate.refuse("losses", losses, "finite numbers of shape (2n, objects), not empty")
    if len(table) % 2:
        validate.refuse("losses", losses, f"of an even number of rows; it has {len(table)}")
    merged, copies, column = distinct(table.T)
    merged = merged.T
    scale = epsilon / (2 * sensitivity) / (len(table) // 2)
    # A loss that a record has in common for all objects cancels; taking it out keeps digits.
    middle = merged.max(axis=1, keepdims=True) / 2 + merged.min(axis=1, keepdims=True) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        exponents = -scale * (merged - middle)
    if not np.isfinite(exponents).all() or np.abs(exponents).max() > 1e290:
        validate.refuse("epsilon", epsilon, "small enough that losses * epsilon / sensitivity is finite")
    return Weights(np.ascontiguousarray(exponents), copies, column)


def seconds_for(records: int, size: int, each: float) -> float:
    """Return ``each`` seconds for every subset of a size; infinite where no double holds it."""
    logs = [math.lgamma(k + 1) for k in (records, size, records - size)]
    exponent = logs[0] - logs[1] - logs[2] + math.log(each)
    return math.exp(exponent) if exponent < 700 else math.inf


class Coins(NamedTuple):
    """Each record's chance to be in and to be out, and the shift of their log odds.

    Both are kept: a chance next to 1 says nothing of its complement.
    """

    inside: Array
    without: Array
    shift: float


def calibrated(logits: Array, n: int) -> Coins:
    """Return coins with these log odds, up to the shift that makes n the expected number."""
    shift = float(calibrate(logits, n))
    return Coins(expit(logits + shift), expit(-logits - shift), shift)


def calibrate(logits: Array, n: int) -> Array:
    """Shift each row of log weights so that its chances add up to n; return the shift."""
    low = -logits.max(axis=-1) - 40.0
    high = -logits.min(axis=-1) + 40.0
    place = (low + high) / 2
    # Newton's steps, halved into the bracket where they leave it.
    for _ in range(100):
        chance = expit(logits + place[..., None])
        excess = chance.sum(axis=-1) - n
        high, low = np.where(excess > 0, place, high), np.where(excess > 0, low, place)
        slope = (chance * (1.0 - chance)).sum(axis=-1)
        step = place - excess / np.maximum(slope, 1e-300)
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        if np.all(np.abs(step - place) <= 1e-13 * (1 + np.abs(step))):
            break
        place = step
    return np.asarray(place)


def prefixes(coins: Coins, n: int) -> Array:
    """Return the chance of 0..n successes after each record, of shape (records + 1, n + 1)."""
    table = np.zeros((len(coins.inside) + 1, n + 1))
    table[0, 0] = 1.0
    for row, (chance, rest) in enumerate(zip(coins.inside, coins.without, strict=True)):
        table[row + 1] = rest * table[row]
        table[row + 1, 1:] += chance * table[row, :-1]
    return table


def leave_one_out(coins: Coins, n: int) -> tuple[Array, Array]:
    """Return the chance of n successes with each record in, and with it out.

    The others' chances come from what lies before and after, so nothing is divided out.
    """
    before = prefixes(coins, n)[:-1]
    turned = Coins(coins.inside[::-1], coins.without[::-1], coins.shift)
    after = prefixes(turned, n)[:-1][::-1]
    fewer = (before[:, :n] * after[:, n - 1 :: -1][:, :n]).sum(axis=1)
    same = (before * after[:, ::-1]).sum(axis=1)
    return coins.inside * fewer, coins.without * same


def draw(coins: Coins, n: int, count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw ``count`` subsets of exactly n records, each with chance proportional to its weight."""
    table = prefixes(coins, n)
    members = np.zeros((count, len(coins.inside)), dtype=bool)
    left = np.full(count, n)
    # Backwards: the last record is in with the chance that the others make up the rest.
    for row in range(len(coins.inside) - 1, -1, -1):
        inside = coins.inside[row] * np.where(left > 0, table[row, np.maximum(left - 1, 0)], 0.0)
        without = coins.without[row] * table[row, left]
        taken = rng.random(count) * (inside + without) < inside
        members[:, row] = taken
        left -= taken
    return members


# ln(10) * 17: what is left out is below the rounding of a double.
_DIGITS = 39.0
# Past this share of rounding too many digits are lost.
_REFUSE = 1e-8
# Seconds on one slow core: one record, one size and one frequency; and one row of them.
_PER_PRODUCT, _PER_ROW = 3e-9, 2e-5
# Sizes times frequencies that are worked on together: they fit the second-level cache.
_BLOCK = 16_384
# The rough height of the integrand is off by less than this many nats.
_ROUGH = 1.0


def _tilt(u: Array, theta: float, n: int) -> tuple[Coins, float]:
    """Return weights ``exp(-theta u)`` as coins, and a constant.

    The sum over all n-subsets is a chance of exactly n successes times its exponential.
    """
    logits = -theta * u
    coins = calibrated(logits, n)
    return coins, float(-log_expit(-(logits + coins.shift)).sum() - n * coins.shift)


def _rough_total(u: Array, theta: float, n: int) -> float:
    """Return the logarithm of that sum, with the normal distribution's value for the chance of n."""
    coins, constant = _tilt(u, theta, n)
    return constant - 0.5 * math.log1p(2 * math.pi * float((coins.inside * coins.without).sum()))


def _log_chance(coins: Coins, u: Array, n: int) -> float:
    """Return ln of the chance of exactly n successes."""
    return math.log(_chances(coins, u, n, np.zeros(1))[0].real)


class _Contour(NamedTuple):
    strip: int
    theta: float
    step: float
    points: int


def _contour(u: Array, shift: float, n: int) -> _Contour:
    """Choose the strip, the saddle, and the trapezoid rule that is exact to rounding."""
    # Slow to load, and most readers never get here.
    from scipy.optimize import minimize_scalar

    def height(theta: float) -> float:
        sine = abs(math.sin(math.pi * theta))
        return math.log(math.pi / sine) + _rough_total(u, theta, n) - theta * shift

    best, strip, theta = math.inf, 0, 0.5
    for k in (0, -1, 1):
        ends = (k + 1e-4, k + 1 - 1e-4)
        found = minimize_scalar(height, bounds=ends, method="bounded", options={"xatol": 1e-4})
        if found.fun < best - 1e-9:
            best, strip, theta = float(found.fun), k, float(found.x)
    # The rule's error is the integrand's value where v is shifted by a whole period, a sum
    # that the two ends of the strip bound.
    needed = []
    for end in (strip, strip + 1):
        reach = _rough_total(u, float(end), n) - end * shift - best
        spare = _DIGITS + 6.0 + 2 * _ROUGH
        needed.append(2 * math.pi * abs(theta - end) / (max(reach, 0.0) + spare))
    step = min(needed)
    # pi / |sin(pi s)| falls like exp(-pi |omega|).
    return _Contour(strip, theta, step, math.ceil((_DIGITS + 6.0) / math.pi / step) + 1)


def _chances(coins: Coins, u: Array, n: int, omega: Any) -> Any:
    """Return the mean of exp(-i omega sum u) where n records are in, times the chance of n."""
    row = np.zeros((n + 1, len(omega)), dtype=complex)
    row[0] = 1.0
    for chance, out, each in zip(coins.inside, coins.without, u, strict=True):
        moved = (chance * np.exp(-1j * omega * each)) * row[:-1]
        row *= out
        row[1:] += moved
    return row[n]


class _Task(NamedTuple):
    """One sum: of 1/(1 + e^v) over all n-subsets of records that add u, and the line for it."""

    u: Array
    shift: float
    n: int
    line: _Contour | None


def _single(task: _Task) -> float:
    """Return ln of the sum."""
    u, shift, n, line = task
    if line is None:
        return float(log_expit(-(shift + (u.sum() if n else 0.0))))
    coins, tilted = _tilt(u, line.theta, n)
    constant = tilted - line.theta * shift
    log_rest = -math.inf
    if line.strip:
        edge = 0.0 if line.strip == -1 else 1.0
        there, added = _tilt(u, edge, n)
        log_rest = added + _log_chance(there, u, n) - edge * shift
        if log_rest > tilted + _log_chance(coins, u, n) - line.theta * shift + _DIGITS + 6.0:
            return log_rest  # the integral is below the rounding of what it would change
    omega = line.step * np.arange(line.points)
    # What each frequency is multiplied with; the negative ones are mirrored.
    kernel = math.pi / np.sin(math.pi * (line.theta + 1j * omega)) * np.exp(-1j * omega * shift)
    kernel[0] /= 2
    width = max(16, _BLOCK // (n + 1))
    parts = [omega[start : start + width] for start in range(0, line.points, width)]
    terms = np.concatenate([_chances(coins, u, n, part) for part in parts])
    terms = terms * np.asarray(kernel * (line.step / math.pi))
    rest = math.exp(log_rest - constant)
    total = float(terms.real.sum()) + rest
    lost = 1e-16 * (float(np.abs(terms).sum()) + rest)
    if not lost < _REFUSE * total:
        sums = "less spread out at this epsilon for an exact sum over all subsets"
        other = "use exponential_epsilon_estimate or a smaller epsilon"
        validate.refuse("losses", "of two objects", f"{sums}; {other}")
    return math.log(total) + constant


def _tasks(given: Weights) -> Iterator[_Task]:
    """Yield the eight sums: two objects, two records, with the record and without."""
    n = given.n
    gap = given.exponents[:, 1] - given.exponents[:, 0]
    odds = math.log(given.copies[1] / given.copies[0])
    for sign in (1, -1):
        for record in (int(gap.argmin()), int(gap.argmax())):
            for size in (n - 1, n):
                shift = sign * (odds + (gap[record] if size < n else 0.0))
                u = np.delete(sign * gap, record)
                yield _Task(u, shift, size, None if size in (0, len(u)) else _contour(u, shift, size))


def _frequencies(task: _Task) -> int:
    """Return how many frequencies a sum needs: none where its known part is all of it."""
    u, shift, n, line = task
    if line is None:
        return 0
    if line.strip:
        edge = 0.0 if line.strip == -1 else 1.0
        rest = _rough_total(u, edge, n) - edge * shift
        integral = _rough_total(u, line.theta, n) - line.theta * shift
        if rest > integral + _DIGITS + 6.0 + 2 * _ROUGH:
            return 0
    return line.points


def spectral_seconds(given: Weights) -> float:
    """Return about how long `log_sums_of_two` takes: it counts the frequencies it needs."""
    points = sum(_frequencies(task) for task in _tasks(given))
    return len(given.exponents) * points * (given.n + 1) * _PER_PRODUCT + (
        8 * len(given.exponents) * _PER_ROW
    )


def log_sums_of_two(given: Weights) -> tuple[Array, Array]:
    """Return what `log_sums` does, for the two records that matter.

    The sum over the subsets with a record rises or falls in that record's difference between
    the two losses, and the sum with and without it is the same for all.  So the records with
    the largest and the smallest difference are the most exposed.
    """
    shown = progress.track(_tasks(given), 8, what="all subsets", unit="sums")
    sums = [_single(task) for task in shown]
    # One row a record, one column an object; each object of a class has its share.
    table = np.array(sums).reshape(2, 2, 2).transpose(1, 0, 2) - np.log(given.copies)[:, None]
    return table[..., 0], table[..., 1]


# A tile of normalisers fits the second-level cache.
_ROWS, _COLUMNS = 64, 2048
# Beyond these spans of exponents a double would underflow: the sums then run over logarithms.
_SPAN_Z, _SPAN_COLUMN = 600.0, 300.0
_SHOW_FROM = 20_000_000


@lru_cache(maxsize=4)
def _half(n: int) -> tuple[Array, NDArray[np.intp]]:
    """Return all subsets of n records, sorted by size, and where those of each size begin."""
    codes = np.arange(1 << n)
    sizes = sum((codes >> bit) & 1 for bit in range(n))
    order = np.argsort(sizes, kind="stable")
    flags = ((codes[order, None] >> np.arange(n)) & 1).astype(float)
    return flags, np.concatenate([[0], np.cumsum(np.bincount(sizes, minlength=n + 1))])


def _tiles(n: int) -> Iterator[tuple[slice, slice]]:
    start = _half(n)[1]
    for size in range(n + 1):
        other = n - size
        for top in range(start[size], start[size + 1], _ROWS):
            rows = slice(top, min(top + _ROWS, start[size + 1]))
            for left in range(start[other], start[other + 1], _COLUMNS):
                yield rows, slice(left, min(left + _COLUMNS, start[other + 1]))


def _shown(n: int) -> Iterable[tuple[slice, slice]]:
    """Return the tiles, with a progress bar where the work is long."""
    if math.comb(2 * n, n) < _SHOW_FROM:
        return _tiles(n)
    return progress.track(_tiles(n), sum(1 for _ in _tiles(n)), what="all subsets", unit="blocks")


def _linear(la: Array, lb: Array, copies: Array, n: int) -> tuple[Array, Array, Array]:
    """Return the sums over the other half and the logarithm of each column's scale."""
    top_a, top_b = la.max(axis=0), lb.max(axis=0)
    a, b = np.exp(la) * copies, np.exp(lb)
    # Numerators get a scale of their own for each object, so that a rare one keeps its digits.
    na, nb = np.exp(la - top_a), np.exp(lb - top_b)
    up, down = np.zeros_like(na), np.zeros_like(nb)
    buffer = np.empty(_ROWS * _COLUMNS)
    for rows, columns in _shown(n):
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        z = buffer[: shape[0] * shape[1]].reshape(shape)
        np.matmul(a[rows], b[columns].T, out=z)
        np.reciprocal(z, out=z)
        up[rows] += z @ nb[columns]
        down[columns] += z.T @ na[rows]
    return up * na, down * nb, top_a + top_b


def _logarithmic(la: Array, lb: Array, copies: Array, n: int) -> tuple[Array, Array]:
    """Do the same in logarithms, for exponents that no double could hold."""
    up, down = np.full_like(la, -np.inf), np.full_like(lb, -np.inf)
    log_copies = np.log(copies)
    for rows, columns in _shown(n):
        joint = la[rows][:, None, :] + lb[columns][None, :, :]
        joint -= logsumexp(joint + log_copies, axis=2, keepdims=True)
        up[rows] = np.logaddexp(up[rows], logsumexp(joint, axis=1))
        down[columns] = np.logaddexp(down[columns], logsumexp(joint, axis=0))
    return up, down


def _logs(given: Weights) -> tuple[Array, Array]:
    """Return the exponents of the subsets of each half of the pool, the largest at 0."""
    flags, _ = _half(given.n)
    la, lb = flags @ given.exponents[: given.n], flags @ given.exponents[given.n :]
    return la - la.max(axis=1, keepdims=True), lb - lb.max(axis=1, keepdims=True)


def _fit(la: Array, lb: Array) -> bool:
    return bool(
        (la.min(axis=0) + lb.min(axis=0)).max() > -_SPAN_Z
        and np.ptp(la, axis=0).max() < _SPAN_COLUMN
        and np.ptp(lb, axis=0).max() < _SPAN_COLUMN
    )


def is_linear(given: Weights) -> bool:
    """Tell whether doubles hold all terms, so that no logarithm is taken for a subset."""
    return bool(2 * np.ptp(given.exponents, axis=1).sum() < _SPAN_COLUMN) or _fit(*_logs(given))


def log_sums(given: Weights) -> tuple[Array, Array]:
    """Return ln of the sum of p(w|D) over the D with each record, and over those without."""
    n, (flags, _) = given.n, _half(given.n)
    la, lb = _logs(given)
    if _fit(la, lb):
        up, down, scale = _linear(la, lb, given.copies, n)
        inside = np.concatenate([flags.T @ up, flags.T @ down])
        without = np.concatenate([(1 - flags).T @ up, (1 - flags).T @ down])
        return np.log(inside) + scale, np.log(without) + scale
    sides = _logarithmic(la, lb, given.copies, n)

    def of(wanted: float) -> Array:
        each = [logsumexp(side[flags[:, bit] == wanted], axis=0) for side in sides for bit in range(n)]
        return np.array(each)

    return of(1.0), of(0.0)
