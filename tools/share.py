"""Make the mark in pixels, and the picture that goes with a link: ``python tools/share.py``.

The picture is a panel of the built book, as it saves it, beside the book's name.
"""

import sys
from pathlib import Path

from browser import start
from playwright.sync_api import Browser, sync_playwright

from explorable.sphinx.identity import mark
from mipbook.book import IDEAS

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
PANEL = HTML / "embed" / "tracing.html"
TARGET = ROOT / "mipbook" / "publish" / "brand"

ICON = """<style>body { margin: 0 } svg { width: 148px; height: 148px; margin: 16px }</style>"""
# 1200 by 630 is what those who show links expect.
SHARE = """<meta charset="utf-8"><link rel="stylesheet" href="_static/fonts.css"><style>
body { margin: 0; padding: 40px 32px 40px 56px; display: grid; grid-template-columns: 350px 1fr;
  gap: 28px; box-sizing: border-box; width: 1200px; height: 630px; align-items: center }
h1 { font: 700 78px/1 "Source Sans 3"; margin: 24px 0 18px }
p { font: 400 38px/1.25 "Source Serif 4"; margin: 0 }
.mark svg { width: 104px; height: 104px } .plot svg { width: 100%; height: auto }
</style><div><div class="mark">MARK</div><h1>mipbook</h1><p>Can you tell who was in the data?</p>
</div><div class="plot">PLOT</div>"""


def plot(browser: Browser) -> str:
    """Return a panel's picture, as the panel saves it."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.goto(PANEL.as_uri())
    panel = page.locator(".mb-explorable")
    page.wait_for_selector(".mb-explorable[data-settled]:not([data-settled=no])")
    svg: str = panel.evaluate("(root) => root.panel.picture.svg()")
    return svg.replace('width="800"', 'viewBox="0 0 800 HEIGHT" width="800"', 1).replace(
        "HEIGHT", str(panel.evaluate("(root) => root.panel.shown.layout.height"))
    )


def drawn(browser: Browser, text: str, width: int, height: int) -> bytes:
    """Return a page as a picture; it lies beside the book's, whose fonts it may use there."""
    path = HTML / "share-draft.html"
    path.write_text(text, encoding="utf-8")
    try:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready.then(() => true)")
        page.wait_for_timeout(300)
        return page.screenshot()
    finally:
        path.unlink()


def main() -> None:
    """Draw both, and save them where the book takes them from."""
    if not PANEL.is_file():
        sys.exit("The book has not been built. Run: make book")
    own = mark(IDEAS["in"], IDEAS["out"])
    with sync_playwright() as playwright:
        _, browser = start(playwright)
        (TARGET / "icon.png").write_bytes(drawn(browser, ICON + own, 180, 180))
        page = SHARE.replace("MARK", own).replace("PLOT", plot(browser))
        (TARGET / "share.png").write_bytes(drawn(browser, page, 1200, 630))
        browser.close()


if __name__ == "__main__":
    main()
