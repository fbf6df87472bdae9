"""Audits of learners of many kinds: their report, what is stored, certificates as sure as they say."""

import math

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mipbook import mis
from mipbook.audit import audit_security, certify_security, mean_lower_bound, security, shadow_models
from mipbook.audit.examples import EXAMPLES, example_table, table_audit
from mipbook.audit.examples import SETTINGS as STORED
from studies.audit import audited


def normal_records(rng, count):
    return rng.standard_normal((count, 1))


def mean(rng, X, y):
    centre = X.mean()
    return lambda Z: np.full(len(Z), centre)


def nothing(rng, X, y):
    noise = rng.standard_normal()
    return lambda Z: np.full(len(Z), noise)


def tables(rng, X, y):
    known = {tuple(x): word for x, word in zip(X, y, strict=True)}
    return lambda Z: np.array([known.get(tuple(z), "no") for z in Z])


def test_classifiers_clusterings_and_functions():
    rng = np.random.default_rng(9)
    X = rng.standard_normal((120, 2))
    words = np.where(X[:, 0] + rng.standard_normal(120) > 0, "yes", "no")
    assert audit_security(DecisionTreeClassifier(), X, words, n=30, models=40, rng=rng).estimate > 0.2
    assert audit_security(tables, X, words, n=30, models=40, rng=rng).estimate > 0.3
    few = {"n": 30, "models": 12, "challenges": 4, "rng": rng}
    clusters = audit_security(KMeans(2, n_init=1), X, **few)
    assert 0 <= clusters.certified <= clusters.estimate <= 1
    own = audit_security(Ridge(), X, X[:, 0], nu=0.3, lam=0.6, **few)
    assert (own.learner, own.nu, own.lam) == ("Ridge()", 0.3, 0.6)


def test_results_depend_on_the_seed_and_not_on_processes():
    rng = np.random.default_rng(10)
    X, y = rng.standard_normal((60, 2)), rng.standard_normal(60)

    def run(seed, jobs=1, models=8):
        settings = {"n": 20, "models": models, "challenges": 4, "n_jobs": jobs}
        return shadow_models(DecisionTreeRegressor(), X, y, rng=np.random.default_rng(seed), **settings)

    first = run(1)
    for same in (run(1, jobs=2), run(1, models=11).first(8)):
        np.testing.assert_array_equal(first.inside, same.inside)
        np.testing.assert_array_equal(first.outside, same.outside)
    assert not np.array_equal(first.outside, run(2).outside)


def test_members_are_members_and_others_are_not():
    def lists(rng, X, y):
        return lambda Z: np.isin(Z[:, 0], X[:, 0])

    rng = np.random.default_rng(11)
    found = shadow_models(lists, np.arange(50.0), n=20, models=30, challenges=20, rng=rng)
    assert found.inside[:, :, 1].all()
    # Records come with replacement: a fresh one may be in the data, as often as chance has it.
    assert found.outside[:, :, 1].mean() == pytest.approx(1 - (1 - 1 / 50) ** 20, abs=0.08)
    assert found.inside[:, :, 0].mean() == pytest.approx(24.5, abs=2.5)
    assert len(np.unique(found.outside[:, :, 0])) == 50


def test_the_report_claims_no_security():
    few = {"n": 5, "models": 20, "challenges": 2, "rng": np.random.default_rng(12)}
    found = audit_security(nothing, normal_records, **few)
    assert found.certified == 0.0
    assert found.security_at_most == 1.0
    on_table = audit_security(mean, normal_records(few["rng"], 40), **few)
    for report in (found, on_table):
        for text in (str(report), report._repr_html_()):
            for word in ("security (MIS), at most", "bound, 95%", "asymptotic only", "Not shown"):
                assert word in text
        assert "That the security is high" in str(report)
        for never in ("security at least", "security (MIS), at least", "is secure", "is safe"):
            assert never not in str(report)
    assert "people outside the table" in str(on_table)
    assert "people outside the table" not in str(found)
    with pytest.raises(AttributeError):
        found.certified = 1.0


@pytest.mark.parametrize(("example", "learner"), [(EXAMPLES[0], "linear"), (EXAMPLES[2], "tree")])
def test_a_reduced_run_repeats_the_stored_numbers(example, learner):
    again = audited({**STORED, "examples": (example,), "learners": (learner,), "models": (20, 100)})
    unit = example_table(example)[:, -1].std()
    for place, models in enumerate((20, 100)):
        stored = table_audit(example, learner, models)
        assert again["errors"][0, 0] / unit == pytest.approx(np.array(stored[:2]), abs=1e-6)
        report = stored.report
        told = (report.estimate, report.certified, *report.asymptotic, report.found, report.accused)
        assert again["reports"][0, 0, place] == pytest.approx(told, abs=0.02)
        assert (report.models, report.tested) == (models, models // 2)


# --- Certificates hold as often as they say, and planted mistakes break them ----------------------

HISTOGRAM = 0.245722  # the histogram of 5 records with p = (1/2, 3/10, 1/5)
P = np.array([0.5, 0.3, 0.2])


def discrete_records(rng, count):
    return rng.choice(3, (count, 1), p=P) * 1.0


def histogram(rng, X, y):
    share = np.array([(k == X).mean() for k in range(3)])
    return lambda Z: share[Z[:, 0].astype(int)]


def over(ratio):
    """Return the attack on the histogram that compares a share with so much of its chance."""
    return lambda rows: rows[:, 1] > ratio * P[rows[:, 0].astype(int)]


def largest_wealth(values, mean, needed):
    """Return the largest logarithm of the wealth that bets against the mean reach."""
    wealth, best, total, squares, variance = 0.0, -math.inf, 0.5, 0.05, 0.05
    for count, value in enumerate(values, 1):
        bet = min(math.sqrt(2 * needed / (variance * len(values))), 0.9 / mean)
        wealth += math.log1p(bet * (value - mean))
        best = max(best, wealth)
        total += value
        squares += (value - total / (count + 1)) ** 2
        variance = squares / (count + 1)
    return best


def test_betting_ends_just_below_where_the_wealth_is_no_longer_reached():
    rng = np.random.default_rng(3)
    for confidence in (0.5, 0.95, 0.999):
        needed = -math.log1p(-confidence)
        for a, b in ((0.3, 0.3), (5.0, 1.0), (2.0, 9.0)):
            values = rng.beta(a, b, 60)
            bound = mean_lower_bound(values, confidence)
            assert 0 < bound < values.mean() + 0.1
            assert largest_wealth(values, bound, needed) >= needed
            assert largest_wealth(values, bound + 1e-9, needed) < needed
    assert mean_lower_bound(np.zeros(20)) == 0.0


def test_bernstein_is_the_published_formula():
    draws = np.random.default_rng(1).random(40)
    log = math.log(2 / 0.05)
    published = draws.mean() - math.sqrt(2 * draws.var(ddof=1) * log / 40) - 7 * log / (3 * 39)
    assert mean_lower_bound(draws, 0.95, "bernstein") == pytest.approx(published)
    assert mean_lower_bound(draws, 0.95) > published
    assert mean_lower_bound(np.zeros(5)) < 1e-6
    assert 0.9 < mean_lower_bound(np.ones(200)) < 1.0


@pytest.mark.nightly
def test_the_certificate_covers_the_histogram():
    certified = []
    for root in np.random.SeedSequence(3).spawn(60):
        rng = np.random.default_rng(root)
        shadows = shadow_models(histogram, discrete_records, n=5, models=200, challenges=5, rng=rng)
        found = certify_security(shadows, attack=over(1), rng=rng)
        assert found.tested == 200
        certified.append(found.certified)
    assert np.mean(np.array(certified) <= HISTOGRAM) >= 0.95 - 3 * math.sqrt(0.05 * 0.95 / 60)
    assert np.mean(certified) > 0.15
    # A claim of a fifth less than the truth would be caught.
    assert np.mean(np.array(certified) > 0.8 * HISTOGRAM) > 0.05


def test_testing_the_attack_on_its_own_training_models_breaks_it(monkeypatch):
    """A learner that ignores its data has Delta = 0; a memorising attack then claims more."""
    few = {"n": 5, "models": 40, "challenges": 3, "attack": DecisionTreeClassifier()}

    def misses():
        roots = map(np.random.default_rng, np.random.SeedSequence(4).spawn(25))
        return sum(audit_security(nothing, normal_records, rng=rng, **few).certified > 0 for rng in roots)

    assert misses() <= 5
    monkeypatch.setattr(security, "_halves", lambda models: (slice(0, models), slice(0, models)))
    assert misses() == 25


def test_unbalanced_weights():
    rng = np.random.default_rng(6)
    for nu, lam, delta in ((0.4, 0.5, 0.162832), (0.5, 0.4, 0.085993)):
        a, b = mis.weights(nu, lam)
        shadows = shadow_models(histogram, discrete_records, n=5, models=3000, challenges=5, rng=rng)
        for attack in (over(b / a), DecisionTreeClassifier(max_depth=6)):
            found = certify_security(shadows, attack=attack, nu=nu, lam=lam, rng=rng)
            assert found.certified <= delta
            # The tree sees half of the models, and pays for what it has to learn.
            assert found.estimate == pytest.approx(delta, abs=0.03)
            assert "another nu" in found.limits()[1][-1]
        balanced = certify_security(shadows, attack=over(b / a), rng=rng)
        assert abs(balanced.estimate - found.estimate) > 0.03
