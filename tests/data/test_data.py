"""Pools of the experiments: what is drawn, scaled and clipped."""

import numpy as np
import pytest

from mipbook import data


def test_points_follow_their_law():
    drawn = data.gaussian_points(200_000, 2, 3.0, np.random.default_rng(1), centre=[1.0, -2.0])
    np.testing.assert_allclose(drawn.mean(axis=0), [1.0, -2.0], atol=0.03)
    np.testing.assert_allclose(drawn.std(axis=0), 3.0, rtol=0.01)
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.01


def test_outliers_are_scaled_and_the_input_is_left_alone():
    values = np.ones((10, 3))
    scaled = data.scale_outliers(values, 2, 100.0, np.random.default_rng(2))
    assert sorted(scaled[:, 0].tolist()) == [1.0] * 8 + [100.0] * 2
    assert (values == 1).all()
    assert (data.scale_outliers(values, 0, 100.0, np.random.default_rng(2)) == values).all()


def test_clipping_keeps_directions_and_short_records():
    rng = np.random.default_rng(3)
    values = rng.normal(size=(50, 4)) * 3
    clipped = data.clip_norm(values, 2.0)
    lengths = np.linalg.norm(values, axis=1)
    np.testing.assert_allclose(np.linalg.norm(clipped, axis=1), np.minimum(lengths, 2.0))
    assert (clipped[lengths <= 2] == values[lengths <= 2]).all()
    cosines = (clipped * values).sum(axis=1) / lengths / np.linalg.norm(clipped, axis=1)
    np.testing.assert_allclose(cosines, 1.0)
    assert (data.clip_norm(values, np.inf) == values).all()
    assert (data.clip_norm(np.zeros((2, 2)), 1.0) == 0).all()


def test_directions_are_uniform():
    drawn = data.unit_vectors(50_000, 3, np.random.default_rng(4))
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=1), 1.0)
    # For a uniform direction in three dimensions each coordinate is uniform on [-1, 1].
    quantiles = np.quantile(drawn[:, 0], [0.1, 0.5, 0.9])
    np.testing.assert_allclose(quantiles, [-0.8, 0.0, 0.8], atol=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: data.gaussian_points(2, 2, 1.0, r, centre=[1.0]), "centre"),
        (lambda r: data.scale_outliers([[1.0]], 2, 10.0, r), "outliers = 2"),
        (lambda r: data.clip_norm([[np.inf]], 1.0), "row 0 holds an infinity"),
        (lambda r: data.clip_norm(np.zeros((2, 2, 2)), 1.0), "values"),
        (lambda r: data.unit_vectors(1, 0, r), "dimension = 0"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        call(np.random.default_rng(0))
