"""Print how long every way of counting all halves takes: plain Python, plain numpy, ours.

Run ``OMP_NUM_THREADS=1 python tests/benchmarks/bench_pmp.py`` (about a minute), or with
``--large`` to go on to n = 17.  Plain Python is left out where it would take minutes.
"""

from __future__ import annotations

import math
import resource
import sys
import time
from itertools import combinations

import numpy as np

from mipbook import pmp

Array = np.ndarray
OBJECTS = 10


def plain_python(losses: Array, t: float) -> float:
    """Go through all halves with lists and the math module."""
    table = losses.tolist()
    count, n = len(table), len(table) // 2
    inside = [[0.0] * OBJECTS for _ in range(count)]
    without = [[0.0] * OBJECTS for _ in range(count)]
    for half in combinations(range(count), n):
        weights = [math.exp(-t * sum(table[i][w] for i in half) / n) for w in range(OBJECTS)]
        total = sum(weights)
        members = set(half)
        for x in range(count):
            side = inside if x in members else without
            for w in range(OBJECTS):
                side[x][w] += weights[w] / total
    pairs = zip(inside, without, strict=True)
    return max(abs(math.log(a / b)) for rows in pairs for a, b in zip(*rows, strict=True))


def plain_numpy(losses: Array, t: float) -> float:
    """Hold all halves in memory as an index array."""
    count, n = len(losses), len(losses) // 2
    halves = np.array(list(combinations(range(count), n)))
    weights = np.exp(-t * losses[halves].mean(axis=1))
    p = weights / weights.sum(axis=1, keepdims=True)
    member = np.zeros((len(halves), count), dtype=bool)
    np.put_along_axis(member, halves, True, axis=1)
    inside = member.T.astype(float) @ p
    return float(np.abs(np.log(inside / (p.sum(axis=0) - inside))).max())


def ours(losses: Array, t: float) -> float:
    """Meet in the middle."""
    return pmp.exponential_epsilon(losses, 2 * t, 1.0, budget=600.0)


def seconds(call: object, losses: Array, t: float) -> tuple[float, float]:
    """Return the least of a few times, and the value."""
    best, value = math.inf, 0.0
    for _ in range(3):
        start = time.perf_counter()
        value = call(losses, t)  # type: ignore[operator]
        best = min(best, time.perf_counter() - start)
        if best > 1:
            break
    return best, value


def main(large: bool) -> None:
    """Print one row for each n."""
    rng = np.random.default_rng(0)
    print(f"{'n':>3} {'halves':>14} {'plain Python':>13} {'plain numpy':>12} {'ours':>10}  eps~")
    for n in (6, 8, 10, 12, *((14, 15, 16, 17) if large else ())):
        losses = rng.random((2 * n, OBJECTS)) * 3
        row = []
        values = []
        for call, last in ((plain_python, 10), (plain_numpy, 12), (ours, 17)):
            if n > last:
                row.append("-")
                continue
            taken, value = seconds(call, losses, 4.0)
            row.append(f"{1000 * taken:.4g} ms" if taken < 1 else f"{taken:.3g} s")
            values.append(value)
        assert np.ptp(values) < 1e-12
        halves = math.comb(2 * n, n)
        print(f"{n:>3} {halves:>14,} {row[0]:>13} {row[1]:>12} {row[2]:>10}  {values[-1]:.12f}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"largest memory of the process: {memory:.0f} MB (plain numpy's at n = 12 included)")
    for n in (50, 100, 400):
        losses = np.abs(rng.normal(1, 1, (2 * n, 1)) - np.array([[1.0, -1.0]]))
        taken, value = seconds(ours, losses, 10.0 * n / 11)
        print(f"two objects, n = {n}: {taken:.2f} s, eps~ = {value:.12f}")


if __name__ == "__main__":
    main("--large" in sys.argv)
