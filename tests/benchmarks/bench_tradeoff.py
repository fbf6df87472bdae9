"""Print the time of 100,000 values of each function of mipbook.tradeoff.

Run ``python tests/benchmarks/bench_tradeoff.py``.  The aim is 20 ms for the privacy
curve and both of its inverses; the last row of the inverses is the slow path.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mipbook import tradeoff

SIZE = 100_000
REPEATS = 15


def milliseconds(call: Callable[[], object]) -> tuple[float, float]:
    """Return the least and the median time of a call."""
    call()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return min(times), float(np.median(times))


def main() -> None:
    """Time every function on scalars, ordered arrays and shuffled ones."""
    rng = np.random.default_rng(0)
    epsilon = np.geomspace(1e-3, 1e3, SIZE)
    delta = np.geomspace(1e-300, 0.9, SIZE)
    sigma = np.geomspace(0.01, 100, SIZE)
    shuffled = rng.permutation(epsilon)
    near = tradeoff.gaussian_advantage(1.0) * np.linspace(0.95, 1, SIZE)
    p, q = rng.dirichlet(np.ones(20), 2)
    calls: dict[str, Callable[[], object]] = {
        "delta, sigma 1": lambda: tradeoff.gaussian_delta(np.linspace(0, 10, SIZE), 1.0),
        "delta, both vary": lambda: tradeoff.gaussian_delta(shuffled, sigma),
        "sigma, epsilon 1": lambda: tradeoff.gaussian_sigma(1.0, delta),
        "sigma, epsilon 0.01": lambda: tradeoff.gaussian_sigma(0.01, delta),
        "sigma, both vary": lambda: tradeoff.gaussian_sigma(shuffled, delta),
        "epsilon, sigma 1": lambda: tradeoff.gaussian_epsilon(delta, 1.0),
        "epsilon, both vary": lambda: tradeoff.gaussian_epsilon(delta, sigma),
        "epsilon, delta near total variation": lambda: tradeoff.gaussian_epsilon(near, 1.0),
        "tpr": lambda: tradeoff.gaussian_tpr(delta, 1.0),
        "advantage": lambda: tradeoff.gaussian_advantage(sigma),
        "dp_tpr": lambda: tradeoff.dp_tpr(delta, shuffled),
        "hockey_stick, 20 outcomes": lambda: tradeoff.hockey_stick(p, q, epsilon),
    }
    print(f"{SIZE} values, {REPEATS} repeats       least    median")
    for name, call in calls.items():
        least, median = milliseconds(call)
        print(f"{name:36s} {least:6.1f} ms {median:6.1f} ms")


if __name__ == "__main__":
    main()
