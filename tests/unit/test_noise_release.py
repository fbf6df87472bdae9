"""The wrapper: what it releases, promises, measures and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from mipbook import mip
from mipbook.noise import MIPRelease, estimator_parameters, measure_attack, with_parameters

RNG = np.random.default_rng(1)
X = RNG.standard_normal((120, 3))
Y = X @ [1.0, 2.0, 3.0] + RNG.standard_normal(120)
CLASSES = (Y > 0).astype(int)


@pytest.mark.parametrize(
    ("learner", "targets"),
    [
        (LinearRegression(), Y),
        (Ridge(2.0), Y),
        (LogisticRegression(), CLASSES),
        (GaussianNB(), CLASSES),
        (KMeans(2, n_init=1, random_state=0), None),
        (MLPRegressor(hidden_layer_sizes=(4,), max_iter=20, random_state=0), Y),
    ],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_predicts_with_the_released_numbers(learner, targets):
    fitted = learner.fit(X) if targets is None else learner.fit(X, targets)
    numbers = estimator_parameters(fitted)
    same = with_parameters(fitted, fitted, numbers)
    np.testing.assert_allclose(same.predict(X), fitted.predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match="^theta = "):
        with_parameters(fitted, fitted, numbers[:-1])


@pytest.mark.parametrize("noise", ["gaussian", "gamma"])
def test_release_of_an_estimator(noise):
    wrapper = MIPRelease(LinearRegression(), 0.2, noise=noise, fits=300)
    release = wrapper.release(X, Y, rng=np.random.default_rng(2))
    assert release.guaranteed
    assert release.members.sum() == 60
    assert release.parameters.size == 4
    assert release.utility_after < release.utility_before
    np.testing.assert_array_equal(release.model.coef_, release.parameters[:3])
    # The fitted copy holds nothing else that fitting stores, such as singular values.
    assert not hasattr(release.model, "singular_")
    assert "70.0%" in release.statement
    assert "99.9" in release.statement or "0.999" in release.statement
    assert "Not promised" in release.statement
    with pytest.raises(ValueError, match="promises nothing about two together"):
        wrapper.release(X, Y, rng=np.random.default_rng(3))


def test_release_of_a_function_repeats_with_its_seed():
    data = np.random.default_rng(3).lognormal(size=100)
    first, second = (
        MIPRelease(np.median, 0.2, fits=300, n_jobs=jobs).release(
            data,
            rng=np.random.default_rng(4),
            utility=lambda theta, rows: -abs(theta[0] - np.median(rows)),
        )
        for jobs in (None, 2)
    )
    assert first.parameters == second.parameters
    assert (first.members == second.members).all()
    assert first.model is None
    assert first.utility_before <= 0


def test_the_released_law_keeps_its_promise_exactly():
    """A small data set where eta of the whole release can be computed."""
    data = np.arange(12.0) ** 1.5
    members = mip.subsets(12)
    outputs = np.array([np.median(data[row]) for row in members])
    release = MIPRelease(np.median, 0.15, noise="gamma", fits=400).release(
        data, rng=np.random.default_rng(5)
    )
    scale = release.noise.scale * release.noise.weights[0]
    assert mip.laplace_eta(outputs, members, scale) <= 0.15
    need = mip.minimal_laplace_scale(outputs, members, 0.15)
    assert mip.laplace_eta(outputs, members, 0.99 * need) > 0.15


def test_given_sigma_is_taken_and_said_not_to_be_checked():
    data = np.arange(20.0)
    release = MIPRelease(np.mean, 0.1, sigma=[2.0]).release(data, rng=np.random.default_rng(6))
    assert not release.guaranteed
    assert "not checked" in release.statement
    assert release.noise.scale * release.noise.weights[0] == pytest.approx(
        mip.gaussian_sigma_for_mip(2.0, 0.1)
    )
    gamma = MIPRelease(np.mean, 0.1, sigma=[2.0], noise="gamma").release(
        data, rng=np.random.default_rng(6)
    )
    assert gamma.noise.scale * 2.0 == pytest.approx(2.0 * mip.noise_scale(0.1))


def test_given_sigmas_of_coordinates_that_move_together_are_enough():
    """The worst case for the norm: every coordinate tells the same bit."""
    for M in (1.0, 2.0, 8.0):
        wrapper = MIPRelease(
            lambda rows: np.sign(rows[0]) * np.ones(5), 0.2, sigma=np.ones(5), noise="gamma", M=M
        )
        release = wrapper.release(np.array([-1.0, 1.0, -1.0, 1.0]), rng=np.random.default_rng(7))
        draws = release.noise.draw(np.random.default_rng(8), 40_000)
        gap = release.noise.log_density(draws + 2.0) - release.noise.log_density(draws)
        eta = float(np.maximum(-np.expm1(np.minimum(gap, 0)), 0).mean()) / 2
        assert eta <= 0.2 + 0.005


def test_an_attack_reaches_its_promise_where_the_bound_is_tight_and_not_beyond():
    """The bit of one record with exactly tight noise: accuracy 1/2 + eta."""
    rng = np.random.default_rng(9)
    members = np.array([rng.permutation(10) < 5 for _ in range(4000)])
    fits = np.where(members[:, :1], 1.0, -1.0)
    eta = 0.2
    for factor, broken in ((1.0, False), (0.5, True)):
        scale = factor * float(mip.noise_scale(eta))
        noise = mip.Calibration(scale, eta, "gamma", 2.0, np.ones(1), np.zeros(1), 4000, 0.999)
        report = measure_attack(fits, members, noise, rng)
        assert report.record == 0
        if broken:
            assert report.low > report.promised, "planted: half the noise is found out"
        else:
            assert report.low <= report.promised <= report.high


DATA = np.arange(20.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: MIPRelease(3, 0.1), "^learner = "),
        (lambda: MIPRelease(np.mean, 0.5), "^eta = "),
        (lambda: MIPRelease(np.mean, 0.0), "^eta = "),
        (lambda: MIPRelease(np.mean, 0.1, noise="laplace"), "^noise = "),
        (lambda: MIPRelease(np.mean, 0.1, M=3), "^M = "),
        (lambda: MIPRelease(np.mean, 0.1, fits=100), "^fits = .*fewer cannot prove it"),
        (lambda: MIPRelease(np.mean, 0.1, confidence=1.0), "^confidence = "),
        (lambda: MIPRelease(np.mean, 0.1, sigma=[0.0]), "^sigma = "),
        (lambda: MIPRelease(np.mean, 0.1, n_jobs=-2), "^n_jobs = "),
        (lambda: MIPRelease(np.mean, 0.1).release(DATA, rng=3), "^rng = "),
        (lambda: MIPRelease(np.mean, 0.1).release(DATA[:19], rng=RNG), "^X = .*even"),
        (lambda: MIPRelease(np.mean, 0.1).release(["a", "b"], rng=RNG), "^X = .*numbers"),
        (lambda: MIPRelease(np.mean, 0.1).release([1.0, np.nan] * 4, rng=RNG), "^X = .*finite"),
        (lambda: MIPRelease(Ridge(), 0.1).release(X, Y[:5], rng=RNG), "^y = "),
        (lambda: MIPRelease(np.mean, 0.1).release(np.ones(20), rng=RNG), "never change"),
        (lambda: MIPRelease(np.mean, 0.1, sigma=[1.0, 2.0]).release(DATA, rng=RNG), "^sigma = "),
        (
            lambda: MIPRelease(lambda r: "x", 0.1).release(DATA, rng=RNG),
            "^learner = .*real numbers",
        ),
        (
            lambda: MIPRelease(lambda r: r[r > 9], 0.1).release(DATA, rng=RNG),
            "always has the same length",
        ),
        (
            lambda: MIPRelease(KNeighborsClassifier(), 0.2).release(X, CLASSES, rng=RNG),
            "keeps records",
        ),
        (
            lambda: MIPRelease(DecisionTreeClassifier(), 0.2).release(X, CLASSES, rng=RNG),
            "structure",
        ),
        (lambda: MIPRelease(SVC(), 0.2).release(X, CLASSES, rng=RNG), "support_vectors_"),
        (lambda: measure_attack([[1.0]], [[True]], None, RNG), "^members = "),
    ],
)
def test_what_cannot_be_guaranteed_is_refused_with_the_reason(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_nothing_is_released_by_a_refused_call():
    wrapper = MIPRelease(np.mean, 0.1)
    with pytest.raises(ValueError, match="never change"):
        wrapper.release(np.ones(20), rng=np.random.default_rng(0))
    assert wrapper.release(DATA, rng=np.random.default_rng(0)).parameters.size == 1


def test_components_are_parameters_too():
    assert estimator_parameters(PCA(2).fit(X)).size == 2 * 3 + 3
