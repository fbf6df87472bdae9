"""The harness that plants errors under the book's checks tells strong checks from weak ones."""

import json
import sys

import numpy as np
import pytest
from shared import refused

from explorable import checks
from explorable.checks import errors
from explorable.checks.book import main
from explorable.checks.plant import Cell, Chapter, modules, read_chapter
from mipbook import mip, mis

HEAD = "import numpy as np\nfrom mipbook import game, mip, mis, pmp\nfrom explorable.checks import result"


def check(label, *lines):
    """Return a cell that checks a result."""
    return "\n    ".join([f'with result("{label}") as check:', *lines]) + "\n"


STRONG = check(
    "mip-thm-4",
    "for epsilon, delta in ((0.5, 0.1), (1.0, 0.2)):",
    "    formula = delta / 2 + (1 - delta) / 2 * np.tanh(epsilon / 2)",
    "    check.equal(mip.eta_from_dp(epsilon, delta), formula, tol=1e-12)",
)
WEAK = check("mip-thm-4", "check.at_most(mip.eta_from_dp(1.0, 0.1), 0.5)")


@pytest.fixture
def page(tmp_path):
    def write(*cells):
        blocks = [f"```{{code-cell}} ipython3\n{cell.strip()}\n```" for cell in (HEAD, *cells)]
        path = tmp_path / "toy" / "chapter.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n\ntext\n\n".join(blocks), encoding="utf-8")
        return path

    return write


def judged(path):
    return {(v.function, v.error): v for v in checks.judge(read_chapter(path))}


def test_terms_are_left_out_of_the_code(page):
    terms = judged(page(TERMS))
    assert any(error.startswith("without ") for _, error in terms)
    assert not any(v.survives for v in terms.values())


LOOSE = check("limits-eq-53", "check.at_least(mis.delta_from_dp(0.1), 0.02)")
TERMS = check("limits-lemma-22", "check.equal(mis.product_delta(0.8, 10), 2097152 / 48828125, tol=1e-13)")
READS = check(
    "mip-thm-4",
    "e, d = np.array([0.1, 1.0, 2.0]), np.array([0.0, 0.1, 0.05])",
    "eta = d + (1 - d) / (1 + np.exp(-e)) - 0.5",
    r'check.reads({r"\eta": eta, r"\varepsilon": e, r"\delta": d}, tol=1e-12)',
)
# What ends in another way than by a comparison is no catch.
DIES = "(0,)[int(mip.eta_from_dp(1.0) != 0.23105857863000487)]"
DIES = check("mip-thm-4", DIES, "check.at_most(mip.eta_from_dp(1.0), 0.5)")
# Two functions that share the wrong one agree.
BOTH = "check.equal(mis.worst_case_security(p, 4), 1 - mis.worst_case_delta(p, 4), tol=1e-12)"
SHARED = check("limits-cor-15", "p = [0.5, 0.5]", BOTH)


def worst(losses, epsilon):
    found = f"pmp.exponential_epsilon({losses}, 4.0, 2.0)"
    return check("pmp-prop-9", f"check.equal({found}, {epsilon}, tol=1e-9)")


def easy(M):
    value = mip.noise_scale(0.1, M)
    return check("mip-cor-14", f"check.equal(mip.noise_scale(0.1, {M}), {value!r}, tol=1e-9)")


def drawn(given):
    """The true function and the wrong one must draw the same numbers, however they get them."""
    shape = f"    check.equal(mip.sample_noise([1.0], 0.1, 2, {given}).shape, (1,))"
    return check("mip-lemma-12", "for seed in range(3):", "    rng = np.random.default_rng(seed)", shape)


MIRRORED = worst([[0.0, 1.0], [1.0, 0.0]], 1.0)
ETA, UNHEARD = "eta_from_dp", "M ignored"
NONE = ("the package", "nothing called")
EXCUSE = '    check.harmless("eta_from_dp", "{}", why="no reason")\n'


@pytest.mark.parametrize(
    ("cell", "survive", "absent"),
    [
        (STRONG, (), ()),
        (WEAK, {(ETA, "too small"), (ETA, "delta ignored")}, ()),
        # Of two records that mirror each other none is worse than the mean.
        (worst([[0.7, 1.3], [2.2, 0.2], [1.5, 3.5], [0.1, 1.9]], 1.078684700542), (), ()),
        (MIRRORED, {("exponential_epsilon", "mean for worst")}, ()),
        # A bound may be wrong on its safe side, but not vacuous.
        (LOOSE, {("delta_from_dp", "vacuous")}, {("delta_from_dp", "too large")}),
        (f"{LOOSE}    check.at_most(mis.delta_from_dp(0.1), 0.03)\n", (), ()),
        # What changes nothing is not planted, as the easy case in its own place.
        (easy(8), (), ()),
        (easy(2), (), {("noise_scale", UNHEARD)}),
        (drawn("rng"), None, {("sample_noise", UNHEARD)}),
        (drawn("rng=rng"), None, {("sample_noise", UNHEARD)}),
        (check("mip-thm-7", "check.equal(1.0, 1.0)"), {NONE}, ()),
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


def test_a_cell_may_excuse_an_error_or_plant_one_of_its_own(page):
    excuse = '    check.harmless("eta_from_dp", "too small", why="a bound on a bound")\n'
    verdict = judged(page(WEAK + excuse))[ETA, "too small"]
    assert (verdict.survives, verdict.why) == (False, "a bound on a bound")
    own = '    check.plant("eta_from_dp", "half delta", lambda true, e, delta=0.0: true(e, delta / 2))\n'
    assert judged(page(STRONG + own))[ETA, "half delta"].caught is not None
    assert judged(page(WEAK + own))[ETA, "half delta"].survives
    with pytest.raises(AssertionError, match="finite_eta, never called"):
        judged(page(STRONG + '    check.plant("finite_eta", "none", lambda *a: 0.0)\n'))


def test_everything_is_put_back(page):
    judged(page(STRONG))  # loads the whole package
    before, records = {m.__name__: vars(m).copy() for m in modules()}, checks.records()
    judged(page(MIRRORED))
    assert [m.__name__ for m in modules()] == [*before]
    assert all(vars(module) == before[module.__name__] for module in modules())
    assert checks.records() == records
    assert mip.eta_from_dp(1.0) == pytest.approx(np.tanh(0.5) / 2)


def test_a_cell_starts_from_what_the_cells_before_it_left(page):
    """Runs must not use up what an earlier cell made, such as a generator or a list."""
    cell = STRONG + "    seen.append(rng.random())\n    check.equal(seen, [0.5118216247002567], tol=1e-12)\n"
    found = judged(page("rng, seen = np.random.default_rng(1), []", cell, "print(seen)"))
    assert found
    assert not any(v.survives for v in found.values())


def changed_check(chapter):
    *others, check = chapter.cells
    return Chapter(chapter.name, (*others, Cell(f"{check.source}\nlater = 1", check.place)))


def test_verdicts_are_remembered_until_the_code_changes(page, tmp_path):
    chapter, memory = read_chapter(page(STRONG)), tmp_path / "memory"
    first = checks.judged(chapter, memory)
    (kept,) = memory.iterdir()
    kept.write_text(kept.read_text().replace('"caught": "5%"', '"caught": null'))
    assert all(v.caught is None for v in checks.judged(chapter, memory) if v.error == "too large")
    assert checks.judged(changed_check(chapter), memory) == first
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
    true = checks.tallies(checks.judge(chapter))
    assert (code, checks.read_kept(book, chapter)) == (0, true)
    # A build whose own memory is empty takes what is kept, right or wrong: the tests compare.
    place = book / "planted.json"
    found = json.loads(place.read_text())
    caught, planted, _ = found[chapter.name]["caught"]["mip-thm-4"]
    assert caught == planted > 2
    found[chapter.name]["caught"]["mip-thm-4"][0] -= 1
    place.write_text(json.dumps(found))
    fewer = {"mip-thm-4": checks.Tally(planted - 1, planted, 0)}
    assert checks.known_book(book, book.parent / "empty") == ({chapter.name: fewer}, [])
    assert checks.known(chapter, book, book.parent / "_build" / ".mutants") == true != fewer
    assert checks.read_kept(book, changed_check(chapter)) is None


def test_nothing_is_kept_where_an_error_survives(page, monkeypatch):
    _, book, code = kept_by(page, monkeypatch, WEAK)
    assert code == 1
    assert not (book / "planted.json").exists()


def test_a_broken_file_says_what_mends_it(page, tmp_path):
    chapter = Chapter("book/chapter", read_chapter(page(STRONG)).cells)
    for text in ("<<<<<<< HEAD", "[]", '{"book/chapter": {"caught": {"a": 1}}}'):
        (tmp_path / "planted.json").write_text(text)
        refused(r"planted\.json: must be .* mipbook mutants --keep", checks.read_kept, tmp_path, chapter)


def test_changed_values_differ_and_keep_their_type_and_a_table_is_still_one():
    for true in (3, 3.0, np.float64(3), np.array([1, 20]), np.array([0.0, 0.2])):
        for factor in (1.05, 0.95, 2.0, 0.5):
            made = errors.scaled(true, factor)
            assert not errors.same(true, made)
            assert np.asarray(made).dtype == np.asarray(true).dtype
            assert np.shape(made) == np.shape(true)
    table = np.array([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25]])
    for power in (0.5, 2.0):
        made = errors.tempered(table, power)
        assert errors.is_table(made)
        assert not errors.same(table, made)


def test_only_fields_that_the_cell_reads_are_planted():
    bounds = mis.rare_atom_bounds([0.9, 0.1], 5)
    assert errors.leaves(bounds, {"low", "other"}) == [("low",)]
    assert errors.leaves((1.0, "text", 2), {"low"}) == [(0,), (2,)]
    assert errors.at(bounds, ("low",), lambda v: v / 2).low == bounds.low / 2
