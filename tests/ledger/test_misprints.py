r"""Formulas are read as they are printed; a misprint in one fails, and a changed text is not signed."""

import numpy as np
import pytest
from scipy import stats
from shared import ROOT

from explorable.checks import apart, boxes, formula, ledger, reading, result
from explorable.checks.formula import Unread, evaluate, read
from explorable.checks.ledger import read_in, read_records
from explorable.checks.page import ledger_table
from explorable.checks.plant import Cell, Chapter
from explorable.checks.verdict import TEXT, judge, tallies
from mipbook import mip

X = np.array([0.2, 0.7, 1.5])
NAMES = {"x": X, "n": 7.0, "m": 3.0, "p": 0.3, "p_k": np.array([0.5, 0.3, 0.2])}
NAMES |= {"C": 1.5, "C_K": 2.0, "K": 3.0, "t": np.sqrt, "g": np.subtract, "j": range(4)}
NAMES |= {r"\delta": 0.1, r"\varepsilon": 1.3, r"\varepsilon'": 2.0, r"\Pr[x^* \in D \mid a]": 0.4}
VALUES = {
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


@pytest.mark.parametrize("latex", VALUES)
def test_a_formula_has_the_value_that_it_says(latex):
    chain = read(f"{latex} = 0", NAMES)
    np.testing.assert_allclose(evaluate(chain.sides[0], NAMES), VALUES[latex], rtol=1e-12)


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


BOOK = ROOT / "book"
EPSILON, DELTA = np.array([0.0, 0.5, 1.0, 2.0]), np.array([0.0, 0.01, 0.3, 0.1])
FPR = (1 - DELTA) / (1 + np.exp(EPSILON))
# Statements of the book, what their names are, and which of their formulas are meant; the bound is reached.
PROMISE = {r"\varepsilon": EPSILON, r"\delta": DELTA}
ETA = PROMISE | {r"\eta": mip.eta_from_dp(EPSILON, DELTA)}
RATES = PROMISE | {r"\mathrm{TPR}": 1 - FPR - [0, 0, 0, 0.1], r"\mathrm{FPR}": FPR}
READ = {"mip-thm-4": (ETA, r"\eta"), "lecture-thm-1": (RATES, "TPR")}
# Errors that a referee planted in the text, or of their kinds.
WRONG = [
    ("lecture-thm-1", r"\mathrm{TPR} &\le", r"\mathrm{TPR} &\ge"),
    ("lecture-thm-1", r"\mathrm{FPR} + \delta", r"\mathrm{FPR} - \delta"),
    ("mip-thm-4", r"e^{-\varepsilon}", r"e^{-\varepsilon/2}"),
    ("mip-thm-4", r"\frac{1 - \delta}", r"\frac{1}"),
]
# Words, quantifiers and numbers beside the formulas.
SAID = [
    ("mip-def-1", "for every attacker", "for some attacker"),
    ("lecture-example", "TPR of 90% and an FPR of 1%", "TPR of 1% and an FPR of 90%"),
    ("page:mip/dp-and-mip", r"\varepsilon^3/48", r"\varepsilon^3/84"),
    ("words:together/implications", "at most half of it", "at most a third of it"),
    ("words:together/implications-record", "{eval}`match_ten` at most", "{eval}`match_fifty` at most"),
]


def check(label: str) -> ledger.Record:
    """Check a statement by its formulas alone."""
    values, only = READ[label]
    with apart(misprints=True) as records, result(label) as made:
        made.reads(values, only=only, tol=1e-12)
    return records[0]


@pytest.mark.parametrize("label", READ)
def test_what_is_printed_holds_and_every_misprint_shows(label, capsys):
    record = check(label)
    assert all(each.planted > 15 and not each.excused for each in record.readings)
    assert "errors in the text caught" in read_in(record.readings) in capsys.readouterr().out


@pytest.mark.parametrize(("label", "right", "wrong"), WRONG)
def test_a_wrong_formula_fails(label, right, wrong, monkeypatch):
    text = boxes.text(label)
    assert right in text
    monkeypatch.setattr(boxes, "text", lambda _: text.replace(right, wrong, 1))
    with pytest.raises(AssertionError, match=f"^{label}: "):
        check(label)


@pytest.mark.parametrize(("label", "right", "wrong"), [WRONG[0], *SAID])
def test_a_changed_text_is_no_longer_signed(label, right, wrong, tmp_path):
    for path in BOOK.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        if f":label: {label}\n" in text or label.endswith(f":{path.parent.name}/{path.stem}"):
            copy = tmp_path / path.relative_to(BOOK)
            copy.parent.mkdir()
            copy.write_text(text, encoding="utf-8")
            at = text.index(right, text.find(f":label: {label}\n") + 1)
            changed = text[:at] + wrong + text[at + len(right) :]
    boxes.sign(tmp_path, [label], "the source", "word by word")
    assert label in boxes.signed(tmp_path)
    copy.write_text(changed, encoding="utf-8")
    assert label not in boxes.signed(tmp_path)


def test_a_point_that_tells_nothing_lets_misprints_through():
    zero = {r"\eta": [0.0], r"\varepsilon": [0.0], r"\delta": [0.0]}
    with pytest.raises(AssertionError, match=r"not caught in .*without \\delta"), result("mip-thm-4") as made:
        made.reads(zero, only=r"\eta")


def test_a_bound_that_nothing_reaches_needs_a_reason():
    values, why = {**RATES, r"\mathrm{FPR}": 1.2 * FPR}, "no attack here is the best one"
    with pytest.raises(AssertionError, match="a point reaches it"), result("lecture-thm-1") as made:
        made.reads(values, only="TPR")
    with apart(misprints=True) as records, result("lecture-thm-1") as made:
        made.reads(values, only="TPR", loose=why)
    assert set(records[0].readings[0].excused.values()) == {why}
    assert records[0].readings[0].planted > 0
    assert why in records[0]._repr_html_()


@pytest.mark.parametrize(
    ("values", "options", "told"),
    [
        ({r"\varepsilon": 1.0}, {}, "no value for"),
        (ETA, {"only": "tan x"}, "could be read"),
        ({**ETA, "M": 2.0}, {}, "in no formula that was read: M"),
        (ETA, {"excused": {"4 for 2": "so"}}, "excused, but caught or never planted: 4 for 2"),
    ],
)
def test_what_is_wrong_with_a_reading_is_said(values, options, told):
    with pytest.raises(AssertionError, match=told), result("mip-thm-4") as made:
        made.reads(values, **{"only": r"\eta", **options})


def test_what_changes_no_value_is_no_misprint_and_a_product_may_lose_all_factors_but_one():
    values = {"a": [1.0, 2.0], "b": [3.0, 1.0]}
    names = {name for name, _ in reading.misprints(formula.read("a + b = b + a + 0", values), values)}
    assert not {"a and b exchanged", "without 0"} & names
    assert "1 for 0" in names
    values = {"a": 2.0, "b": 1.0}
    chain = formula.read("a = 2b", values)
    made = {name: reading.pairs(wrong, values, 1e-9) for name, wrong in reading.misprints(chain, values)}
    assert all(made[f"without factor {lost}"] for lost in "2b")


def test_a_printed_decimal_may_be_off_by_half_of_its_last_digit():
    for value, good in ((1.3499e-3, True), (1.351e-3, False)):
        values = {r"\delta": value}
        (pair,) = reading.pairs(formula.read(r"\delta = 1.3 \times 10^{-3}", values), values, 1e-9)
        assert pair.met.all() == good


def test_a_reading_travels_and_is_told_and_away_from_the_pages_there_is_none(tmp_path, monkeypatch):
    record = check("mip-thm-4")
    (again,) = read_records(record._repr_html_())
    assert again.readings == record.readings
    table = ledger_table([record], {}, {}, {}, {"mip-thm-4", "page:mip/dp-and-mip"})
    assert "Of 1 the formulas are read" in table
    assert "the texts of <strong>1</strong>" in table
    assert read_in(record.readings) in table
    monkeypatch.chdir(tmp_path)
    with apart(misprints=True) as records, result("mip-thm-4") as made:
        made.reads({"nonsense": 1.0})
    assert not records


def test_the_harness_reads_the_text_too_and_counts_it_apart():
    source = r"""
import numpy as np
from explorable.checks import result
from mipbook import mip
with result("mip-thm-4") as check:
    epsilon, delta = np.array([0.1, 1.0, 2.0]), np.array([0.0, 0.1, 0.05])
    eta = mip.eta_from_dp(epsilon, delta)
    check.reads({r"\eta": eta, r"\varepsilon": epsilon, r"\delta": delta}, tol=1e-12)
"""
    verdicts = judge(Chapter("mip/toy", (Cell(source, "toy 0"),)))
    (text,) = (v for v in verdicts if v.function == TEXT)
    assert text.caught
    assert not any(v.survives for v in verdicts)
    assert tallies(verdicts)["mip-thm-4"].planted == len(verdicts) - 1
    # So a page hangs on the statements that it reads.
    assert r"\frac{1 - \delta}{1 + e^{-\varepsilon}}" in boxes.read_by(source)
    assert boxes.read_by(source.replace(".reads", ".equal")) == ""
