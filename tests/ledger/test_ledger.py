"""The checks under the results: they pass, they fail, they travel with the page."""

import numpy as np
import pytest
from shared import refused

from explorable.checks import Verdict, apart, read_records, records, result, results, tallies
from explorable.checks import page as varied
from explorable.checks.ledger import by_id
from explorable.checks.page import Parameter, Place, ledger_table
from explorable.sphinx import statements
from mipbook.book import BOOK


def test_all_results_are_there():
    rows = results()
    assert len(rows) == len(BOOK.results.read_text(encoding="utf-8").splitlines()) - 1 > 100
    assert len({row.id for row in rows}) == len(rows)
    assert {row.source for row in rows} == set(BOOK.sources)


def test_passing_check_is_recorded(capsys):
    before = len(records())
    with result("mip-prop-11") as check:
        check.equal([1.0, 2.0], [1.0, 2.0 + 1e-13], tol=1e-12, what="pair")
        check.at_most(1.0, 2.0, what="below")
        check.within(0.5, 0.4, 0.6, what="score")
    *_, record = records()
    assert len(records()) == before + 1
    assert [c.kind for c in record.comparisons] == ["exact", "bound", "estimate", "estimate"]
    assert record.comparisons[0].deviation == pytest.approx(5e-14, abs=0, rel=1e-2)
    assert "mip-prop-11" in capsys.readouterr().out


@pytest.mark.parametrize(
    "fail",
    [
        lambda c: c.equal(1.0, 1.0 + 1e-9, tol=1e-12),
        lambda c: c.equal([1.0, 2.0], [1.0, 3.0], tol=0.1),
        lambda c: c.equal(np.nan, 1.0, tol=1.0),
        lambda c: c.equal(np.nan, np.nan, tol=1.0),
        lambda c: c.equal(1e-300, 0.0, tol=0.0),
        lambda c: c.equal([1.0, 2.0], [1.0, 2.0, 3.0]),
        lambda c: c.equal([], []),
        lambda c: c.at_most(1.0 + 1e-9, 1.0),
        lambda c: c.at_most(np.nan, 1.0),
        lambda c: c.at_least([2.0, 0.5], 1.0),
        lambda c: c.at_least(-1.0, 0.0),
        lambda c: c.true(np.array([True, False]), what="both"),
        lambda c: c.within(0.7, 0.4, 0.6, what="score"),
    ],
)
def test_failing_check_raises_and_records_nothing(fail):
    before = len(records())
    with pytest.raises(AssertionError, match="mip-prop-11"), result("mip-prop-11") as check:
        fail(check)
    assert len(records()) == before


def test_what_is_wrong_is_named():
    with pytest.raises(AssertionError) as caught, result("mip-prop-11") as check:
        check.equal(1.5, 1.0, tol=1e-12, what="variance at n=4")
    for part in ("mip-prop-11", "variance at n=4", "1.5", "1.0", "1e-12"):
        assert part in str(caught.value)
    with pytest.raises(AssertionError, match="compares nothing"), result("mip-prop-11"):
        pass
    with pytest.raises(KeyError, match="planted"), result("mip-prop-11"):
        raise KeyError("planted")
    refused("id = 'mip-prop-12'.*did you mean .*mip-prop-11", result("mip-prop-12").__enter__)
    refused("status = 'true'.*'holds'", result("mip-prop-11", "true").__enter__)


def test_records_travel_in_the_output():
    with apart() as made, result("mip-prop-11", "holds with a correction") as check:
        check.true(True, what="</script><b>not markup</b>")
        check.harmless("noise", "too large", why="so")
    page = f"<p>before</p>{made[0]._repr_html_()}<p>after</p>"
    assert page.count("</script>") == 1
    assert "<b>not" not in page.split("<script")[0]
    assert list(read_records(page)) == made


def test_table_shows_of_each_sort_what_came_closest_to_failing():
    with apart() as made, result("mip-prop-11") as check:
        for n in range(1, 101):
            check.within(0.5, 0.4 - abs(n - 37) / 1000, 0.9, what=f"n={n}")
        check.equal([1.0, 2.0], [1.0, 2.0 + 1e-13], tol=1e-12, what="pair")
    shown = made[0]._repr_html_().split("<script")[0]
    counts = {"<tr>": 1 + 3, "<td>100</td></tr>": 2, "<td>1</td></tr>": 1, "201 comparisons": 1}
    counts["<td>n=37, lower end</td><td>at least</td><td>0.5</td><td>0.4</td>"] = 1
    assert {text: shown.count(text) for text in counts} == counts


def test_page_counts_what_was_checked():
    assert f"0 of {len(results())} results are checked" in ledger_table([], {}, {}, {}, ())
    with apart() as made:
        with result("mip-prop-11") as check:
            check.equal(1.0, 1.0)
        with result("mip-prop-11", "false as published") as check:
            check.at_most(1.0, 1.0)
            check.harmless("noise", "too large", why="a <reason>")
    told = [("too small", "5%"), ("eta ignored", None), ("too large", None, "a <reason>")]
    tallied = tallies(Verdict("mip-prop-11", "noise", *row) for row in told)
    page = ledger_table(made, {"mip-prop-11": "../mip/x.html#there"}, tallied, {}, ())
    assert f"1 of {len(results())} results are checked" in page
    assert page.count("<tr id=") == len(results())
    row, other = (
        page.split(f'id="ledger-{name}"')[1].split("</tr>")[0] for name in ("mip-prop-11", "mip-fig-1")
    )
    link, reason = 'href="../mip/x.html#there"', "1 of 2 planted errors caught, 1 excused"
    for said in (link, reason, "2 comparisons (exact, bound)", "false as published", "a &lt;reason&gt;"):
        assert said in row
    assert 'data-caught="1" data-planted="2"' in page
    assert "not checked yet" in other
    assert "href" not in other


def test_a_statement_is_named_as_the_page_needs_it():
    assert statements.own_source("book/mis/overfitting") == "limits"
    assert statements.own_source("book/index") is None
    for name, page, told in (
        ("rip-thm-4", "book/mip/noise", "Theorem 4 of the RIP paper"),
        ("mip-example-3.2", "book/mip/noise", "Example in section 3.2"),
        ("together-pmp-zero", "book/pmp/gaussian", "Proposition 5a of this book"),
    ):
        assert statements.mention(by_id(name), page) == told


ALONG = {"kind": "slider", "stops": [0, 1, 2], "along": {"n": {"labels": ["2", "6"]}}}
PANELS = {"pmp-figure-1": Place("page", {"to": ALONG})}


def test_a_wrong_row_is_told_and_so_is_a_result_without_one(monkeypatch):
    reason = "nothing moves it, and no reason is given"
    for control, said in (
        ("no-such-panel.n", ["no such panel: no-such-panel.n"]),
        ("pmp-figure-1.nothing", ["no such control: pmp-figure-1.nothing; the panel has to"]),
        ("pmp-figure-1.to.nothing", ["no such control: pmp-figure-1.to.nothing; the panel has to"]),
        ("along pmp-figure-1", ["no such panel: along pmp-figure-1"]),
        ("pmp-figure-1", [reason]),
        ("", [reason]),
        ("pmp-figure-1.to.n", []),
    ):
        row = Parameter("pmp-fig-1", "n", "6", control, "")
        monkeypatch.setattr(varied, "parameters", lambda row=row: (row,))
        told = varied.faults(PANELS)
        assert "pmp-fig-2: the ledger says nothing of it" in told
        assert [f"pmp-fig-1, n: {fault}" for fault in said] == [f for f in told if f.startswith("pmp-fig-1")]
    # A choice of what a slider moves is a slider.
    assert varied.verdict(row, PANELS) == "slider"
    assert varied._words(row, PANELS) == "2 stops"
