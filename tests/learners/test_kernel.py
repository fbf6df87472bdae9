"""The curve of bumps, against descent in single steps."""

import numpy as np

from mipbook.learners import descended


def _bumps(here, x, width):
    apart = ((np.asarray(here)[:, None] - x) / width) ** 2
    return np.exp(-apart / 2) + np.exp(-apart / 18)


def test_it_says_what_single_steps_of_descent_reach():
    rng, width = np.random.default_rng(4), 0.7
    x, y, at = np.sort(rng.random(6)) * 5, rng.normal(size=6), np.linspace(-1, 6, 9)
    table, weights, seen = _bumps(x, x, width), np.zeros(6), [np.full(9, y.mean())]
    rate = 1 / np.linalg.eigvalsh(table)[-1]
    for _step in range(50):
        # Half the squared error falls along this, measured by the bumps' own distances.
        weights -= rate * (table @ weights + y.mean() - y)
        seen.append(y.mean() + _bumps(at, x, width) @ weights)
    found = descended(x, y, at, [0, 1, 7, 50], width)
    assert np.allclose(found, np.array(seen)[[0, 1, 7, 50]], atol=1e-12)


def test_in_the_end_it_meets_every_record():
    x, y = np.array([0.0, 1.0, 2.5]), np.array([3.0, -1.0, 0.5])
    assert np.allclose(descended(x, y, x, [10**6], 0.4), [y], atol=1e-9)
