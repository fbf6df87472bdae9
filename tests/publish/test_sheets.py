"""Sheets as notebooks: every exercise, no solution for students, all that the cells need."""

import builtins
import doctest
import os
import re
from functools import cache
from typing import Any

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient
from shared import ROOT, refused

from explorable.outputs import sheets
from explorable.outputs.exercises import read_exercises
from explorable.outputs.sheets import (
    bound,
    chapters,
    graded,
    needed,
    questions,
    right_copy,
    sheet,
    student_copy,
    used,
)
from explorable.progress import STATIC_FACE
from explorable.settings import variable

READ = cache(jupytext.reads)


@pytest.fixture(autouse=True)
def read_once(monkeypatch):
    """Every copy of a chapter is made of the same cells, which take long to read."""
    monkeypatch.setattr(jupytext, "reads", READ)


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
def test_a_box_that_an_exercise_names_stands_before_them(page):
    asked = re.sub(
        r"`+\{solution-start\}.*?\{solution-end\}", "", text(page).partition("## Exercises")[2], flags=re.S
    )
    told = chapters(ROOT, [page])[page].partition("## Exercises")[2].partition("{exercise-start}")[0]
    for label in re.findall(r"\{prf:ref\}`(?:[^`<]*<)?([\w-]+)>?`", asked):
        assert f":label: {label}\n" in told


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
    refused(r"pages = 'mip/nothing'", sheets.make, ROOT, ["mip/nothing"], tmp_path)
    refused("must be a chapter with a part '## Exercises'", sheet, "# A page\n", "book/teach/index")


# --- Graded notebooks: a right copy gets all points, a wrong one loses its own --------------------

# Chapters that are quick to run.
RUN = ("book/game/membership-game", "book/mip/dp-and-mip", "book/together/implications")


def run(made: Any) -> dict[str, Any]:
    """Run a notebook's cells in this process, and return their names."""
    names: dict[str, Any] = {}
    for cell in made.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, "cell", "exec"), names)
    return names


def passes(test: dict[str, Any], names: dict[str, Any]) -> bool:
    """Whether a test of otter's format passes, as its grader runs it: by doctest."""
    said: list[str] = []
    for suite in test["suites"]:
        for case in suite["cases"]:
            parsed = doctest.DocTestParser().get_doctest(case["code"], dict(names), test["name"], None, None)
            assert parsed.examples, "a test without an example passes whatever the student says"
            doctest.DocTestRunner().run(parsed, out=said.append)
    return not said


@pytest.mark.parametrize("page", PAGES)
def test_every_answer_of_a_page_is_graded_and_students_are_told_no_truth(page):
    asked = questions(text(page), page)
    exercises = text(page).partition("\n## Exercises")[2]
    assert len(asked) == exercises.count("= Answer(")
    assert len({q.name for q in asked}) == len(asked)
    student = student_copy(text(page), page)
    code = "\n".join(cell.source for cell in student.cells if cell.cell_type == "code")
    right = "\n".join(cell.source for cell in right_copy(text(page), page).cells)
    assert "Answer(" not in code
    for question in asked:
        assert code.count(f"{question.value} = ...  # {question.label}\n") == 1
        assert question.points in (1, 2, 3)
        assert f"{question.value} := " in right
        assert f"{question.name}.accepts" not in code


@pytest.mark.parametrize("page", RUN)
def test_a_right_copy_gets_all_points_and_a_wrong_one_loses_its_own(page, monkeypatch):
    monkeypatch.setitem(os.environ, variable(STATIC_FACE), "static")
    names = run(right_copy(text(page), page))
    tests = {q.value: q.test for q in questions(text(page), page)}
    assert [name for name, test in tests.items() if not passes(test, names)] == []
    for wrong in tests:
        said = names[wrong]
        other = "no choice" if isinstance(said, str) else ...
        if isinstance(said, int | float):
            other = 3 * said + 7
        lost = [name for name, test in tests.items() if not passes(test, {**names, wrong: other})]
        assert lost == [wrong]


def test_the_command_writes_what_a_grader_reads(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    graded(["mip/noise", "--out", str(tmp_path)])
    folder = tmp_path / "mip/noise"
    assert capsys.readouterr().out.strip() == str(folder)
    assert sorted(p.name for p in folder.iterdir()) == ["noise.ipynb", "right.ipynb", "tests"]
    for path in (folder / "tests").iterdir():
        names: dict[str, Any] = {}
        exec(path.read_text(encoding="utf-8"), names)
        assert names["OK_FORMAT"] is True
        assert names["test"]["name"] == path.stem
