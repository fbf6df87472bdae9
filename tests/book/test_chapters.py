"""Every page runs as a notebook with a kernel, and every result in it is checked."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import nbclient
import pytest

from mipbook import ledger

ROOT = Path(__file__).resolve().parents[2]
BOOK = ROOT / "book"
PAGES = sorted(
    path
    for path in BOOK.rglob("*")
    if path.suffix in {".md", ".ipynb"} and ".ipynb_checkpoints" not in path.parts
)


def read(path: Path):
    if path.suffix == ".ipynb":
        return jupytext.read(path)
    return jupytext.read(path, fmt="md:myst")


def is_notebook(path: Path) -> bool:
    return path.suffix == ".ipynb" or "kernelspec:" in path.read_text(encoding="utf-8")[:400]


NOTEBOOKS = [path for path in PAGES if is_notebook(path)]


def name(path: Path) -> str:
    return str(path.relative_to(BOOK))


def test_there_are_pages_to_run():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_page_runs_with_a_kernel(path, monkeypatch):
    """What Binder and JupyterLab do: every cell in order, live panels instead of static ones."""
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    notebook = read(path)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(BOOK)}}
    ).execute()
    panels = [c for c in notebook.cells if c.cell_type == "code" and "Explorable(\n" in c.source]
    for cell in panels:
        kinds = {kind for output in cell.outputs for kind in output.get("data", {})}
        assert "application/vnd.jupyter.widget-view+json" in kinds, cell.source[:80]


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
    "path", [p for p in PAGES if p.parent.name in {"game", "mip", "pmp", "limits"}], ids=name
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
