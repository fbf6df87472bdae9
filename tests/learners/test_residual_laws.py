"""The exact laws of residuals, and the learners that they are of."""

import math

import numpy as np
import pytest
from learner_draws import generator

from mipbook import learners

# Twelve digits, from an independent quadrature.
LAWS = [
    (20, 20, "test", 1e-4, 0.0140563612032),
    (20, 20, "test", 1e-2, 0.138506661550),
    (20, 40, "test", 1e-4, 0.003655038782),
    (20, 40, "test", 1e-2, 0.036537159478),
    (20, 10, "train", 1e-2, 0.846499167486),
    (20, 10, "test", 1e-2, 0.523563391869),
    (20, 10, "train", 1e-4, 0.117157360771),
    (20, 10, "test", 1e-4, 0.057074677734),
]


@pytest.mark.parametrize(("n", "d", "of", "epsilon", "expected"), LAWS)
def test_exact_residual_laws(n, d, of, epsilon, expected):
    law = learners.residual_law(n, d, math.pi**2, 0.1, of=of)
    assert float(law.below(epsilon)) == pytest.approx(expected, abs=2e-12)


@pytest.mark.parametrize(
    ("n", "d", "of"), [(8, 7, "train"), (8, 7, "test"), (8, 8, "test"), (8, 9, "test"), (1, 1, "test")]
)
def test_residual_laws_at_the_interpolation_threshold(n, d, of):
    """One degree of freedom is left: the laws have poles or heavy tails; simulate them."""
    rng, count = generator(3), 200_000
    law = learners.residual_law(n, d, 1.0, 0.5, of=of)
    if d < n:
        share = rng.beta((n - d + (of == "test")) / 2, d / 2, count)
        variance = 0.25 * (share if of == "train" else 1 / share)
    else:
        variance = 0.25 * (1 + rng.chisquare(n, count) / rng.chisquare(d - n + 1, count))
        if d > n:
            variance += rng.beta((d - n) / 2, n / 2, count)
    losses = variance * rng.standard_normal(count) ** 2
    levels = np.array([1e-4, 1e-2, 0.1, 1.0, 10.0])
    exact = law.below(levels)
    error = np.sqrt(exact * (1 - exact) / count)
    assert (np.abs(learners.below(losses, levels) - exact) < 4.5 * error + 1e-9).all()


@pytest.mark.parametrize("d", [5, 20, 30])
def test_the_minimum_norm_learner_has_the_exact_law(d):
    n, rng, losses, inside = 20, generator(7), [], []
    for _ in range(400):
        members = learners.linear_data(n, d, 0.3, rng, design="gaussian")
        fresh = learners.linear_data(5, d, 0.3, rng, design="gaussian")
        learner = learners.MinimumNorm().fit(*members, rng=rng)
        inside.append(learner.losses(*members))
        losses.append(learner.losses(*fresh))
    signal = math.pi**2 / d
    for of, found in (("train", inside), ("test", losses)):
        for level in (1e-3, 1e-1, 1.0):
            exact = float(learners.residual_law(n, d, signal, 0.3, of=of).below(level))
            shares = (np.array(found) <= level).mean(axis=1)
            error = shares.std() / math.sqrt(len(shares))
            assert abs(shares.mean() - exact) <= 4.5 * error + 1e-3, (of, level)


def test_densities_belong_to_the_distribution_functions():
    for d, of in ((10, "train"), (10, "test"), (20, "test"), (30, "test")):
        law = learners.residual_law(20, d, 1.0, 0.5, of=of)
        r = np.linspace(1e-9, 1.3, 301)
        area = 2 * np.trapezoid(law.density(r), r)
        assert area == pytest.approx(float(law.below(1.3**2)), rel=1e-4)
    assert float(learners.residual_law(5, 9, 1.0, 0.5, of="train").below(0.0)) == 1.0
    assert learners.residual_law(5, 9, 1.0, 0.5, of="train").density([0.0, 1.0]).tolist() == [math.inf, 0.0]
    assert float(learners.residual_law(5, 9, 1.0, 0.5).below(math.inf)) == pytest.approx(1.0)


def test_double_descent_is_the_mean_of_the_laws():
    for d in (1, 10, 15, 26, 60):
        for of in ("train", "test"):
            law = learners.residual_law(20, d, 2.0, 0.5, of=of)
            mean = float(law.variances @ law.weights)
            exact = learners.mean_loss(20, d, 2.0, 0.5, of=of)
            assert mean == pytest.approx(exact, rel=1e-9, abs=1e-15)
    assert [learners.mean_loss(20, d, 2.0, 0.5) for d in (19, 20, 21)] == [math.inf] * 3
    assert learners.mean_loss(20, 40, 2.0, 0.0) == 1.0
    assert learners.mean_loss(20, 20, 2.0, 0.0) == 0.0


def test_interpolators_have_no_training_loss():
    for learner, data in (
        (learners.MinimumNorm(), learners.linear_data(30, 40, 0.1, generator())),
        (learners.NearestNeighbour(), learners.sine_data(300, 3, 0.1, generator())),
        (learners.NearestNeighbour(), learners.sine_data(300, 200, 0.1, generator())),
    ):
        assert learner.fit(*data, rng=generator()).losses(*data).max() < 1e-20
