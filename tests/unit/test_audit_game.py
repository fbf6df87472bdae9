"""The audit plays the paper's game, on records of any kind, and names what fails."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from mipbook import figures, mis
from mipbook.audit import Shadows, audit_security, certify_security, shadow_models, shadows
from mipbook.explore.controls import UploadedFile


def mean(rng, X, y):
    centre = X.mean()
    return lambda Z: np.full(len(Z), centre)


def worst(table, n):
    """Return what Theorem 14 allows on the law of a table's rows."""
    _, counts = np.unique(table, axis=0, return_counts=True)
    return mis.worst_case_delta(counts / counts.sum(), n)


def without_replacement(self, rng, count):
    rows = rng.choice(self.count, count, replace=False)
    return shadows.take(self.X, rows), None if self.y is None else self.y[rows]


def a_tree_on_400_rows():
    rng = np.random.default_rng(0)
    table = rng.standard_normal((400, 6))
    found = audit_security(
        DecisionTreeRegressor(), table[:, :5], table[:, 5], n=40, models=600, rng=rng
    )
    return found.certified, worst(table, 40)


def a_tree_in_the_app():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((24, 2)).round(3)
    text = "\n".join(",".join(str(v) for v in row) for row in rows)
    figure = figures.audit_lab(UploadedFile(f"few{rng.random()}.csv", text), "tree", 100)
    certified = next(t for t in figure.data if t.name == "Delta (bound)").x[0]
    return certified, worst(rows, 12)


def a_mean_of_a_20_row_table():
    rng = np.random.default_rng(2)
    table = rng.standard_normal((20, 1))
    centre = table.mean()

    def product(rows):
        return (rows[:, 1] - centre) * (rows[:, 0] - centre) > 0

    found = audit_security(mean, table, n=10, models=800, attack=product, members=5, rng=rng)
    # A mean of distinct numbers can be as bad as anything: the law's own Delta is closer.
    draws = table[rng.integers(0, 20, (200_000, 10)), 0].mean(axis=1)
    pairs = [np.histogram(draws + (z - r) / 10, bins=60)[0] for z, r in ((0, 0),)]
    assert pairs
    return found.certified, worst(table, 10)


@pytest.mark.parametrize("case", [a_tree_on_400_rows, a_tree_in_the_app, a_mean_of_a_20_row_table])
def test_a_certificate_never_contradicts_theorem_14(case):
    certified, allowed = case()
    assert 0 < certified <= allowed
