"""The audit plays the paper's game, on records of any kind, and names what fails."""

import math
from itertools import count

import numpy as np
import pandas as pd
import pytest
from shared import refused
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeRegressor

from explorable.panels.controls import UploadedFile
from mipbook import figures, mis
from mipbook.audit import Shadows, audit_security, certify_security, shadow_models
from mipbook.audit.shadows import Source, take

TIMES = count()


def mean(rng, X, y):
    centre = X.mean()
    return lambda Z: np.full(len(Z), centre)


def worst(count, n):
    """Return what Theorem 14 allows on the law of a table of so many different rows."""
    return mis.worst_case_delta(np.full(count, 1 / count), n)


def a_tree_on_400_rows():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 6))
    found = audit_security(DecisionTreeRegressor(), table[:, :5], table[:, 5], n=40, models=600, rng=rng)
    return found.certified, worst(400, 40)


def a_tree_in_the_app():
    rows = np.random.default_rng(1).standard_normal((24, 2)).round(3)
    # Numbers of its own: what is found for a table is kept.
    rows[0, 0] += next(TIMES) * 1e-9
    text = "\n".join(",".join(str(v) for v in row) for row in rows)
    figure = figures.mis.audit_lab(UploadedFile("mine.csv", text), "tree", 100)
    certified = next(t for t in figure.data if t.name == "Δ (bound)").x[0]
    return certified, worst(24, 12)


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


CASES = [pytest.param(a_tree_on_400_rows, marks=pytest.mark.nightly), a_tree_in_the_app, a_mean_of_20_rows]


@pytest.mark.parametrize("case", CASES)
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
    return lambda Z: np.array([known.get(z.tobytes(), 0.0) for z in Z])


def constant(rng, count):
    return rng.random((count, 2)).tolist(), [0.5] * count


def kinds():
    """Return learners and records, and how much at least the audit should find."""
    rng = np.random.default_rng(6)
    bits, y, tree = rng.integers(0, 2, (60, 6)), rng.standard_normal(60), DecisionTreeRegressor()
    frame = pd.DataFrame(bits, columns=list("abcdef"))
    mixed = frame.assign(word=np.where(bits[:, 0] == 1, "yes", "no"), share=rng.random(60))
    coded = make_column_transformer((OneHotEncoder(), ["word"]), remainder="passthrough")
    return [
        (tree, constant, None, 0.0),
        (tree, bits == 1, y, 0.0),
        (tree, bits, y, 0.0),
        (memory, rng.random((60, 8, 8)), y, 0.4),
        (tree, frame, pd.Series(y, index=range(5, 65)), 0.4),
        (make_pipeline(coded, tree), mixed, y, 0.4),
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


class Odd(BaseEstimator):
    """A classifier by its methods only, which answers -1 and 1."""

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.where(X[:, 0] > 0, 1, -1)


X40, Y40 = np.random.default_rng(7).standard_normal((40, 2)), np.arange(40) % 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": Ridge}, "learner = .*must be an instance"),
        ({"learner": saying(3)}, "learner = int: must be a function that returns"),
        ({"learner": saying(lambda Z: np.ones(2))}, "learner = "),
        ({"learner": saying(lambda Z: np.full(len(Z), np.nan))}, "learner = .*nan"),
        ({"y": Y40[:39]}, "y = "),
        ({"X": uneven_noise}, "(?s)y = .*sampler"),
        ({"X": lambda rng, count: np.zeros((3, 1)), "y": None}, "X = '3 records'"),
        ({"challenges": 11}, r"challenges = 11: must be an integer in \[1, n = 10\]"),
        ({"attack": Ridge}, "attack = .*instance"),
        ({"learner": broken(KeyError("a"))}, "learner = .*n = 10 records of X and y .KeyError"),
        ({"learner": saying(broken(IndexError("a")))}, "learner = .*IndexError"),
        ({"learner": saying(lambda Z: np.array(["a"] * len(Z)))}, "learner = .*kind"),
        ({"learner": saying(lambda Z: np.zeros(len(Z))), "y": ["a", "b"] * 20}, "learner = .*shape of y"),
        ({"attack": broken(IndexError("a"))}, "attack = .*IndexError"),
        ({"attack": LinearRegression()}, "(?s)attack = LinearRegression.*a classifier"),
        ({"attack": Odd()}, "attack = .*True or False"),
        ({"attack": DummyClassifier(strategy="constant", constant=7)}, "attack = .*on the first"),
        ({"X": broken(OSError("gone")), "y": None}, "X = .*when asked for 15 records .OSError"),
        ({"X": lambda rng, count: [], "y": None}, "X = "),
        ({"X": lambda rng, count: (np.zeros((count, 1)), [0]), "y": None}, "y = "),
        ({"X": np.array([["a", "b"]] * 40)}, "(?s)X = .*numbers"),
        ({"X": pd.DataFrame({"a": [1.0, None] * 20})}, "(?s)X = .*free of missing"),
        ({"X": np.full((40, 1), np.inf)}, "(?s)X = .*free of nan"),
        ({"X": X40[:1], "y": None}, "X = '1 records'"),
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
