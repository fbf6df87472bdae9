"""Choosing epsilon: the certificate holds, nothing smaller would, and bad data is refused."""

import math
import re

import numpy as np
import pytest
from shared import refused

from mipbook import data, pmp, tradeoff
from mipbook.choose import choose_epsilon, examples

RNG = np.random.default_rng(1)
LINE = RNG.normal(size=(20, 1))
CLOUD = RNG.normal(size=(60, 3))
OBJECTS = np.concatenate([np.eye(3), -np.eye(3)])


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
    assert certified <= target
    assert measure(values, found.sigma * 0.995, delta) > target
    dp = tradeoff.gaussian_epsilon(delta, sigma=found.sigma, sensitivity=2 * 3.0 / n)
    assert found.epsilon == pytest.approx(dp)
    assert found.likely.value <= certified <= found.subset_epsilon.value <= found.epsilon
    limit = (math.exp(certified) + delta) / (1 + math.exp(certified))
    assert found.success == pytest.approx(limit)
    assert found.likely_success.value <= found.success * (1 + 1e-9)


@pytest.mark.parametrize("target", [0.05, 0.5])
def test_exponential_certificate_is_exact_and_the_next_step_breaks_it(target):
    pool = CLOUD[:14]
    found = choose_epsilon(pool, target, mechanism="exponential", clip=4.0, objects=OBJECTS)
    losses = pmp.norm_losses(data.clip_norm(pool, 4.0), OBJECTS)
    sensitivity = pmp.norm_sensitivity(7, 4.0)
    exact = pmp.exponential_epsilon(losses, found.epsilon, sensitivity)
    assert exact == found.certificate.value == found.likely.value <= target
    assert pmp.exponential_epsilon(losses, found.epsilon * 1.005, sensitivity) > target
    _, right = pmp.exponential_risks(losses, found.epsilon, sensitivity)
    assert found.likely_success.value == pytest.approx(right)
    assert right <= found.success
    assert found.subset_epsilon.value == pytest.approx(pmp.subset_epsilon(losses, found.epsilon, sensitivity))


def test_the_scan_stops_at_the_first_break():
    """On a pool whose parameter falls again, the far epsilons that pass are not taken."""
    pool = np.array([4.406, -2.497, 0.855, 1.780, -0.236, -1.443])
    objects = [[1.0], [1.0], [-1.0]]
    found = choose_epsilon(pool, 1.0, mechanism="exponential", clip=5.0, objects=objects)
    losses, sensitivity = pmp.norm_losses(pool, objects), pmp.norm_sensitivity(3, 5.0)
    far = 160.0 * sensitivity
    assert pmp.exponential_epsilon(losses, far, sensitivity) < 1.0
    assert found.epsilon < far
    below = np.geomspace(found.epsilon / 100, found.epsilon, 40)
    assert max(pmp.exponential_epsilon(losses, float(e), sensitivity) for e in below) <= 1.0


def test_large_pools_are_certified_by_a_bound_and_say_so():
    arguments = {"mechanism": "exponential", "clip": 4.0, "objects": OBJECTS, "budget": 1.0}
    losses = pmp.norm_losses(data.clip_norm(CLOUD, 4.0), OBJECTS)
    sensitivity = pmp.norm_sensitivity(30, 4.0)
    found = choose_epsilon(CLOUD, 0.1, **arguments)
    bound = pmp.exponential_epsilon_bound(losses, found.epsilon, sensitivity)
    assert found.certificate.kind == "bound"
    assert bound <= found.certificate.value <= 0.1
    assert pmp.exponential_epsilon_bound(losses, found.epsilon * 1.003, sensitivity) > 0.1
    # Far more than the largest change by one swap certifies, and near what is likely.
    assert pmp.epsilon_cap(losses, found.epsilon, sensitivity) > 0.2
    assert 0.07 < found.likely.value <= found.certificate.value
    # Nothing is called certain that chance is part of.
    certain = dict(found.rows())["eps~, certain"]
    assert certain.endswith("(bound)")
    assert "times in 100" in dict(found.rows())["an attacker who knows the pool is right"]


def test_a_scan_that_never_breaks_says_so(monkeypatch):
    monkeypatch.setattr("mipbook.choose.search._LARGEST", 2.0)
    found = choose_epsilon(LINE[:6], 5.0, mechanism="exponential", clip=3.0, objects=[[1.0], [-1.0]])
    assert found.epsilon == 2.0
    assert "was not tried" in found.notes[0]
    same = choose_epsilon(LINE[:6], mechanism="exponential", clip=3.0, objects=[[1.0], [1.0]])
    assert same.certificate.value == 0.0
    assert same.likely_success.value == 0.5


def test_more_than_one_kind_of_data():
    class Frame:
        """What numpy and this package need of a data frame."""

        columns = ("age", "weight")

        def __array__(self, dtype=None, copy=None):
            return np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 8.0], [4.0, 4.0]], dtype=dtype)

    frame = choose_epsilon(Frame(), 0.5, clip=10.0, delta=0.01)
    plain = choose_epsilon(np.asarray(Frame()).tolist(), 0.5, clip=10.0, delta=0.01)
    assert frame.sigma == plain.sigma
    whole = choose_epsilon(np.array([1, 2, 4, 8], dtype=np.int32), 0.5, clip=9.0, delta=0.01)
    assert whole.sigma > 0
    twins = choose_epsilon([1.0, 1.0, 2.0, 3.0], 0.5, clip=9.0, delta=0.01, by_index=True)
    assert twins.records == 4


def test_the_report_reads_well():
    found = choose_epsilon(LINE, clip=1.0, delta=1e-3)
    text, page = str(found), found._repr_html_()
    for word in ("epsilon to use", "certain", "likely", "Not promised", "Composition", "bound"):
        assert word in text
        assert word in page
    assert f"{found.clipped} of 20" in text
    assert found.clipped > 0
    pair = choose_epsilon([0.0, 1.0], 0.5, clip=1.0, delta=0.01)
    assert "PMP is DP" in pair.notes[0]
    assert pair.certificate.value == pytest.approx(pair.subset_epsilon.value, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": LINE[:19]}, "data = '19 records': must be an even number"),
        ({"data": np.zeros((2, 2, 2))}, "data = 'of shape"),
        ({"data": [[1.0], [2.0, 3.0]]}, "data = "),
        ({"data": [["a"], ["b"]]}, "column 0"),
        ({"data": [[True], [False]]}, "column 0"),
        ({"data": np.where(np.arange(20)[:, None] == 3, np.nan, LINE)}, "row 3: nan"),
        ({"data": np.vstack([LINE[:19], LINE[4]])}, "rows 4 and 19 are equal"),
        ({"clip": None}, "clip = None"),
        ({"clip": 0.0}, "clip = 0.0"),
        ({"delta": 0.0}, "delta = 0.0"),
        ({"delta": 1.0}, "delta = 1.0"),
        ({"mechanism": "exponential"}, "objects = None"),
        ({"mechanism": "exponential", "objects": [[2.0]]}, "of Euclidean length 1"),
        ({"mechanism": "exponential", "objects": [[1.0, 0.0]]}, "of dimension 1"),
        ({"data": np.full((4, 1), 7.0), "by_index": True}, "all equal after clipping"),
    ],
)
def test_bad_input_is_refused_with_the_mend(change, message):
    refused(message, choose_epsilon, **{"data": LINE, "clip": 3.0, **change})


# --- The stored choices on the example pools: searched again in part, and read as they were found

CASES = [
    ("200 people", "gaussian", 0.1, 5.0, 1e-3),
    ("200 people", "exponential", 0.5, 20.0, 1e-5),
    ("20 people", "gaussian", 0.02, 2.0, 1e-5),
    ("20 people", "exponential", 1.0, 2.0, 1e-3),
    ("60 with outliers", "gaussian", 0.01, 20.0, 1e-3),
]


def alike(report, other):
    """Compare words, and numbers but for their last digits, which processors round differently."""
    one, two = (re.split(r"(-?\d+\.\d+(?:e[-+]?\d+)?)", repr(each)) for each in (report, other))
    numbers = [float(number) for number in two[1::2]]
    return one[::2] == two[::2] and list(map(float, one[1::2])) == pytest.approx(numbers, rel=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_stored_choices_are_found_again(case):
    name, *rest = case
    stored, again = (examples.example_choice(*case), examples.chosen(examples.example_pool(name), *rest))
    assert alike(stored, again)
    # Another target has another answer: to be alike means something.
    assert not alike(stored, examples.example_choice(name, rest[0], 0.3, *rest[2:]))


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


def test_a_stored_certificate_holds_by_the_bound_itself():
    name = "60 with outliers"
    found = examples.example_choice(name, "gaussian", 0.25, 2.0, 1e-3)
    short = data.clip_norm(examples.example_pool(name), 2.0) / 30
    assert pmp.gaussian_epsilon_bound(short, found.sigma, 1e-3) <= 0.25 * (1 + 1e-12)
    assert pmp.gaussian_epsilon_bound(short, 0.99 * found.sigma, 1e-3) > 0.25
    dp = tradeoff.gaussian_epsilon(1e-3, sigma=found.sigma, sensitivity=4 / 30)
    assert found.epsilon == pytest.approx(dp)
