"""The figures of the exponential mechanism and of the choice: what they draw is computed."""

import numpy as np
import pytest
from shared import named, sentence

from explorable.panels import UploadedFile
from mipbook import figures, pmp
from mipbook.stored.pmp import FIGURE_1


def test_figure_2_meets_the_quote_and_figure_1_says_how_far_it_is():
    second = figures.pmp.pmp_figure_2()
    assert (named(second, "quoted").x[0], named(second, "quoted").y[0]) == (50.0, 0.0123)
    for name in ("ε̃ / ε(X)", "ε̃ / ε ("):
        curve = named(second, name)
        assert curve.y[list(curve.x).index(50.0)] == pytest.approx(0.012, rel=0.08)
    for convention, mean in (("attained", 0.106), ("triangle", 0.058)):
        figure = figures.pmp.pmp_figure_1(convention=convention)
        curve = named(figure, "ε̃ / ε (")
        assert curve.y[list(curve.x).index(1.0)] == pytest.approx(mean, rel=0.1)
        assert "0.075" in sentence(figure)
    for other in ({"to": 3}, {"held": "epsilon"}, {"average": "worst"}, {"vary": "epsilon", "to": 2}):
        assert "0.075" not in sentence(figures.pmp.pmp_figure_1(**other))


def lab(text, *settings):
    return figures.pmp.ratio_lab(UploadedFile("a.csv", text), *settings)


def test_the_lab_draws_any_setting_of_a_file_by_either_mechanism():
    figure = lab("n,m,d,C,sigma,epsilon,outliers,factor,T\n3,7,2,4,2,3,1,5,6\n5,7,2,4,2,3,1,5,6\n")
    case = {
        "objects": 7,
        "dimension": 2,
        "clip": 4.0,
        "sigma": 2.0,
        "epsilon": 3.0,
        "outliers": 1,
        "factor": 5.0,
    }
    cases = [{**case, "n": n, "subset": True} for n in (3, 5)]
    for at, drawn in enumerate(pmp.sweep(pmp.exponential_trial, cases, trials=6, seed=FIGURE_1.seed)):
        for name, over in (("ε̃ / ε(X)", "surrogate"), ("ε̃ / ε (", "epsilon"), ("ε̃ / exact", "subset")):
            want = np.mean([t.pmp / getattr(t, over) for t in drawn])
            assert named(figure, name).y[at] == pytest.approx(want, rel=1e-9)
    assert list(named(figure, "ε̃ / ε (").x) == [3, 5]
    noisy = lab("n,d,C,delta,T\n20,3,9,0.001,4\n", "epsilon", "second", "worst")
    case = {"n": 20, "dimension": 3, "clip": 9.0, "delta": 0.001, "sigma": 1.0, "epsilon": 5.0, "outliers": 0}
    case |= {"factor": 100.0, "held": "epsilon", "sensitivity": "C/n"}
    (drawn,) = pmp.sweep(pmp.gaussian_trial, [case], trials=4, seed=FIGURE_1.seed)
    want = max(t.epsilon_pmp / t.epsilon for t in drawn)
    assert named(noisy, "ε̃ / ε (").y[0] == pytest.approx(want, rel=1e-9)
    assert "column 'delta' is δ" in noisy.layout.meta["read"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n,m\n2.5,3\n", "n = 2.5 must be a whole number"),
        ("n,m\n3,3\n3,0\n", "column 'm' must be above 0 in all rows"),
        ("n,m\n0,3\n", "n"),
        ("a,b\n1,2\n", "names none of"),
        ("n,T\n3,1\n", "T"),
    ],
)
def test_the_lab_refuses_a_setting_that_is_none(text, message):
    with pytest.raises(ValueError, match=message):
        lab(text)
