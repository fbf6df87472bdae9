"""Sheets as notebooks: every exercise, no solution for students, all that the cells need."""

import builtins
import re

import nbformat
import pytest
from nbclient import NotebookClient
from shared import ROOT

from explorable.outputs import sheets
from explorable.outputs.exercises import read_exercises
from explorable.outputs.sheets import bound, needed, sheet, used

PAGES = list(dict.fromkeys(one.page for one in read_exercises(ROOT)))


def text(page: str) -> str:
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


def cells(made, kind):
    return [cell.source for cell in made.cells if cell.cell_type == kind]


def unknown(code: list[str]) -> set[str]:
    """Names that cells read and nobody above or beside gives them."""
    given = set(dir(builtins)).union(*map(bound, code))
    return set().union(*map(used, code)) - given


@pytest.mark.parametrize("page", PAGES)
def test_a_sheet_has_every_exercise_and_all_that_its_cells_need(page):
    own = [one for one in read_exercises(ROOT) if one.page == page]
    for solutions in (False, True):
        made = sheet(text(page), page, solutions=solutions)
        nbformat.validate(made)
        told = "\n".join(cells(made, "markdown"))
        assert told.count("### Exercise: ") == len(own)
        assert told.count("**Solution.**") == (len(own) if solutions else 0)
        for one in own:
            assert told.count(f"*{one.effort}*")
        code = cells(made, "code")
        assert unknown(code) == set()
        assert "".join(code).count("Explorable(") == 0
        assert code.count("# Your work:\n") == (0 if solutions else len(own))


@pytest.mark.parametrize("page", PAGES)
def test_students_do_not_get_the_answers(page):
    student = "\n".join(cells(sheet(text(page), page), "code"))
    assert "Answer(" not in student
    solved = re.findall(r"\{solution-start\}.*?\{solution-end\}", text(page), flags=re.S)
    lines = {x.strip() for solution in solved for x in solution.splitlines() if "assert" in x}
    assert lines
    assert not [line for line in lines if line in student]


def test_only_what_is_needed_is_taken_along():
    before = ["import numpy as np", "a = np.ones(3)", "b = a.sum()", "c = 7"]
    assert needed(before, ["print(b)"]) == before[:3]
    assert needed(before, ["print(c)"]) == before[3:]
    assert unknown(["print(b)"]) == {"b"}


def test_a_sheet_of_solutions_runs_and_a_false_solution_stops_it(tmp_path):
    page = "book/mip/dp-and-mip"
    made = sheet(text(page), page, solutions=True)
    run = {"timeout": 120, "resources": {"metadata": {"path": tmp_path}}}
    NotebookClient(made, **run).execute()
    right, false = "assert at_zero.accepts(etas.min())", "assert at_zero.accepts(2 * etas.min())"
    assert right in text(page)
    wrong = sheet(text(page).replace(right, false), page, solutions=True)
    with pytest.raises(Exception, match="AssertionError"):
        NotebookClient(wrong, **run).execute()


def test_the_command_writes_both_and_names_what_it_does_not_know(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    sheets.main(["mip/noise", "--out", str(tmp_path)])
    made = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.ipynb"))
    assert made == ["mip/noise-exercises.ipynb", "mip/noise-solutions.ipynb"]
    assert len(capsys.readouterr().out.split()) == 2
    with pytest.raises(ValueError, match=r"pages = 'mip/nothing'"):
        sheets.make(ROOT, ["mip/nothing"], tmp_path)
    with pytest.raises(ValueError, match="must be a chapter with a part '## Exercises'"):
        sheet("# A page\n", "book/teach/index")
