"""Pictures of the Gaussian mechanism: what they draw is what the numerics say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, pmp, tradeoff


# Means over 20 pools and 95% half widths from an independent implementation.
@pytest.mark.parametrize(
    ("held", "over_subset", "half", "over_all"),
    [
        ("subset", [0.686, 0.699, 0.706, 0.711, 0.713], 0.013, [0.0308, 0.0160]),
        ("epsilon", [0.011, 0.50, 0.61, 0.66, 0.684], 0.015, [0.0002, 0.0309]),
    ],
)
def test_figure_4_draws_the_ratios_of_the_literal_reading(held, over_subset, half, over_all):
    figure = figures.pmp.pmp_figure_4(held=held)
    assert list(named(figure, "eps~ / eps(X)").x) == [0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0]
    drawn = np.asarray(named(figure, "eps~ / eps(X)").y)[[0, 1, 2, 4, 6]]
    np.testing.assert_allclose(drawn, over_subset, atol=3 * half)
    drawn = np.asarray(named(figure, "eps~ / eps (").y)[[0, 6]]
    np.testing.assert_allclose(drawn, over_all, rtol=0.1, atol=3e-4)
    assert (named(figure, "quoted").x, named(figure, "quoted").y) == ((10.0,), (0.09,))


def test_figure_4_says_fairly_what_the_quote_needs():
    subset, epsilon = (sentence(figures.pmp.pmp_figure_4(held=h)) for h in ("subset", "epsilon"))
    assert any(f"what comes out is {v}" in subset for v in ("6.", "7."))
    assert "falls along the axis" in subset
    assert "is below that, but eps(X) is then 0.4" in epsilon
    curve = np.asarray(named(figures.pmp.pmp_figure_4(held="subset"), "eps~ / eps (").y)
    assert (np.diff(curve) < 0).all()
    # Half the sensitivity is half the noise, and a different number.
    half = sentence(figures.pmp.pmp_figure_4(held="epsilon", sensitivity="C/n"))
    assert half != epsilon
    assert "belongs to n = 100" in sentence(figures.pmp.pmp_figure_4(n=25, trials=5))


def test_conventions_with_equal_noise_share_the_bound():
    # eps(X) held fixed sets the noise by the pool; the convention only renames eps.
    one, two = (figures.pmp.pmp_figure_4("subset", s, trials=5) for s in ("2C/n", "C/n"))
    same = [np.asarray(named(f, "eps~ / eps(X)").y) for f in (one, two)]
    np.testing.assert_array_equal(*same)
    other = [np.asarray(named(f, "eps~ / eps (").y) for f in (one, two)]
    assert (other[1] > 1.5 * other[0]).all()


def test_figure_5_and_its_quote():
    figure = figures.pmp.pmp_figure_5()
    drawn = np.asarray(named(figure, "eps~ / eps (").y)
    # eps~ = 2.984, 2.144, 2.009 and 1.695 at C = 20, 50, 100, 200.
    np.testing.assert_allclose(5 * drawn[[0, 2, 4]], [2.984, 2.144, 2.009], rtol=0.02)
    assert 5 * drawn[6] == pytest.approx(1.695, abs=0.3)
    assert named(figure, "quoted").y[0] == 0.2
    assert drawn[4] > 0.38
    assert "does not come out" in sentence(figure)
    assert "eps~/eps falls all the way" in sentence(figure)
    assert "does not come out" not in sentence(figures.pmp.pmp_figure_5(epsilon=1.0, trials=5))
    ordinary = np.asarray(named(figures.pmp.pmp_figure_5(outliers=0, trials=5), "eps~ / eps (").y)
    assert not np.allclose(ordinary, drawn, rtol=0.05)


def test_figure_6_rises():
    for held, at in (("epsilon", [0.0266, 0.0684, 0.152, 0.264, 0.409]), ("subset", None)):
        figure = figures.pmp.pmp_figure_6(held=held)
        for start in ("eps~ / eps(X)", "eps~ / eps ("):
            assert (np.diff(np.asarray(named(figure, start).y)) > 0).all()
        assert sentence(figure).count("rises all the way") == 2
        if at:
            drawn = 5 * np.asarray(named(figure, "eps~ / eps (").y)[[0, 2, 4, 5, 6]]
            np.testing.assert_allclose(drawn, at, rtol=0.1, atol=0.006)
    assert (
        "rises"
        not in sentence(figures.pmp.pmp_figure_6(epsilon=1.0, trials=5))
        .split("eps~/eps ")[0]
        .split("With the dimension")[1]
    )


def test_bands_narrow_with_the_trials():
    def width(trials):
        band = figures.pmp.pmp_figure_6(trials=trials).data[0].y
        half = len(band) // 2
        return np.mean(np.log(np.asarray(band[:half]) / np.asarray(band[half:])[::-1]))

    assert width(20) < 0.8 * width(5)


def test_hockey_stick_area_is_the_delta_it_says():
    for n, sigma, epsilon in ((1, 0.5, 0.5), (6, 0.5, 0.25), (25, 0.2, 0.0)):
        figure = figures.pmp.hockey_stick(n, sigma, epsilon=epsilon)
        inside, out = (np.asarray(named(figure, f"record {w}").y) for w in ("in", "out"))
        x = np.asarray(named(figure, "record in").x)
        for curve in (inside, out):
            # At n = 1 the other record's law reaches out of the picture.
            assert np.trapezoid(curve, x) == pytest.approx(1.0, abs=0.05)
        area = np.trapezoid(np.maximum(inside - math.exp(epsilon) * out, 0), x)
        said = float(sentence(figure).split("delta = ")[1].split(" ")[0])
        assert area == pytest.approx(said, abs=0.01)
        assert abs(area - 1.2 * said) > abs(area - said)


def test_hockey_stick_ladder_is_ordered():
    for n in (1, 6, 25, 100):
        for sigma in (0.35, 1.0):
            marks = figures.pmp.hockey_stick(n, sigma).data[-1]
            inside_x, bound, between, exact, normal = marks.x
            slack = marks.error_x.array[2] + 1e-9
            assert inside_x >= bound * (1 - 1e-9)
            assert bound >= between - marks.error_x.arrayminus[2] - 1e-9
            assert between + slack >= exact
            assert normal == pytest.approx(exact, rel=0.15, abs=0.01)
            if n == 1:
                assert exact == pytest.approx(inside_x, rel=1e-9)
            if n == 100 and sigma == 0.35:
                assert exact < 0.3 * bound


def test_hockey_stick_says_what_happens_at_the_ends():
    assert "which is exact here" in sentence(figures.pmp.hockey_stick(n=1))
    assert "delta < 10⁻¹²" in sentence(figures.pmp.hockey_stick(n=100, sigma=2.0, epsilon=4.0))
    assert "eps~ = 0 is enough" in sentence(
        figures.pmp.hockey_stick(n=100, sigma=5.0, record="an ordinary one")
    )
    far, near = (
        figures.pmp.hockey_stick(25, record=r).data[-1].x[3]
        for r in ("the farthest", "an ordinary one")
    )
    assert near < 0.5 * far


def test_scaling_meets_the_reported_looseness():
    figure = figures.pmp.gaussian_scaling(10.0, 100)
    bound, exact = (np.asarray(named(figure, s).y) for s in ("Prop. 12", "eps~ (exact)"))
    assert exact[0] == pytest.approx(10.0, rel=1e-9)
    assert bound[0] == pytest.approx(10.0, rel=1e-9)
    assert (exact <= bound * (1 + 1e-12)).all()
    assert 7 < bound[7] / exact[7] < 13
    rng = np.random.default_rng((20246, 0))
    values = rng.standard_normal(200) / 100
    sigma = tradeoff.gaussian_sigma(10.0, 0.01, pmp.diameter(values))
    assert pmp.gaussian_epsilon_exact(values, sigma, 0.01) == pytest.approx(exact[7], rel=0.3)
    assert f"{bound[7] / exact[7]:.1f} times less" in sentence(figure)
    assert "all 1 (exact)" in sentence(figures.pmp.gaussian_scaling(1.0, 1))
