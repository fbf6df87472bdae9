"""Choosing epsilon: a certificate that holds at any size and scale, and is tight; clear refusals."""

import math
import re
import time

import numpy as np
import pandas as pd
import pytest
from shared import refused

from mipbook import data, pmp, tradeoff
from mipbook.choose import choose_epsilon, examples
from mipbook.pmp.exponential_estimates import first_order
from mipbook.pmp.exponential_sums import seconds_for, weights

RNG = np.random.default_rng(1)
LINE = RNG.normal(size=(20, 1))
CLOUD = RNG.normal(size=(60, 3))
LIMIT = 20.0
MECHANISMS = pytest.mark.parametrize("mechanism", ["gaussian", "exponential"])


def axes(dimension):
    return np.concatenate([np.eye(dimension), -np.eye(dimension)])


def normal(records, dimension):
    return np.random.default_rng(0).normal(size=(records, dimension))


def by_objects(pool, target, clip, objects=None, **more):
    """Choose for the exponential mechanism; return what is found, the losses and their sensitivity."""
    pool = np.asarray(pool, dtype=float).reshape(len(pool), -1)
    objects = axes(pool.shape[1]) if objects is None else objects
    found = choose_epsilon(pool, target, mechanism="exponential", clip=clip, objects=objects, **more)
    losses = pmp.norm_losses(data.clip_norm(pool, clip), objects)
    return found, losses, pmp.norm_sensitivity(len(pool) // 2, clip)


@pytest.mark.parametrize("target", [0.02, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-8, 1e-2])
@pytest.mark.parametrize(
    ("pool", "measure", "kind"),
    [(LINE, pmp.gaussian_epsilon_exact, "exact"), (CLOUD, pmp.gaussian_epsilon_bound, "bound")],
)
def test_gaussian_certificate_holds_and_is_tight(pool, measure, kind, target, delta):
    found = choose_epsilon(pool, target, clip=3.0, delta=delta)
    n = len(pool) // 2
    values = data.clip_norm(pool, 3.0) / n
    certified = found.certificate.value
    assert found.certificate.kind == kind
    assert measure(values, found.sigma, delta) == pytest.approx(certified, rel=1e-6)
    assert measure(values, found.sigma * 0.995, delta) > target
    dp = tradeoff.gaussian_epsilon(delta, sigma=found.sigma, sensitivity=2 * 3.0 / n)
    assert found.epsilon == pytest.approx(dp)
    assert found.likely.value <= certified <= min(target, found.subset_epsilon.value)
    assert found.subset_epsilon.value <= found.epsilon
    limit = (math.exp(certified) + delta) / (1 + math.exp(certified))
    assert found.success == pytest.approx(limit)
    assert found.likely_success.value <= found.success * (1 + 1e-9)


@pytest.mark.parametrize("target", [0.05, 0.5])
def test_exponential_certificate_is_exact_and_the_next_step_breaks_it(target):
    found, losses, sensitivity = by_objects(CLOUD[:14], target, 4.0)
    exact = pmp.exponential_epsilon(losses, found.epsilon, sensitivity)
    assert exact == found.certificate.value == found.likely.value <= target
    assert pmp.exponential_epsilon(losses, found.epsilon * 1.005, sensitivity) > target
    _, right = pmp.exponential_risks(losses, found.epsilon, sensitivity)
    assert found.likely_success.value == pytest.approx(right)
    assert right <= found.success
    assert found.subset_epsilon.value == pytest.approx(pmp.subset_epsilon(losses, found.epsilon, sensitivity))


def test_the_scan_stops_at_the_first_break():
    """On a pool whose parameter falls again, the far epsilons that pass are not taken."""
    pool = [4.406, -2.497, 0.855, 1.780, -0.236, -1.443]
    found, losses, sensitivity = by_objects(pool, 1.0, 5.0, [[1.0], [1.0], [-1.0]])
    far = 160.0 * sensitivity
    assert pmp.exponential_epsilon(losses, far, sensitivity) < 1.0
    assert found.epsilon < far
    below = np.geomspace(found.epsilon / 100, found.epsilon, 40)
    assert max(pmp.exponential_epsilon(losses, float(e), sensitivity) for e in below) <= 1.0


def test_large_pools_are_certified_by_a_bound_and_say_so():
    found, losses, sensitivity = by_objects(CLOUD, 0.1, 4.0, budget=1.0)
    bound = pmp.exponential_epsilon_bound(losses, found.epsilon, sensitivity)
    assert found.certificate.kind == "bound"
    assert bound <= found.certificate.value <= 0.1
    assert pmp.exponential_epsilon_bound(losses, found.epsilon * 1.003, sensitivity) > 0.1
    # Far more than the largest change by one swap certifies, and near what is likely.
    assert pmp.epsilon_cap(losses, found.epsilon, sensitivity) > 0.2
    assert 0.07 < found.likely.value <= found.certificate.value
    # Nothing is called certain that chance is part of.
    rows = dict(found.rows())
    assert rows["eps~, certain"].endswith("(bound)")
    assert "times in 100" in rows["an attacker who knows the pool is right"]


def test_a_scan_that_never_breaks_says_so(monkeypatch):
    monkeypatch.setattr("mipbook.choose.search._LARGEST", 2.0)
    found, *_ = by_objects(LINE[:6], 5.0, 3.0)
    assert found.epsilon == 2.0
    assert "was not tried" in found.notes[0]
    # Of the two mechanisms only Gaussian noise has a delta to ask for.
    same, *_ = by_objects(LINE[:6], 0.1, 3.0, [[1.0], [1.0]], delta=0.0)
    assert same.certificate.value == 0.0
    assert same.likely_success.value == 0.5


def test_more_than_one_kind_of_data():
    rows = [[1.0, 2.0], [3.0, 5.0], [2.0, 8.0], [4.0, 4.0]]
    plain, frame = (
        choose_epsilon(kind(rows), 0.5, clip=10.0, delta=0.01).sigma for kind in (list, pd.DataFrame)
    )
    assert frame == plain
    assert choose_epsilon(np.array([1, 2, 4, 8], dtype=np.int32), 0.5, clip=9.0, delta=0.01).sigma > 0
    twins = choose_epsilon([1.0, 1.0, 2.0, 3.0], 0.5, clip=9.0, delta=0.01, by_index=True)
    assert twins.records == 4


def test_the_report_reads_well():
    found = choose_epsilon(LINE, clip=1.0, delta=1e-3)
    for word in ("epsilon to use", "certain", "likely", "Not promised", "Composition", "bound"):
        assert word in str(found)
        assert word in found._repr_html_()
    assert f"{found.clipped} of 20" in str(found)
    assert found.clipped > 0
    pair = choose_epsilon([0.0, 1.0], 0.5, clip=1.0, delta=0.01)
    assert "PMP is DP" in pair.notes[0]
    assert pair.certificate.value == pytest.approx(pair.subset_epsilon.value, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": LINE[:19]}, "data = '19 records': must be an even number"),
        *(({"data": [["a"], ["b"]]}, "column 0"), ({"data": [[True], [False]]}, "column 0")),
        ({"data": np.where(np.arange(20)[:, None] == 3, np.nan, LINE)}, "row 3: nan"),
        ({"data": np.vstack([LINE[:19], LINE[4]])}, "rows 4 and 19 are equal"),
        ({"clip": None}, "clip = None"),
        *(({"delta": delta}, f"delta = {delta}") for delta in (0.0, 1.0)),
        ({"mechanism": "exponential"}, "objects = None"),
        ({"mechanism": "exponential", "objects": [[2.0]]}, "of Euclidean length 1"),
        ({"data": np.full((4, 1), 7.0), "by_index": True}, "all equal after clipping"),
        # No noise is needed.
        ({"data": [0.0, 0.0, 1.0, 1.0], "delta": 0.9, "by_index": True}, "delta = 0.9: must be smaller"),
    ],
)
def test_bad_input_is_refused_with_the_mend(change, message):
    refused(message, choose_epsilon, **{"data": LINE, "target": 1.0, "clip": 3.0, **change})


# --- The stored choices on the example pools: searched again in part, and read as they were found


def alike(report, other):
    """Compare words, and numbers but for their last digits, which processors round differently."""
    one, two = (re.split(r"(-?\d+\.\d+(?:e[-+]?\d+)?)", repr(each)) for each in (report, other))
    numbers = [float(number) for number in two[1::2]]
    return one[::2] == two[::2] and list(map(float, one[1::2])) == pytest.approx(numbers, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "mechanism", "target", "rest"),
    [
        *(("200 people", "gaussian", 0.1, (5.0, 1e-3)), ("200 people", "exponential", 0.5, (20.0, 1e-5))),
        *(("20 people", "gaussian", 0.02, (2.0, 1e-5)), ("20 people", "exponential", 1.0, (2.0, 1e-3))),
        ("60 with outliers", "gaussian", 0.01, (20.0, 1e-3)),
    ],
)
def test_stored_choices_are_found_again(name, mechanism, target, rest):
    stored = examples.example_choice(name, mechanism, target, *rest)
    assert alike(stored, examples.chosen(examples.example_pool(name), mechanism, target, *rest))
    # Another target has another answer: to be alike means something.
    assert not alike(stored, examples.example_choice(name, mechanism, 0.3, *rest))


def test_a_target_between_the_stored_ones_is_searched():
    case = "20 people", "exponential"
    low, between, high = (examples.example_choice(*case, t, 5.0, 1e-3) for t in (0.1, 0.11, 0.12))
    assert low.epsilon < between.epsilon < high.epsilon
    assert between.target == 0.11


@pytest.mark.parametrize("name", examples.EXAMPLES)
@pytest.mark.parametrize("mechanism", examples.MECHANISMS)
def test_an_example_keeps_every_target(name, mechanism):
    found = [examples.example_choice(name, mechanism, target, 5.0, 1e-3) for target in examples.TARGETS]
    for answer, target in zip(found, examples.TARGETS, strict=True):
        assert 0.99 * target < answer.certificate.value <= target
        assert answer.likely.value <= answer.certificate.value * (1 + 1e-9)
    assert (np.diff([answer.epsilon for answer in found]) > 0).all()


# --- Any size and any scale


def timed(*arguments, **named):
    """Return the answer, found in time."""
    start = time.process_time()
    found = choose_epsilon(*arguments, **named)
    assert time.process_time() - start < LIMIT
    return found


def night(*sizes):
    return [pytest.param(*size, marks=pytest.mark.nightly) for size in sizes]


@MECHANISMS
@pytest.mark.parametrize(
    ("records", "dimension"),
    [*((2, 1), (60, 3), (2000, 20)), *night((2, 1000), (1100, 3), (100_000, 1), (400, 1000), (100_000, 20))],
)
def test_every_size_is_answered_in_time(records, dimension, mechanism):
    pool = normal(records, dimension)
    for target in (0.01, 5.0) if dimension < 1000 else (0.1,):
        extra = {"objects": axes(dimension)} if mechanism == "exponential" else {"delta": 1e-6}
        found = timed(pool, target, mechanism=mechanism, clip=5.0, budget=4.0, **extra)
        assert 0 < found.certificate.value <= target
        assert found.certificate.kind in ("exact", "bound")
        assert 0 <= found.likely.value <= found.certificate.value
        assert found.epsilon > 0


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1e-9, 1e9, 1e200, 1e307])
def test_every_scale_is_answered(scale):
    pool = normal(40, 3) * scale
    by_axes = {"mechanism": "exponential", "objects": axes(3), "budget": 1.0}
    for extra in ({"delta": 1e-3}, by_axes):
        assert 0 < timed(pool, 0.1, clip=5.0, **extra).certificate.value <= 0.1


def test_the_certificate_knows_what_far_records_become():
    """A record whose length overflows is clipped to the sphere, not to the origin."""
    found = []
    for first in (1e200, 5.0):
        pool = normal(60, 2) * 0.01
        pool[0] = [first, 0.0]
        found.append(timed(pool, 0.1, clip=5.0, delta=1e-3).sigma)
    assert found[0] == found[1] > 2.8
    assert data.clip_norm([[1e200, 0], [3e160, 4e160]], 5.0).tolist() == [[5, 0], [3, 4]]
    assert data.clip_norm([[3e-200, 4e-200]], 1e-200) == pytest.approx(np.array([[0.6e-200, 0.8e-200]]))


def test_equally_exposed_records_do_not_stop_the_clock():
    """All clipped to one sphere: no record may be left out, and there are too many pairs."""
    found = timed(normal(100_000, 20), clip=2.0, delta=1e-3)
    assert found.clipped > 99_000
    values = data.clip_norm(normal(100_000, 20), 2.0) / 50_000
    one = np.linalg.norm(values - values[7], axis=1)
    deltas = tradeoff.gaussian_delta(0.1, found.sigma, one)
    assert 0.9e-3 < deltas.sum() / 99_999 <= 1e-3


def test_the_budget_is_obeyed():
    start = time.process_time()
    found, *_ = by_objects(normal(200, 1), 0.5, 5.0, budget=2.0)
    assert time.process_time() - start < 8.0
    assert 0.1 < found.certificate.value <= 0.5
    for losses, epsilon in ((normal(1100, 2), 30.0), (normal(60, 2), 1e4), (normal(80, 3), 1.0)):
        refused("the budget is 1", pmp.exponential_epsilon, losses, epsilon, 1e-3, budget=1.0)
    refused("the budget is 60", pmp.subset_epsilon, normal(1100, 3), 1.0, 1.0)
    assert seconds_for(2 * 10**6, 10**6, 1e-9) == math.inf


@pytest.mark.parametrize("records", [2, 4, 8, 12])
def test_no_certificate_is_below_the_truth(records):
    """The bound against the count of all halves: above it, and by less than a tenth."""
    rng = np.random.default_rng(records)
    nearest = math.inf
    for trial in range(40):
        losses = rng.standard_cauchy((records, 4)) if trial % 2 else rng.random((records, 4))
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
    assert first_order(weights(losses, 0.5, sensitivity)) == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("case", range(6))
def test_printed_numbers_may_be_typed_in_again(case):
    rng = np.random.default_rng(case)
    pool = rng.normal(size=(2 * int(rng.integers(2, 7)), 1 + case % 3))
    n, delta = len(pool) // 2, 1e-3
    values = data.clip_norm(pool, 2.0) / n
    measure = pmp.gaussian_epsilon_exact if values.shape[1] == 1 else pmp.gaussian_epsilon_bound
    rows = dict(choose_epsilon(pool, 0.1, clip=2.0, delta=delta).rows())
    sigma, epsilon = (float(rows[name].split()[0]) for name in ("noise, sigma", "epsilon to use"))
    assert measure(values, sigma, delta) <= 0.1
    again = tradeoff.gaussian_sigma(epsilon, delta=delta, sensitivity=4.0 / n)
    assert measure(values, again, delta) <= 0.1
    found, losses, sensitivity = by_objects(pool, 0.1, 2.0)
    epsilon = float(dict(found.rows())["epsilon to use"].split()[0])
    assert pmp.exponential_epsilon(losses, epsilon, sensitivity) <= 0.1


def test_an_epsilon_that_promises_nothing_is_called_so():
    far, none, near = (
        choose_epsilon(normal(20, 2) * s, 0.1, clip=5.0, delta=1e-5) for s in (1e-3, 1e-200, 1)
    )
    assert far.epsilon > 20
    assert any("promises nothing by itself" in note for note in far.notes)
    assert none.epsilon == math.inf
    assert "inf" in dict(none.rows())["epsilon to use"]
    assert not near.notes


def test_the_likely_value_never_refuses():
    """A pool whose exact curve is out of reach keeps the certificate in hand."""
    pool = np.append(np.random.default_rng(0).normal(size=39) * 1e-3, 1.0)
    found = timed(pool, 60.0, clip=5.0, delta=1e-5)
    assert found.certificate.kind == "bound"
    assert 50 < found.likely.value <= found.certificate.value <= 60
