"""A browser that prints built pages: it waits until all pictures of a page are drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from typing import Any

__all__ = ["Printer", "missing", "pages_in", "printer"]

OPTIONS = {
    "format": "A4",
    "prefer_css_page_size": True,
    "print_background": True,
    "tagged": True,
    "outline": True,
}
UNDRAWN = """() => {
  const panels = [...document.querySelectorAll("section.mb-explorable")];
  return panels.filter((panel) => !panel.querySelector(".mb-plot .main-svg")).map((p) => p.id);
}"""
# A link to another page would lead into the folders of this machine.
UNLINK = """() => {
  for (const link of document.querySelectorAll("a[href]")) {
    if (link.protocol !== "file:" || link.pathname === location.pathname) continue;
    link.dataset.href = link.getAttribute("href");
    link.removeAttribute("href");
  }
}"""
LINK = """() => {
  for (const link of document.querySelectorAll("a[data-href]")) {
    link.setAttribute("href", link.dataset.href);
    link.removeAttribute("data-href");
  }
}"""


def missing(error: ImportError) -> RuntimeError:
    """Return what to say where a package is missing."""
    return RuntimeError(f"{error.name} is missing. Install it: pip install -e '.[pdf]'")


def pages_in(printed: bytes) -> int:
    """Count the pages of a PDF."""
    from pypdf import PdfReader

    return len(PdfReader(BytesIO(printed)).pages)


class Printer:
    """Prints one page after another, in one window."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def open(self, file: Path) -> bool:
        """Open a built page, and say whether it has exercises."""
        self.page.goto(file.as_uri())
        return bool(self.page.locator(".exercise").count())

    def print(self, *, links: bool = False, **choice: Any) -> bytes:
        """Print what is open, as `paper.js` takes the choice; with links to other pages or not.

        Raises
        ------
        RuntimeError
            If a picture is missing.
        """
        self.page.evaluate(LINK if links else UNLINK)
        self.page.evaluate("(choice) => mipbook.paper.lay(choice)", choice)
        lost = self.page.evaluate(UNDRAWN)
        if lost:
            raise RuntimeError(f"{self.page.url}: no picture of {', '.join(lost)} was drawn")
        return bytes(self.page.pdf(**OPTIONS))

    def print_text(self, html: str) -> bytes:
        """Print a page that stands in no file."""
        self.page.set_content(html)
        return bytes(self.page.pdf(**OPTIONS))


def _finder(root: Path) -> Any:
    """Load what finds the browser of the tests."""
    spec = spec_from_file_location("browser", root / "tools" / "browser.py")
    if spec is None or spec.loader is None:
        raise ImportError("tools/browser.py")
    module = module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(module)
    return module


@contextmanager
def printer(root: Path) -> Iterator[Printer]:
    """Start a browser of this machine.

    Raises
    ------
    RuntimeError
        If there is none, or a package is missing; the message says what to install.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise missing(error) from error
    finder = _finder(root)
    with sync_playwright() as playwright:
        try:
            _, browser = finder.start(playwright)
        except finder.NoBrowser as none:
            raise RuntimeError(str(none).replace(" for the tests", "")) from none
        try:
            context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
            yield Printer(context.new_page())
        finally:
            browser.close()
