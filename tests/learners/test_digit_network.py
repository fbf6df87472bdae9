"""The network that reads digits."""

import numpy as np
import pytest
from shared import refused

from mipbook import data
from mipbook.learners import ClippedNetwork, DigitNetwork


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
        *(({}, [1.0], [0], "x = "), ({}, [[np.nan]], [0], "number in"), ({}, [[1e30]], [0], "number in")),
        *(({}, [[1.0]], [0, 1], "1 whole numbers"), ({}, [[1.0]], [0.5], "1 whole numbers")),
    ],
)
def test_bad_settings_and_data_are_refused(settings, x, y, message):
    refused(message, DigitNetwork(**settings).fit, x, y, np.random.default_rng(0))


def test_an_untrained_network_says_so():
    refused("call fit first", DigitNetwork().predict, [[1.0]])
    network = DigitNetwork(2, iterations=1).fit([[1.0]], [0], np.random.default_rng(0))
    refused(r"of 1 columns", network.predict, [[1.0, 2.0]])
    refused("y = ", network.losses, [[1.0]], [1])


# --- The network that is trained with clipped gradients and noise ---------------------------------


def _one_step(hidden, clip, x, y, seed=0, **more):
    """Return the weights before and after a step that all records take."""
    made = ClippedNetwork(hidden, clip, 0.0, 1.0, 1, 1e-12, **more)
    before = [w.copy() for w in made.fit(x, y, np.random.default_rng(seed), classes=3).weights]
    made.learning_rate = 1.0
    made._step(x, y, float(len(y)), np.random.default_rng(1))
    return before, made.weights


def _loss(weights, x, y):
    layer = np.hstack([x, np.ones((len(x), 1))])
    for table in weights[:-1]:
        layer = np.hstack([np.tanh(layer @ table), np.ones((len(x), 1))])
    scores = layer @ weights[-1]
    return np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]


def _gradient(weights, x, y):
    """Return one record's gradient by differences."""
    slopes = []
    for table in weights:
        slope = np.zeros_like(table)
        for place in np.ndindex(table.shape):
            kept = table[place]
            table[place] = kept + 1e-6
            up = _loss(weights, x, y)[0]
            table[place] = kept - 1e-6
            slope[place] = (up - _loss(weights, x, y)[0]) / 2e-6
            table[place] = kept
        slopes.append(slope)
    return slopes


@pytest.mark.parametrize("hidden", [0, 4])
@pytest.mark.parametrize("clip", [0.05, 0.6, np.inf])
def test_a_step_adds_up_every_records_gradient_clipped(hidden, clip):
    rng = np.random.default_rng(3)
    x, y = 2 * rng.standard_normal((6, 5)), rng.integers(0, 3, 6)
    before, after = _one_step(hidden, clip, x, y)
    expected = [np.zeros_like(table) for table in before]
    norms = []
    for i in range(6):
        slopes = _gradient([w.copy() for w in before], x[i : i + 1], y[i : i + 1])
        norm = np.sqrt(sum((s**2).sum() for s in slopes))
        norms.append(norm)
        for table, slope in zip(expected, slopes, strict=True):
            table += slope * min(1.0, clip / norm) / 6
    assert max(norms) > 0.6
    for old, new, step in zip(before, after, expected, strict=True):
        assert old - new == pytest.approx(step, abs=2e-7)


def test_one_record_moves_the_sum_by_at_most_the_clip():
    rng = np.random.default_rng(4)
    x, y = 30 * rng.standard_normal((8, 5)), rng.integers(0, 3, 8)
    made = ClippedNetwork(6, 0.7, 0.0, 1.0, 30, 0.5).fit(x, y, rng, classes=3)
    layers, backs = made._slopes(x, y)
    whole = [w.copy() for w in made.weights]
    made.learning_rate = 1.0
    for i in range(8):
        for table, kept in zip(made.weights, whole, strict=True):
            table[:] = kept
        made._step(x[i : i + 1], y[i : i + 1], 1.0, rng)
        moved = [kept - new for kept, new in zip(whole, made.weights, strict=True)]
        assert np.sqrt(sum((m**2).sum() for m in moved)) <= 0.7 * (1 + 1e-12)
    assert len(layers) == len(backs) == 2


def test_the_noise_has_the_deviation_that_was_asked_for():
    # A record of zeros moves only the bias; all else is noise of sigma clip / expected.
    x, y = np.zeros((10, 40)), np.array([0, 1] * 5)
    made = ClippedNetwork(0, 0.5, 3.0, 1.0, 1, 1.0).fit(x, y, np.random.default_rng(5), classes=50)
    noise = made.weights[0][:-1]
    assert noise.std() == pytest.approx(3.0 * 0.5 / 10, rel=0.05)
    assert abs(noise.mean()) < 0.02


def test_records_take_part_by_their_own_coin():
    x, y = np.eye(400)[:, :400], np.zeros(400, dtype=int)
    y[0] = 1
    made = ClippedNetwork(0, 10.0, 0.0, 0.25, 1, 1.0).fit(x, y, np.random.default_rng(6))
    part = (made.weights[0][:-1] != 0).any(axis=1)
    assert 0.18 < part.mean() < 0.32
    # The step is divided by the expected size of the sample, not by the drawn one.
    assert np.abs(made.weights[0][:-1][part]).max() == pytest.approx(0.5 / 100)


def test_scores_are_from_the_definition():
    rng = np.random.default_rng(7)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    made = ClippedNetwork(8, sigma=0.5).fit(x, y, rng)
    chances = np.exp(-_loss(made.weights, x, y))
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


def test_it_refuses_what_it_cannot_train():
    refused("clip", ClippedNetwork, clip=np.inf, sigma=1.0)
    refused("not trained", ClippedNetwork().predict, [[0.0]])
    made = ClippedNetwork(0, sigma=0.0).fit([[0.0], [1.0]], [0, 0], np.random.default_rng(9))
    refused("at least 2 classes", made.log_odds, [[0.0]], [0])
    refused("of 1 columns", made.predict, [[0.0, 1.0]])
