"""Where the book stands, all from one variable: ``MIPBOOK_REPOSITORY_URL``.

Without it a build names no address at all: only the owner knows the repository's. With it come
launch buttons, canonical addresses, the absolute address of the share picture, a sitemap.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from explorable import validate

__all__ = ["BRANCH", "REPOSITORY", "book_of", "connect", "repository", "robots", "sitemap"]

REPOSITORY = "MIPBOOK_REPOSITORY_URL"
BRANCH = "MIPBOOK_REPOSITORY_BRANCH"
_SHAPE = re.compile(r"https://[a-z0-9.-]+(:\d+)?/[\w.-]+/[\w.-]+", flags=re.I)
_SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
# Sphinx makes these of no page of ours, and a search engine has no use for them.
_UNLISTED = {"genindex", "py-modindex", "search"}


def repository() -> str | None:
    """Return the repository's address as the environment names it; None if it does not.

    Raises
    ------
    ValueError
        If it is no address such as ``https://github.com/owner/mipbook``.
    """
    url = os.environ.get(REPOSITORY, "").strip().removesuffix("/").removesuffix(".git")
    if url and not _SHAPE.fullmatch(url):
        validate.refuse(REPOSITORY, url, "an address such as https://github.com/owner/mipbook")
    return url or None


def book_of(url: str) -> str | None:
    """Return where the host of a repository publishes its pages; None if that is not known.

    Examples
    --------
    >>> book_of("https://github.com/Owner/mipbook")
    'https://owner.github.io/mipbook/'
    >>> book_of("https://github.com/owner/owner.github.io")
    'https://owner.github.io/'
    >>> book_of("https://git.example.org/owner/mipbook")
    """
    _, _, host, owner, name = url.split("/")
    hosts = {"github.com": "github.io", "gitlab.com": "gitlab.io"}
    if host.lower() not in hosts:
        return None
    site = f"{owner.lower()}.{hosts[host.lower()]}"
    return f"https://{site}/" if name.lower() == site else f"https://{site}/{name}/"


def sitemap(base: str, pages: list[str]) -> str:
    """Return the list of a book's pages that search engines read.

    Parameters
    ----------
    base : str
        The book's address, with a slash at its end.
    pages : list of str
        The addresses of its pages below it.

    Examples
    --------
    >>> "<loc>https://example.org/a.html</loc>" in sitemap("https://example.org/", ["a.html"])
    True
    """
    root = ElementTree.Element("urlset", xmlns=_SITEMAP)
    for page in pages:
        ElementTree.SubElement(ElementTree.SubElement(root, "url"), "loc").text = base + page
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def robots(base: str) -> str:
    """Return what a crawler may read, which is everything, and where the list of pages is."""
    return f"User-agent: *\nAllow: /\n\nSitemap: {base}sitemap.xml\n"


def _configure(app: Any, config: Any) -> None:
    url = repository()
    if url is None:
        return
    config.html_theme_options.update(
        repository_url=url,
        repository_branch=os.environ.get(BRANCH, "main"),
        path_to_docs="",
        use_repository_button=True,
        launch_buttons={"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
    )
    # Who has a domain of his own names it in _config.yml: html: {baseurl: ...}.
    if not config.html_baseurl:
        config.html_baseurl = book_of(url) or ""


def _write(app: Any, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    base = app.config.html_baseurl
    folder = Path(app.outdir)
    if not base:
        # What an earlier build said of an address is not true of this one.
        for name in ("sitemap.xml", "robots.txt"):
            (folder / name).unlink(missing_ok=True)
        return
    base = base.rstrip("/") + "/"
    # All pages, whichever of them this build has written.
    found = sorted(app.env.found_docs - _UNLISTED)
    pages = [app.builder.get_target_uri(name) for name in found]
    (folder / "sitemap.xml").write_text(sitemap(base, pages), encoding="utf-8")
    (folder / "robots.txt").write_text(robots(base), encoding="utf-8")


def connect(app: Any) -> None:
    """Register with Sphinx."""
    # Before anything else reads the address.
    app.connect("config-inited", _configure, priority=890)
    app.connect("build-finished", _write)
