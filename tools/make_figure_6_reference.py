"""Print the reference means of the PMP paper's Figures 4 and 6, as the chapter quotes them.

Run ``python tools/make_figure_6_reference.py``; it takes some minutes.  It shares nothing
with the code under test: the average of Proposition 12 is taken over all pairs of records, its
roots are SciPy's, and the pools are drawn with seeds of its own.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr

N, CLIP, DELTA, EPSILON = 100, 50.0, 0.01, 5.0


def hockey_stick(epsilon: float, shift: np.ndarray) -> np.ndarray:
    """The delta of two normal laws, so many standard deviations apart."""
    with np.errstate(divide="ignore", invalid="ignore"):
        above = np.exp(log_ndtr(shift / 2 - epsilon / shift))
        below = np.exp(epsilon + log_ndtr(-shift / 2 - epsilon / shift))
        gap = above - below
    return np.where(shift > 0, gap, 0)


def root(excess: Callable[[float], float]) -> float:
    """Where a falling function meets zero."""
    if excess(0) <= 0:
        return 0.0
    high = 1.0
    while excess(high) > 0:
        high *= 2
    return float(brentq(excess, 0, high, xtol=1e-13, rtol=1e-12))


def trial(dimension: int, fixed: str, rng: np.random.Generator) -> float:
    """One pool: the least eps~ of Proposition 12's average, at the sigma that the figure fixes."""
    x = rng.normal(size=(2 * N, dimension))
    x *= np.minimum(1, CLIP / np.linalg.norm(x, axis=1, keepdims=True)) / N
    squares = (x**2).sum(1)
    gaps = np.sqrt(np.maximum(squares[:, None] + squares - 2 * x @ x.T, 0))
    np.fill_diagonal(gaps, 0)
    sensitivity = 2 * CLIP / N if fixed == "epsilon" else gaps.max()
    mu = brentq(lambda m: hockey_stick(EPSILON, np.array(m)) - DELTA, 1e-3, 60)
    shifts = gaps * mu / sensitivity

    def delta(epsilon: float, records: np.ndarray) -> np.ndarray:
        return hockey_stick(epsilon, shifts[records]).sum(1) / (2 * N - 1)

    far = np.argsort(-(shifts**2).sum(1))[:5]
    found = max(root(lambda e, r=r: delta(e, np.array([r]))[0] - DELTA) for r in far)
    assert delta(found, np.arange(2 * N)).max() <= DELTA * (1 + 1e-9)
    return found


if __name__ == "__main__":
    for fixed in ("epsilon", "subset"):
        for dimension, pools in ((1, 1500), (5, 400), (20, 400), (100, 300)):
            rng = np.random.default_rng(20240 + dimension)
            values = np.array([trial(dimension, fixed, rng) for _ in range(pools)])
            error = values.std() / np.sqrt(pools)
            print(
                f"{fixed} d = {dimension}: {values.mean():.5f} +- {1.96 * error:.5f}, "
                f"one pool's standard deviation {values.std():.5f}"
            )
