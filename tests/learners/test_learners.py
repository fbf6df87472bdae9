"""The learners, the data they are trained on, and what they refuse."""

import math

import numpy as np
import pytest
from learner_draws import generator

from mipbook import learners

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


@pytest.mark.parametrize("make", [*ALL, learners.MarginFlow])
def test_learners_refuse_bad_records(make):
    x, y = learners.sphere_points(5, 3, generator()), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    with pytest.raises(ValueError, match="fitted first"):
        make().losses(x, y)
    with pytest.raises(ValueError, match="y = "):
        make().fit(x, y[:4], rng=generator())
    with pytest.raises(ValueError, match="x = "):
        make().fit(x * np.nan, y, rng=generator())
    with pytest.raises(ValueError, match="rng = 3"):
        make().fit(x, y, rng=3)
    with pytest.raises(ValueError, match="x = "):
        make().fit(np.eye(5), y, rng=generator()).predict(x)


def test_adam_agrees_with_a_plain_loop_in_double_precision():
    """The same update written out, with gradients by central differences."""
    x, y = learners.sine_data(6, 2, 0.1, generator())
    learner = learners.ReluRegression(3, 0.01, 0).fit(x, y, rng=generator(5))
    start = [np.asarray(part, float) for part in learner._weights]
    shapes = [part.shape for part in start]
    theta = np.concatenate([part.ravel() for part in start])

    def mean_loss(flat):
        cut = np.cumsum([int(np.prod(s)) for s in shapes])[:-1]
        first, second, offset = (p.reshape(s) for p, s in zip(np.split(flat, cut), shapes, strict=True))
        hidden = np.maximum(x @ first[:-1] + first[-1], 0)
        return np.mean((hidden @ second + offset - y) ** 2)

    mean = square = np.zeros_like(theta)
    for k in range(1, 31):
        gradient = np.array(
            [(mean_loss(theta + e) - mean_loss(theta - e)) / 2e-6 for e in 1e-6 * np.eye(len(theta))]
        )
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        step = mean / (1 - 0.9**k) / (np.sqrt(square / (1 - 0.999**k)) + 1e-8)
        theta = theta - 0.01 * step
    trained = learners.ReluRegression(3, 0.01, 30).fit(x, y, rng=generator(5))
    got = np.concatenate([part.ravel() for part in trained._weights])
    np.testing.assert_allclose(got, theta, atol=2e-4)
    assert abs(theta - np.concatenate([p.ravel() for p in start])).max() > 0.1


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
    x, y = 1e3 * learners.sphere_points(4, 2, generator()), np.full(4, 1e3)
    with pytest.raises(FloatingPointError, match="rate"):
        learners.ReluRegression(65536, 1.0, 0).fit(x, y, rng=_Huge())


class _Huge(np.random.Generator):
    """A generator whose first weights overflow single precision."""

    def __init__(self):
        super().__init__(np.random.PCG64(0))

    def normal(self, *args, **kwargs):
        return 1e25 + super().normal(*args, **kwargs)


def test_the_nearest_neighbour_is_the_nearest():
    x, y = learners.sine_data(50, 30, 0.1, generator())
    fresh, _ = learners.sine_data(20, 30, 0.1, generator(1))
    learner = learners.NearestNeighbour().fit(x, y, rng=generator())
    nearest = ((fresh[:, None] - x) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(learner.predict(fresh), y[nearest])


def test_records_that_nearly_coincide_find_themselves():
    x = np.full((3, 40), 100.0)
    x[:, 0] += [0.0, 1e-7, -1e-7]
    learner = learners.NearestNeighbour().fit(x, [1.0, 2.0, 3.0], rng=generator())
    assert learner.predict(x).tolist() == [1.0, 2.0, 3.0]


def test_the_flow_makes_all_margins_equal_where_records_are_nearly_orthogonal():
    def flow(d, **settings):
        x = learners.sphere_points(8, d, generator()) * math.sqrt(d)
        return x, learners.MarginFlow(**settings).fit(x, y, rng=generator())

    y = np.where(generator(1).random(8) < 0.5, 1.0, -1.0)
    x, found = flow(100)
    assert found.start_margin > 0
    np.testing.assert_allclose(found.margins, y * found.predict(x), rtol=1e-9)
    assert found.margins.min() == 1.0
    assert found.margins.max() < 1.01
    assert found.losses(x, y).max() < 0.01
    fresh = learners.sphere_points(500, 100, generator(2)) * 10
    assert (found.losses(fresh, np.ones(500)) < 0.01).mean() < 0.02
    # Not at the start, not on the way, and not for records that crowd.
    assert flow(100, steps=0)[1].margins.max() > 1.5
    assert flow(100, steps=300)[1].margins.max() > 1.5
    assert flow(8)[1].margins.max() > 1.01
    with pytest.raises(ValueError, match="learns"):
        learners.MarginFlow(steps=0).fit([[1.0], [1.0]], [1.0, -1.0], rng=generator())
    with pytest.raises(ValueError, match="labels -1 and 1"):
        found.fit(x, y * 2, rng=generator())


def test_near_orthogonality_is_about_directions():
    tilted = np.array([[1.0, 0.0, 0.0, 0.0], [0.75, math.sqrt(1 - 0.75**2), 0.0, 0.0]])
    # 4 * 0.75 = 3 is more than 2 ln 4 = 2.77; at 0.65 it is 2.6.
    assert not learners.near_orthogonal(tilted)
    assert learners.near_orthogonal([[3.0, 0, 0, 0], [0.65, math.sqrt(1 - 0.65**2), 0, 0]])
    with pytest.raises(ValueError, match="zeros"):
        learners.near_orthogonal(np.zeros((2, 3)))


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: learners.sine_data(3, 0, 0.1, generator()), "dimension = 0"),
        (lambda: learners.below([], [1.0]), "losses = "),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
