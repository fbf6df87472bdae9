"""Pools with and without outliers and equal records."""

import numpy as np
import pytest


@pytest.fixture
def pools():
    rng = np.random.default_rng(7)
    return [
        rng.standard_normal((12, 1)) / 6,
        rng.standard_normal((60, 3)) / 30,
        np.concatenate([10 * rng.standard_normal((2, 4)), rng.standard_normal((98, 4))]) / 50,
        rng.integers(0, 3, (80, 2)) / 40.0,
    ]
