"""Every page of the book on paper: all pictures, nothing beyond the margin, off what is off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pages import VISITED, panels_of
from playwright.sync_api import Page
from test_book_pages import set_theme

# What A4 leaves between its margins; `print.css` lays out for it.
WIDTH = 680
EVERYTHING = {"solutions": True, "code": True, "pictures": True}

BEYOND = """(width) => {
  const range = document.createRange();
  const found = [];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const unseen = node.parentElement.closest("mjx-assistive-mml, script, style");
    if (!node.data.trim() || unseen) continue;
    range.selectNodeContents(node);
    const { right, height } = range.getBoundingClientRect();
    const seen = getComputedStyle(node.parentElement).visibility === "visible";
    if (seen && height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.data}`);
  }
  for (const node of document.querySelectorAll("img, svg, table, mjx-container, pre")) {
    const { right, height } = node.getBoundingClientRect();
    if (height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.outerHTML}`);
  }
  return found.map((text) => text.slice(0, 160));
}"""
# What scrolls or is cut on paper is lost, even within the margin.
CUT = """() => [...document.querySelectorAll(".bd-article *")]
  .filter((n) => n.clientWidth && n.scrollWidth > n.clientWidth + 1)
  .filter((n) => getComputedStyle(n).overflowX !== "visible")
  .filter((n) => !n.closest("mjx-container, svg, .mb-typed"))
  .map((n) => `${n.scrollWidth} in ${n.clientWidth}: ${n.outerHTML.slice(0, 160)}`)"""
PICTURES = """() => [...document.querySelectorAll(".mb-explorable")].filter((panel) => {
  const plot = panel.querySelector(".mb-plot .main-svg");
  const words = panel.querySelector(".mb-sentence");
  return plot && plot.getBoundingClientRect().height > 100 && words.offsetHeight > 10;
}).length"""
OFF = ".cell_input, .mb-check, .solution, .mb-controls, .mb-tools, .bd-header, .mb-contents"


@contextmanager
def on_paper(page: Page, **choice: bool) -> Iterator[None]:
    """Lay the page out for A4, as the print button does, and put it back."""
    screen = page.viewport_size
    page.emulate_media(media="print")
    page.set_viewport_size({"width": WIDTH, "height": 960})
    page.evaluate("(choice) => mipbook.paper.lay(choice)", choice)
    try:
        yield
    finally:
        page.evaluate("mipbook.paper.putBack()")
        page.emulate_media(media="null")
        page.set_viewport_size(screen)


def visible(page: Page, names: str) -> int:
    return page.locator(names).locator("visible=true").count()


@pytest.mark.parametrize("visit", VISITED, indirect=True)
def test_a_page_prints_whole_and_comes_back(visit):
    set_theme(visit, "dark")
    before = visit.locator("html").evaluate("(html) => html.outerHTML.split('>')[0]")
    with on_paper(visit, **EVERYTHING):
        assert visit.evaluate(PICTURES) == len(panels_of(visit))
        assert visit.evaluate(BEYOND, WIDTH) == []
        assert visit.evaluate(CUT) == []
        assert visit.locator("html").get_attribute("data-theme") == "light"
        solutions = visit.locator(".solution")
        assert visible(visit, ".solution") == solutions.count()
    with on_paper(visit):
        assert visible(visit, OFF) == 0
        assert visit.evaluate(PICTURES) == len(panels_of(visit))
        assert visit.locator("h1:visible").count() == 1
    assert visit.locator("html").evaluate("(html) => html.outerHTML.split('>')[0]") == before
    set_theme(visit, "light")
