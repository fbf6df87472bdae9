r"""Formulas are read as they are printed: LaTeX in, numbers out."""

import numpy as np
import pytest
from scipy import stats

from explorable.checks import formula
from explorable.checks.formula import Unread, evaluate, read

X = np.array([0.2, 0.7, 1.5])
NAMES = {
    "x": X,
    "n": 7.0,
    "m": 3.0,
    "p": 0.3,
    "p_k": np.array([0.5, 0.3, 0.2]),
    "C": 1.5,
    "C_K": 2.0,
    "K": 3.0,
}
NAMES |= {r"\delta": 0.1, r"\varepsilon": 1.3, r"\varepsilon'": 2.0, r"\Pr[x^* \in D \mid a]": 0.4}
NAMES |= {"t": np.sqrt, "g": np.subtract, "j": range(4)}
READ = {
    r"\frac12": 0.5,
    r"\frac1{2n}": 1 / 14,
    r"\tfrac\delta2": 0.05,
    r"\frac{\delta}{2} n": 0.35,
    r"2^{n - 1}": 64.0,
    r"2^3n": 56.0,
    r"10{,}000 + 1.5": 10001.5,
    r"90\%": 0.9,
    r"1.3 \times 10^{-3}": 1.3e-3,
    r"x / 2n": X / 14,
    r"-x^2": -(X**2),
    r"e^{-\varepsilon}": np.exp(-1.3),
    r"\ln\frac{1 + \delta}{2}": np.log(0.55),
    r"\ln\ln n\, p": np.log(np.log(7 * 0.3)),
    r"\log_2 n": np.log2(7),
    r"\tanh\frac\varepsilon2\tanh n": np.tanh(0.65) * np.tanh(7),
    r"\tanh(\varepsilon/4)\,n": 7 * np.tanh(0.325),
    r"\operatorname{artanh} p": np.arctanh(0.3),
    r"\Phi\!\left(x - 1\right)": stats.norm.cdf(X - 1),
    r"\Phi^{-1}(p)": stats.norm.ppf(0.3),
    r"\sqrt{x(1 + x)}": np.sqrt(X * (1 + X)),
    r"\sqrt n": np.sqrt(7),
    r"\binom nm p^m": 35 * 0.3**3,
    r"\frac{(2m)!}{m!\,(2m)^m}": 720 / 6 / 6**3,
    r"\max\left\{x,\ 1 - x\right\}": np.maximum(X, 1 - X),
    r"\min(x, p)": np.minimum(X, 0.3),
    r"|x - 1| - \left|p - 1\right|": np.abs(X - 1) - 0.7,
    r"\lvert x - 1 \rvert": np.abs(X - 1),
    r"\lceil 10 p\rceil + \lfloor 10 x \rfloor": np.array([5.0, 10.0, 18.0]),
    r"(1 - x)_+": np.maximum(1 - X, 0),
    r"\sum_{k=0}^m \binom mk p^k": 1.3**3,
    r"\prod_{k=1}^{m} k": 6.0,
    r"\sum_k \sqrt{p_k(1 - p_k)}": 0.5 + np.sqrt(0.21) + 0.4,
    r"\sum_{k} p_k x": X,
    r"\sum_{j\,:\,2j > m} j": 5.0,
    r"\sum_{j \ge 2} j": 5.0,
    r"\Pr[x^* \in D \mid a] + \varepsilon'": 2.4,
    r"t(x + 1) - g(x, 1)": np.sqrt(X + 1) - X + 1,
    "C_K + C K": 6.5,  # a longer name goes first
    r"\begin{cases} x, & x < 1, \\[2pt] 2 & x \ge 1 \end{cases}": np.array([0.2, 0.7, 2.0]),
    r"\begin{cases} x & x \le 0.5 \\ 0 & \text{else.}\end{cases}": np.array([0.2, 0.0, 0.0]),
}


@pytest.mark.parametrize("latex", READ)
def test_a_formula_has_the_value_that_it_says(latex):
    chain = read(f"{latex} = 0", NAMES)
    np.testing.assert_allclose(evaluate(chain.sides[0], NAMES), READ[latex], rtol=1e-12)


def test_what_has_no_value_is_not_read():
    unread = ("y", "x_1", r"\eta", "n'", r"x +", "(x", r"\tan x", r"\int x", r"x \in n", r"\frac1", r"\|x\|")
    for latex in (*(f"{each} = 0" for each in unread), "x"):
        with pytest.raises(Unread):
            read(latex, NAMES)


def test_a_text_falls_into_its_claims():
    text = r"""
Let $\varepsilon \ge 0$ and $x$. Then $f(a, b) = 1$, and

$$
\begin{aligned} a &= b, & c &\le \max\{d,\ 1\} \\ e &> 2 \qquad\text{so:}\quad g = 1 \end{aligned} \tag{12}
$$
"""
    found = [formula.pressed(claim) for claim in formula.formulas(text)]
    assert found == [r"\varepsilon\ge0", "f(a,b)=1", "a=b", r"c\le\max\{d,1\}", "e>2", "g=1"]


def test_points_of_one_axis_and_terms_of_another():
    values = {"n": np.array([2.0, 5.0]), "x": np.array([0.5, 0.25])}
    summed = evaluate(read(r"\sum_{k=0}^n \binom nk x^k = 0", values).sides[0], values)
    np.testing.assert_allclose(summed, (1 + values["x"]) ** values["n"])
