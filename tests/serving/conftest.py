"""Real servers of a small app, which the tests of this folder visit and attack."""

import asyncio
import inspect
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))

from server import Served, figure_server, write_notebook
from wire import PANEL

WORDS = """Not this.

# A question?

Why stands in [the chapter](../game/chapter.md). <script>alert(1)</script> $x<y$"""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine in a thread: a browser of an earlier test leaves its loop in this one."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, asyncio.wait_for(pyfuncitem.obj(**given), 20)).result()
    return True


@pytest.fixture(scope="module")
def panels_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an app whose cell shows a panel, and a built book."""
    place = tmp_path_factory.mktemp("panels")
    apps, built = place / "book" / "apps", place / "_build" / "html" / "book" / "game"
    for folder in (apps, built):
        folder.mkdir(parents=True)
    write_notebook(apps / "dial.ipynb", PANEL, words=WORDS)
    (built / "chapter.html").write_text("<!DOCTYPE html><title>chapter</title>" + " " * 3000)
    return apps


@pytest.fixture(scope="module")
def serve(panels_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    """Start a server with options; all are stopped at the end of the module."""
    with ExitStack() as running:

        def start(*options: str, base: str = "", **more: str) -> Served:
            log = tmp_path_factory.mktemp("log") / "log"
            return running.enter_context(figure_server(panels_folder, log, *options, base=base, **more))

        yield start
