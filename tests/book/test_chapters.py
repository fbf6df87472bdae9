"""Every page runs as a notebook with a kernel, and every result in it is checked."""

import ast
import re

import matplotlib.pyplot as plt
import pytest
from panels import BOOK, NOTEBOOKS, read
from shared import ROOT

from explorable.checks import results
from explorable.outputs.new_chapter import all_chapters, missing
from explorable.outputs.sheets import bound, used
from explorable.sphinx.run import expressions

LIVE = "application/vnd.jupyter.widget-view+json"


def plain(source: str) -> str:
    """Return a cell without what configures the notebook itself, which is for its kernel."""
    return "\n".join("" if line.startswith("%") else line for line in source.splitlines())


def shown(source: str, names: dict) -> object:
    """Run a cell as a notebook does, and return the value of its last line."""
    tree = ast.parse(plain(source))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


# By day a page with a file, one with a guess, and one of the applications.
PAGES = {path.relative_to(BOOK).as_posix(): path for path in NOTEBOOKS}
BY_DAY = ("pmp/choose-epsilon.md", "mip/noise.md", "apps/audit-scores.ipynb")
EACH = [pytest.param(p, marks=() if n in BY_DAY else pytest.mark.nightly, id=n) for n, p in PAGES.items()]


@pytest.mark.parametrize("path", EACH)
def test_page_runs_with_live_panels(path, monkeypatch):
    """Every cell in order, live panels instead of the static ones of the build."""
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    monkeypatch.chdir(BOOK)
    names: dict = {"__name__": "__main__"}
    for cell in read(path).cells:
        if cell.cell_type == "code":
            value = shown(cell.source, names)
            if "Explorable(\n" in cell.source:
                kinds, _ = value._repr_mimebundle_()
                assert LIVE in kinds, cell.source[:80]
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=list(PAGES))
def test_no_check_binds_anew_what_is_told_after_it(path):
    """The last value of a check's loop once stood in the text, in the place of a constant."""
    told: set[str] = set()
    lost: set[str] = set()
    for cell in read(path).cells:
        for source in [plain(cell.source)] if cell.cell_type == "code" else expressions(cell.source):
            assert not lost & used(source), f"bound anew by a check: {source}"
            if "result(" in source:
                lost |= told & bound(source)
            else:
                told, lost = told | bound(source), lost - bound(source)


@pytest.mark.parametrize("chapter", all_chapters(ROOT), ids=lambda chapter: chapter.name)
def test_nothing_is_missing_in_a_chapter(chapter):
    """A statement and a check for each of its results, exercises whose solutions assert."""
    chapters = {each.name for each in all_chapters(ROOT)}
    assert not [row for row in results() if row.chapter not in chapters], "name one in mipbook/results.csv"
    lacks = "\n".join(missing(ROOT, chapter))
    assert not lacks, f"{chapter.page}:\n{lacks}"


ASKED = re.compile(r"\b(Guess|Answer)\(")


def unchecked(cells: list[str]) -> list[str]:
    """Return what a page asks without an ``assert name.accepts(...)`` in a later cell."""
    asked: dict[str, int] = {}
    missing = []
    for place, source in enumerate(cells):
        body = ast.parse(source).body
        for node in (node for node in body if ASKED.search(ast.unparse(node))):
            if isinstance(node, ast.Assign):
                asked |= {ast.unparse(target): place for target in node.targets}
            else:
                missing.append(ast.unparse(node))
        asserted = [ast.unparse(n.test) for tree in body for n in ast.walk(tree) if isinstance(n, ast.Assert)]
        for name in [name for name, at in asked.items() if at < place]:
            if any(f"{name}.accepts(" in test for test in asserted):
                del asked[name]
    return [*missing, *asked]


def test_what_is_asked_is_compared_with_a_later_cell():
    asked = "a = Answer('a', 1)\na"
    for cells, found in (
        ([asked, "assert a.accepts(1) and True"], []),
        ([asked + "\nassert a.accepts(1)"], ["a"]),
        ([asked, "a.accepts(1)", "Guess(1)"], ["Guess(1)", "a"]),
    ):
        assert unchecked(cells) == found
    asking = [path for path in NOTEBOOKS if ASKED.search(path.read_text(encoding="utf-8"))]
    assert len(asking) > 10
    for path in asking:
        cells = [plain(cell.source) for cell in read(path).cells if cell.cell_type == "code"]
        assert unchecked(cells) == [], f"{path}: assign it, and assert that it accepts what the page finds"
