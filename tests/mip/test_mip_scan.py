"""Sums with fading memory, against the plain loop, for gaps of every size."""

import numpy as np
import pytest

from mipbook.mip.laplace import _by_blocks, _by_doubling, faded_sums


def by_loop(places, weights):
    sums = weights.copy()
    for i in range(1, len(sums)):
        sums[i] += np.exp(places[i - 1] - places[i]) * sums[i - 1]
    return sums


@pytest.mark.parametrize("scan", [faded_sums, _by_blocks, _by_doubling])
@pytest.mark.parametrize("reach", [1e-3, 1.0, 1e2, 1e4, 1e7])
def test_every_way_gives_the_loops_sums(scan, reach):
    rng = np.random.default_rng(1)
    places = np.sort(rng.random(700)) * reach
    weights = rng.standard_normal((700, 3))
    np.testing.assert_allclose(scan(places, weights), by_loop(places, weights), atol=1e-11)


@pytest.mark.parametrize("scan", [faded_sums, _by_doubling])
def test_crowds_far_apart(scan):
    rng = np.random.default_rng(2)
    places = np.sort(np.concatenate([rng.random(300) * 1e-3, 1e7 + rng.random(300) * 50]))
    weights = rng.standard_normal((600, 2))
    np.testing.assert_allclose(scan(places, weights), by_loop(places, weights), atol=1e-11)
