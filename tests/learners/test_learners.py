"""The learners, the data they are trained on, and what they refuse."""

import math

import numpy as np
import pytest
from shared import refused

from mipbook import learners
from mipbook.learners import descended


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
    refused("x = ", make().fit, x * np.nan, y, rng=generator())
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


class Huge(np.random.Generator):
    """A generator whose first weights overflow single precision."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def normal(self, *args, **kwargs):
        return 1e25 + super().normal(*args, **kwargs)


def test_training_that_diverges_says_so():
    x, y = 1e3 * learners.sphere_points(4, 2, generator()), np.full(4, 1e3)
    with pytest.raises(FloatingPointError, match="rate"):
        learners.ReluRegression(65536, 1.0, 0).fit(x, y, rng=Huge())


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
    assert float(learners.below([0.5, 2.0], 0.5)) == 0.5


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


def test_densities_belong_to_the_distribution_functions():
    for d, of in ((10, "train"), (10, "test"), (20, "test"), (30, "test")):
        law = learners.residual_law(20, d, 1.0, 0.5, of=of)
        r = np.linspace(1e-9, 1.3, 301)
        area = 2 * np.trapezoid(law.density(r), r)
        assert area == pytest.approx(float(law.below(1.3**2)), rel=1e-4)
    certain = learners.residual_law(5, 9, 1.0, 0.5, of="train")
    assert float(certain.below(0.0)) == 1.0
    assert certain.density([0.0, 1.0]).tolist() == [math.inf, 0.0]
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
