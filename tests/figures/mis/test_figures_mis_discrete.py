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


@pytest.mark.parametrize("n", [2, 3, 7, 50])
def test_scallops(n):
    figure = figures.mis.deviation_scallops(n)
    solid, dotted = (np.array(named(figure, s).y, dtype=float) for s in ("np and", "elsewhere"))
    assert (np.isnan(solid) ^ np.isnan(dotted)).all()
    inside = solid[~np.isnan(solid)]
    assert (inside.size == 0) == (n < 3)
    assert (inside >= mis.RATE_LOW).all()
    assert (inside <= mis.RATE_HIGH + 1e-12).all()
    x = np.array(named(figure, "np and").x)
    for i in (10, 150, 199, 300):
        counts = np.arange(n + 1)
        weights = [math.comb(n, k) * x[i] ** k * (1 - x[i]) ** (n - k) for k in counts]
        spread = np.abs(counts / n - x[i]) @ weights
        want = math.sqrt(n) * spread / (2 * math.sqrt(x[i] * (1 - x[i])))
        assert np.nansum([solid[i], dotted[i]]) == pytest.approx(want, rel=1e-10)


@pytest.mark.parametrize("K", [2, 5, 17])
def test_diversity_band(K):
    figure = figures.mis.diversity_band(K)
    most, least = (np.array(named(figure, s).y) for s in ("most", "least"))
    assert (least <= most).all()
    assert most[0] == pytest.approx(math.sqrt(K - 1), rel=1e-9)
    assert least[0] == pytest.approx(most[0], rel=1e-6)
    assert most[-1] == pytest.approx(0, abs=1e-12)
    for name in ("2 Gini", "Shannon"):
        assert (np.array(named(figure, name).y) <= most + 1e-12).all()
    x = np.array(named(figure, "most").x)
    flat = [x[40]] + [(1 - x[40]) / (K - 1)] * (K - 1)
    assert mis.diversity(flat) == pytest.approx(most[40], rel=1e-12)
    assert named(figure, "2 Gini").y[40] == pytest.approx(2 * mis.gini_simpson(flat), rel=1e-12)
