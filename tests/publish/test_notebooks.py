"""Chapters to take away: whole, readable anywhere, and without solutions for students."""

import re

import nbformat
import pytest
from nbclient import NotebookClient
from shared import ROOT

from explorable.outputs.sheets import bound, used
from explorable.sphinx import notebooks
from explorable.sphinx.notebooks import notebook, plain

PAGES = {
    page: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book").glob("*/*.md"))
    if notebooks.taken_away(page := path.relative_to(ROOT).with_suffix("").as_posix())
}
FENCE = re.compile(r"^[> ]*(?:`{3,}|:{3,})\{.*|\{[\w:-]+\}`", flags=re.M)


def code(found):
    return [cell.source for cell in found.cells if cell.cell_type == "code"]


def words(found):
    return "\n".join(cell.source for cell in found.cells if cell.cell_type == "markdown")


@pytest.mark.parametrize("page", PAGES)
def test_a_chapter_is_a_valid_notebook_that_reads_well_anywhere(page):
    full = notebook(PAGES[page], page)
    nbformat.validate(full)
    assert not FENCE.findall(words(full)), "a block or role that plain Markdown does not know"
    assert len(code(full)) == PAGES[page].count("```{code-cell}")
    assert not any(cell.get("outputs") for cell in full.cells)
    assert words(full).count("### Exercise") == PAGES[page].count("{exercise-start}")
    assert words(full).count("**Solution.**") == PAGES[page].count("{solution-start}")
    # No cell for students needs one that was left out.
    kept = set(code(notebook(PAGES[page], page, student=True)))
    left_out = set().union(*(bound(cell) for cell in code(full) if cell not in kept))
    here = set().union(*(bound(cell) for cell in kept))
    assert not [cell for cell in kept if used(cell) & (left_out - here)]


@pytest.mark.parametrize("page", [page for page in PAGES if not page.endswith("-record")])
def test_students_get_every_exercise_and_no_solution(page):
    full, student = notebook(PAGES[page], page), notebook(PAGES[page], page, student=True)
    nbformat.validate(student)
    told = words(student)
    assert told.count("### Exercise") == words(full).count("### Exercise") >= 2
    assert "**Solution.**" not in told
    assert code(student).count("# Your work:\n") == told.count("### Exercise")
    assert "Answer(" not in "".join(code(student))
    solutions = re.findall(r"\{solution-start\}(.*?)\{solution-end\}", PAGES[page], flags=re.S)
    for solution in solutions:
        for line in filter(lambda x: len(x) > 40, solution.splitlines()):
            assert line not in told


def test_a_launch_button_opens_the_notebook_and_that_of_an_app_stays():
    page = "book/mip/noise"
    menu = {"label": "launch-buttons", "buttons": [{"url": f"https://x.org/lab/tree/{page}.md"}]}
    notebooks.offer(None, page, "", {"header_buttons": [menu]}, None)
    (button,) = menu["buttons"]
    assert button["url"] == "https://x.org/lab/tree/_build/html/notebooks/mip/noise.ipynb"
    kept = {"url": "https://x.org/lab/tree/book/apps/attack.ipynb"}
    menu["buttons"] = [dict(kept)]
    notebooks.offer(None, "book/apps/attack", "", {"header_buttons": [menu]}, None)
    assert menu["buttons"] == [kept]


def test_blocks_become_quotations_and_roles_words():
    text = """(mark)=
:::{prf:theorem} DP gives MIP
:label: mip-thm-4
It does, by {prf:ref}`mip-thm-5`.
:::
::::{veiled}
:::{admonition} Guess
:class: tip
See {doc}`the noise <noise>` and [there](../pmp/x.md#part), not [that](https://a.org/b.md).
:::
::::"""
    assert plain(text, "book/mip/noise") == (
        "> **Theorem 4 (DP gives MIP).**\n>\n> It does, by Theorem 5.\n"
        "> **Guess**\n>\n"
        "> See [the noise](noise.ipynb) and [there](../pmp/x.ipynb), not [that](https://a.org/b.md)."
    )


@pytest.mark.parametrize("student", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_a_taken_notebook_runs_to_its_end(student, tmp_path, monkeypatch):
    monkeypatch.delenv("MIPBOOK_STATIC", raising=False)
    page = "book/pmp/choose-epsilon"
    found = notebook(PAGES[page], page, student=student)
    NotebookClient(found, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    panels = [
        output
        for cell in found.cells
        for output in cell.get("outputs", [])
        if "application/vnd.jupyter.widget-view+json" in output.get("data", {})
    ]
    assert len(panels) >= PAGES[page].count("Explorable(")
