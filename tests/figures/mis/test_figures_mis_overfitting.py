"""The figures of overfitting: what they draw is computed, and what they say is drawn."""

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


def test_what_figure_2b_integrates_is_what_five_models_count():
    for level in (1e-4, 1e-3, 1e-2, 0.1):
        figure = figures.mis.mis_figure_2b(threshold=level)
        counted, curve = (np.array(named(figure, f"fresh{s}").y) for s in (", counted", " (estimate)"))
        assert np.abs(counted - curve).max() < 0.035
    assert set(named(figures.mis.mis_figure_2b(to=0), "fresh, counted").y) == {None}
