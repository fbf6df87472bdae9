"""What a release refuses, and that nothing is released by it."""

import numpy as np
import pytest
from release_data import CLASSES, DATA, RNG, X, Y, generator_learner
from shared import refused
from sklearn.cluster import DBSCAN
from sklearn.covariance import EmpiricalCovariance
from sklearn.decomposition import FactorAnalysis
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge, SGDOneClassSVM
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from mipbook import mip
from mipbook.mip.calibration import swaps_needed
from mipbook.release import MIPRelease, measure_attack


def test_what_cannot_be_guaranteed_is_refused_with_the_reason():
    """Values of another kind are tried in every argument by `tests/repository/test_fuzz.py`."""
    refused("^fits = .*fewer cannot prove it", MIPRelease, np.mean, 0.1, fits=70)
    for learner, records, reason in (
        (np.mean, (DATA[:19],), "^X = .*even"),
        (np.mean, (np.ones(20),), "never change"),
        (Ridge(), (X, Y[:5]), "^y = "),
        (lambda rows: "x", (DATA,), "^learner = .*real numbers"),
        (lambda rows: rows[rows > 9], (DATA,), "always has the same length"),
        (KNeighborsClassifier(), (X, CLASSES), "keeps records"),
        (DecisionTreeClassifier(), (X, CLASSES), "structure"),
        (SVC(), (X, CLASSES), "support_vectors_"),
    ):
        refused(reason, MIPRelease(learner, 0.2).release, *records, rng=RNG)
    refused("^sigma = ", MIPRelease(np.mean, 0.1, sigma=[1.0, 2.0]).release, DATA, rng=RNG)


def test_nothing_is_released_by_a_refused_call():
    wrapper = MIPRelease(np.mean, 0.1)
    refused("never change", wrapper.release, np.ones(20), rng=np.random.default_rng(0))
    assert wrapper.release(DATA, rng=np.random.default_rng(0)).parameters.size == 1


@pytest.mark.parametrize("state", [np.random.RandomState(0), np.random.default_rng(0)])
def test_a_generator_among_the_settings_is_refused(state):
    learner = make_pipeline(StandardScaler(), generator_learner(state))
    refused("^learner's .*random_state = .*an integer or None", MIPRelease, learner, 0.3)


def test_an_estimator_that_cannot_be_published_is_refused_before_any_draw():
    rng = np.random.default_rng(5)
    before = rng.bit_generator.state
    for learner, targets in (
        *((MinMaxScaler(), None), (LinearDiscriminantAnalysis(), CLASSES)),
        *((SGDOneClassSVM(), None), (DBSCAN(eps=2.0), None), (EmpiricalCovariance(), None)),
        *((FactorAnalysis(2), None), (Ridge(), None)),
    ):
        refused("(?s)^(learner|y) = ", MIPRelease(learner, 0.3, fits=40).release, X, targets, rng=rng)
    refused(r"^learner = .*LinearRegression\(\), not its class", MIPRelease, LinearRegression, 0.3)
    wrapper = MIPRelease(Ridge(), 0.3)
    refused("^y = float: must be one target for each of 120", wrapper.release, X, 3.0, rng=rng)
    assert rng.bit_generator.state == before


def test_the_attack_refuses_what_it_cannot_play():
    noise = mip.Calibration(1.0, 0.1, "gaussian", 2.0, np.ones(1), np.zeros(1), 60, 0.9)
    fits, members = np.arange(60.0)[:, None], np.arange(60)[:, None] % 2 == np.arange(2)
    refused("(?s)^members = ", measure_attack, fits, np.ones((60, 2), bool), noise, RNG)
    refused("(?s)^noise = ", measure_attack, np.ones((60, 2)), members, noise, RNG)


def test_swaps_that_cannot_prove_anything_are_left_out_or_refused():
    many = np.arange(20_000.0)
    release = MIPRelease(np.mean, 0.1, fits=73).release(many, rng=np.random.default_rng(1))
    assert set(release.noise.routes) == {"spread"}
    assert np.isfinite(release.noise.scale)
    wrapper, rng = MIPRelease(np.mean, 0.1, swaps=5), np.random.default_rng(1)
    refused("^swaps = 5: must be 0, or at least", wrapper.release, DATA, rng=rng)
    # What the refusal asks for is enough.
    least = int(swaps_needed(0.1, 0.999, 20))
    found = mip.calibrate_scale(DATA, np.mean, 0.1, np.random.default_rng(1), swaps=least, noise="gaussian")
    assert np.isfinite(found.routes["swap"])
