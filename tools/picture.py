"""Make the README's picture from the built book: ``python tools/picture.py``."""

from __future__ import annotations

import sys
from pathlib import Path

from browser import start
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "_build" / "html" / "book" / "mip" / "less-noise-than-dp.html"


def main() -> None:
    """Open the chapter, turn one panel to a telling state, save what a reader sees."""
    if not PAGE.is_file():
        sys.exit("The book has not been built. Run: make book")
    with sync_playwright() as playwright:
        _, browser = start(playwright)
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(f"{PAGE.as_uri()}#noise-vs-eta")
        panel = page.locator("#noise-vs-eta")
        panel.scroll_into_view_if_needed()
        page.wait_for_selector("#noise-vs-eta[data-settled]:not([data-settled=no])")
        page.wait_for_timeout(500)
        page.screenshot(path=ROOT / "tools" / "picture.png")
        browser.close()


if __name__ == "__main__":
    main()
