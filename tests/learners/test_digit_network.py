"""The network that reads digits."""

import numpy as np
import pytest

from mipbook import data
from mipbook.learners import DigitNetwork


def test_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((12, 5)), rng.integers(0, 3, 12)
    network = DigitNetwork(width=7, iterations=3).fit(x, y, rng, classes=3)
    # Double precision, so that differences are not rounding.
    network._weights = [w.astype(float) for w in network._weights]
    loss, slopes = network._slopes(x, y)
    assert loss == pytest.approx(network._slopes(x, y)[0])
    for weight, slope in zip(network._weights, slopes, strict=True):
        for _ in range(3):
            place = tuple(rng.integers(0, size) for size in weight.shape)
            kept = weight[place]
            weight[place] = kept + 1e-6
            up = network._slopes(x, y)[0]
            weight[place] = kept - 1e-6
            down = network._slopes(x, y)[0]
            weight[place] = kept
            assert slope[place] == pytest.approx((up - down) / 2e-6, abs=1e-5)


def test_losses_and_accuracy_are_from_the_definition():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    network = DigitNetwork(width=16, iterations=50).fit(x, y, rng, classes=3)
    scores = network._scores(x).astype(float)
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert network.losses(x, y) == pytest.approx(-np.log(chances[np.arange(40), y]), abs=1e-5)
    assert network.accuracy(x, y) == (chances.argmax(axis=1) == y).mean()
    assert network.training_losses.shape == (50,)
    assert network.training_losses[-1] < network.training_losses[0]


def test_it_learns_digits_and_memorises():
    found = data.digits()
    order = np.random.default_rng(3).permutation(5000)
    train, test = order[:500], order[500:1500]
    network = DigitNetwork(iterations=200).fit(
        found.images[train], found.labels[train], np.random.default_rng(4), show=False
    )
    assert network.accuracy(found.images[train], found.labels[train]) > 0.99
    assert 0.8 < network.accuracy(found.images[test], found.labels[test]) < 0.95
    inside = network.losses(found.images[train], found.labels[train])
    outside = network.losses(found.images[test], found.labels[test])
    assert np.median(inside) < np.median(outside)


def test_the_network_repeats_itself_and_survives_extremes():
    x, y = np.array([[1e3, 0.0], [0.0, -1e3], [1e3, 1e3]]), [0, 1, 2]
    fits = [DigitNetwork(4, 1.0, 40).fit(x, y, np.random.default_rng(5)).losses(x, y) for _ in "ab"]
    assert np.array_equal(*fits)
    assert np.isfinite(fits).all()
    assert np.min(fits) >= 0
    one = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(6))
    assert one.losses([[1.0]], [0])[0] == 0.0


@pytest.mark.parametrize(
    ("settings", "x", "y", "message"),
    [
        ({}, [1.0], [0], "x = "),
        ({}, [[np.nan]], [0], "number in"),
        ({}, [[1e30]], [0], "number in"),
        ({}, [[1.0]], [0, 1], "1 whole numbers"),
        ({}, [[1.0]], [0.5], "1 whole numbers"),
        ({}, [[1.0]], [-1], "y = "),
    ],
)
def test_bad_settings_and_data_are_refused(settings, x, y, message):
    with pytest.raises(ValueError, match=message):
        DigitNetwork(**settings).fit(x, y, np.random.default_rng(0))


def test_an_untrained_network_says_so():
    with pytest.raises(ValueError, match="call fit first"):
        DigitNetwork().predict([[1.0]])
    network = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"of 1 columns"):
        network.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="y = "):
        network.losses([[1.0]], [1])
