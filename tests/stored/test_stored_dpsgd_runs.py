"""What runs of DP-SGD tell at the corners of a grid: made again in part, and runs between them."""

import math
import random

import numpy as np
import pytest
from cornered import texts

from mipbook.dpsgd.contour import training_delta, training_epsilon
from mipbook.dpsgd.profile import PrivacyProfile, schedule
from mipbook.figures.together.five_numbers import _on_page
from mipbook.stored.trained import DELTAS, LADDER, LENGTHS, NOISES, RATES, TOLD, corners
from studies.dpsgd_runs import row

# Each takes the accountant a second.
RUNS = 12
# A published epsilon is so many times the truth at most, where all five numbers lie between points.
WIDE = 2.6
# The run that is published: records 256 of 60,000, noise 1.1, 60 epochs.
PUBLISHED = {"rate": 256 / 60_000, "sigma": 1.1, "delta": 1e-5, "steps": 14_063}
POINTS = {"rate": RATES, "sigma": NOISES, "delta": DELTAS, "steps": LENGTHS}


def drawn(count, seed):
    """Draw runs between the corners, of which something can be told."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        records = round(10 ** draw.uniform(3, 6))
        values = {
            "records": records,
            "batch": max(1, round(records * 10 ** draw.uniform(-3.2, -0.3))),
            "epochs": round(10 ** draw.uniform(0, 2), 1),
            "sigma": round(10 ** draw.uniform(-0.3, 0.7), 3),
            "delta": 10 ** draw.uniform(-7.9, -3),
        }
        rate, steps = schedule(values["records"], values["batch"], values["epochs"])
        if steps < 2e5 and rate * math.sqrt(steps) < 2.0 * values["sigma"]:
            found.append(values)
    return found


def ends(replaced=False):
    high, low = corners(replaced)
    return LADDER[high], LADDER[low]


@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("at", [(256 / 60_000, 1.1), (RATES[27], 2.0)])
def test_a_stored_row_is_what_the_study_says(at, replaced):
    high, low = row(*at, replaced)
    upper, lower = (side[RATES.index(at[0]), NOISES.index(at[1])] for side in ends(replaced))
    shown = upper < 500
    assert shown.mean() > 0.5
    # A row may know less than one that tells more; rungs are a hundredth apart, or closer.
    assert (low <= upper * (1 + 1e-9))[shown].all()
    assert (upper <= 1.021 * high + 2e-5)[shown].all()
    assert (low / 1.035 - 2e-5 <= lower)[:-1][shown[:-1]].all()
    assert (lower <= high * (1 + 1e-9))[:-1].all()
    assert np.median(upper[shown] / np.maximum(high[shown], 1e-9)) > 1


@pytest.mark.parametrize("replaced", [False, True])
def test_more_noise_tells_no_more_and_more_steps_and_rate_no_less(replaced):
    high, _ = ends(replaced)
    with np.errstate(invalid="ignore"):
        for axis, sign in ((0, 1), (1, -1), (3, 1)):
            rise = np.diff(np.log(np.maximum(high, 1e-9)), axis=axis) * sign
            assert not (rise < 0).any(), (axis, np.nanmin(rise))


@pytest.mark.parametrize("values", drawn(RUNS, 38), ids=lambda v: f"{v['records']}-{v['batch']}")
def test_a_run_between_the_corners_is_bounded_on_both_sides(values):
    told = texts(_on_page(), values)
    rate, steps = schedule(values["records"], values["batch"], values["epochs"])
    for kind, neighbours in (("add", "add-remove"), ("swap", "replace")):
        run = PrivacyProfile(rate, values["sigma"], steps, neighbours)
        epsilon = run.epsilon(values["delta"])
        for name, estimate in (("epsilon", epsilon), ("tpr", run.tpr(0.01)), ("low_tpr", run.tpr(0.001))):
            low, high = (number(told[f"{kind}_{name}{end}"]) for end in (".low", ""))
            assert low <= estimate.high, (kind, name)
            assert estimate.low <= high, (kind, name)
        low, high = (2 * number(told[f"{kind}_right{end}"].split()[0]) / 100 - 1 for end in (".low", ""))
        assert low <= run.advantage.high, kind
        assert run.advantage.low <= high, kind
        assert number(told[f"{kind}_epsilon"]) < WIDE * epsilon.high
        if kind == "swap":
            assert 2 - number(told["swap_mis"].split()[0]) / 50 <= run.security + 1e-3


def number(text):
    if text.startswith("not"):
        return math.inf
    return float(text.rstrip("%").replace(",", "")) / (100 if "%" in text else 1)


@pytest.mark.parametrize("axis", POINTS)
def test_a_corner_on_the_other_side_of_an_axis_would_not_hold(axis):
    """The exact contour, at runs that differ from a corner in one number, catches each axis turned round."""
    place = POINTS[axis].index(PUBLISHED[axis])
    left, right = POINTS[axis][place : place + 2]

    def told(value):
        at = {**PUBLISHED, axis: value}
        where = tuple(points.index(at[name]) for name, points in POINTS.items())
        return tuple(float(side[where]) for side in ends())

    between = math.sqrt(left * right)
    run = {**PUBLISHED, axis: round(between) if axis == "steps" else between}
    truth = training_epsilon(run["rate"], run["sigma"], run["steps"], run["delta"])
    less, more = sorted((told(left), told(right)))
    assert less[1] < truth < more[0]
    # The corner on the wrong side promises too much, and would be seen.
    assert less[0] < truth < more[1]


def test_the_published_run_is_at_a_point_of_the_grid():
    rate, sigma, _, steps = PUBLISHED.values()
    at = (RATES.index(rate), NOISES.index(sigma), slice(None), LENGTHS.index(steps))
    high, low = (dict(zip(TOLD, side[at], strict=True)) for side in ends())
    for name, known in (
        ("epsilon at 1e-05", 2.381690),
        ("advantage", training_delta(rate, sigma, steps, 0.0)),
    ):
        assert low[name] < known < high[name] < 1.02 * known
