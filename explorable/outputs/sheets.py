"""Sheets of a chapter's exercises as notebooks: ``python -m mipbook sheets mip/noise``.

Each chapter gives two: the questions, with an empty cell for each answer, and the solutions, which
check themselves. Both begin with what the cells need of the chapter. ``pdf --exercises`` prints.

``python -m mipbook graded mip/noise`` writes what a grader marks: a notebook for students, tests in
the format of otter-grader, and a copy that is right. A test asks what the page asks: whether the
exercise's `Answer` accepts the student's value. In the right copy that value is the one that the
solution's own assert compares.
"""

import argparse
import ast
import pprint
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from symtable import SymbolTable, symtable
from typing import Any

from explorable import settings, validate
from explorable.outputs.exercises import exercises_of, read_exercises
from explorable.sphinx import statements
from explorable.sphinx.build import by_end, check_root
from explorable.sphinx.notebooks import notebook, of_cells
from explorable.sphinx.run import with_values

FOLDER, _GRADED = Path("_build", "sheets"), Path("_build", "graded")
_WORK = "# Your work:\n"
_HEAD = "## Exercises"
_SOLVED = re.compile(r"^`+\{solution-start\}.*?^`+\{solution-end\}", flags=re.M | re.S)
_NAMED = re.compile(r"\{prf:ref\}`(?:[^`<]*<)?([\w-]+)>?`")


def _tables(table: SymbolTable) -> Iterator[SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def bound(source: str) -> set[str]:
    r"""Return the names that a cell gives to those below it.

    Examples
    --------
    >>> sorted(bound("import numpy as np\nn = 3\ndef f(x): return x\n[a for a in 'b']"))
    ['f', 'n', 'np']
    """
    symbols = symtable(source, "cell", "exec").get_symbols()
    return {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}


def used(source: str) -> set[str]:
    r"""Return the names that a cell reads and does not set itself.

    Examples
    --------
    >>> sorted(used("a = f(b)\nprint(a, [c * d for c in b])"))
    ['b', 'd', 'f', 'print']
    """
    top, *inner = _tables(symtable(source, "cell", "exec"))
    here = {s.get_name() for s in top.get_symbols() if s.is_referenced()}
    for table in inner:
        here |= {s.get_name() for s in table.get_symbols() if s.is_global()}
    return here - bound(source)


def needed(before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Return which of the cells before others these need, in their order.

    Parameters
    ----------
    before, after : sequence of str
        Code.

    Examples
    --------
    >>> needed(["a = 1", "b = a", "c = 2"], ["print(b)"])
    ['a = 1', 'b = a']
    """
    wanted: set[str] = set()
    for cell in reversed(after):
        wanted = (wanted - bound(cell)) | used(cell)
    kept = []
    for cell in reversed(before):
        if bound(cell) & wanted:
            kept.append(cell)
            wanted = (wanted - bound(cell)) | used(cell)
    return kept[::-1]


def _split(made: Any) -> tuple[list[Any], list[Any]]:
    """Part a chapter's notebook where its exercises begin."""
    cells = made.cells
    at = next(i for i, cell in enumerate(cells) if _HEAD in cell.source)
    return cells[:at], cells[at:]


def _code(cells: Sequence[Any]) -> Iterator[str]:
    # A magic is no Python, and no sheet needs one.
    for cell in cells:
        if cell.cell_type == "code":
            yield "\n".join(x for x in cell.source.splitlines() if not x.startswith("%"))


def sheet(text: str, page: str, *, solutions: bool = False) -> Any:
    """Return the exercises of a chapter as a notebook without outputs.

    Parameters
    ----------
    text : str
        The chapter, as MyST.
    page : str
        Its name, such as ``book/mip/noise``.
    solutions : bool
        Whether the solutions are in it.

    Raises
    ------
    ValueError
        If the chapter has no exercises.
    """
    import nbformat.v4 as made

    if f"\n{_HEAD}" not in text:
        validate.refuse("page", page, f"a chapter with a part {_HEAD!r}")
    before, after = _split(notebook(text, page))
    code = needed(list(_code(before)), list(_code(after)))
    if not solutions:
        before, after = _split(notebook(text, page, student=True))
    title = next(x for x in text.splitlines() if x.startswith("# "))
    start = before[0].source
    head = made.new_markdown_cell(f"{title}: {'solutions' if solutions else 'exercises'}\n\n{start}")
    after[0] = made.new_markdown_cell(after[0].source.partition(_HEAD)[2].strip())
    return of_cells([head, *map(made.new_code_cell, code), *after])


def chapters(root: Path, names: Sequence[str]) -> dict[str, str]:
    """Return the texts of the chapters that have exercises, by page.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Chapters by their names, or the ends of them; none for all.

    Raises
    ------
    ValueError
        If the folder is not the repository's, or a name is no chapter's.
    """
    check_root(root)
    pages = list(dict.fromkeys(one.page for one in read_exercises(root)))
    chosen = by_end(names, pages, "pages", "chapter with exercises") if names else pages
    return {page: _with_boxes(root, with_values(root, page)) for page in chosen}


def _with_boxes(root: Path, text: str) -> str:
    """Return a chapter with the boxes, of any page, that its exercises name, before the first of them."""
    start, head, asked = text.partition(f"\n{_HEAD}\n")
    rows, boxes = statements.rows(), []
    for label in dict.fromkeys(_NAMED.findall(_SOLVED.sub("", asked))):
        if label in rows:
            home = with_values(root, f"book/{rows[label].chapter}")
            box = rf"^(:{{3,}}|`{{3,}})\{{prf:[^\n]*\n:label: {label}\n.*?^\1$"
            boxes += [found[0] for found in re.finditer(box, home, flags=re.M | re.S)]
    told = "\n\n".join(["", "What the exercises name:", *boxes, ""]) if boxes else ""
    return f"{start}{head}{told}{asked}"


def make(root: Path, names: Sequence[str] = (), out: Path | None = None) -> list[Path]:
    """Write the sheets of chapters, and return the files.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder.
    names : sequence of str
        Chapters by their names, or the ends of them; none for all.
    out : pathlib.Path, optional
        The folder; ``_build/sheets`` if not given.
    """
    import nbformat

    made = {}
    for page, text in chapters(root, names).items():
        for kind in ("exercises", "solutions"):
            path = (out or root / FOLDER) / f"{page.removeprefix('book/')}-{kind}.ipynb"
            made[path] = sheet(text, page, solutions=kind == "solutions")
    for path, book in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(book, path)
    return list(made)


def _command(
    name: str,
    told: str | None,
    make: Callable[[Path, Sequence[str], Path | None], list[Path]],
    folder: Path,
    arguments: Sequence[str] | None,
) -> None:
    """Make something of the chapters that a command line names, and print where it lies.

    Parameters
    ----------
    name, told : str
        The command, and what it does.
    make : callable
        Makes it, of the repository's folder, the names and the folder to write to.
    folder : pathlib.Path
        Where it writes if the command line does not say.
    arguments : sequence of str or None
        The command line, or None for the process's own.
    """
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} {name}", description=told)
    parser.add_argument("pages", nargs="*", help="such as mip/noise; none for all chapters")
    parser.add_argument("--out", type=Path, help=f"the folder (default: {folder.as_posix()})")
    asked = parser.parse_args(arguments)
    for path in make(Path.cwd(), asked.pages, asked.out):
        print(path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the sheets that the command line names."""
    _command("sheets", __doc__, make, FOLDER, arguments)


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
        accepted = f"bool({self.name}.accepts({self.value}))"
        lines = ["from explorable.panels import Answer", *self.setup, accepted]
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
        match node:
            case ast.Assign([name], ast.Call(ast.Name("Answer")) as call):
                found[ast.unparse(name)] = call
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
            found.append(Question(number, name, effort.level if effort else 1, _label(call), setup))
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


def make_graded(root: Path, names: Sequence[str] = (), out: Path | None = None) -> list[Path]:
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
        folder = (out or root / _GRADED) / page.removeprefix("book/")
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


def graded(arguments: Sequence[str] | None = None) -> None:
    """Write what the command line names."""
    _command("graded", __doc__, make_graded, _GRADED, arguments)
