"""The figures of the security chapters: they draw what the package computes."""

import itertools

import numpy as np
import pytest
from shared import named

from mipbook import figures, learners
from mipbook.audit import mean_lower_bound
from mipbook.audit.examples import EXAMPLES
from mipbook.stored import store as stored_runs


def test_the_plank_balances_and_zoe_moves_its_pivot():
    for n, place in ((2, 3.0), (10, 1.5), (100, -2.0), (1000, 1.0)):
        figure = figures.mis.mean_plank(n, 1, place)
        others = np.asarray(named(figure, "other people").x)
        # Balanced without her; of a crowd, up to the heaps that they stand in.
        assert np.mean(others) == pytest.approx(0, abs=1e-12 if n <= 40 else 0.05)
    zoes = [trace for trace in figures.mis.mean_plank(1000, 100).data if trace.name.startswith("Zoe")]
    assert [len(trace.x) for trace in zoes] == [1, 6]


def test_the_sceptic_is_convinced_where_the_certificate_is():
    for file, learner in itertools.product(EXAMPLES, ("tree", "linear")):
        figure = figures.mis.audit_bets(16, file, learner)
        filled = [named(figure, f"{who} told right").x for who in ("members", "strangers")]
        right = np.bincount(np.rint(np.concatenate(filled)).astype(int), minlength=17)[1:]
        proved = "full" in figure.layout.meta["headline"]
        assert proved == (mean_lower_bound(right / 40) > 0.5) == (learner == "tree" and file != EXAMPLES[2])
        assert (max(named(figure, "her coins").y) >= 20) == proved


# --- Overfitting ----------------------------------------------------------------------------------


def test_the_seeds_of_the_paper_run():
    """What is reached, and what is not, depends on the seed; the band and the words say so."""
    run = stored_runs.load("overfitting_1_seeds").arrays
    late = figures.mis.mis_figure_1(threshold=1e-6, iteration=3000)
    low, members, high, fresh = (
        named(late, name).y
        for name in ("members, lowest", "members below", "members, all seeds", "fresh below")
    )
    np.testing.assert_allclose(low, run["train"][:, :, 0].min(axis=0) / 1000)
    np.testing.assert_allclose(high, run["train"][:, :, 0].max(axis=0) / 1000)
    assert all(a <= m <= b for a, m, b in zip(low, members, high, strict=True))
    assert max(fresh) < 0.02


def test_the_live_run_separates_and_is_attacked():
    late = figures.mis.train_and_attack(50, 64, iteration=1000, threshold=1e-4)
    place = named(late, "your iteration")
    assert place.y[2] > 0.95
    rng = np.random.default_rng(20231013)
    members, others = (learners.sine_data(k, 10, 0.1, rng) for k in (50, 500))
    fresh = learners.ReluRegression(64, 0.02, 1000).fit(*members, rng=rng).losses(*others)
    threshold = named(late, "threshold").x[0]
    # The steps left of the threshold hold what is below it.
    edges = np.array(named(late, "fresh losses").x)[1:]
    shares = np.array(named(late, "fresh losses").y)[:-1]  # the last point only closes the outline
    assert shares[edges <= threshold * 1.001].sum() == pytest.approx(place.y[1], abs=1e-9)
    assert shares[edges <= 0.1001].sum() == pytest.approx((fresh <= 0.1).mean(), abs=0.02)


def test_what_figure_2b_integrates_is_what_five_models_count():
    for level in (1e-4, 1e-3, 1e-2, 0.1):
        figure = figures.mis.mis_figure_2b(threshold=level)
        counted, curve = (np.array(named(figure, f"fresh{s}").y) for s in (", counted", " (estimate)"))
        assert np.abs(counted - curve).max() < 0.035
    assert set(named(figures.mis.mis_figure_2b(to=0), "fresh, counted").y) == {None}
