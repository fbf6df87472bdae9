"""Exercises that a grader marks: ``python -m mipbook graded mip/noise``.

For each chapter: a notebook for students, tests in the format of otter-grader, and a copy that is
right. A test asks what the page asks: whether the exercise's `Answer` accepts the student's value.
In the right copy that value is the one that the solution's own assert compares.
"""

from __future__ import annotations

import ast
import pprint
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorable.outputs.teach.exercises import exercises_of
from explorable.outputs.teach.sheets import chapters, command, sheet

__all__ = ["FOLDER", "Question", "main", "make", "questions", "right_copy", "student_copy"]

FOLDER = Path("_build", "graded")
_WORK = "# Your work:\n"


@dataclass(frozen=True)
class Question:
    """One value that a student sets: its name, its points, and how it is judged."""

    exercise: int
    name: str
    points: int
    label: str
    setup: tuple[str, ...]

    @property
    def value(self) -> str:
        """The student's variable."""
        return f"{self.name}_value"

    @property
    def test(self) -> dict[str, Any]:
        """The test, as otter-grader reads it."""
        lines = ["from explorable.panels import Answer", *self.setup]
        lines.append(f"bool({self.name}.accepts({self.value}))")
        code = "\n".join(_prompted(line) for line in lines) + "\nTrue"
        case = {"code": code, "hidden": True, "locked": False}
        suite = {"cases": [case], "scored": True, "setup": "", "teardown": "", "type": "doctest"}
        return {"name": self.name, "points": self.points, "suites": [suite]}


def _prompted(statement: str) -> str:
    """Return a statement as a doctest writes it."""
    first, *rest = statement.splitlines()
    return "\n".join([f">>> {first}", *(f"... {line}" for line in rest)])


def _answers(source: str) -> dict[str, ast.Call]:
    """Return the answers that a cell asks for, by their names."""
    found = {}
    for node in ast.parse(source).body:
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        if getattr(node.value.func, "id", "") == "Answer":
            found[ast.unparse(node.targets[0])] = node.value
    return found


def _label(call: ast.Call) -> str:
    """Return what a student reads beside the variable: the question, and the choices."""
    said = {k.arg: k.value for k in call.keywords}
    words = ast.literal_eval(said["label"]) if "label" in said else "your answer"
    if "choices" in said and isinstance(said["choices"], ast.List):
        return f"{words}: one of {ast.unparse(said['choices'])}"
    return str(words)


def _numbered(made: Any) -> Iterator[tuple[int, Any]]:
    """Return the cells of a sheet, each with the number of its exercise, from 0; -1 before."""
    number = -1
    for cell in made.cells:
        if cell.cell_type == "markdown":
            number += cell.source.count("### Exercise: ")
        yield number, cell


def questions(text: str, page: str) -> list[Question]:
    """Return what can be graded in a chapter: every answer that its page takes.

    Parameters
    ----------
    text : str
        The chapter, as MyST.
    page : str
        Its name, such as ``book/mip/noise``.
    """
    own = list(exercises_of(text, page))
    found = []
    for number, cell in _numbered(sheet(text, page, solutions=True)):
        if cell.cell_type != "code" or number < 0:
            continue
        body = [ast.unparse(node) for node in ast.parse(cell.source).body]
        effort = own[number].effort
        for name, call in _answers(cell.source).items():
            setup = tuple(line for line in body if line != name)
            points = effort.level if effort else 1
            found.append(Question(number, name, points, _label(call), setup))
    return found


def student_copy(text: str, page: str) -> Any:
    """Return the notebook that students fill in: a variable for each answer that is graded.

    Parameters
    ----------
    text, page : str
        As `questions` takes them.
    """
    asked = questions(text, page)
    made = sheet(text, page)
    for number, cell in _numbered(made):
        if cell.source == _WORK:
            lines = [f"{q.value} = ...  # {q.label}" for q in asked if q.exercise == number]
            marked = "\n".join(lines) or "# This one is marked by hand."
            cell.source = f"{_WORK}\n{marked}\n"
    return made


class _Keep(ast.NodeTransformer):
    """Keep the value that a solution compares with its answer."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        told = node.func
        if isinstance(told, ast.Attribute) and told.attr == "accepts":
            name = ast.unparse(told.value)
            if name in self.names:
                target = ast.Name(f"{name}_value", ast.Store())
                node.args = [ast.NamedExpr(target, node.args[0]), *node.args[1:]]
        return node


def right_copy(text: str, page: str) -> Any:
    """Return the solutions with the students' variables set.

    Parameters
    ----------
    text, page : str
        As `questions` takes them.
    """
    keep = _Keep({question.name for question in questions(text, page)})
    made = sheet(text, page, solutions=True)
    for cell in made.cells:
        if cell.cell_type == "code" and ".accepts(" in cell.source:
            cell.source = ast.unparse(ast.fix_missing_locations(keep.visit(ast.parse(cell.source))))
    return made


def make(root: Path, names: Sequence[str] = (), out: Path | None = None) -> list[Path]:
    """Write what a grader needs for chapters, and return the folders.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Chapters by their names, or the ends of them; none for all.
    out : pathlib.Path, optional
        The folder; ``_build/graded`` if not given.
    """
    import nbformat

    made = {}
    for page, text in chapters(root, names).items():
        folder = (out or root / FOLDER) / page.removeprefix("book/")
        tests = {f"{q.name}.py": q.test for q in questions(text, page)}
        made[folder] = tests, student_copy(text, page), right_copy(text, page)
    for folder, (tests, student, right) in made.items():
        (folder / "tests").mkdir(parents=True, exist_ok=True)
        for name, test in tests.items():
            told = pprint.pformat(test, width=95, sort_dicts=False)
            path = folder / "tests" / name
            path.write_text(f"OK_FORMAT = True\n\ntest = {told}\n", encoding="utf-8")
        nbformat.write(student, folder / f"{folder.name}.ipynb")
        nbformat.write(right, folder / "right.ipynb")
    return list(made)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write what the command line names."""
    command("graded", __doc__, make, FOLDER, arguments)
