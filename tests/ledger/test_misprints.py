r"""What a statement says is what was computed: a misprint fails, and a changed text is not signed."""

import numpy as np
import pytest
from shared import ROOT

from explorable.checks import apart, boxes, formula, ledger, reading, result
from explorable.checks.ledger import read_in, read_records
from explorable.checks.page import ledger_table
from explorable.checks.plant import Cell, Chapter
from explorable.checks.verdict import TEXT, judge, tallies
from mipbook import mip

BOOK = ROOT / "book"
EPSILON, DELTA = np.array([0.0, 0.5, 1.0, 2.0]), np.array([0.0, 0.01, 0.3, 0.1])
# Statements of the book with values of their names; the second holds everywhere, and is reached nowhere.
ETA = {r"\eta": mip.eta_from_dp(EPSILON, DELTA), r"\varepsilon": EPSILON, r"\delta": DELTA}
RATES = {r"\mathrm{TPR}": [0.5, 0.2], r"\mathrm{FPR}": [0.3, 0.2], r"\delta": 0.1, r"\varepsilon": [1.0, 0.5]}
WHY = "no attack here is the best one"
READ = {"mip-thm-4": (ETA, {"only": r"\eta"}), "lecture-thm-1": (RATES, {"only": "TPR", "loose": WHY})}
# Errors that a referee planted in the text, or of their kinds.
WRONG = [
    ("lecture-thm-1", r"\mathrm{TPR} \le", r"\mathrm{TPR} \ge"),
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
    values, options = READ[label]
    with apart(misprints=True) as records, result(label) as made:
        made.reads(values, **options, tol=1e-12)
    return records[0]


def test_what_is_printed_holds_and_every_misprint_shows(capsys):
    record = check("mip-thm-4")
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
    with pytest.raises(AssertionError, match="a point reaches it"), result("lecture-thm-1") as made:
        made.reads(RATES, only="TPR")
    record = check("lecture-thm-1")
    assert set(record.readings[0].excused.values()) == {WHY}
    assert record.readings[0].planted > 0
    assert WHY in record._repr_html_()


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
