"""From a reading back to a parameter: closed forms, and the reading of what was found."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from mipbook import accounting, tradeoff
from mipbook.accounting import matching

FAMILIES = tuple(accounting.FAMILIES)
READINGS = tuple(accounting.READINGS)
VALUES = {
    "advantage": 0.05,
    "auc": 0.53,
    "eta": 0.03,
    "mis": 0.04,
    "tpr": 0.03,
    "accuracy": 0.53,
    "epsilon": 2.0,
    "delta": 1e-3,
}


def told(reading: accounting.Reading, wanted: str) -> float:
    """Read the number by its own name, at the place where it is asked by default."""
    return {
        "advantage": lambda: reading.advantage.value,
        "auc": lambda: reading.auc.value,
        "eta": lambda: reading.eta.value,
        "mis": lambda: reading.mis.value,
        "tpr": lambda: reading.tpr(0.01),
        "accuracy": lambda: reading.accuracy(0.5),
        "epsilon": lambda: reading.epsilon(1e-5),
        "delta": lambda: reading.delta(1.0),
    }[wanted]()


# The security of a Rényi promise takes seconds, by the same path.
PAIRS = [
    (family, wanted)
    for family in FAMILIES
    for wanted in READINGS
    if wanted != "mis" or family not in ("zcdp", "renyi")
]


@pytest.mark.parametrize(("family", "wanted"), PAIRS)
def test_the_reading_is_as_wanted_and_a_little_more_leak_is_too_much(family, wanted):
    value = VALUES[wanted]
    found = matching(family, wanted, value)
    assert told(found.reading, wanted) <= value
    if (family, wanted) == ("renyi", "epsilon"):
        return  # a bound that jumps
    less = accounting.FAMILIES[family].hides
    more = found.value * (0.999 if less else 1.001)
    fixed = accounting.FAMILIES[family].fixed
    assert told(accounting.FAMILIES[family].made(more, fixed), wanted) > value
    assert math.isclose(told(found.reading, wanted), value, rel_tol=1e-9)


def test_closed_forms():
    """From what each formula says, solved for the parameter by hand."""
    sigma = matching("gaussian", "tpr", 0.2, at=0.01).value
    assert math.isclose(sigma, 1 / (norm.ppf(0.2) - norm.ppf(0.01)), rel_tol=1e-12)
    sigma = matching("gaussian", "auc", 0.75).value
    assert math.isclose(sigma, 1 / (math.sqrt(2) * norm.ppf(0.75)), rel_tol=1e-12)
    sigma = matching("gaussian", "epsilon", 3.0, at=1e-6).value
    assert math.isclose(sigma, tradeoff.gaussian_sigma(3.0, 1e-6), rel_tol=1e-9)
    scale = matching("laplace", "advantage", 0.3).value
    assert math.isclose(scale, -0.5 / math.log(0.7), rel_tol=1e-12)
    scale = matching("laplace", "mis", 0.1).value
    assert math.isclose(scale, 0.25 / math.atanh(0.1), rel_tol=1e-10)
    epsilon = matching("dp", "eta", 0.1, fixed=0.01).value
    assert math.isclose(epsilon, 2 * math.atanh((0.2 - 0.01) / 0.99), rel_tol=1e-12)
    epsilon = matching("dp", "accuracy", 0.95, at=0.1, fixed=0.0).value
    assert math.isclose(epsilon, math.log(19), rel_tol=1e-12)
    rho = matching("zcdp", "advantage", 0.4).value
    assert math.isclose(rho, 2 * math.atanh(0.4) * 0.4, rel_tol=1e-12)
    sigma = matching("sample", "advantage", 0.05, fixed=0.2).value
    assert math.isclose(sigma, 0.5 / norm.ppf((1 + 0.25) / 2), rel_tol=1e-12)
    for answers in (2, 5, 100):
        epsilon = matching("randomised response", "tpr", 0.001, at=1e-4, fixed=answers).value
        assert math.isclose(epsilon, math.log(10), rel_tol=1e-9)


def test_what_is_fixed_is_used():
    found = matching("geometric", "advantage", 0.2, fixed=2)
    assert math.isclose(found.value, -2 * math.log(0.8), rel_tol=1e-12)
    assert found.parameter == "epsilon"
    assert matching("renyi", "advantage", 0.2, fixed=2.0).value != pytest.approx(
        matching("renyi", "advantage", 0.2, fixed=20.0).value
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"family": "normal", "wanted": "eta", "value": 0.1}, "family = 'normal'"),
        ({"family": "dp", "wanted": "luck", "value": 0.1}, "wanted = 'luck'"),
        ({"family": "dp", "wanted": "tpr", "value": 0.005}, "from 0.01 to"),
        ({"family": "dp", "wanted": "advantage", "value": 0.1, "fixed": 0.2}, "from 0.2 to .* fixed = 0.2"),
        ({"family": "sample", "wanted": "advantage", "value": 0.1}, "to below 0.1"),
        ({"family": "dp", "wanted": "eta", "value": 0.1, "at": 0.5}, "left out"),
        ({"family": "zcdp", "wanted": "eta", "value": 0.1, "fixed": 2.0}, "left out"),
        ({"family": "dp", "wanted": "accuracy", "value": 0.4}, "from 0.5 to"),
        ({"family": "dp", "wanted": "eta", "value": 0.6}, r"in \[0, 0.5\)|in \[0, 0.5\]"),
    ],
)
def test_what_no_parameter_has_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        matching(**given)


def test_more_is_allowed_where_more_is_wanted():
    values = np.linspace(0.02, 0.9, 12)
    for family in ("gaussian", "laplace", "dp"):
        found = [matching(family, "advantage", float(v)).value for v in values]
        assert (np.diff(found) * (1 if family == "dp" else -1) > 0).all()
