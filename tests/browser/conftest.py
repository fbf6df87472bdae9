"""The browser, the built book, and the running apps."""

import functools
from contextlib import closing, contextmanager
from pathlib import Path

import browser as finder
import driver
import pytest
from pages import LAPTOP, open_page
from playwright.sync_api import sync_playwright
from server import figure_server
from shared import ROOT


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # Once more, and for this alone; the last line of the run counts it.
            item.add_marker(pytest.mark.flaky(reruns=1, only_rerun="^StoppedDrawing"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Tell a page that fails from a window that the browser draws no more."""
    try:
        return (yield)
    except Exception:
        driver.must_draw([page for context in driver.COMPLAINTS for page in context.pages])
        raise


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright):
    _, running = finder.start(playwright)
    yield running
    running.close()


@pytest.fixture(scope="session")
def one_load(browser, built_book):
    opens = functools.partial(open_page, book=built_book)
    with closing(driver.OneLoad(browser, opens, viewport=LAPTOP)) as load:
        yield load


@pytest.fixture(scope="session")
def book_page(browser, built_book):
    """What opens a page of the book, watched, with all that its guesses ask for."""

    @contextmanager
    def opened(name: str, **options):
        with driver.watched(browser, **options) as page:
            open_page(page, built_book, name)
            yield page

    return opened


@pytest.fixture
def visit(request, one_load):
    """A page of the book, loaded once for all that is looked at on it."""
    page = one_load.page(request.param)
    yield page
    driver.check(page)


@pytest.fixture(scope="session")
def apps(tmp_path_factory, built_book):
    """The book's own apps, served as the public meets them, below a path."""
    log = tmp_path_factory.mktemp("apps") / "log"
    with figure_server(ROOT / "book" / "apps", log, base="/mip") as process:
        yield process
