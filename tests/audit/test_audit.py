"""The audit: its certificate holds as often as it says, and only because of how it is made."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mipbook import mis
from mipbook.audit import (
    audit_security,
    certify_security,
    mean_lower_bound,
    security,
    shadow_models,
)

GAUSSIAN = 0.107091779628860  # the mean of 10 normal records
HISTOGRAM = 0.245722  # the histogram of 5 records with p = (1/2, 3/10, 1/5)
P = np.array([0.5, 0.3, 0.2])


def normal_records(rng, count):
    return rng.standard_normal((count, 1))


def mean(rng, X, y):
    centre = X.mean()
    return lambda Z: np.full(len(Z), centre)


def discrete_records(rng, count):
    return rng.choice(3, (count, 1), p=P) * 1.0


def histogram(rng, X, y):
    share = np.array([(k == X).mean() for k in range(3)])
    return lambda Z: share[Z[:, 0].astype(int)]


def nothing(rng, X, y):
    noise = rng.standard_normal()
    return lambda Z: np.full(len(Z), noise)


def quadratic():
    return make_pipeline(PolynomialFeatures(2), LogisticRegression(C=100.0))


def over_threshold(rows):
    return rows[:, 1] > P[rows[:, 0].astype(int)]


@pytest.mark.parametrize("method", ["betting", "bernstein"])
@pytest.mark.parametrize(("low", "high"), [(0.5, 0.5), (0.01, 0.01), (0.9, 0.2), (0.02, 0.02)])
def test_lower_bounds_cover(method, low, high):
    """Beta laws from nearly constant to nearly two-valued, and few draws of a rare 0."""
    rng, truth = np.random.default_rng(0), low / (low + high)
    draws = rng.beta(low, high, (600, 30))
    if (low, high) == (0.02, 0.02):
        draws, truth = (rng.random((600, 30)) > 0.05) * 1.0, 0.95
    bounds = [mean_lower_bound(d, 0.9, method) for d in draws]
    misses = np.mean(np.array(bounds) > truth)
    assert misses <= 0.1 + 3 * math.sqrt(0.09 / 600)
    if (low, high) == (0.02, 0.02):
        # The t-bound, and the mean itself, miss far more often here.
        t = draws.mean(axis=1) - 1.311 * draws.std(axis=1, ddof=1) / math.sqrt(30)
        assert np.mean(t > truth) > 0.2


def test_bernstein_is_the_published_formula():
    draws = np.random.default_rng(1).random(40)
    log = math.log(2 / 0.05)
    width = math.sqrt(2 * draws.var(ddof=1) * log / 40) + 7 * log / (3 * 39)
    assert mean_lower_bound(draws, 0.95, "bernstein") == pytest.approx(draws.mean() - width)
    assert mean_lower_bound(draws, 0.95) > draws.mean() - width
    assert mean_lower_bound(np.zeros(5)) < 1e-6
    assert 0.9 < mean_lower_bound(np.ones(200)) < 1.0
    assert mean_lower_bound(draws, 0.99) < mean_lower_bound(draws, 0.9)


@pytest.mark.parametrize(
    ("method", "models", "repeats"), [("betting", 200, 60), ("bernstein", 1500, 20)]
)
def test_the_certificate_covers_the_gaussian_mean(method, models, repeats):
    certified, estimates = [], []
    for root in np.random.SeedSequence(2).spawn(repeats):
        rng = np.random.default_rng(root)
        found = audit_security(
            mean,
            normal_records,
            n=10,
            models=models,
            challenges=10,
            attack=quadratic(),
            method=method,
            rng=rng,
        )
        certified.append(found.certified)
        estimates.append(found.estimate)
    assert np.mean(np.array(certified) <= GAUSSIAN) >= 0.95 - 3 * math.sqrt(0.0475 / repeats)
    assert np.mean(estimates) == pytest.approx(GAUSSIAN, abs=0.015)
    # It says something: not valid because it is empty, and a claim of zero would be caught.
    assert np.mean(np.array(certified) > 0) > 0.5


@pytest.mark.parametrize("method", ["betting", "bernstein"])
def test_the_certificate_covers_the_histogram(method):
    certified = []
    for root in np.random.SeedSequence(3).spawn(60):
        rng = np.random.default_rng(root)
        shadows = shadow_models(histogram, discrete_records, n=5, models=200, challenges=5, rng=rng)
        found = certify_security(shadows, attack=over_threshold, method=method, rng=rng)
        assert found.tested == 200
        certified.append(found.certified)
    covered = np.mean(np.array(certified) <= HISTOGRAM)
    assert covered >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 60)
    assert np.mean(certified) > (0.15 if method == "betting" else 0.05)
    # A claim of a fifth less than the truth would be caught.
    if method == "betting":
        assert np.mean(np.array(certified) > 0.8 * HISTOGRAM) > 0.05


def test_testing_the_attack_on_its_own_training_models_breaks_it(monkeypatch):
    """A learner that ignores its data has Delta = 0; a memorising attack then claims more."""
    attack = DecisionTreeClassifier()

    def misses():
        wrong = 0
        for root in np.random.SeedSequence(4).spawn(25):
            rng = np.random.default_rng(root)
            found = audit_security(
                nothing,
                normal_records,
                n=5,
                models=40,
                challenges=3,
                attack=attack,
                rng=rng,
            )
            wrong += found.certified > 0
        return wrong

    assert misses() <= 5
    monkeypatch.setattr(security, "_halves", lambda models: (slice(0, models), slice(0, models)))
    assert misses() == 25


def test_dependent_models_would_break_it():
    """Copies of one model pass for independent ones: the certificate then misses too often."""
    rng, wrong = np.random.default_rng(5), 0
    for _ in range(60):
        shadows = shadow_models(histogram, discrete_records, n=5, models=10, challenges=5, rng=rng)
        many = shadows.__class__(
            np.tile(shadows.inside, (40, 1, 1)),
            np.tile(shadows.outside, (40, 1, 1)),
            5,
            "histogram",
            "copied",
        )
        found = certify_security(many, attack=over_threshold, rng=rng)
        wrong += found.certified > HISTOGRAM
    assert wrong > 12


def test_unbalanced_weights():
    rng = np.random.default_rng(6)
    for nu, lam, delta in ((0.4, 0.5, 0.162832), (0.5, 0.4, 0.085993)):
        a, b = mis.weights(nu, lam)

        def best(rows, ratio=b / a):
            return rows[:, 1] > ratio * P[rows[:, 0].astype(int)]

        shadows = shadow_models(
            histogram, discrete_records, n=5, models=3000, challenges=5, rng=rng
        )
        for attack in (best, DecisionTreeClassifier(max_depth=6)):
            found = certify_security(shadows, attack=attack, nu=nu, lam=lam, rng=rng)
            assert found.certified <= delta
            # The tree sees half of the models, and pays for what it has to learn.
            assert found.estimate == pytest.approx(delta, abs=0.03)
            assert "another nu" in found.not_shown[-1]
        balanced = certify_security(shadows, attack=best, rng=rng)
        assert abs(balanced.estimate - found.estimate) > 0.03


def test_scikit_learn_regressors_in_order_of_overfitting():
    rng = np.random.default_rng(7)

    def records(rng, count):
        X = rng.standard_normal((count, 5))
        return X, np.sin(X[:, 0]) + 0.3 * rng.standard_normal(count)

    found = [
        audit_security(learner, records, n=40, models=120, rng=rng)
        for learner in (
            Ridge(100.0),
            DecisionTreeRegressor(max_depth=3),
            KNeighborsRegressor(1),
            DecisionTreeRegressor(),
        )
    ]
    gained = [each.estimate for each in found]
    assert gained[0] < 0.2 < gained[1] < 0.5 < gained[2]
    assert gained[2] == gained[3] == 1.0
    assert found[2].certified > 0.85
    assert found[2].security_at_most == 1 - found[2].certified
    assert all(e.certified <= e.estimate for e in found)
    low, high = found[1].asymptotic
    assert found[1].certified < low < found[1].estimate < high
    assert "random_state" not in found[3].learner


def test_classifiers_clusterings_and_functions():
    rng = np.random.default_rng(9)
    X = rng.standard_normal((120, 2))
    words = np.where(X[:, 0] + rng.standard_normal(120) > 0, "yes", "no")
    tree = audit_security(DecisionTreeClassifier(), X, words, n=30, models=40, rng=rng)
    assert tree.estimate > 0.2

    def tables(rng, X, y):
        known = {tuple(x): word for x, word in zip(X, y, strict=True)}
        return lambda Z: np.array([known.get(tuple(z), "no") for z in Z])

    by_hand = audit_security(tables, X, words, n=30, models=40, rng=rng)
    assert by_hand.estimate > 0.3
    clusters = audit_security(KMeans(2, n_init=1), X, n=30, models=12, challenges=4, rng=rng)
    assert 0 <= clusters.certified <= clusters.estimate <= 1
    own = audit_security(
        Ridge(),
        X,
        X[:, 0],
        n=30,
        models=12,
        challenges=4,
        features=lambda predict, Z, t: (predict(Z) - t) ** 2,
        rng=rng,
    )
    assert own.learner == "Ridge()"


def test_results_depend_on_the_seed_and_not_on_processes():
    rng = np.random.default_rng(10)
    X, y = rng.standard_normal((60, 2)), rng.standard_normal(60)
    settings = {"n": 20, "models": 8, "challenges": 4}
    runs = [
        shadow_models(
            DecisionTreeRegressor(), X, y, rng=np.random.default_rng(s), n_jobs=j, **settings
        )
        for s, j in ((1, 1), (1, 2), (2, 1))
    ]
    np.testing.assert_array_equal(runs[0].inside, runs[1].inside)
    np.testing.assert_array_equal(runs[0].outside, runs[1].outside)
    assert not np.array_equal(runs[0].outside, runs[2].outside)
    # The first models of a longer run are those of a shorter one.
    longer = shadow_models(
        DecisionTreeRegressor(), X, y, rng=np.random.default_rng(1), **{**settings, "models": 11}
    )
    np.testing.assert_array_equal(longer.first(8).inside, runs[0].inside)


def test_members_are_members_and_others_are_not():
    rng = np.random.default_rng(11)
    X = np.arange(50.0)

    def lists(rng, X, y):
        return lambda Z: np.isin(Z[:, 0], X[:, 0])

    found = shadow_models(lists, X, n=20, models=30, challenges=20, rng=rng)
    assert found.inside[:, :, 1].all()
    # Records come with replacement: a fresh one may be in the data, as often as chance has it.
    repeated = found.outside[:, :, 1].mean()
    assert repeated == pytest.approx(1 - (1 - 1 / 50) ** 20, abs=0.08)
    assert found.inside[:, :, 0].mean() == pytest.approx(24.5, abs=2.5)
    assert len(np.unique(found.outside[:, :, 0])) == 50


def test_the_report_claims_no_security():
    rng = np.random.default_rng(12)
    found = audit_security(nothing, normal_records, n=5, models=20, challenges=2, rng=rng)
    assert found.certified == 0.0
    assert found.security_at_most == 1.0
    table = rng.standard_normal((40, 1))
    on_table = audit_security(mean, table, n=5, models=20, challenges=2, rng=rng)
    for report in (found, on_table):
        text, page = str(report), report._repr_html_()
        for word in ("security (MIS), at most", "bound, 95%", "asymptotic only", "Not shown"):
            assert word in text
            assert word in page
        assert "That the security is high" in text
        for never in ("security at least", "security (MIS), at least", "is secure", "is safe"):
            assert never not in text
    assert "people outside the table" in str(on_table)
    assert "people outside the table" not in str(found)
    with pytest.raises(AttributeError):
        found.certified = 1.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": Ridge}, "learner = .*must be an instance"),
        ({"learner": 3}, "learner = 3"),
        ({"learner": lambda rng, X, y: 3}, "learner = 3: must be a function that returns"),
        ({"learner": lambda rng, X, y: lambda Z: np.ones(2)}, "learner = "),
        ({"learner": lambda rng, X, y: lambda Z: np.full(len(Z), np.nan)}, "learner = .*nan"),
        ({"learner": LogisticRegression(), "y": np.zeros(40, dtype=int)}, "failed on a draw of n"),
        ({"X": np.zeros((1, 1)), "y": None}, "X = '1 records'"),
        ({"X": [[1.0], [1.0, 2.0]]}, "X = "),
        ({"X": np.full((40, 1), np.nan)}, "(?s)X = .*free of nan"),
        ({"X": "table.csv"}, "X = 'table.csv'"),
        ({"X": np.zeros((40, 1)), "y": np.zeros(39)}, "y = "),
        ({"X": np.zeros((40, 1)), "y": np.full(40, np.inf)}, "y = "),
        ({"X": normal_records, "y": np.zeros(40)}, "(?s)y = .*sampler"),
        ({"X": lambda rng, count: np.zeros((3, 1))}, "X = '3 records'"),
        ({"n": 0}, "n = 0"),
        ({"models": 3}, "models = 3"),
        ({"challenges": 0}, "challenges = 0"),
        ({"challenges": 11}, r"challenges = 11: must be an integer in \[1, n = 10\]"),
        ({"attack": LogisticRegression}, "attack = .*instance"),
        ({"attack": 3}, "attack = 3"),
        ({"attack": lambda rows: rows}, "attack = "),
        ({"features": 3}, "features = 3"),
        ({"features": lambda predict, Z, t: np.zeros(2)}, "features = "),
        ({"nu": 0.0}, "nu = 0.0"),
        ({"lam": 1.0}, "lam = 1.0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"method": "t"}, "method = 't'"),
        ({"rng": 3}, "rng = 3"),
    ],
)
def test_bad_input_is_named(change, message):
    settings = {
        "learner": mean,
        "X": np.random.default_rng(0).standard_normal((40, 1)),
        "n": 10,
        "models": 4,
        "challenges": 2,
        "rng": np.random.default_rng(0),
        **change,
    }
    if "y" not in change and isinstance(settings["learner"], LogisticRegression):
        settings["y"] = np.arange(40)
    with pytest.raises(ValueError, match=message):
        audit_security(**settings)


def test_other_bad_input():
    with pytest.raises(ValueError, match="values"):
        mean_lower_bound([0.5])
    with pytest.raises(ValueError, match="values"):
        mean_lower_bound([0.5, 1.5])
    with pytest.raises(ValueError, match="shadows"):
        certify_security(np.zeros((4, 2, 3, 1)), rng=np.random.default_rng(0))
    shadows = shadow_models(
        mean, normal_records, n=5, models=4, challenges=2, rng=np.random.default_rng(0)
    )
    with pytest.raises(ValueError, match="models = 5"):
        shadows.first(5)

    class Hard(LogisticRegression):
        predict_proba = property(lambda self: (_ for _ in ()).throw(AttributeError()))

    with pytest.raises(ValueError, match="predict_proba"):
        certify_security(shadows, attack=Hard(), nu=0.3, rng=np.random.default_rng(0))
