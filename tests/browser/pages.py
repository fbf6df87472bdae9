"""The pages of the built book, and how a test opens one."""

import driver
import pytest
import yaml
from panels import WITH_PANELS as SHOWING
from samples import SAMPLE
from shared import ROOT

from explorable.sphinx.map import all_pages

LAPTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
PAGES = all_pages(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
WITH_PANELS = [page for page in PAGES if page.removeprefix("book/") in SHOWING]


def each(way: str, pages: list[str]) -> list:
    """Return pages as parameters: those of the sample by day, all by night."""
    assert set(SAMPLE[way]) <= set(pages), f"SAMPLE[{way!r}] names pages that are none of these"
    return [pytest.param(p, marks=() if p in SAMPLE[way] else pytest.mark.nightly) for p in pages]


def load_page(page, book, name: str, query: str = "") -> None:
    page.goto(f"{(book / name).as_uri()}.html{query}")


def open_page(page, book, name: str) -> list:
    """Open a page, show what is veiled, and return its panels."""
    load_page(page, book, name)
    driver.lift_veils(page)
    return panels_of(page)


def hold_storage(page, book) -> None:
    """Hold what pages keep: a private browser now and then forgets it when its only page is loaded anew."""
    holder = page.context.new_page()
    holder.goto((book / "_static" / "favicon.svg").as_uri())
    holder.evaluate("localStorage.length")
    page.bring_to_front()


def soon(page, holds) -> bool:
    """Wait a while until it holds: what is drawn follows what was touched."""
    for _ in range(50):
        if holds():
            return True
        page.wait_for_timeout(100)
    return False


def load_anew(page, wait, tell, kept) -> None:
    """Reload it until it tells what is kept: for a moment another process may read the old."""
    for _ in range(3):
        page.reload()
        wait(page)
        if soon(page, lambda: tell() == kept):
            return
    assert tell() == kept, f"{tell()}, not {kept}"


# By path: by a selector playwright would look through the whole page for shadows, at every step.
PANEL = "xpath=(//section[contains(concat(' ', @class, ' '), ' mb-explorable ')])"


def panels_of(page) -> list:
    count = page.locator(PANEL).count()
    return [page.locator(f"{PANEL}[{i}]") for i in range(1, count + 1)]
