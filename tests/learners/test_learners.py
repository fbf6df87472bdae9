"""The learners, the data they are trained on, and what they refuse."""

import math
from unittest import mock

import numpy as np
import pytest
from shared import refused

from mipbook import data, learners
from mipbook.learners import ClippedNetwork, DigitNetwork, descended


def generator(seed=0):
    return np.random.default_rng(seed)


ALL = [lambda: learners.ReluRegression(32, 0.02, 50), learners.MinimumNorm, learners.NearestNeighbour]


@pytest.mark.parametrize("make", ALL)
def test_losses_are_the_squared_errors_of_the_predictions(make):
    x, y = learners.sine_data(12, 4, 0.1, generator())
    learner = make()
    assert learner.fit(x, y, rng=generator()) is learner
    fresh = learners.sine_data(7, 4, 0.1, generator(1))
    expected = (learner.predict(fresh.x) - fresh.y) ** 2
    np.testing.assert_allclose(learner.losses(*fresh), expected, rtol=1e-4, atol=1e-6)
    again = make().fit(x, y, rng=generator())
    np.testing.assert_array_equal(again.losses(*fresh), learner.losses(*fresh))
    refused("fitted first", make().losses, x, y)
    refused("y = ", make().fit, x, y[:4], rng=generator())
    refused("x = ", learner.predict, x[:, :3])


def test_adam_agrees_with_a_plain_loop_in_double_precision():
    """The same update written out, with gradients by central differences."""
    x, y = learners.sine_data(6, 2, 0.1, generator())
    start = learners.ReluRegression(3, 0.01, 0).fit(x, y, rng=generator(5))._weights
    shapes = [part.shape for part in start]
    begun = theta = np.concatenate([np.asarray(part, float).ravel() for part in start])

    def mean_loss(flat):
        cut = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        first, second, offset = (p.reshape(s) for p, s in zip(np.split(flat, cut), shapes, strict=True))
        hidden = np.maximum(x @ first[:-1] + first[-1], 0)
        return np.mean((hidden @ second + offset - y) ** 2)

    mean = square = np.zeros_like(theta)
    for k in range(1, 31):
        steps = 1e-6 * np.eye(len(theta))
        gradient = np.array([mean_loss(theta + e) - mean_loss(theta - e) for e in steps]) / 2e-6
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        theta = theta - 0.01 * mean / (1 - 0.9**k) / (np.sqrt(square / (1 - 0.999**k)) + 1e-8)
    trained = learners.ReluRegression(3, 0.01, 30).fit(x, y, rng=generator(5))
    got = np.concatenate([part.ravel() for part in trained._weights])
    np.testing.assert_allclose(got, theta, atol=2e-4)
    assert abs(theta - begun).max() > 0.1


def test_the_watched_losses_belong_to_the_watched_weights():
    x, y = learners.sine_data(15, 3, 0.1, generator())
    seen = []

    def watch(k, losses, learner):
        np.testing.assert_allclose(losses, learner.losses(x, y), rtol=1e-3, atol=1e-9)
        seen.append(k)

    learners.ReluRegression(16, 0.02, 20).fit(x, y, rng=generator(), watch=watch)
    assert seen == list(range(21))


def test_training_stops_as_soon_as_the_mean_is_small_enough():
    x, y = learners.sine_data(20, 5, 0.1, generator())
    means = []
    learner = learners.ReluRegression(64, 0.02, 3000, eta=1e-3)
    learner.fit(x, y, rng=generator(), watch=lambda k, losses, _: means.append(losses.mean()))
    assert learner.stopped_at == len(means) - 1 < 3000
    assert means[-1] <= 1e-3 < min(means[:-1])


def test_training_that_diverges_says_so():
    x, y = 1e3 * data.unit_vectors(4, 2, generator()), np.full(4, 1e3)
    # With weights that overflow single precision.
    large = mock.Mock(spec=np.random.Generator)
    large.normal = large.uniform = lambda low, high, size=(): np.full(size, 1e25)
    with pytest.raises(FloatingPointError, match="rate"):
        learners.ReluRegression(65536, 1.0, 0).fit(x, y, rng=large)


def test_the_nearest_neighbour_is_the_nearest_also_of_records_that_nearly_coincide():
    x, y = learners.sine_data(50, 30, 0.1, generator())
    fresh, _ = learners.sine_data(20, 30, 0.1, generator(1))
    nearest = ((fresh[:, None] - x) ** 2).sum(axis=2).argmin(axis=1)
    learner = learners.NearestNeighbour()
    np.testing.assert_array_equal(learner.fit(x, y, rng=generator()).predict(fresh), y[nearest])
    x = np.full((3, 40), 100.0)
    x[:, 0] += [0.0, 1e-7, -1e-7]
    assert learner.fit(x, [1.0, 2.0, 3.0], rng=generator()).predict(x).tolist() == [1.0, 2.0, 3.0]


def test_data_have_the_laws_they_say():
    x, y = learners.linear_data(20_000, 5, 0.5, generator(), design="gaussian")
    assert x.var(axis=0) == pytest.approx(np.full(5, 0.2), rel=0.05)
    assert (x**4).mean() == pytest.approx(3 * 0.04, rel=0.1)
    assert (y - math.pi * x[:, 0]).std() == pytest.approx(0.5, rel=0.03)
    x, y = learners.sine_data(20_000, 5, 0.5, generator())
    assert np.linalg.norm(x, axis=1) == pytest.approx(np.ones(20_000))
    assert (y - np.sin(math.pi * x[:, 0])).std() == pytest.approx(0.5, rel=0.03)


def test_fractions_count_what_is_at_the_threshold():
    assert learners.below([[0.0, 1.0], [2.0, 3.0]], [1.0, 2.5]).tolist() == [[1.0, 1.0], [0.0, 0.5]]


# --- The exact laws of residuals, and the learners that they are of -------------------------------

# Twelve digits, from an independent quadrature.
LAWS = [
    *((20, 20, "test", 1e-4, 0.0140563612032), (20, 20, "test", 1e-2, 0.138506661550)),
    *((20, 40, "test", 1e-4, 0.003655038782), (20, 40, "test", 1e-2, 0.036537159478)),
    *((20, 10, "train", 1e-2, 0.846499167486), (20, 10, "test", 1e-2, 0.523563391869)),
    *((20, 10, "train", 1e-4, 0.117157360771), (20, 10, "test", 1e-4, 0.057074677734)),
]


def test_exact_residual_laws():
    for n, d, of, epsilon, expected in LAWS:
        law = learners.residual_law(n, d, math.pi**2, 0.1, of=of)
        assert float(law.below(epsilon)) == pytest.approx(expected, abs=2e-12)
    certain = learners.residual_law(5, 9, 1.0, 0.5, of="train")
    assert float(certain.below(0.0)) == 1.0
    assert float(learners.residual_law(5, 9, 1.0, 0.5).below(math.inf)) == pytest.approx(1.0)


# --- The curve of bumps, against descent in single steps ------------------------------------------


def bumps(here, x, width):
    apart = ((np.asarray(here)[:, None] - x) / width) ** 2
    return np.exp(-apart / 2) + np.exp(-apart / 18)


def test_it_says_what_single_steps_of_descent_reach_and_in_the_end_meets_every_record():
    rng, width = generator(4), 0.7
    x, y, at = np.sort(rng.random(6)) * 5, rng.normal(size=6), np.linspace(-1, 6, 9)
    table, weights, seen = bumps(x, x, width), np.zeros(6), [np.full(9, y.mean())]
    rate = 1 / np.linalg.eigvalsh(table)[-1]
    for _step in range(50):
        # Half the squared error falls along this, measured by the bumps' own distances.
        weights -= rate * (table @ weights + y.mean() - y)
        seen.append(y.mean() + bumps(at, x, width) @ weights)
    found = descended(x, y, at, [0, 1, 7, 50], width)
    assert np.allclose(found, np.array(seen)[[0, 1, 7, 50]], atol=1e-12)
    x, y = np.array([0.0, 1.0, 2.5]), np.array([3.0, -1.0, 0.5])
    assert np.allclose(descended(x, y, x, [10**6], 0.4), [y], atol=1e-9)


# --- The network that reads digits ----------------------------------------------------------------


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
    network.weights = [w.astype(float) for w in network.weights]
    slopes = network._slopes(x, y)
    for weight, slope in zip(network.weights, slopes, strict=True):
        for _ in range(3):
            place = tuple(rng.integers(0, size) for size in weight.shape)
            differences = slope_at(weight, place, lambda: network.losses(x, y).mean())
            assert slope[place] == pytest.approx(differences, abs=1e-5)


def test_losses_and_accuracy_are_from_the_definition():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((40, 4)), rng.integers(0, 3, 40)
    network = DigitNetwork(width=16, iterations=50).fit(x, y, rng, classes=3)
    odds = np.exp(network._scores(x).astype(float))
    assert network.losses(x, y) == pytest.approx(np.log(odds.sum(axis=1) / odds[np.arange(40), y]), abs=1e-5)
    assert network.accuracy(x, y) == (odds.argmax(axis=1) == y).mean()


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
        ("number in", [[1e30]], [0]),
        ("each of the 1 rows", [[1.0]], [0, 1]),
        ("whole numbers in", [[1.0]], [0.5]),
    ):
        refused(message, DigitNetwork().fit, x, y, rng)
    refused("call fit first", DigitNetwork().predict, [[1.0]])
    network = DigitNetwork(2, iterations=1).fit([[1.0]], [0], rng)
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
