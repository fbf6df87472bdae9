"""Every page runs as a notebook with a kernel, and every result in it is checked."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import matplotlib.pyplot as plt
import nbclient
import pytest
from panels import BOOK, NOTEBOOKS, PAGES, read

from mipbook import ledger

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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
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


def block_labels(text: str) -> set[str]:
    """Labels of theorem-style blocks in MyST source."""
    blocks = re.findall(r"^:{3,}\{prf:\w+\}.*?^:label: (\S+)", text, flags=re.M | re.S)
    return set(blocks) | set(re.findall(r"^    name: (\S+)", text, flags=re.M))


def checked_ids(path: Path) -> set[str]:
    code = "\n".join(c.source for c in read(path).cells if c.cell_type == "code")
    return set(re.findall(r'^with result\("([^"]+)"', code, flags=re.M))


def chapters() -> dict[str, Path]:
    return {name(path).rsplit(".", 1)[0]: path for path in PAGES}


EXPECTED = [row for row in ledger.results() if row.chapter in chapters()]


def test_the_finished_chapters_hold_results():
    assert len(EXPECTED) >= 4


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: row.id)
def test_result_has_block_and_check(row):
    path = chapters()[row.chapter]
    assert row.id in block_labels(path.read_text(encoding="utf-8")), f"no block for {row.id}"
    assert row.id in checked_ids(path), f"no check for {row.id}"


@pytest.mark.parametrize(
    "path", [p for p in PAGES if p.parent.name in {"game", "mip", "pmp", "mis"}], ids=name
)
def test_chapter_has_exercises_with_checked_solutions(path):
    text = path.read_text(encoding="utf-8")
    exercises = re.findall(r"\{exercise-start\}.*\n:label: (\S+)", text)
    assert len(exercises) >= 5
    solutions = dict(re.findall(r"\{solution-start\} (\S+)(.*?)\{solution-end\}", text, flags=re.S))
    assert sorted(solutions) == sorted(exercises)
    for label, body in solutions.items():
        assert ":class: dropdown" in body, label
        assert re.search(r"assert|result\(", body), f"the solution of {label} checks nothing"
