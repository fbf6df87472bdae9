"""Every page runs as a notebook with a kernel, and every result in it is checked."""

import ast
from collections.abc import Iterator
from pathlib import Path
from symtable import SymbolTable, symtable

import matplotlib.pyplot as plt
import nbclient
import pytest
from panels import BOOK, NOTEBOOKS, read
from shared import ROOT

from explorable import checks as ledger
from explorable.outputs.new_chapter import all_chapters, missing
from explorable.sphinx.values import expressions

LIVE = "application/vnd.jupyter.widget-view+json"


def name(path: Path) -> str:
    return str(path.relative_to(BOOK))


def test_there_are_pages_to_run():
    assert len(NOTEBOOKS) >= 3


def shown(source: str, names: dict) -> object:
    """Run a cell as a notebook does, and return the value of its last line."""
    # What configures the notebook itself is for its kernel.
    lines = ("" if line.startswith("%") else line for line in source.splitlines())
    tree = ast.parse("\n".join(lines))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None


# By day a page with a file, one with a guess, and one of the applications.
BY_DAY = ("pmp/choose-epsilon.md", "mip/noise.md", "apps/audit-scores.ipynb")


def night(path):
    return () if path.relative_to(BOOK).as_posix() in BY_DAY else pytest.mark.nightly


@pytest.mark.parametrize("path", [pytest.param(p, marks=night(p), id=name(p)) for p in NOTEBOOKS])
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


def test_a_page_runs_with_a_kernel(monkeypatch):
    """What Binder and JupyterLab do; the build does it for every page."""
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    notebook = read(BOOK / "index.md")
    where = {"metadata": {"path": str(BOOK)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=where).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    assert LIVE in {kind for out in outputs for kind in out.get("data", {})}


def reads(table: SymbolTable) -> Iterator[str]:
    """Name what a cell reads, and does not bind itself."""
    for symbol in table.get_symbols():
        # At the top a name is local, and within a function global.
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from reads(inner)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_no_check_binds_anew_what_is_told_after_it(path):
    """The last value of a check's loop once stood in the text, in the place of a constant."""
    told: set[str] = set()
    lost: set[str] = set()
    for cell in read(path).cells:
        code = "\n".join(line for line in cell.source.splitlines() if not line.startswith("%"))
        for source in [code] if cell.cell_type == "code" else expressions(cell.source):
            table = symtable(source, "<cell>", "exec")
            bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}
            assert not lost & ({*reads(table)} - bound), f"bound anew by a check: {source}"
            if "result(" in source:
                lost |= told & bound
            else:
                told, lost = told | bound, lost - bound


@pytest.mark.parametrize("chapter", all_chapters(ROOT), ids=lambda chapter: chapter.name)
def test_nothing_is_missing_in_a_chapter(chapter):
    """A statement and a check for each of its results, exercises whose solutions assert."""
    lacks = "\n".join(missing(ROOT, chapter))
    assert not lacks, f"{chapter.page}:\n{lacks}"


def test_every_result_belongs_to_a_chapter():
    chapters = {chapter.name for chapter in all_chapters(ROOT)}
    for row in ledger.results():
        assert row.chapter in chapters, (
            f"{row.id} is said to stand in {row.chapter!r}: "
            "name a chapter under book/ in its row of mipbook/results.csv"
        )
