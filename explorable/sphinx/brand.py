"""The book's mark, and what each page says of itself to a browser and to those who share it.

The mark is the book's question in its own colours: one half of a disc is *in*, the other *out*.
``tools/share.py`` makes the two pictures that must be pixels; `share` draws one for each page of a
book that has an address.
"""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes

from explorable.palette import DARK_TWIN, IDEAS
from explorable.sphinx import share

__all__ = ["ABOUT", "FAVICON", "LONGEST", "connect", "description", "mark", "tags"]

ABOUT = (
    "An interactive book on membership inference: differential privacy and three weaker promises, "
    "every result checked, every picture yours to move."
)
LONGEST = 160
# Of the whole book, for its front page and for a book without an address.
_PICTURE = ("share.png", "Two bell curves, in and out, and the line at which an attacker decides.")
_FILES = Path(__file__).parents[1] / "brand"
_TAGS = re.compile(r"<[^>]+>")


def mark(inside: str, outside: str, style: str = "") -> str:
    """Return the mark as SVG.

    Parameters
    ----------
    inside, outside : str
        The colours of its halves.
    style : str
        CSS for it; the halves have the classes ``i`` and ``o``.

    Examples
    --------
    >>> mark(IDEAS["in"], IDEAS["out"]).count(IDEAS["in"])
    1
    """
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="32" height="32">'
        f'{style}<path class="i" d="M14.5 2.5a13.5 13.5 0 0 0 0 27z" fill="{inside}"/>'
        f'<path class="o" d="M18.5 4.2a12 12 0 0 1 0 23.6" fill="none" stroke="{outside}" '
        'stroke-width="3.4" stroke-dasharray="6.2 3.2"/></svg>'
    )


_DARK = (DARK_TWIN[IDEAS["in"]], DARK_TWIN[IDEAS["out"]])
# A browser's tab follows the system, whatever the page is set to.
FAVICON = mark(
    IDEAS["in"],
    IDEAS["out"],
    "<style>@media (prefers-color-scheme: dark) "
    f"{{ .i {{ fill: {_DARK[0]} }} .o {{ stroke: {_DARK[1]} }} }}</style>",
)


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rsplit(" ", 1)[0] + "…"


def description(doctree: nodes.document | None) -> str:
    """Return what a page is about: a chapter's goal, or else its first words without a formula.

    Parameters
    ----------
    doctree : docutils.nodes.document or None
        The page; None for one that Sphinx makes up.
    """
    if doctree is None:
        return ABOUT
    found = list(doctree.findall(nodes.paragraph))
    for paragraph in found:
        if "mb-head-goal" in paragraph["classes"]:
            return _short(paragraph.astext().removeprefix("Goal"))
    for paragraph in found:
        if isinstance(paragraph.parent, nodes.section) and not paragraph.next_node(nodes.math):
            return _short(paragraph.astext())
    return ABOUT


def tags(
    title: str, about: str, static: str, public: str, address: str = "", picture: tuple[str, str] = _PICTURE
) -> str:
    """Return the lines for the head of a page.

    Parameters
    ----------
    title : str
        The page's title, plain text.
    about : str
        What it is about, plain text.
    static : str
        The way from the page to the folder ``_static``.
    public : str
        The same folder for those who share the page; an address, where the book has one.
    address : str
        The page's own address, where the book has one.
    picture : tuple of str
        The picture for a link to it: its name in ``_static``, and what it shows, in words.

    Examples
    --------
    >>> "share.png" in tags("Title", "About", "_static", "https://example.org/_static")
    True
    """
    title, about = html.escape(title), html.escape(about)
    named = {
        "og:type": "article",
        "og:site_name": "mipbook",
        "og:title": title,
        "og:description": about,
        "og:image": f"{public}/{picture[0]}",
        "og:image:width": str(share.SIZE[0]),
        "og:image:height": str(share.SIZE[1]),
        "og:image:alt": html.escape(picture[1]),
    }
    if address:
        named["og:url"] = html.escape(address)
    lines = [
        f'<link rel="icon" type="image/svg+xml" href="{static}/favicon.svg">',
        f'<link rel="icon" type="image/png" sizes="180x180" href="{static}/icon.png">',
        f'<link rel="apple-touch-icon" href="{static}/icon.png">',
        f'<meta name="description" content="{about}">',
        '<meta name="twitter:card" content="summary_large_image">',
        *(f'<meta property="{name}" content="{text}">' for name, text in named.items()),
    ]
    return "\n".join(lines) + "\n"


def _files(app: Any) -> None:
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        shutil.copytree(_FILES, static, dirs_exist_ok=True)
        for name, text in (
            ("favicon.svg", FAVICON),
            ("mark-light.svg", mark(IDEAS["in"], IDEAS["out"])),
            ("mark-dark.svg", mark(*_DARK)),
        ):
            (static / name).write_text(text, encoding="utf-8")


def _page(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    if app.builder.format != "html":
        return
    static = context["pathto"]("_static", resource=True)
    base = app.config.html_baseurl.rstrip("/")
    title = html.unescape(_TAGS.sub("", context.get("title", "mipbook")))
    public = f"{base}/_static" if base else static
    address = context.get("pageurl") or ""
    about = description(doctree)
    picture = _PICTURE
    if base and doctree is not None and page != app.config.root_doc:
        folders = Path(app.outdir, "_static"), Path(app.outdir).parent / ".cards"
        name = share.picture(*folders, title, about, share.idea(page), base.partition("://")[2])
        picture = name, f"The page's title, {title}, and what it is about: {about}"
    lines = tags(title, about, static, public, address, picture)
    context["metatags"] = context.get("metatags", "") + lines
    images = {theme: f"{static}/mark-{theme}.svg" for theme in ("light", "dark")}
    context["theme_logo"] = {"text": "mipbook", "image_relative": images}


def connect(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("builder-inited", _files)
    # The theme sets its own logo before.
    app.connect("html-page-context", _page, priority=950)
