"""A window that the browser draws no more is told from a page that fails."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import driver
import pytest
from playwright.sync_api import Page

NO_FRAMES = "window.requestAnimationFrame = () => 0"


def test_only_a_window_without_frames_excuses_a_failure(browser):
    def fail(doing: str) -> None:
        with driver.watched(browser) as page:
            page.evaluate(doing)
            raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        fail("1")
    with pytest.raises(driver.StoppedDrawing):
        fail(NO_FRAMES)


def test_a_page_stays_open_until_it_is_drawn_no_more(browser):
    @contextmanager
    def opened(name: str) -> Iterator[Page]:
        with driver.watched(browser) as page:
            page.set_content(name)
            yield page

    with closing(driver.OneLoad(opened)) as load:
        first = load.page("one")
        assert load.page("one") is first
        first.evaluate(NO_FRAMES)
        second = load.page("one")
        assert first.is_closed()
        assert second.inner_text("body") == "one"
        assert load.page("two").inner_text("body") == "two"
        assert second.is_closed()
        load.page("two").evaluate("console.error('planted')")
        with pytest.raises(AssertionError, match="planted"):
            driver.check(load.page("two"))
        driver.check(load.page("two"))


def test_no_panel_is_waited_for_in_vain(browser, monkeypatch):
    with driver.watched(browser) as page:
        page.set_content("<section data-settled='no'></section>")
        page.evaluate(NO_FRAMES)
        panel = page.locator("section")
        monkeypatch.setattr(driver, "SETTLED", driver.SETTLED.replace("60000", "100").replace("10000", "50"))
        with pytest.raises(AssertionError, match="not settled"):
            driver.settle(panel)
        panel.evaluate("(root) => { root.dataset.settled = '{}'; }")
        with pytest.raises(driver.StoppedDrawing):
            driver.settle(panel)
