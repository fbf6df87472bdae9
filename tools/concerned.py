"""What a change concerns: which tests and pages can reach it, and in how many steps.

It is read off the imports, as the build does for its pages (`explorable.sources`), so it needs
no run before and no record of one. A data file, script or style concerns what uses a module of
its folder; any other file concerns the tests that name it.
"""

import ast
import json
import subprocess
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import mipbook.book  # noqa: F401, whose modules are followed
from explorable import sources
from explorable.checks.plant import read_chapter

ROOT = Path(__file__).resolve().parent.parent
# Tests of all pages, modules or functions, one each: only those of what changed concern us.
WALKERS = (
    "tests/figures/test_every_figure.py",
    "tests/repository/test_doctests.py",
    "tests/repository/test_fuzz.py",
)
OURS = ("explorable/", "mipbook/", "studies/")
ONE_EACH = ("tests/book/", *WALKERS)
HABITS = "tests/repository/test_repository.py"


def changed(root: Path = ROOT) -> list[str]:
    """Return the files that differ from the last commit, new ones too."""
    command = ["git", "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    said = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return sorted(entry[3:] for entry in said.split("\0") if entry)


def _imported(code: str) -> set[str]:
    """Return the first names of all modules that a piece of code imports."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


@cache
def _helpers() -> dict[str, Path]:
    """Return the modules that tests share, by name."""
    found = [p for f in ("tests", "tools") for p in (ROOT / f).rglob("*.py")]
    return {p.stem: p for p in found if not p.stem.startswith(("test_", "bench_"))}


@cache
def parts(test: Path) -> tuple[Path, ...]:
    """Return a file of tests, the helpers that it imports and the settings of its folders."""
    found = [test]
    for path in found:
        names = _imported(path.read_text(encoding="utf-8"))
        found += [p for name, p in _helpers().items() if name in names and p not in found]
    settings = [folder / "conftest.py" for folder in test.parents if ROOT in (folder, *folder.parents)]
    return (*found, *(path for path in settings if path.is_file()))


def _text(files: Iterable[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


@cache
def _code(test: Path) -> str:
    # Imports from __future__ stand first in a file, so not in the middle of several.
    return _text(parts(test)).replace("from __future__ import annotations", "")


@cache
def _steps(test: Path) -> dict[Path, int]:
    return sources.steps(_code(test))


def page_code(page: Path) -> str:
    """Return the code of a page of the book."""
    if page.suffix == ".md":
        cells = [cell.source for cell in read_chapter(page).cells]
    else:
        notebook = json.loads(page.read_text(encoding="utf-8"))
        cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    lines = (line for cell in cells for line in cell.splitlines())
    # A notebook's commands are no Python.
    return "\n".join(line for line in lines if not line.startswith("%"))


def _far(change: str, steps: dict[Path, int]) -> int | None:
    """Return how far a file of the package is from code with these steps."""
    path = ROOT / change
    if path in steps:
        return steps[path]
    if path.suffix == ".py" and path.is_file():
        return None
    # Data, a script, a style or a module that is gone: its folder's nearest module.
    folder = next(f for f in path.parents if any(f.glob("*.py")))
    return min((far for file, far in steps.items() if folder in file.parents), default=None)


def distance(change: str, test: Path) -> int | None:
    """Return how many steps lead from a file of tests to a changed file, None for no way."""
    if ROOT / change in parts(test):
        return 0
    if change.startswith(OURS):
        return _far(change, _steps(test))
    if change.startswith("book/") and test.parent == ROOT / "tests" / "book":
        return 1
    return 1 if Path(change).name in _code(test) else None


def tests(changes: Iterable[str]) -> dict[str, int]:
    """Return the files of tests that a change concerns, the nearest first; no browser's."""
    changes = list(changes)
    modules = any(c.startswith(OURS) and c.endswith(".py") for c in changes)
    found = {}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        name = test.relative_to(ROOT).as_posix()
        far = [d for change in changes if (d := distance(change, test)) is not None]
        # What walks the package, or the repository, is not told by imports.
        if (modules and name in WALKERS) or (changes and name == HABITS):
            far.append(1)
        if far and not name.startswith("tests/browser/"):
            found[name] = min(far)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def pages(changes: Iterable[str]) -> dict[str, int]:
    """Return the pages that a change concerns, the nearest first: 0 for a changed page itself."""
    changes = [change for change in changes if change.startswith((*OURS, "book/"))]
    found = {}
    for path in sorted((ROOT / "book").rglob("*")) if changes else ():
        if path.suffix not in (".md", ".ipynb") or ".ipynb_checkpoints" in path.parts:
            continue
        name = path.relative_to(ROOT).as_posix()
        steps = sources.steps(page_code(path))
        far = [0] if name in changes else []
        far += [d for c in changes if c[:4] == "mipb" and (d := _far(c, steps)) is not None]
        if far:
            found[name.removesuffix(path.suffix)] = min(far)
    return dict(sorted(found.items(), key=lambda item: item[1]))


def words(changes: Iterable[str], page: str | None) -> list[str]:
    """Return what the ids of tests of one thing each say if they are of a changed one."""
    found = [page.removeprefix("book/")] if page else []
    for change in changes:
        path = ROOT / change
        if change.startswith("book/"):
            found.append(str(Path(change).with_suffix("").as_posix()).removeprefix("book/"))
        elif change.startswith(OURS) and path.suffix == ".py" and path.is_file():
            module = change.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            tree = ast.parse(path.read_text(encoding="utf-8"))
            public = [
                node.name
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name[0] != "_"
            ]
            found += [module, *public, ".".join(module.split(".")[1:-1])]
    return list(dict.fromkeys(found))
