"""The harness that plants errors under the book's checks tells strong checks from weak ones."""

import json
import sys
import textwrap

import numpy as np
import pytest
from shared import refused

from explorable import checks
from explorable import checks as ledger
from explorable.checks import values
from explorable.checks.book import main
from explorable.checks.page import ledger_table
from explorable.checks.plant import Cell, Chapter, modules, read_chapter
from mipbook import mip, mis
from mipbook.release import release

STRONG = """
with result("mip-thm-4") as check:
    for epsilon, delta in ((0.5, 0.1), (1.0, 0.2)):
        formula = delta / 2 + (1 - delta) / 2 * np.tanh(epsilon / 2)
        check.equal(mip.eta_from_dp(epsilon, delta), formula, tol=1e-12)
"""
WEAK = """
with result("mip-thm-4") as check:
    check.at_most(mip.eta_from_dp(1.0, 0.1), 0.5)
"""
HEAD = "import numpy as np\nfrom mipbook import game, mip, mis\nfrom explorable.checks import result"


@pytest.fixture
def page(tmp_path):
    def write(*cells, head=HEAD):
        blocks = "\n\ntext\n\n".join(
            f"```{{code-cell}} ipython3\n{textwrap.dedent(c).strip()}\n```" for c in (head, *cells)
        )
        path = tmp_path / "toy" / "chapter.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Toy\n\n{blocks}\n", encoding="utf-8")
        return path

    return write


def judged(path):
    return {(v.function, v.error): v for v in checks.judge(read_chapter(path))}


def test_a_strong_check_catches_everything_at_5_percent(page):
    found = judged(page(STRONG))
    assert {error for _, error in found} >= {"too large", "too small", "delta ignored"}
    assert not any(v.survives for v in found.values())
    assert found["eta_from_dp", "too large"].caught == "5%"


MIRRORED = [[0.0, 1.0], [1.0, 0.0]]
LOSSES = [[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]]
WORST = """
from mipbook import pmp

with result("pmp-prop-9") as check:
    check.equal(pmp.exponential_epsilon({losses}, 4.0, 2.0), {epsilon}, tol=1e-9)
"""
LOOSE = """
with result("limits-eq-53") as check:
    check.at_least(mis.delta_from_dp(0.1), 0.02)
"""
EASY = """
with result("mip-cor-14") as check:
    check.equal(mip.noise_scale(0.1, {M}), {value!r}, tol=1e-9)
"""
# The true function and the wrong one must draw the same numbers, however they get them.
DRAWN = """
with result("mip-lemma-12") as check:
    for seed in range(3):
        rng = np.random.default_rng(seed)
        check.equal(mip.sample_noise([1.0], 0.1, 2, {given}).shape, (1,))
"""
TERMS = """
with result("limits-lemma-22") as check:
    check.equal(mis.product_delta(0.8, 10), 2097152 / 48828125, tol=1e-13)
"""
READS = """
with result("mip-thm-4") as check:
    e, d = np.array([0.1, 1.0, 2.0]), np.array([0.0, 0.1, 0.05])
    eta = d + (1 - d) / (1 + np.exp(-e)) - 0.5
    check.reads({r"\\eta": eta, r"\\varepsilon": e, r"\\delta": d}, tol=1e-12)
"""
# What ends in another way than by a comparison is no catch.
DIES = """
with result("mip-thm-4") as check:
    eta = mip.eta_from_dp(1.0)
    if eta != 0.23105857863000487:
        raise ValueError("not a comparison")
    check.at_most(eta, 0.5)
"""
# Two functions that share the wrong one agree.
SHARED = """
with result("limits-cor-15") as check:
    p = [0.5, 0.5]
    check.equal(mis.worst_case_security(p, 4), 1 - mis.worst_case_delta(p, 4), tol=1e-12)
"""
ETA, UNHEARD = "eta_from_dp", "M ignored"
NONE = ("the package", "nothing called")
NOTHING = 'with result("mip-thm-7") as check:\n    check.equal(1.0, 1.0)'
EXCUSE = '    check.harmless("eta_from_dp", "{}", why="no reason")\n'


@pytest.mark.parametrize(
    ("cell", "survive", "absent"),
    [
        (WEAK, {(ETA, "too small"), (ETA, "delta ignored")}, ()),
        # Of two records that mirror each other none is worse than the mean.
        (WORST.format(losses=LOSSES, epsilon=1.078684700542), (), ()),
        (WORST.format(losses=MIRRORED, epsilon=1.0), {("exponential_epsilon", "mean for worst")}, ()),
        # A bound may be wrong on its safe side, but not vacuous.
        (LOOSE, {("delta_from_dp", "vacuous")}, {("delta_from_dp", "too large")}),
        (f"{LOOSE}    check.at_most(mis.delta_from_dp(0.1), 0.03)\n", (), ()),
        # What changes nothing is not planted, as the easy case in its own place.
        (EASY.format(M=8, value=mip.noise_scale(0.1, 8)), (), ()),
        (EASY.format(M=2, value=mip.noise_scale(0.1, 2)), (), {("noise_scale", UNHEARD)}),
        (DRAWN.format(given="rng"), None, {("sample_noise", UNHEARD)}),
        (DRAWN.format(given="rng=rng"), None, {("sample_noise", UNHEARD)}),
        (NOTHING, {NONE}, ()),
        (READS, None, {NONE}),
        (DIES, None, {(ETA, "too small")}),
        (SHARED, {("worst_case_delta", "too small")}, ()),
        # An excuse counts only where it is needed.
        (STRONG + EXCUSE.format("too small"), {(ETA, "too small")}, ()),
        (STRONG + EXCUSE.format("too loud"), {(ETA, "too loud")}, ()),
    ],
)
def test_what_survives_under_a_check_and_what_is_not_planted(page, cell, survive, absent):
    found = judged(page(cell))
    left = {key for key, verdict in found.items() if verdict.survives}
    assert survive is None or (left >= survive if survive else not left)
    assert not set(absent) & set(found)


def test_a_term_left_out_is_planted_in_the_functions_code(page):
    found = judged(page(TERMS))
    assert any(error.startswith("without ") for _, error in found)
    assert not any(verdict.survives for verdict in found.values())


def test_an_excuse_is_told(page):
    lines = WEAK + '    check.harmless("eta_from_dp", "too small", why="a bound on a bound")\n'
    verdict = judged(page(lines))["eta_from_dp", "too small"]
    assert (verdict.survives, verdict.why) == (False, "a bound on a bound")


def test_a_cell_may_plant_an_error_of_its_own(page):
    own = """
    check.plant("eta_from_dp", "half delta", lambda true, e, delta=0.0: true(e, delta / 2))
"""
    assert judged(page(STRONG + own))["eta_from_dp", "half delta"].caught is not None
    assert judged(page(WEAK + own))["eta_from_dp", "half delta"].survives
    stray = STRONG + '    check.plant("finite_eta", "none", lambda *a: 0.0)\n'
    with pytest.raises(AssertionError, match="finite_eta, never called"):
        judged(page(stray))


def test_everything_is_put_back(page):
    judged(page(STRONG))  # loads the whole package
    before, records = {m.__name__: vars(m).copy() for m in modules()}, ledger.records()
    judged(page(WORST.format(losses=MIRRORED, epsilon=1.0)))
    assert [m.__name__ for m in modules()] == [*before]
    for module in modules():
        assert vars(module) == before[module.__name__]
    assert release.__name__ == "mipbook.release.release"
    assert ledger.records() == records
    assert mip.eta_from_dp(1.0) == pytest.approx(np.tanh(0.5) / 2)


def test_a_cell_starts_from_what_the_cells_before_it_left(page):
    """Runs must not use up what an earlier cell made, such as a generator or a list."""
    cell = """
    with result("mip-thm-4") as check:
        seen.append(rng.random())
        check.equal(seen, [0.5118216247002567], tol=1e-12)
        check.equal(mip.eta_from_dp(2 * np.arctanh(0.2)), 0.1, tol=1e-12)
    """
    found = judged(page("rng, seen = np.random.default_rng(1), []", cell, "print(seen)"))
    assert found
    assert not any(v.survives for v in found.values())


def changed_check(chapter):
    *others, check = chapter.cells
    return Chapter(chapter.name, (*others, Cell(f"{check.source}\nlater = 1", check.place)))


def test_verdicts_are_remembered_until_the_code_changes(page, tmp_path):
    chapter = read_chapter(page(STRONG))
    memory = tmp_path / "memory"
    first = checks.judged(chapter, memory)
    (kept,) = memory.iterdir()
    kept.write_text(kept.read_text().replace('"caught": "5%"', '"caught": null'))
    assert all(v.caught is None for v in checks.judged(chapter, memory) if v.error == "too large")
    changed = changed_check(chapter)
    assert checks.judged(changed, memory) == first
    assert len(list(memory.iterdir())) == 2


def kept_by(page, monkeypatch, *cells):
    """Run the command in a repository of one page; return its page and what it left."""
    path = page(*cells)
    book = path.parent.rename(path.parents[1] / "book")
    monkeypatch.chdir(book.parent)
    monkeypatch.setattr(sys, "argv", ["mutants", "--keep"])
    with pytest.raises(SystemExit) as end:
        main()
    return read_chapter(book / path.name), book, end.value.code


def test_what_is_kept_is_told_without_judging_until_the_code_changes(page, monkeypatch):
    chapter, book, code = kept_by(page, monkeypatch, STRONG)
    assert code == 0
    true = checks.tallies(checks.judge(chapter))
    assert checks.read_kept(book, chapter) == true
    # A build whose own memory is empty takes what is kept, right or wrong: the tests compare.
    place = book / "planted.json"
    found = json.loads(place.read_text())
    caught, planted, _ = found[chapter.name]["caught"]["mip-thm-4"]
    assert caught == planted > 2
    found[chapter.name]["caught"]["mip-thm-4"][0] -= 1
    place.write_text(json.dumps(found))
    fewer = {"mip-thm-4": checks.Tally(planted - 1, planted, 0)}
    assert checks.known_book(book, book.parent / "empty") == ({chapter.name: fewer}, [])
    assert fewer != true
    assert checks.known(chapter, book, book.parent / "_build" / ".mutants") == true
    changed = changed_check(chapter)
    assert checks.read_kept(book, changed) is None


def test_nothing_is_kept_where_an_error_survives(page, monkeypatch):
    _, book, code = kept_by(page, monkeypatch, WEAK)
    assert code == 1
    assert not (book / "planted.json").exists()


@pytest.mark.parametrize("text", ["<<<<<<< HEAD", "[]", '{"book/chapter": {"caught": {"a": 1}}}'])
def test_a_broken_file_says_what_mends_it(page, tmp_path, text):
    chapter = read_chapter(page(STRONG).rename(tmp_path / "chapter.md"))
    (tmp_path / "planted.json").write_text(text)
    chapter = Chapter("book/chapter", chapter.cells)
    refused(r"planted\.json: must be .* mipbook mutants --keep", checks.read_kept, tmp_path, chapter)


def test_page_of_results_shows_counts_and_reasons(capsys):
    with ledger.apart() as records, ledger.result("mip-thm-4") as check:
        check.equal(1.0, 1.0)
        check.harmless("eta_from_dp", "too large", why="a <reason>")
    (again,) = ledger.read_records(records[0]._repr_html_())
    assert again.excuses == records[0].excuses
    verdicts = [
        checks.Verdict("mip-thm-4", "eta_from_dp", "too small", "5%"),
        checks.Verdict("mip-thm-4", "eta_from_dp", "delta ignored", None),
        checks.Verdict("mip-thm-4", "eta_from_dp", "too large", None, "a <reason>"),
    ]
    table = ledger_table(records, {}, checks.tallies(verdicts))
    assert "1 of 2 planted errors caught, 1 excused" in table
    assert 'data-caught="1" data-planted="2"' in table
    assert "a &lt;reason&gt;" in table


@pytest.mark.parametrize("true", [3, 3.0, np.float64(3), np.array([1, 20]), np.array([0.0, 0.2])])
def test_scaled_values_differ_and_keep_their_type(true):
    for factor in (1.05, 0.95, 2.0, 0.5):
        made = values.scaled(true, factor)
        assert not values.same(true, made)
        assert np.asarray(made).dtype == np.asarray(true).dtype
        assert np.shape(made) == np.shape(true)


def test_a_changed_table_is_still_a_table():
    table = np.array([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25]])
    for power in (0.5, 2.0):
        made = values.tempered(table, power)
        assert values.is_table(made)
        assert not values.same(table, made)


def test_only_fields_that_the_cell_reads_are_planted():
    bounds = mis.rare_atom_bounds([0.9, 0.1], 5)
    assert values.leaves(bounds, {"low", "other"}) == [("low",)]
    assert values.leaves((1.0, "text", 2), {"low"}) == [(0,), (2,)]
    assert values.at(bounds, ("low",), lambda v: v / 2).low == bounds.low / 2
