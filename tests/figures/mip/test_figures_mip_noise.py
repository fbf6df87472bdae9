"""The figures of noise: what they draw is what the package computes."""

import numpy as np
import pytest
from shared import named

from mipbook import figures, mip


def test_noise_against_eta_at_the_papers_point():
    figure = figures.mip.noise_vs_eta(n=36, M=2, eta=0.1)
    dots = named(figure, "at your η").y
    assert dots == pytest.approx((234948.7111208083, 3794.55999979093, 4.48142011747), rel=1e-10)


@pytest.mark.parametrize("M", [2, 3, 8])
def test_noise_curves_are_the_package_functions(M):
    figure = figures.mip.noise_vs_eta(n=24, M=M)
    curve = named(figure, "MIP, published")
    spread = mip.reciprocal_absolute_moment(24, M)
    want = mip.noise_scale(np.asarray(curve.x), M=M, as_published=True) * spread
    np.testing.assert_allclose(curve.y, want, rtol=1e-14)


@pytest.mark.parametrize("n", [6, 8, 10])
def test_fatal_subset_shows_every_half(n):
    outputs, _ = mip.reciprocal_outputs(n)
    records, before = mip.reciprocal_data_set(n), 0.0
    for half in (0, 2.5, 50, 97.5, 100):
        figure = figures.mip.fatal_subset(0.001, half, n)
        np.testing.assert_allclose(named(figure, "all draws").y, np.sort(outputs), rtol=1e-12)
        seats = np.array(named(figure, "those drawn").y)
        drawn = seats > seats.min()
        assert drawn.sum() == n // 2
        answer = named(figure, "this draw").y[0]
        assert answer == pytest.approx(1 / records[drawn].sum(), rel=1e-9)
        assert answer >= before
        before = answer
    assert answer == pytest.approx(outputs.max(), rel=1e-12)


def test_exact_noise_lies_below_its_bounds():
    figure = figures.mip.exact_noise(0.1)
    truth = np.array(named(figure, "smallest sufficient").y)
    for name in ("DP", "MIP, published", "MIP, tight"):
        assert (truth < np.array(named(figure, name).y)).all()
    for n, scale in zip(named(figure, "DP").x, truth, strict=True):
        outputs, members = mip.reciprocal_outputs(n)
        assert mip.laplace_eta(outputs, members, scale) == pytest.approx(0.1, rel=1e-9)


def test_print_figure_draws_the_papers_lines():
    lines = figures.mip.noise_vs_eta_print((36, 48)).axes[0].lines
    assert [line.get_label() for line in lines] == [
        "MIP, any n (bound)",
        "DP, n = 36 (exact)",
        "DP, n = 48 (exact)",
    ]
    eta, noise = lines[2].get_data()
    np.testing.assert_allclose(noise, mip.laplace_dp_scale(eta, mip.reciprocal_sensitivity(48)))


@pytest.mark.parametrize("sizes", [(36, 41), (), (2,), "36"])
def test_bad_sizes_of_the_print_figure_are_named(sizes):
    with pytest.raises(ValueError, match="^sizes = "):
        figures.mip.noise_vs_eta_print(sizes)
