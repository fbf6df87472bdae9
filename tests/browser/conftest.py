"""The browser, the built book, and the running apps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import browser as finder
import pytest
from filelock import FileLock
from playwright.sync_api import Browser, sync_playwright
from server import Served, app_server

from mipbook.build import BUILT

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        _, running = finder.start(playwright)
        yield running
        running.close()


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The built book; built now if it is missing or older than its sources.

    Of several test processes one builds, and the others wait for it.
    """
    build = ROOT / "_build"
    build.mkdir(exist_ok=True)
    with FileLock(build / "tests.lock"):
        return up_to_date(build / "html")


def up_to_date(html: Path) -> Path:
    """Build the book, unless one was built, without a failure, from what stands there now."""
    sources = [
        path
        for folder in ("book", "mipbook")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts}
    ]
    sources += [ROOT / name for name in ("_config.yml", "_toc.yml", "constraints.txt")]
    newest = max(path.stat().st_mtime for path in sources)
    built = html / BUILT
    if not built.is_file() or built.stat().st_mtime < newest:
        done = subprocess.run(
            [sys.executable, "-m", "mipbook.build"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (
            f"the book does not build:\n{(done.stdout + done.stderr)[-6000:]}"
        )
    return html


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory, built_book: Path) -> Iterator[Served]:
    """The book's own apps, served as a reader would serve them."""
    process = app_server(ROOT / "book" / "apps", tmp_path_factory.mktemp("apps") / "log")
    try:
        process.wait()
        yield process
    finally:
        process.stop()
