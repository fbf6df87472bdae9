"""Delta of a noisy mean of a few values, against every data set one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from mipbook import mip, mis

VALUES = [0.0, 1.0, 4.0]


def peer(values, n, sigma):
    """The same by lists of all data sets and a quadrature of the densities."""

    def density(means):
        return lambda x: norm.pdf(x, np.array(means), sigma).mean()

    every = density([np.mean(d) for d in itertools.product(values, repeat=n)])
    found = []
    for value in values:
        with_it = [np.mean([value, *d]) for d in itertools.product(values, repeat=n - 1)]
        one = density(with_it)
        ends = min(values) - 12 * sigma, max(values) + 12 * sigma
        gap = lambda x, one=one: abs(one(x) - every(x))  # noqa: E731
        found.append(quad(gap, *ends, limit=400, points=np.linspace(*ends, 30))[0] / 2)
    return found


@pytest.mark.parametrize(("n", "sigma"), [(1, 0.4), (2, 0.3), (3, 0.8), (4, 2.0)])
def test_delta_of_a_noisy_mean_is_that_of_all_data_sets(n, sigma):
    got = mis.noisy_mean_deltas(VALUES, n, sigma)
    np.testing.assert_allclose(got, peer(VALUES, n, sigma), atol=1e-7)
    assert mis.noisy_mean_delta(VALUES, n, sigma) == pytest.approx(got.mean(), abs=1e-15)


def test_without_noise_it_is_that_of_the_plain_mean():
    # Two values, two records: the mean tells the counts, and the member's value shifts them.
    assert mis.noisy_mean_delta([0.0, 1.0], 2, 1e-6) == pytest.approx(0.25, abs=1e-12)
    assert mis.noisy_mean_delta([0.0, 1.0], 1, 1e-6) == pytest.approx(0.5, abs=1e-12)


def test_one_value_tells_nothing_and_noise_hides_all():
    assert mis.noisy_mean_delta([7.0], 3, 0.1) == 0.0
    assert mis.noisy_mean_delta(VALUES, 3, 1e6) < 1e-5


def test_dp_of_the_same_release_bounds_it():
    for sigma in (0.5, 2.0):
        promised = mip.eta_from_dp(0.0, float(2 * norm.cdf(4 / 3 / sigma / 2) - 1))
        assert mis.noisy_mean_delta(VALUES, 3, sigma) <= 2 * promised


@pytest.mark.parametrize(
    ("values", "n", "says"), [([], 2, "values"), (VALUES, 9, "n = 9"), (list(range(16)), 8, "data sets of 8")]
)
def test_what_is_too_large_is_refused(values, n, says):
    with pytest.raises(ValueError, match=says):
        mis.noisy_mean_deltas(values, n, 1.0)
