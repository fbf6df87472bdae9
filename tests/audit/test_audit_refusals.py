"""What an audit refuses."""

import numpy as np
import pytest
from known_learners import mean, normal_records
from shared import refused
from sklearn.linear_model import LogisticRegression, Ridge

from mipbook.audit import audit_security, certify_security, mean_lower_bound, shadow_models


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learner": Ridge}, "learner = .*must be an instance"),
        ({"learner": 3}, "learner = int"),
        ({"learner": lambda rng, X, y: 3}, "learner = int: must be a function that returns"),
        ({"learner": lambda rng, X, y: lambda Z: np.ones(2)}, "learner = "),
        ({"learner": lambda rng, X, y: lambda Z: np.full(len(Z), np.nan)}, "learner = .*nan"),
        ({"learner": LogisticRegression(), "y": np.zeros(40, dtype=int)}, "failed on a draw of n"),
        ({"X": np.zeros((1, 1)), "y": None}, "X = '1 records'"),
        ({"X": [[1.0], [1.0, 2.0]]}, "X = "),
        ({"X": np.full((40, 1), np.nan)}, "(?s)X = .*free of nan"),
        ({"X": "table.csv"}, "X = str of length 9"),
        ({"X": np.zeros((40, 1)), "y": np.zeros(39)}, "y = "),
        ({"X": np.zeros((40, 1)), "y": np.full(40, np.inf)}, "y = "),
        ({"X": normal_records, "y": np.zeros(40)}, "(?s)y = .*sampler"),
        ({"X": lambda rng, count: np.zeros((3, 1))}, "X = '3 records'"),
        ({"n": 0}, "n = 0"),
        ({"models": 3}, "models = 3"),
        ({"challenges": 0}, "challenges = 0"),
        ({"challenges": 11}, r"challenges = 11: must be an integer in \[1, n = 10\]"),
        ({"attack": LogisticRegression}, "attack = .*instance"),
        ({"attack": 3}, "attack = int"),
        ({"attack": lambda rows: rows}, "attack = "),
        ({"features": 3}, "features = int"),
        ({"features": lambda predict, Z, t: np.zeros(2)}, "features = "),
        ({"nu": 0.0}, "nu = 0.0"),
        ({"lam": 1.0}, "lam = 1.0"),
        ({"confidence": 1.0}, "confidence = 1.0"),
        ({"method": "t"}, "method = 't'"),
        ({"rng": -3}, "rng = -3"),
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
    refused(message, audit_security, **settings)


def test_other_bad_input():
    refused("values", mean_lower_bound, [0.5])
    refused("values", mean_lower_bound, [0.5, 1.5])
    refused("shadows", certify_security, np.zeros((4, 2, 3, 1)), rng=np.random.default_rng(0))
    shadows = shadow_models(mean, normal_records, n=5, models=4, challenges=2, rng=np.random.default_rng(0))
    refused("models = 5", shadows.first, 5)

    class Hard(LogisticRegression):
        predict_proba = property(lambda self: (_ for _ in ()).throw(AttributeError()))

    refused("predict_proba", certify_security, shadows, attack=Hard(), nu=0.3, rng=np.random.default_rng(0))
