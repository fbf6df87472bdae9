"""Any size and any scale: an answer in time, a certificate that holds, or a clear refusal."""

import math
import signal
import time
import warnings

import numpy as np
import pytest
from shared import refused

from mipbook import data, pmp, tradeoff
from mipbook.choose import choose_epsilon
from mipbook.pmp.exponential_estimates import first_order
from mipbook.pmp.exponential_sums import seconds_for, weights

LIMIT = 20.0


def axes(dimension):
    return np.concatenate([np.eye(dimension), -np.eye(dimension)])


def normal(records, dimension, seed=0):
    return np.random.default_rng(seed).normal(size=(records, dimension))


def timed(*arguments, **named):
    """Call with warnings as errors; return the answer and the processor's seconds."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = choose_epsilon(*arguments, **named)
    return found, time.process_time() - start


@pytest.mark.parametrize(
    ("records", "dimension"),
    [
        *((2, 1), (60, 3), (2000, 20)),
        *(
            pytest.param(*size, marks=pytest.mark.nightly)
            for size in ((2, 1000), (1100, 3), (100_000, 1), (400, 1000), (100_000, 20))
        ),
    ],
)
@pytest.mark.parametrize("mechanism", ["gaussian", "exponential"])
def test_every_size_is_answered_in_time(records, dimension, mechanism):
    pool = normal(records, dimension)
    for target in (0.01, 5.0) if dimension < 1000 else (0.1,):
        extra = {"objects": axes(dimension)} if mechanism == "exponential" else {"delta": 1e-6}
        found, seconds = timed(pool, target, mechanism=mechanism, clip=5.0, budget=4.0, **extra)
        assert seconds < LIMIT
        assert 0 < found.certificate.value <= target
        assert found.certificate.kind in ("exact", "bound")
        assert 0 <= found.likely.value <= found.certificate.value
        assert found.epsilon > 0


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-9, 1e9, 1e200, 1e307])
def test_every_scale_is_answered(scale):
    pool = normal(40, 3) * scale
    found, _ = timed(pool, 0.1, clip=5.0, delta=1e-3)
    assert 0 < found.certificate.value <= 0.1
    found, _ = timed(pool, 0.1, mechanism="exponential", clip=5.0, objects=axes(3), budget=1.0)
    assert 0 < found.certificate.value <= 0.1


def test_the_certificate_knows_what_far_records_become():
    """A record whose length overflows is clipped to the sphere, not to the origin."""
    pool = normal(60, 2) * 0.01
    pool[0] = [1e200, 0.0]
    found, _ = timed(pool, 0.1, clip=5.0, delta=1e-3)
    near = pool.copy()
    near[0] = [5.0, 0.0]
    assert found.sigma == choose_epsilon(near, 0.1, clip=5.0, delta=1e-3).sigma
    assert found.sigma > 2.8
    assert data.clip_norm([[1e200, 0], [3e160, 4e160]], 5.0).tolist() == [[5, 0], [3, 4]]
    assert data.clip_norm([[3e-200, 4e-200]], 1e-200) == pytest.approx(np.array([[0.6e-200, 0.8e-200]]))


def test_equally_exposed_records_do_not_stop_the_clock():
    """All clipped to one sphere: no record may be left out, and there are too many pairs."""
    found, seconds = timed(normal(100_000, 20), clip=2.0, delta=1e-3)
    assert seconds < LIMIT
    assert found.clipped > 99_000
    values = data.clip_norm(normal(100_000, 20), 2.0) / 50_000
    one = np.linalg.norm(values - values[7], axis=1)
    deltas = tradeoff.gaussian_delta(0.1, found.sigma, one)
    assert 0.9e-3 < deltas.sum() / 99_999 <= 1e-3


def test_the_budget_is_obeyed():
    start = time.process_time()
    found = choose_epsilon(
        normal(200, 1), 0.5, mechanism="exponential", clip=5.0, objects=[[1.0], [-1.0]], budget=2.0
    )
    assert time.process_time() - start < 8.0
    assert 0.1 < found.certificate.value <= 0.5
    for losses, epsilon in ((normal(1100, 2), 30.0), (normal(60, 2), 1e4), (normal(80, 3), 1.0)):
        refused("the budget is 1", pmp.exponential_epsilon, losses, epsilon, 1e-3, budget=1.0)
    refused("the budget is 60", pmp.subset_epsilon, normal(1100, 3), 1.0, 1.0)
    assert seconds_for(2 * 10**6, 10**6, 1e-9) == math.inf


@pytest.mark.parametrize("mechanism", ["gaussian", "exponential"])
def test_it_can_be_interrupted(mechanism):
    pool = normal(100_000, 1) if mechanism == "gaussian" else normal(300, 1)
    extra = {"objects": axes(1), "budget": 100.0} if mechanism == "exponential" else {"clip": 0.5}

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        start = time.process_time()
        with pytest.raises(KeyboardInterrupt):
            choose_epsilon(pool, 0.5, **{"mechanism": mechanism, "clip": 5.0, **extra})
        assert time.process_time() - start < 10.0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("records", [2, 4, 8, 12])
def test_no_certificate_is_below_the_truth(records):
    """The bound against the count of all halves: above it, and by less than a tenth."""
    rng = np.random.default_rng(records)
    nearest = math.inf
    for trial in range(40):
        heavy = trial % 2
        losses = rng.standard_cauchy((records, 4)) if heavy else rng.random((records, 4))
        if trial % 5 == 0:
            losses[:, 3] = losses[:, 1]
        if trial % 7 == 0:
            losses[0] = losses[-1]
        for epsilon in (0.05, 0.5, 5.0):
            exact = pmp.exponential_epsilon(losses, epsilon, 1.0)
            bound = pmp.exponential_epsilon_bound(losses, epsilon, 1.0)
            assert exact <= bound * (1 + 1e-12)
            assert bound <= pmp.epsilon_cap(losses, epsilon, 1.0) * (1 + 1e-9) + 1e-13
            nearest = min(nearest, bound / exact if exact else math.inf)
    # So a certificate that is a tenth too small is caught here.
    assert nearest < 1.02


@pytest.mark.parametrize("records", [100, 400])
def test_two_objects_beyond_counting(records):
    """The integral over all halves, against the bound and the approximation."""
    losses = pmp.norm_losses(normal(records, 1), axes(1))
    sensitivity = pmp.norm_sensitivity(records // 2, 5.0)
    exact = pmp.exponential_epsilon(losses, 0.5, sensitivity)
    assert exact < pmp.exponential_epsilon_bound(losses, 0.5, sensitivity) < 1.6 * exact
    found = first_order(weights(losses, 0.5, sensitivity))
    assert found == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("case", range(6))
def test_printed_numbers_may_be_typed_in_again(case):
    rng = np.random.default_rng(case)
    pool = rng.normal(size=(2 * int(rng.integers(2, 7)), 1 + case % 3))
    n, delta = len(pool) // 2, 1e-3
    rows = dict(choose_epsilon(pool, 0.1, clip=2.0, delta=delta).rows())
    values = data.clip_norm(pool, 2.0) / n
    measure = pmp.gaussian_epsilon_exact if values.shape[1] == 1 else pmp.gaussian_epsilon_bound
    sigma = float(rows["noise, sigma"].split()[0])
    assert measure(values, sigma, delta) <= 0.1
    epsilon = float(rows["epsilon to use"].split()[0])
    again = tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=4.0 / n)
    assert measure(values, again, delta) <= 0.1
    objects = axes(pool.shape[1])
    found = choose_epsilon(pool, 0.1, mechanism="exponential", clip=2.0, objects=objects)
    epsilon = float(dict(found.rows())["epsilon to use"].split()[0])
    losses = pmp.norm_losses(data.clip_norm(pool, 2.0), objects)
    assert pmp.exponential_epsilon(losses, epsilon, pmp.norm_sensitivity(n, 2.0)) <= 0.1


def test_an_epsilon_that_promises_nothing_is_called_so():
    far = choose_epsilon(normal(20, 2) * 1e-3, 0.1, clip=5.0, delta=1e-5)
    assert far.epsilon > 20
    assert any("promises nothing by itself" in note for note in far.notes)
    none = choose_epsilon(normal(20, 2) * 1e-200, 0.1, clip=5.0, delta=1e-5)
    assert none.epsilon == math.inf
    assert "inf" in dict(none.rows())["epsilon to use"]
    assert not choose_epsilon(normal(20, 2), 0.1, clip=5.0, delta=1e-5).notes


def test_the_likely_value_never_refuses():
    """A pool whose exact curve is out of reach keeps the certificate in hand."""
    pool = np.r_[np.random.default_rng(0).normal(size=39) * 1e-3, [1.0]]
    found, _ = timed(pool, 60.0, clip=5.0, delta=1e-5)
    assert found.certificate.kind == "bound"
    assert 50 < found.likely.value <= found.certificate.value <= 60


def test_a_delta_that_needs_no_noise_is_refused():
    told = {"clip": 1.0, "delta": 0.9, "by_index": True}
    refused(r"delta = 0\.9: must be smaller", choose_epsilon, [0.0, 0.0, 1.0, 1.0], 1.0, **told)
