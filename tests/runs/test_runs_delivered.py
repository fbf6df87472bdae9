"""The stored eta that noise delivers: a part is simulated again, the rest is bounded."""

from __future__ import annotations

import numpy as np
import pytest

from mipbook import mip
from mipbook.runs import store
from mipbook.runs.delivered import SETTINGS, delivered, simulated


def test_a_part_run_again_gives_what_is_stored():
    part = {**SETTINGS, "etas": (0.1,), "radii": ("laplace",), "dimensions": (1, 4)}
    again = simulated(part)["values"][0, 0]
    stored = store.load("delivered").arrays["values"]
    places = [SETTINGS["dimensions"].index(d) for d in part["dimensions"]]
    i, j = SETTINGS["etas"].index(0.1), SETTINGS["radii"].index("laplace")
    np.testing.assert_allclose(again, stored[i, j, places], rtol=1e-9)


def test_the_repaired_noise_keeps_its_promise_and_one_dimension_is_exact():
    for eta in SETTINGS["etas"]:
        for d in SETTINGS["dimensions"]:
            assert delivered(d, 64.0, eta, "gamma").low <= eta * (1 + 1e-12)
        for radius in SETTINGS["radii"]:
            assert delivered(1, 64.0, eta, radius).kind == "exact"


def test_what_is_not_stored_is_simulated_with_the_same_seed():
    rng = np.random.default_rng(SETTINGS["seed"])
    want = mip.delivered_eta(5, 64.0, 0.2, "gamma", rng)
    assert delivered(5, 64.0, 0.2, "gamma").value == pytest.approx(want.value, rel=1e-12)
