"""The figures of the chapter on discrete data: they draw what the package computes."""

import math

import numpy as np
import pytest
from shared import named

from mipbook import figures, mis
from mipbook.figures.mis.discrete import RELEASES


@pytest.mark.parametrize("p1", [0.5, 0.1, 0.4])
@pytest.mark.parametrize(("n", "nu"), [(3, 0.5), (5, 0.4), (5, 0.5), (4, 0.6)])
def test_signs_are_enough(p1, n, nu):
    p = [p1, 0.6 * (1 - p1), 0.4 * (1 - p1)]
    most = mis.worst_case_delta(p, n, nu)
    for release in RELEASES:
        figure = figures.mis.signs_are_enough(p1, n, nu, release)
        bars = dict(zip(named(figure, "Δ of").x, named(figure, "Δ of").y, strict=True))
        assert bars["signs"] == pytest.approx(most, abs=1e-13)
        assert bars["histogram"] == pytest.approx(most, abs=1e-13)
        filled, open_ = (~np.isnan(np.array(named(figure, s).y, dtype=float)) for s in ("above", "not"))
        assert filled.size == 3 * math.comb(n + 2, 2)
        assert (filled ^ open_).all()
        crosses = ~np.isnan(np.array(named(figure, "attack").y, dtype=float))
        counts = np.array([[int(c) for c in t.split(", ")] for t in named(figure, "above").text])
        ratio = counts[np.arange(len(counts)), np.tile(range(3), len(counts) // 3)]
        gamma = nu / (1 - nu)
        want = ratio > gamma * n * np.tile(p, len(counts) // 3) + 1e-9
        assert (filled == want).all()
        if release in ("signs", "histogram"):
            assert (crosses == filled).all()
        elif release == "constant":
            # A constant at gamma < 1 leaves the attack to say member always.
            assert crosses.all() if nu < 0.5 else not crosses.any()
        else:
            assert (crosses != filled).any()
