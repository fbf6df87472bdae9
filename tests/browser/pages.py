"""The pages of the built book, and how a test opens one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import driver
import pytest
import yaml
from panels import WITH_PANELS as SHOWING
from playwright.sync_api import Locator, Page
from samples import SAMPLE
from shared import ROOT

from explorable.sphinx.map import all_pages


def pages() -> list[str]:
    """All pages of the table of contents, without listing them here."""
    return all_pages(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


LAPTOP = {"width": 1280, "height": 800}
PAGES = pages()
# All pages of the reference are made by one directive; a browser visits the words and one room.
ROOMS = ("words", "accounting-implications")
VISITED = [page for page in PAGES if "/api/" not in page or page.endswith(ROOMS)]
WITH_PANELS = [page for page in PAGES if page.removeprefix("book/") in SHOWING]


def each(way: str, pages: list[str]) -> list[Any]:
    """Return pages as parameters: those of the sample by day, all by night."""
    assert set(SAMPLE[way]) <= set(pages), f"SAMPLE[{way!r}] names pages that are none of these"
    return [pytest.param(p, marks=() if p in SAMPLE[way] else pytest.mark.nightly) for p in pages]


def load_page(page: Page, book: Path, name: str, query: str = "") -> None:
    """Open a page and wait for its scripts."""
    page.goto(f"{(book / name).as_uri()}.html{query}")


def open_page(page: Page, book: Path, name: str) -> list[Locator]:
    """Open a page, show what is veiled, and return its panels."""
    load_page(page, book, name)
    driver.lift_veils(page)
    return panels_of(page)


def hold_storage(page: Page, book: Path) -> None:
    """Hold what pages keep: a private browser now and then forgets it when its only page is loaded anew."""
    holder = page.context.new_page()
    holder.goto((book / "_static" / "favicon.svg").as_uri())
    holder.evaluate("localStorage.length")
    page.bring_to_front()


def load_anew(page: Page, wait: Callable[[Page], None], holds: Callable[[], bool]) -> None:
    """Reload it until it says what is kept: for a moment another process may read the old."""
    for _ in range(3):
        page.reload()
        wait(page)
        for _ in range(30):
            if holds():
                return
            page.wait_for_timeout(100)
    assert holds()


# By path: by a selector playwright would look through the whole page for shadows, at every step.
PANEL = "xpath=(//section[contains(concat(' ', @class, ' '), ' mb-explorable ')])"


def panels_of(page: Page) -> list[Locator]:
    count = page.locator(PANEL).count()
    return [page.locator(f"{PANEL}[{i}]") for i in range(1, count + 1)]
