"""The browser, the built book, and the running apps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import browser as finder
import driver
import pytest
from pages import open_page
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from server import Served, app_server
from shared import ROOT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    _, running = finder.start(playwright)
    yield running
    running.close()


@pytest.fixture(scope="session")
def visit(request, browser, built_book) -> Iterator[Page]:
    """A page of the book, loaded once for all that is looked at on it."""
    with driver.watched(browser) as page:
        open_page(page, built_book, request.param)
        yield page


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory, built_book: Path) -> Iterator[Served]:
    """The book's own apps, served as a reader would serve them."""
    process = app_server(ROOT / "book" / "apps", tmp_path_factory.mktemp("apps") / "log")
    try:
        process.wait()
        yield process
    finally:
        process.stop()
