"""Graded notebooks: a right copy gets all points, a wrong one loses its own."""

import doctest
import os
from typing import Any

import pytest
from shared import ROOT

from explorable.outputs.exercises import read_exercises
from explorable.outputs.sheets import graded, questions, right_copy, student_copy
from explorable.progress import STATIC_FACE
from explorable.settings import variable

PAGES = list(dict.fromkeys(one.page for one in read_exercises(ROOT)))
# Chapters that are quick to run.
RUN = ("book/game/membership-game", "book/mip/dp-and-mip", "book/together/implications")


def text(page: str) -> str:
    return (ROOT / f"{page}.md").read_text(encoding="utf-8")


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


def test_an_empty_copy_gets_nothing(monkeypatch):
    monkeypatch.setitem(os.environ, variable(STATIC_FACE), "static")
    page = RUN[0]
    names = run(student_copy(text(page), page))
    assert not any(passes(q.test, names) for q in questions(text(page), page))


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
