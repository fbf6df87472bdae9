"""The network that reads digits, and the one that is trained with clipped gradients and noise."""

import numpy as np
import pytest
from shared import refused

from mipbook import data
from mipbook.learners import ClippedNetwork, DigitNetwork


def slope_at(table, place, loss):
    """Return by differences how a loss changes with one weight."""
    kept, ends = table[place], []
    for moved in (kept + 1e-6, kept - 1e-6):
        table[place] = moved
        ends.append(loss())
    table[place] = kept
    return (ends[0] - ends[1]) / 2e-6


def test_slopes_are_those_of_the_loss():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((12, 5)), rng.integers(0, 3, 12)
    network = DigitNetwork(width=7, iterations=3).fit(x, y, rng, classes=3)
    # Double precision, so that differences are not rounding.
    network._weights = [w.astype(float) for w in network._weights]
    _, slopes = network._slopes(x, y)
    for weight, slope in zip(network._weights, slopes, strict=True):
        for _ in range(3):
            place = tuple(rng.integers(0, size) for size in weight.shape)
            differences = slope_at(weight, place, lambda: network._slopes(x, y)[0])
            assert slope[place] == pytest.approx(differences, abs=1e-5)


def test_losses_and_accuracy_are_from_the_definition():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    network = DigitNetwork(width=16, iterations=50).fit(x, y, rng, classes=3)
    odds = np.exp(network._scores(x).astype(float))
    assert network.losses(x, y) == pytest.approx(np.log(odds.sum(axis=1) / odds[np.arange(40), y]), abs=1e-5)
    assert network.accuracy(x, y) == (odds.argmax(axis=1) == y).mean()
    assert network.training_losses.shape == (50,)
    assert network.training_losses[-1] < network.training_losses[0]


def test_the_network_repeats_itself_and_survives_extremes():
    x, y = np.array([[1e3, 0.0], [0.0, -1e3], [1e3, 1e3]]), [0, 1, 2]
    fits = [DigitNetwork(4, 1.0, 40).fit(x, y, np.random.default_rng(5)).losses(x, y) for _ in "ab"]
    assert np.array_equal(*fits)
    assert np.isfinite(fits).all()
    assert np.min(fits) >= 0
    one = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(6))
    assert one.losses([[1.0]], [0])[0] == 0.0


def test_bad_data_and_an_untrained_network_are_refused():
    rng = np.random.default_rng(0)
    for message, x, y in (
        ("x = ", [1.0], [0]),
        ("number in", [[np.nan]], [0]),
        ("number in", [[1e30]], [0]),
        ("1 whole numbers", [[1.0]], [0, 1]),
        ("1 whole numbers", [[1.0]], [0.5]),
    ):
        refused(message, DigitNetwork().fit, x, y, rng)
    refused("call fit first", DigitNetwork().predict, [[1.0]])
    network = DigitNetwork(2, iterations=1).fit([[1.0]], [0], rng)
    refused(r"of 1 columns", network.predict, [[1.0, 2.0]])
    refused("y = ", network.losses, [[1.0]], [1])
    refused("clip", ClippedNetwork, clip=np.inf, sigma=1.0)
    refused("not trained", ClippedNetwork().predict, [[0.0]])
    made = ClippedNetwork(0, sigma=0.0).fit([[0.0], [1.0]], [0, 0], rng)
    refused("at least 2 classes", made.log_odds, [[0.0]], [0])
    refused("of 1 columns", made.predict, [[0.0, 1.0]])


# --- The network that is trained with clipped gradients and noise ---------------------------------


def loss(weights, x, y):
    layer = np.hstack([x, np.ones((len(x), 1))])
    for table in weights[:-1]:
        layer = np.hstack([np.tanh(layer @ table), np.ones((len(x), 1))])
    scores = layer @ weights[-1]
    return np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]


def length(tables):
    return np.sqrt(sum((table**2).sum() for table in tables))


@pytest.mark.parametrize("hidden", [0, 4])
@pytest.mark.parametrize("clip", [0.05, 0.6, np.inf])
def test_a_step_adds_up_every_records_gradient_clipped(hidden, clip):
    rng = np.random.default_rng(3)
    x, y = 2 * rng.standard_normal((6, 5)), rng.integers(0, 3, 6)
    made = ClippedNetwork(hidden, clip, 0.0, 1.0, 1, 1e-12)
    before = [w.copy() for w in made.fit(x, y, np.random.default_rng(0), classes=3).weights]
    expected, norms = [np.zeros_like(table) for table in before], []
    for i in range(6):
        one, slopes = slice(i, i + 1), [np.zeros_like(table) for table in before]
        for table, slope in zip(before, slopes, strict=True):
            for place in np.ndindex(table.shape):
                slope[place] = slope_at(table, place, lambda one=one: loss(before, x[one], y[one])[0])
        norms.append(length(slopes))
        for table, slope in zip(expected, slopes, strict=True):
            table += slope * min(1.0, clip / norms[-1]) / 6
    assert max(norms) > 0.6
    made.learning_rate = 1.0
    made._step(x, y, 6.0, np.random.default_rng(1))
    for old, new, step in zip(before, made.weights, expected, strict=True):
        assert old - new == pytest.approx(step, abs=2e-7)


def test_one_record_moves_the_sum_by_at_most_the_clip():
    rng = np.random.default_rng(4)
    x, y = 30 * rng.standard_normal((8, 5)), rng.integers(0, 3, 8)
    made = ClippedNetwork(6, 0.7, 0.0, 1.0, 30, 0.5).fit(x, y, rng, classes=3)
    made.learning_rate = 1.0
    for i in range(8):
        before = [w.copy() for w in made.weights]
        made._step(x[i : i + 1], y[i : i + 1], 1.0, rng)
        moved = [old - new for old, new in zip(before, made.weights, strict=True)]
        assert 0 < length(moved) <= 0.7 * (1 + 1e-12)


def test_the_noise_has_the_deviation_that_was_asked_for():
    # A record of zeros moves only the bias; all else is noise of sigma clip / expected.
    x, y = np.zeros((10, 40)), np.array([0, 1] * 5)
    made = ClippedNetwork(0, 0.5, 3.0, 1.0, 1, 1.0).fit(x, y, np.random.default_rng(5), classes=50)
    noise = made.weights[0][:-1]
    assert noise.std() == pytest.approx(3.0 * 0.5 / 10, rel=0.05)
    assert abs(noise.mean()) < 0.02


def test_records_take_part_by_their_own_coin():
    y = (np.arange(400) == 0).astype(int)
    made = ClippedNetwork(0, 10.0, 0.0, 0.25, 1, 1.0).fit(np.eye(400), y, np.random.default_rng(6))
    part = (made.weights[0][:-1] != 0).any(axis=1)
    assert 0.18 < part.mean() < 0.32
    # The step is divided by the expected size of the sample, not by the drawn one.
    assert np.abs(made.weights[0][:-1][part]).max() == pytest.approx(0.5 / 100)


def test_scores_are_from_the_definition():
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    made = ClippedNetwork(8, sigma=0.5).fit(x, y, rng)
    chances = np.exp(-loss(made.weights, x, y))
    assert made.losses(x, y) == pytest.approx(-np.log(chances))
    assert made.log_odds(x, y) == pytest.approx(np.log(chances / (1 - chances)))
    assert made.accuracy(x, y) == (made.predict(x) == y).mean()


def test_it_reads_small_digits():
    x, y = data.small_digits()
    assert x.shape == (1797, 64)
    assert x.max() == 1.0
    assert np.bincount(y).min() == 174
    made = ClippedNetwork(32, sigma=1.0, learning_rate=2.0)
    made.fit(x[:900], y[:900], np.random.default_rng(8))
    assert 0.85 < made.accuracy(x[900:], y[900:]) < 0.97
