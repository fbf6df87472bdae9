"""Audits of learners of many kinds, what their report says, and what is stored."""

import numpy as np
import pytest
from known_learners import mean, normal_records, nothing
from sklearn.cluster import KMeans
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mipbook.audit import audit_security, shadow_models
from mipbook.audit.examples import EXAMPLES, example_table, table_audit
from mipbook.audit.examples import SETTINGS as STORED
from studies.audit import audited


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
        shadow_models(DecisionTreeRegressor(), X, y, rng=np.random.default_rng(s), n_jobs=j, **settings)
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


@pytest.mark.parametrize(("example", "learner"), [(EXAMPLES[0], "linear"), (EXAMPLES[2], "tree")])
def test_a_reduced_run_repeats_the_stored_numbers(example, learner):
    few = {**STORED, "examples": (example,), "learners": (learner,), "models": (20, 100)}
    again = audited(few)
    unit = example_table(example)[:, -1].std()
    for place, models in enumerate((20, 100)):
        stored = table_audit(example, learner, models)
        assert again["errors"][0, 0] / unit == pytest.approx(np.array(stored[:2]), abs=1e-6)
        report = stored.report
        told = (report.estimate, report.certified, *report.asymptotic, report.found, report.accused)
        assert again["reports"][0, 0, place] == pytest.approx(told, abs=0.02)
        assert (report.models, report.tested) == (models, models // 2)
