"""What a page needs on paper, which each visit looks at, and how a reader prints it."""

from collections.abc import Iterator
from contextlib import contextmanager

import driver
from pages import open_page, panels_of
from playwright.sync_api import Page

# What A4 leaves between its margins; `print.css` lays out for it.
WIDTH = 680
SHEET = {"width": WIDTH, "height": 960}
EVERYTHING = {"solutions": True, "code": True, "pictures": True}

BEYOND = """(width) => {
  const range = document.createRange();
  const found = [];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const unseen = node.parentElement.closest(".katex-mathml, script, style");
    if (!node.data.trim() || unseen) continue;
    range.selectNodeContents(node);
    const { right, height } = range.getBoundingClientRect();
    const seen = getComputedStyle(node.parentElement).visibility === "visible";
    if (seen && height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.data}`);
  }
  for (const node of document.querySelectorAll("img, svg, table, .katex, pre")) {
    const { right, height } = node.getBoundingClientRect();
    if (height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.outerHTML}`);
  }
  return found.map((text) => text.slice(0, 160));
}"""
# What scrolls or is cut on paper is lost, even within the margin.
CUT = """() => [...document.querySelectorAll(".bd-article *")]
  .filter((n) => n.clientWidth && n.scrollWidth > n.clientWidth + 1)
  .filter((n) => getComputedStyle(n).overflowX !== "visible")
  .filter((n) => !n.closest(".katex, svg, .mb-typed"))
  .map((n) => `${n.scrollWidth} in ${n.clientWidth}: ${n.outerHTML.slice(0, 160)}`)"""
PICTURES = """() => [...document.querySelectorAll(".mb-explorable")].filter((panel) => {
  const plot = panel.querySelector(".mb-plot .main-svg");
  const words = panel.querySelector(".mb-sentence");
  return plot && plot.getBoundingClientRect().height > 100 && words.offsetHeight > 10;
}).length"""
OFF = (
    ".mb-fold:not(.mb-check), .cell_input, .mb-check > :not(summary), .solution, .mb-controls, .mb-range, "
    ".mb-tools, .bd-header, .mb-contents, .mb-handle, .mb-more, .bd-sidebar, .prev-next-footer, .headerlink"
)
# What must not be cut in two by the end of a sheet.
TORN = """() => [...document.querySelectorAll(".mb-explorable, .exercise, .admonition:not(.solution)")]
  .filter((node) => node.checkVisibility() && getComputedStyle(node).breakInside !== "avoid")
  .map((node) => `${node.id || node.className} may be torn`)"""


@contextmanager
def laid(page: Page, **choice: bool) -> Iterator[None]:
    """Lay the page out as the print button does, and put it back."""
    page.evaluate("(choice) => mipbook.paper.lay(choice)", choice)
    try:
        yield
    finally:
        page.evaluate("mipbook.paper.putBack()")


def visible(page: Page, names: str) -> int:
    return page.locator(names).locator("visible=true").count()


def test_a_reader_chooses_what_is_printed_and_finds_the_files(browser, built_book):
    """By the page's menu and by the keys; the browser's own dialog is stood in for."""
    with driver.watched(browser) as page:
        page.add_init_script("""
          window.print = () => {
            dispatchEvent(new Event("beforeprint"));
            window.printed = document.documentElement.className;
            window.pictures = document.querySelectorAll(".mb-plot .main-svg").length;
            dispatchEvent(new Event("afterprint"));
          };
          Object.defineProperty(window, "mipbookPdfs", {
            get: () => ["book/pmp/gaussian", "mipbook"], set: () => {},
          });""")
        open_page(page, built_book, "book/pmp/gaussian")
        panels = len(panels_of(page))
        page.locator(".dropdown-download-buttons > button").click()
        links = [link.get_attribute("href") for link in page.locator("a.mb-pdf").all()]
        assert [link.partition("/html/")[2] for link in links] == [
            "pdf/book/pmp/gaussian.pdf",
            "pdf/mipbook.pdf",
        ]
        page.locator(".btn-download-pdf-button").click()
        dialog = page.locator("dialog.mb-print")
        assert [box.is_checked() for box in dialog.locator("input").all()] == [False, False, True]
        dialog.get_by_label("Solutions").check()
        assert driver.axe_violations_in(page, "dialog.mb-print") == []
        dialog.get_by_role("button", name="Print").click()
        page.wait_for_function("window.printed")
        assert "mb-paper mb-with-solutions mb-with-pictures" in page.evaluate("window.printed")
        assert page.evaluate("window.pictures") >= panels > 1
        assert "mb-paper" not in (page.locator("html").get_attribute("class") or "")
        page.evaluate("window.printed = ''")
        page.keyboard.press("Control+p")
        page.wait_for_function("window.printed")
