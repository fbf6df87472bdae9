"""The figures of one release in every reading draw what the package computes."""

import math

import numpy as np
import pytest
from scipy.stats import norm
from shared import named

from explorable.panels import UploadedFile
from mipbook import figures, tradeoff

drawn = figures.together


def place(figure, name):
    """Return where a mark stands along the ruler."""
    return float(np.ravel(named(figure, name).x)[0])


@pytest.mark.parametrize("mu", [0.05, 1.0, 3.0])
def test_the_ruler_reads_gaussian_noise(mu):
    figure = drawn.every_reading("Gaussian", mu)
    for name, value in {
        "advantage": 2 * norm.cdf(mu / 2) - 1,
        "MIP: η": norm.cdf(mu / 2) - 0.5,
        "found at FPR 1%": norm.cdf(norm.ppf(0.01) + mu),
        "ε at 10⁻⁵": tradeoff.gaussian_epsilon(1e-5, sigma=1 / mu),
    }.items():
        assert math.isclose(place(figure, name), value, rel_tol=1e-9), name


def test_one_pair_three_releases():
    figure = drawn.same_promise(3.0, 1e-5)
    assert "at most 55 of 1,000" in figure.layout.meta["sentence"]
    sigma = tradeoff.gaussian_sigma(3.0, delta=1e-5)
    gauss, pair = named(figure, "Gaussian noise"), named(figure, "the pair alone")
    np.testing.assert_allclose(gauss.y, tradeoff.gaussian_tpr(gauss.x, sigma), rtol=1e-12)
    np.testing.assert_allclose(pair.y, tradeoff.dp_tpr(pair.x, 3.0, 1e-5), rtol=1e-12)
    assert (np.array(named(figure, "Laplace noise").y) <= np.array(pair.y) + 1e-12).all()


def test_a_table_of_ones_own_is_read():
    text = "out,in\n0.2,0.5\n0.3,0.3\n0.5,0.2\n"
    chosen = {"inside": ["in"], "outside": ["out"]}
    figure = drawn.side_by_side(file=UploadedFile("mine.csv", text, chosen))
    meta = figure.layout.meta
    assert [row[0] for row in meta["table"]] == ["release", "first", "second", "table"]
    assert "the second Gaussian noise of σ = 1, 1-GDP, the table your table;" in meta["sentence"]
    # By hand: an advantage of 0.3, and the first output at a rate of 1%.
    assert meta["table"][3][1:3] == ["65%", "2.5%"]
    assert "column 'in' holds the chances with the record in" in meta["read"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("in,out\n0.5,0.2\n0.4,0.8\n", "column 'in' .*sum of 0.9"),
        ("in,out\n1.5,0.2\n-0.5,0.8\n", "row 2, column 'in': '1.5' is no chance"),
        ("in,out\n0.5,0.2\nten,0.8\n", "row 3, column 'in': 'ten' is not a number"),
        ("in,out\n1,1\n", "1 record; 2 to 10,000"),
        ("in\n0.5\n0.5\n", "column"),
    ],
)
def test_a_table_that_holds_no_chances_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        drawn.side_by_side(file=UploadedFile("mine.csv", text))
