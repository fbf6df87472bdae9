"""Networks trained with clip and noise, LiRA with few shadows, and what DP-SGD tells at a grid's corners."""

import math
import random
from itertools import pairwise, product

import numpy as np
import pytest
from cornered import texts

from mipbook.dpsgd.contour import training_delta, training_epsilon
from mipbook.dpsgd.profile import PrivacyProfile, schedule
from mipbook.figures.together.five_numbers import _on_page
from mipbook.stored import store, trained
from mipbook.stored.trained import LENGTHS, NOISES, RATES, SIGMAS, promised
from studies.dpsgd_runs import row
from studies.few_shadows import played
from studies.trained import trained_promise


def test_the_rate_is_picked_without_the_test_digits():
    arrays, place = store.load("trained_digits").arrays, trained.CLIPS.index(1.0)
    picked = arrays["validation"][0, place].mean(axis=-1).argmax(axis=-1)
    found = trained.trained("softmax", 1.0)
    test = arrays["test"][0, place] / 599
    assert found.accuracy == pytest.approx(test[np.arange(len(SIGMAS)), picked].mean(axis=-1))
    # Picking by the test digits would look at least as good, and somewhere better.
    assert (found.accuracy <= test.mean(axis=-1).max(axis=-1) + 1e-12).all()


def test_what_is_promised_is_the_exact_account():
    again = trained_promise({**trained.PROMISED, "sigmas": (1.0, 4.0)})
    for place, sigma in enumerate((1.0, 4.0)):
        found = promised(sigma)
        for name in ("epsilon", "tpr"):
            assert getattr(found, name) == pytest.approx(again[name][place], rel=1e-9)
        exact = training_delta(trained.RATE, sigma, trained.STEPS, found.epsilon)
        assert exact == pytest.approx(1e-5, rel=1e-6)
    assert promised(1.0).epsilon == pytest.approx(12.39788, abs=1e-4)
    assert promised(1.0).accuracy == pytest.approx(0.84337, abs=1e-5)
    assert all(a.tpr >= b.tpr for a, b in pairwise(map(promised, SIGMAS)))
    # The best attack on the last step's sum alone stays below what is allowed.
    assert promised(12.0).tpr > 0.01


def test_a_smaller_run_falls_where_the_stored_one_says():
    models = (4, 16)
    again = played({**trained.SHADOWS, "dimensions": (20,), "models": models, "draws": 20_000})["tpr"][0]
    each = map(enumerate, (trained.SIMULATED, models, trained.FPRS))
    for (i, attack), (j, count), (k, fpr) in product(*each):
        _, low, high = (ends[trained.MODELS.index(count)] for ends in trained.few_shadows(20, attack, fpr))
        mine_low, mine_high = again[i, j, 1:, k]
        # Two bands of one truth overlap.
        assert max(low, mine_low) <= min(high, mine_high)


# The run that is published: records 256 of 60,000, noise 1.1, 60 epochs.
PUBLISHED = {"rate": 256 / 60_000, "sigma": 1.1, "delta": 1e-5, "steps": 14_063}
POINTS = {"rate": RATES, "sigma": NOISES, "delta": trained.DELTAS, "steps": LENGTHS}


def drawn():
    """Draw runs between the corners, of which something can be told."""
    draw, found = random.Random(38), []
    while len(found) < 12:
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
    high, low = trained.corners(replaced)
    return trained.LADDER[high], trained.LADDER[low]


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


@pytest.mark.parametrize("values", drawn(), ids=lambda v: f"{v['records']}-{v['batch']}")
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
        assert number(told[f"{kind}_epsilon"]) < 2.6 * epsilon.high  # all five numbers lie between points
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
    high, low = (dict(zip(trained.TOLD, side[at], strict=True)) for side in ends())
    exact = {"epsilon at 1e-05": 2.381690, "advantage": training_delta(rate, sigma, steps, 0.0)}
    for name, known in exact.items():
        assert low[name] < known < high[name] < 1.02 * known
