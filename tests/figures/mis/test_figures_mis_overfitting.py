"""The figures of overfitting: what they draw is computed, and what they say is drawn."""

import math

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, learners
from mipbook.stored import store as stored_runs


def _bins(figure, name):
    """Return the shares of a histogram's steps; the last point only closes the outline."""
    return np.array(named(figure, name).y)[:-1]


def test_figure_1_shows_the_stored_run():
    run = stored_runs.load("overfitting_1_n1000_w4096_s0.1").arrays
    figure = figures.mis.mis_figure_1(threshold=1e-4, iteration=1999)
    at = run["iterations"].tolist().index(1950)
    assert named(figure, "your iteration").x[0] == 1950
    for name, side in (("members' losses", "train"), ("fresh losses", "validation")):
        shares = _bins(figure, name)
        np.testing.assert_allclose(np.cumsum(shares)[:-1], run[side][at] / 1000, atol=1e-12)
        assert shares.sum() == pytest.approx(1)


def test_the_seeds_of_the_paper_run():
    """What is reached, and what is not, depends on the seed; the band and the words say so."""
    run = stored_runs.load("overfitting_1_seeds").arrays
    late = figures.mis.mis_figure_1(threshold=1e-6, iteration=3000)
    members, fresh = named(late, "members below").y, named(late, "fresh below").y
    low, high = named(late, "members, lowest").y, named(late, "members, all seeds").y
    np.testing.assert_allclose(low, run["train"][:, :, 0].min(axis=0) / 1000)
    np.testing.assert_allclose(high, run["train"][:, :, 0].max(axis=0) / 1000)
    assert all(a <= m <= b for a, m, b in zip(low, members, high, strict=True))
    assert max(fresh) < 0.02
    other = figures.mis.mis_figure_1(1000, 1024, 0.1, 1e-4)
    assert "seeds" not in sentence(other)
    assert set(named(other, "members, all seeds").y) == {None}
    # A spike undoes it: a small run is worse later than at its best moment.
    small = np.array(named(other, "members below").y)
    assert small.max() > 0.95 > small[small.argmax() :].min() + 0.3


def test_the_live_run_separates_and_is_attacked():
    early = figures.mis.train_and_attack(50, 64, iteration=0, threshold=1e-4)
    late = figures.mis.train_and_attack(50, 64, iteration=1000, threshold=1e-4)
    place = [named(f, "your iteration") for f in (early, late)]
    assert place[0].y[2] == pytest.approx(0.5, abs=0.03)
    assert place[1].y[2] > 0.95
    # Both come from one training; the upper picture moves with the iteration.
    np.testing.assert_array_equal(*(named(f, "members below").y for f in (early, late)))
    upper = [_bins(f, "members' losses") for f in (early, late)]
    assert np.abs(np.subtract(*upper)).max() > 0.2
    rng = np.random.default_rng(20231013)
    members, others = (learners.sine_data(k, 10, 0.1, rng) for k in (50, 500))
    fresh = learners.ReluRegression(64, 0.02, 1000).fit(*members, rng=rng).losses(*others)
    threshold = named(late, "threshold").x[0]
    # The steps left of the threshold hold what is below it.
    edges = np.array(named(late, "fresh losses").x)[1:]
    shares = _bins(late, "fresh losses")
    assert shares[edges <= threshold * 1.001].sum() == pytest.approx(place[1].y[1], abs=1e-9)
    assert shares[edges <= 0.1001].sum() == pytest.approx((fresh <= 0.1).mean(), abs=0.02)


def test_figure_2a_curves_are_exact_and_meet_the_dots():
    figure = figures.mis.mis_figure_2a(threshold=1e-2)
    curve, dots = (named(figure, f"fresh ({kind})") for kind in ("exact", "estimate"))
    at = list(curve.x).index(500)
    law = learners.residual_law(200, 500, math.pi**2 / 500, 0.1)
    assert curve.y[at] == pytest.approx(float(law.below(1e-2)), rel=1e-12)
    assert dots.y[list(dots.x).index(400)] == pytest.approx(curve.y[at], abs=0.06)


def test_what_figure_2b_integrates_is_what_five_models_count():
    for level in (1e-4, 1e-3, 1e-2, 0.1):
        figure = figures.mis.mis_figure_2b(threshold=level)
        counted, curve = (np.array(named(figure, f"fresh{s}").y) for s in (", counted", " (estimate)"))
        assert np.abs(counted - curve).max() < 0.035
    assert set(named(figures.mis.mis_figure_2b(to=0), "fresh, counted").y) == {None}


def test_figure_2a_jumps_where_n_is():
    for vary, to, n in (("n", 0, 20), ("n", 14, 1000), ("noise", 9, 200)):
        figure = figures.mis.mis_figure_2a(vary, to, 1e-4)
        inside = named(figure, "members (exact)")
        assert next(x for x, y in zip(inside.x, inside.y, strict=True) if y == 1) == n
        assert set(named(figure, "members (estimate)").y) == {None}


def test_adam_ends_near_least_squares_but_not_below_it():
    """Beyond n all members are met; what the random start leaves makes fresh losses larger."""
    late = figures.mis.mis_figure_2a_adam(0.05, 2000, 1e-2)
    inside, fresh = (named(late, f"{who}, Adam") for who in ("members", "fresh"))
    solved = dict(zip(*(getattr(named(late, "fresh, solved"), a) for a in "xy"), strict=True))
    assert all(y > 0.98 for x, y in zip(inside.x, inside.y, strict=True) if x >= 300)
    at = dict(zip(fresh.x, fresh.y, strict=True))
    assert solved[500] - 0.3 < at[400] < solved[500] + 0.02


def test_one_more_model_of_the_four_nearest_is_counted_alike():
    rng = np.random.default_rng(5)
    members, others = (learners.sine_data(1000, 10, 0.1, rng) for _ in range(2))
    near = np.argsort(-others.x @ members.x.T, axis=1)[:, :4]
    off = members.y[near].mean(axis=1) - others.y
    share = named(figures.mis.more_neighbours(10, 1e-2), "fresh").y[3]
    assert share == pytest.approx((off**2 <= 1e-2).mean(), abs=0.05)


def test_the_bounds_on_nearly_orthogonal_inputs_hold_by_simulation():
    rng = np.random.default_rng(3)
    for n, d in ((30, 10), (200, 30)):
        low, high = learners.not_orthogonal_bounds(n, d)
        drawn = [learners.sphere_points(n, d, rng) for _ in range(300)]
        failed = [np.abs(x @ x.T - np.eye(n)).max() > np.log(d) / np.sqrt(d) for x in drawn]
        spread = 4 * np.sqrt(0.25 / 300)
        assert low - spread <= np.mean(failed) <= high + spread
    most = learners.most_near_orthogonal(50, 0.99, 10**6)
    assert (
        learners.not_orthogonal_bounds(most, 50)[1] <= 0.01 < learners.not_orthogonal_bounds(most + 1, 50)[1]
    )


def test_members_and_others_part_in_two_rows():
    early, late = (figures.mis.train_and_attack(100, 128, iteration=i) for i in (0, 200))
    for figure in (early, late):
        rows = [named(figure, f"twenty {who}") for who in ("members", "others")]
        assert [set(row.y) for row in rows] == [{1.32}, {1.14}]
        assert max(named(figure, "threshold").y) > 1.32
    apart = [
        np.median(np.log10(named(f, "twenty others").x)) - np.median(np.log10(named(f, "twenty members").x))
        for f in (early, late)
    ]
    assert abs(apart[0]) < 1 < 3 < apart[1]


def test_one_setting_at_a_time_meets_the_paper_and_its_seeds():
    figure = figures.mis.mis_figure_1_vary("records, n", 1.0, 2000, 1e-4)
    assert named(figure, "Figure 1's").x[0] == 5.0
    # Times one is the same run whatever varies.
    runs = [
        [stored_runs.load(f"overfitting_1_vary_{name}").arrays[side][5] for side in ("train", "validation")]
        for name in ("n", "width", "rate", "fresh")
    ]
    assert all((mine == other).all() for run in runs[1:] for mine, other in zip(run, runs[0], strict=True))
    around = named(figure, "members below, all seeds").y
    assert 0 <= min(around) <= max(around) <= 1
