"""The figures of DP's chapter: the curves stand in order and are what the package computes."""

import math
from itertools import pairwise

import numpy as np
import pytest
from shared import named, sentence

from mipbook import figures, mis


@pytest.mark.parametrize("n", [1, 10, 200])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_dp_curves_are_in_order(n, epsilon):
    figure = figures.mis.dp_security(epsilon, n, 0.5)
    names = ("exp(ε)", "1 − exp(−ε)", "tanh(ε/2)", "tanh(ε/4)", "noisy count (exact)")
    curves = [np.array(named(figure, name).y) for name in names]
    for upper, lower in pairwise(curves):
        assert (lower <= upper + 1e-12).all()
    sharp, exact = named(figure, "at your ε").y
    assert sharp == pytest.approx(math.tanh(epsilon / 4), rel=1e-14)
    assert exact == named(figure, "at your n").y[0]
    assert exact == mis.geometric_count_delta(n, 0.5, epsilon)
    assert ("says nothing" in sentence(figure)) == (epsilon > math.log(2))
