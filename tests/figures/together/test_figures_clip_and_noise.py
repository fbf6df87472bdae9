"""The figures of clip and noise draw what the package computes."""

import numpy as np
import pytest

from mipbook import dpsgd, figures
from mipbook.stored.accounting import SIGMAS


def named(figure, name):
    return next(t for t in figure.data if t.name == name)


def test_the_balance_is_that_of_the_formula():
    figure = figures.together.clip_balance(32.0, SIGMAS[6], 10_000, 1e-5, 3.0)
    total = named(figure, "error in all (exact)")
    for x, y in zip(total.x[::10], total.y[::10], strict=True):
        exact = dpsgd.pareto_clip_error(float(x), 10_000, SIGMAS[6], 2.5, 0.1)
        assert y == pytest.approx(exact.rmse, rel=5e-3)
    star = named(figure, "the best clip (exact)")
    best = dpsgd.best_pareto_clip(10_000, SIGMAS[6], 2.5, 0.1)
    assert star.x[0] == pytest.approx(best, rel=1e-9)
    assert star.y[0] <= min(total.y) * 1.005


def test_the_noise_buys_what_the_truth_says():
    for sigma in (SIGMAS[3], SIGMAS[8]):
        figure = figures.together.clip_balance(32.0, sigma, 1000, 1e-5, 3.0)
        mark = named(figure, "at your noise")
        truth = dpsgd.training_epsilon(0.1, sigma, 100, 1e-5)
        assert truth < mark.y[0] < 1.001 * truth
    curve = named(figure, "ε that can be promised (bound)")
    assert len(curve.x) == len(SIGMAS)
    assert (np.diff(curve.y) < 0).all()


def test_drawn_means_lie_around_the_formula():
    figure = figures.together.clipped_means(4.0, 1.0)
    drawn = named(figure, "steps drawn (simulation)")
    assert sum(drawn.y) == 5000
    error = dpsgd.pareto_clip_error(4.0, 100, 1.0, 2.5)
    middle = np.average(drawn.x, weights=drawn.y)
    assert middle == pytest.approx(5 / 3 + error.bias, abs=0.02)
    assert middle != pytest.approx(5 / 3, abs=0.02)


def test_the_width_of_the_noise_tells_what_the_package_computes():
    for parameters, n in ((100_000, 60_000), (1_000_000, 60_000), (100, 10**8)):
        figure = figures.together.divisor_leak(parameters, n)
        drawn = named(figure, "right by the width of the noise (exact)")
        told = dpsgd.divisor_advantage(n, 14_062.0 * parameters)
        assert drawn.y[list(drawn.x).index(parameters)] == pytest.approx(50 + 50 * told)
        assert named(figure, "at your model").y[0] == pytest.approx(50 + 50 * told)
    allowed = dpsgd.training_delta(256 / 60_000, 1.1, 14_062, 0.0)
    level = named(figure, "all that the theorem allows (exact)")
    assert list(level.y) == pytest.approx([50 + 50 * allowed] * 2)
