"""Real servers of a small app, which the tests of this folder visit and attack."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))

from dial import PANEL, notebook
from server import Served, figure_server


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine in a thread: a browser of an earlier test leaves its loop in this one."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, asyncio.wait_for(pyfuncitem.obj(**given), 20)).result()
    return True


def build_chapter(apps: Path) -> None:
    built = apps.parents[1] / "_build" / "html" / "book" / "game"
    built.mkdir(parents=True)
    (built / "chapter.html").write_text("<!DOCTYPE html><title>chapter</title>" + " " * 3000)


@pytest.fixture(scope="module")
def panels_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an app whose cell shows a panel, and a built book."""
    folder = tmp_path_factory.mktemp("panels") / "book" / "apps"
    folder.mkdir(parents=True)
    words = nbformat.v4.new_markdown_cell(
        "Why stands in [the chapter](../game/chapter.md). <script>alert(1)</script> $x<y$"
    )
    made = notebook(PANEL)
    made.cells.append(words)
    nbformat.write(made, folder / "dial.ipynb")
    build_chapter(folder)
    return folder


@pytest.fixture(scope="module")
def serve(panels_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    """Start a server with options; all are stopped at the end of the module."""
    with ExitStack() as running:

        def start(*options: str, base: str = "", **more: str) -> Served:
            log = tmp_path_factory.mktemp("log") / "log"
            return running.enter_context(figure_server(panels_folder, log, *options, base=base, **more))

        yield start
