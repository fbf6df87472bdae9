"""Audits of learners of many kinds: their report, what is stored, certificates as sure as they say."""

import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from shared import refused
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from explorable.panels.controls import UploadedFile
from mipbook import figures, mis
from mipbook.audit import Shadows, audit_security, certify_security, mean_lower_bound, security, shadow_models
from mipbook.audit.examples import EXAMPLES, example_table, table_audit
from mipbook.audit.examples import SETTINGS as STORED
from mipbook.audit.shadows import Source, take
from studies.audit import audited

TIMES = itertools.count()


def normal_records(rng, count):
    return rng.standard_normal((count, 1))


def mean(rng, X, y):
    centre = X.mean()
    return lambda Z: np.full(len(Z), centre)


def nothing(rng, X, y):
    noise = rng.standard_normal()
    return lambda Z: np.full(len(Z), noise)


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
        assert not re.search(r"security (\(MIS\), )?at least|is secure|is safe", str(report))
        assert ("people outside the table" in str(report)) == (report is on_table)
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


# --- The game that is played, on records of any kind, and what fails is named -----------------------


def a_tree_in_the_app():
    rows = np.random.default_rng(1).standard_normal((24, 2)).round(3)
    # Numbers of its own: what is found for a table is kept.
    rows[0, 0] += next(TIMES) * 1e-9
    text = "\n".join(",".join(str(v) for v in row) for row in rows)
    figure = figures.mis.audit_lab(UploadedFile("mine.csv", text), "tree", 100)
    certified = next(t for t in figure.data if t.name == "Δ (bound)").x[0]
    # What Theorem 14 allows on the law of a table of so many different rows.
    return certified, mis.worst_case_delta(np.full(24, 1 / 24), 12)


def a_mean_of_20_rows():
    """Not what the population gives, 0.1071, but what the attack gains on the table's law."""
    rng = np.random.default_rng(2)
    table = rng.standard_normal((20, 1))
    centre = table.mean()

    def product(rows):
        return (rows[:, 1] - centre) * (rows[:, 0] - centre) > 0

    found = audit_security(mean, table, n=10, models=3000, attack=product, challenges=10, rng=rng)
    # TPR - FPR by many games on the law of the rows.
    drawn = table[rng.integers(0, 20, (400_000, 11)), 0]
    means = drawn[:, :10].mean(axis=1)
    tpr, fpr = (product(np.column_stack([drawn[:, at], means])).mean() for at in (0, 10))
    return found.certified, tpr - fpr + 0.002


@pytest.mark.parametrize("case", [a_tree_in_the_app, a_mean_of_20_rows])
def test_a_certificate_is_about_independent_records(case, monkeypatch):
    """Theorem 14 bounds what can be certified of any learner on the table's law."""
    certified, allowed = case()
    assert 0 < certified <= allowed

    def without_replacement(self, rng, count):
        rows = rng.choice(self.count, count, replace=False)
        return take(self.X, rows), None if self.y is None else self.y[rows]

    monkeypatch.setattr(Source, "draw", without_replacement)
    certified, allowed = case()
    assert certified > allowed


def uneven_noise(rng, count):
    X = rng.standard_normal((count, 5))
    return X, np.sin(X[:, 0]) + np.where(X[:, 1] > 0, 1.0, 0.05) * rng.standard_normal(count)


def test_the_default_attack_sees_the_record():
    """What is a small error depends on the record where the noise does."""
    seen = shadow_models(LinearRegression(), uneven_noise, n=40, models=600, rng=np.random.default_rng(3))
    blind = Shadows(seen.inside[:, :, :3], seen.outside[:, :, :3], 40, "linear", "blind")
    found = [certify_security(s, rng=np.random.default_rng(4)) for s in (blind, seen)]
    assert found[1].estimate > found[0].estimate + 0.01
    assert found[1].certified > found[0].certified + 0.01


def saying(answer):
    """Return a learner that whatever its data answers so."""
    return lambda rng, X, y: answer


def test_a_place_among_the_asked_says_nothing():
    """A learner that ignores its data but numbers what it is asked about leaks nothing."""

    def sampler(rng, count):
        return rng.standard_normal((count, 1))

    def scales(rng, X, y):
        X *= 10
        return lambda Z: np.zeros(len(Z))

    rng = np.random.default_rng(5)
    for learner in (saying(lambda Z: np.arange(len(Z))), scales):
        assert audit_security(learner, sampler, n=10, models=60, challenges=10, rng=rng).certified == 0.0


def uneven(rng, X, y):
    """Answer with as many numbers a record as chance has it."""
    wide = 1 + rng.integers(0, 2)
    return lambda Z: np.zeros((len(Z), wide))


def memory(rng, X, y):
    known = {x.tobytes(): target for x, target in zip(X, y, strict=True)}
    other = np.zeros_like(y)[0]
    return lambda Z: np.array([known.get(z.tobytes(), other) for z in Z])


def constant(rng, count):
    return rng.random((count, 2)).tolist(), [0.5] * count


def kinds():
    """Return learners and records, and how much at least the audit should find."""
    rng = np.random.default_rng(6)
    bits, y, tree = rng.integers(0, 2, (60, 6)), rng.standard_normal(60), DecisionTreeRegressor()
    frame = pd.DataFrame(bits, columns=list("abcdef"))
    words = np.where(bits[:, 0] == 1, "yes", "no")
    mixed = frame.assign(word=words, share=rng.random(60))
    coded = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
    return [
        (tree, constant, None, 0.0),
        (tree, bits == 1, y, 0.0),
        (tree, bits, y, 0.0),
        (memory, rng.random((60, 8, 8)), y, 0.4),
        (tree, frame, pd.Series(y, index=range(5, 65)), 0.4),
        (make_pipeline(coded, tree), mixed, y, 0.4),
        (DecisionTreeClassifier(), frame, mixed["word"], 0.0),
        (memory, rng.random((60, 2)), words, 0.2),
        (KMeans(2, n_init=1), mixed[["share"]], None, 0.0),
    ]


@pytest.mark.parametrize(("learner", "X", "y", "least"), kinds())
def test_records_of_every_kind(learner, X, y, least):
    found = audit_security(learner, X, y, n=10, models=40, challenges=8, rng=np.random.default_rng(7))
    assert found.challenges == 8
    assert found.certified <= (0.0 if X is constant else (59 / 60) ** 10)
    assert found.estimate >= least


def broken(error):
    def call(*given):
        raise error

    return call


X40, Y40 = np.random.default_rng(7).standard_normal((40, 2)), np.arange(40) % 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": Ridge}, "learner = .*must be an instance"),
        ({"learner": saying(3)}, "learner = int: must be a function that returns"),
        ({"learner": saying(lambda Z: np.ones(2))}, "learner = "),
        ({"learner": saying(lambda Z: np.full(len(Z), np.nan))}, "learner = .*nan"),
        ({"X": uneven_noise}, "(?s)y = .*sampler"),
        ({"X": lambda rng, count: np.zeros((3, 1)), "y": None}, "X = '3 records'"),
        ({"attack": Ridge}, "attack = .*instance"),
        ({"learner": broken(KeyError("a"))}, "learner = .*n = 10 records of X and y .KeyError"),
        ({"learner": saying(broken(IndexError("a")))}, "learner = .*IndexError"),
        ({"learner": saying(lambda Z: np.array(["a"] * len(Z)))}, "learner = .*kind"),
        ({"learner": saying(lambda Z: np.zeros(len(Z))), "y": ["a", "b"] * 20}, "learner = .*shape of y"),
        ({"attack": broken(IndexError("a"))}, "attack = .*IndexError"),
        ({"attack": LinearRegression()}, "(?s)attack = LinearRegression.*a classifier"),
        ({"attack": lambda rows: np.where(rows[:, 0] > 0, 1, -1)}, "attack = .*True or False"),
        ({"attack": DummyClassifier(strategy="constant", constant=7)}, "attack = .*on the first"),
        ({"X": broken(OSError("gone")), "y": None}, "X = .*when asked for 15 records .OSError"),
        ({"X": lambda rng, count: (np.zeros((count, 1)), [0]), "y": None}, "y = "),
        ({"X": np.array([["a", "b"]] * 40)}, "(?s)X = .*numbers"),
        ({"X": pd.DataFrame({"a": [1.0, None] * 20})}, "(?s)X = .*free of missing"),
        ({"learner": uneven}, r"learner = '.[0-9, ]+. numbers a record'"),
    ],
)
def test_what_fails_is_named(change, message):
    settings = {"learner": Ridge(), "X": X40, "y": Y40, "n": 10, "models": 6, "challenges": 5}
    refused(message, audit_security, **{**settings, "rng": np.random.default_rng(0), **change})


def test_shadows_that_do_not_fit_are_refused():
    good = np.zeros((6, 2, 3))
    refused("outside = .*shape", Shadows, good, np.zeros((8, 2, 3)), 5, "mine", "by hand")
    refused("inside = '1 models'", Shadows, good[:1], good[:1], 5, "mine", "by hand")
    refused("inside = ", Shadows, good[0], good[0], 5, "mine", "by hand")
    refused("outside = .*missing", Shadows, good, good * np.nan, 5, "mine", "by hand")


def test_the_certificate_as_an_epsilon():
    """Randomised response with epsilon = 2 on one record: nothing larger may be certified."""
    epsilon = 2.0

    def response(rng, X, y):
        keep = np.exp(epsilon) / (np.exp(epsilon) + 2)
        told = X[0, 0] if rng.random() < keep else (X[0, 0] + rng.integers(1, 3)) % 3
        return lambda Z: (Z[:, 0] == told) * 1.0

    def sampler(rng, count):
        return rng.integers(0, 3, (count, 1)) * 1.0

    attack, rng = (lambda rows: rows[:, 1] == 1), np.random.default_rng(8)
    settings = {"n": 1, "challenges": 1, "attack": attack, "rng": rng}
    found = audit_security(response, sampler, models=4000, **settings)
    least = found.epsilon_at_least()
    assert math.isclose(least, 4 * math.atanh(found.certified), rel_tol=1e-12)
    assert 1.7 < least <= epsilon
    told = {name: row.split()[0] for name, row in found.rows()}
    assert least - 1e-3 <= float(told["epsilon, at least"]) <= least
    assert float(told["security (MIS), at most"]) >= 1 - found.certified
    silent = saying(lambda Z: np.zeros(len(Z)))
    assert audit_security(silent, sampler, models=40, **settings).epsilon_at_least() == 0.0
