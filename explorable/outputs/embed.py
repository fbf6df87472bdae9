"""Each panel of the book on a page of its own, ``embed/<id>.html``, to stand in other pages."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

__all__ = ["connect", "embed_pages"]

_PANEL = re.compile(
    r'<section class="mb-explorable" id="([\w-]+)" data-face="static".*?</section>', re.DOTALL
)
_TITLE = re.compile(r'aria-label="([^"]*)"')


def embed_pages(body: str) -> dict[str, str]:
    """Return a page for each panel in a page's body, by the panel's id.

    Parameters
    ----------
    body : str
        HTML with panels as `Explorable.html` writes them.

    Examples
    --------
    >>> panel = '<section class="mb-explorable" id="a" data-face="static" aria-label="A"></section>'
    >>> pages = embed_pages(f"<p>Words.</p>{panel}")
    >>> list(pages), panel in pages["a"], "Words" in pages["a"]
    (['a'], True, False)
    """
    found = {}
    for match in _PANEL.finditer(body):
        title = _TITLE.search(match[0])
        found[match[1]] = (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title[1] if title else match[1]}</title>"
            '<link rel="stylesheet" href="../_static/fonts.css">'
            '<link rel="stylesheet" href="../_static/explorable.css"></head>'
            f'<body class="mb-page mb-embed"><main>{match[0]}</main>'
            '<script src="../_static/explorable.js"></script></body></html>'
        )
    return found


def _write(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if app.builder.format != "html" or 'data-face="static"' not in context.get("body", ""):
        return
    folder = Path(app.outdir) / "embed"
    folder.mkdir(exist_ok=True)
    for name, text in embed_pages(context["body"]).items():
        path = folder / f"{name}.html"
        # Of a panel that an app shows too, the chapter's is the one with a story, also where
        # another process writes it just now.
        if "/apps/" in page:
            with suppress(FileExistsError), path.open("x", encoding="utf-8") as stream:
                stream.write(text)
            continue
        part = path.with_suffix(f".{os.getpid()}")
        part.write_text(text, encoding="utf-8")
        part.replace(path)


def connect(app: Sphinx) -> None:
    """Register with Sphinx."""
    app.connect("html-page-context", _write)
