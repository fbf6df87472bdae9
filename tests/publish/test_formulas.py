"""Formulas that are set while the book is built: what a reader gets, and what is none."""

import pytest

from explorable.sphinx.formulas import formula


@pytest.mark.parametrize(
    ("latex", "display", "piece"),
    [
        (r"\eta \le 0.1", False, "<mi>η</mi><mo>≤</mo><mn>0.1</mn>"),
        (r"\frac12", True, 'display="block"'),
        ("a &= b \\\\\nc &= d".join((r"\begin{aligned}", r"\end{aligned}")), True, "<mtable"),
    ],
)
def test_a_formula_is_html_with_its_meaning_inside(latex, display, piece):
    told = formula(latex, display)
    assert piece in told
    assert latex.replace("&", "&amp;") in told  # its source, for who copies it


def test_what_is_no_formula_is_refused_and_the_next_is_set():
    with pytest.raises(ValueError, match=r"\\frac1: .*Unexpected end of input"):
        formula(r"\frac1")
    assert "<mi>x</mi>" in formula("x")
