"""The engines of the mathematics, on the sizes that chapters and apps use.

Where a test once promised an answer within seconds, the benchmark does: the best time counts, so
that a busy machine is given several chances. Times are the processor's.
"""

import numpy as np
import pytest
from clock import processor

pytestmark = pytest.mark.benchmark(timer=processor)
RNG_SEED = 0


def normal(records: int, dimension: int) -> np.ndarray:
    return np.random.default_rng(RNG_SEED).standard_normal((records, dimension))


def within(benchmark, seconds: float) -> None:
    """Check the best time."""
    best = benchmark.stats.stats.min
    assert best < seconds, f"the best time is {best:.2f} s, of {seconds:g} s at most"


@pytest.mark.parametrize(("n", "seconds"), [(6, 0.02), (12, 1.5)], ids=["6", "12"])
def bench_pmp_exponential_exact(benchmark, n, seconds):
    """All halves of 2n records, of ten objects each: 2.7 million halves at n = 12."""
    from mipbook import pmp

    losses = np.random.default_rng(8).random((2 * n, 10))
    assert 0 < benchmark(pmp.exponential_epsilon, losses, 5.0, 1.0) < 5
    within(benchmark, seconds)


def bench_pmp_exponential_exact_155_million_halves(benchmark):
    from mipbook import pmp

    losses = np.random.default_rng(8).random((30, 10))
    assert 0 < benchmark.pedantic(pmp.exponential_epsilon, (losses, 5.0, 1.0), rounds=1) < 5


def bench_pmp_exponential_two_objects(benchmark):
    from mipbook import pmp

    losses = np.abs(normal(200, 1) - np.array([[1.0, -1.0]]))
    assert benchmark(pmp.exponential_epsilon, losses, 90.0, 1.0) > 0


def bench_pmp_gaussian_exact(benchmark):
    from mipbook import pmp

    assert benchmark(pmp.gaussian_epsilon_exact, normal(200, 1)[:, 0] / 100, 0.1, 0.01) > 0


def bench_pmp_gaussian_certificate_100_000_records(benchmark):
    from mipbook import pmp

    assert benchmark(pmp.gaussian_epsilon_bound, normal(100_000, 20), 5.0, 0.01) > 0
    within(benchmark, 5)


def bench_pmp_diameter_100_000_records(benchmark):
    from mipbook import pmp

    assert benchmark(pmp.diameter, normal(100_000, 20)) > 0
    within(benchmark, 3)


@pytest.mark.parametrize("M", [1.5, 2, 8])
def bench_mip_noise_scale(benchmark, M):
    from mipbook import mip

    assert benchmark(mip.noise_scale, np.geomspace(1e-3, 0.4, 200), M=M).shape == (200,)


def bench_mip_least_laplace_scale(benchmark):
    from mipbook import mip

    outputs, members = mip.reciprocal_outputs(10)
    assert benchmark(mip.minimal_laplace_scale, outputs, members, 0.1) > 0


def bench_mip_noisy_mean_sixteen_records(benchmark):
    from mipbook import mip

    records = np.random.default_rng(4).normal(size=16)
    assert benchmark(mip.noisy_mean_accuracy, records, 3, 0.3) > 0.5
    within(benchmark, 20)


def bench_game_a_million_games(benchmark):
    from mipbook.game import InnerProduct, worst_case_game
    from mipbook.mechanisms import Gaussian

    rng = np.random.default_rng(10)
    run = (Gaussian(0.1), np.zeros((100, 100)), np.ones(100), InnerProduct(), 1_000_000, rng)
    assert benchmark.pedantic(worst_case_game, run, rounds=2).scores.size == 1_000_000
    within(benchmark, 20)


TRADEOFF = {
    "delta": lambda t, epsilon, delta, sigma: t.gaussian_delta(epsilon, sigma),
    "sigma": lambda t, epsilon, delta, sigma: t.gaussian_sigma(epsilon, delta=delta),
    "epsilon": lambda t, epsilon, delta, sigma: t.gaussian_epsilon(delta, sigma=sigma),
    "tpr": lambda t, epsilon, delta, sigma: t.gaussian_tpr(delta, sigma),
}


@pytest.mark.parametrize("name", TRADEOFF)
def bench_tradeoff_gaussian_100_000_values(benchmark, name):
    from mipbook import tradeoff

    size, rng = 100_000, np.random.default_rng(0)
    epsilon = rng.permutation(np.geomspace(1e-3, 1e3, size))
    delta, sigma = np.geomspace(1e-300, 0.9, size), np.geomspace(0.01, 100, size)
    found = benchmark(TRADEOFF[name], tradeoff, epsilon, delta, sigma)
    assert found.shape == (size,)
    assert not np.isnan(found).any()
