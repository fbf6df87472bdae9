"""The browser, the built book, and the running apps."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import browser as finder
import driver
import pytest
from pages import LAPTOP, open_page
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from server import Served, figure_server
from shared import ROOT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # Once more, and for this alone; the last line of the run counts it.
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun="^StoppedDrawing"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Tell a page that fails from a window that the browser draws no more."""
    try:
        return (yield)
    except Exception as error:
        held = getattr(item, "funcargs", {}).values()
        found = driver.judged(error, [page for page in held if isinstance(page, Page)])
        if found is error:
            raise
        raise found from error


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
def one_load(browser: Browser, built_book: Path) -> Iterator[driver.OneLoad]:
    def open_it(page: Page, name: str) -> None:
        open_page(page, built_book, name)

    with closing(driver.OneLoad(browser, open_it, viewport=LAPTOP)) as load:
        yield load


@pytest.fixture(scope="session")
def book_page(browser: Browser, built_book: Path) -> Callable[..., AbstractContextManager[Page]]:
    """What opens a page of the book, watched, with all that its guesses ask for."""

    @contextmanager
    def opened(name: str, **options: Any) -> Iterator[Page]:
        with driver.watched(browser, **options) as page:
            open_page(page, built_book, name)
            yield page

    return opened


@pytest.fixture
def visit(request: pytest.FixtureRequest, one_load: driver.OneLoad) -> Iterator[Page]:
    """A page of the book, loaded once for all that is looked at on it."""
    page = one_load.page(request.param)
    yield page
    driver.check(page)


@pytest.fixture(scope="session")
def apps(tmp_path_factory: pytest.TempPathFactory, built_book: Path) -> Iterator[Served]:
    """The book's own apps, served as the public meets them, below a path."""
    log = tmp_path_factory.mktemp("apps") / "log"
    with figure_server(ROOT / "book" / "apps", log, base="/mip") as process:
        yield process
