"""An app's page: its words, its panels, and the files that it loads."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from explorable.outputs import vendor
from explorable.panels.assets import asset
from explorable.serve.service.notebooks import App
from explorable.serve.web.packed import file_type

__all__ = ["app_page", "page_files"]

# What a page loads, beside vendor/.
_FILES = ("explorable.js", "explorable.css", "fonts.css")
# An app links its chapter as the book does, ../mip/chapter.md.
_CHAPTER = re.compile(r'(?<=href=")\.\./([a-z]+/[a-z0-9-]+)\.md(?=["#])')
_STYLE = """body.mb-app { max-width: 54rem; margin: 0 auto; padding: .75rem 1rem 3rem;
  color: var(--mb-ink); background: var(--mb-ground); font: 1rem/1.55 var(--type-sans); }
.mb-app :is(h1, h2, h3) { line-height: 1.25; }
.mb-app :is(code, pre) { background: var(--mb-wash); }
.mb-app pre { padding: .5rem .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.mb-app a { color: var(--mb-accent); }
"""
_STYLE_FILE = "app.css"


def _math(text: str, options: dict[str, bool]) -> str:
    opening, closing = (r"\[", r"\]") if options.get("display_mode") else (r"\(", r"\)")
    return f"{opening}{html.escape(text)}{closing}"


def _words(text: str) -> str:
    """Return the HTML of a Markdown cell, its chapter links leading into the book."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    reader.use(dollarmath_plugin, renderer=_math, double_inline=True)
    return _CHAPTER.sub(r"../book/book/\1.html", str(reader.render(text)))


def _panel(name: str, spec: dict[str, object]) -> str:
    """Return a panel's place in the page of its app."""
    title = html.escape(str(spec["title"]))
    told = json.dumps(spec, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return (
        f'<section class="mb-explorable" id="{spec["id"]}" data-face="http" '
        f'data-figure="../figure/{name}/{spec["id"]}" aria-label="{title}">'
        f'<p class="mb-fallback"><strong>{title}.</strong> This panel needs JavaScript.</p>'
        f'<script type="application/json" class="mb-spec">{told}</script></section>'
    )


def app_page(name: str, app: App, files: str) -> str:
    """Return an app's page; all addresses in it are relative, so that it works below any prefix.

    Parameters
    ----------
    name : str
        The app's name, of its address.
    app : App
        What it shows.
    files : str
        The folder of its files, below ``static/``.

    Returns
    -------
    str
        The HTML.
    """
    body = "".join(_words(p) if isinstance(p, str) else _panel(name, p) for p in app.parts)
    script = '<script src="../static/{}/{}" defer></script>'.format
    mathjax = script(files, "vendor/mathjax/tex-chtml.js") if r"\(" in body else ""
    styles = (*(file for file in _FILES if file.endswith(".css")), _STYLE_FILE)
    links = "".join(f'<link rel="stylesheet" href="../static/{files}/{s}">' for s in styles)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{html.escape(app.title)}</title>{links}'
        f"{script(files, 'explorable.js')}{mathjax}</head>"
        '<body class="mb-page mb-app"><nav class="app-home"><a href="../">All apps</a></nav>'
        f"<main>{body}</main></body></html>"
    )


def page_files() -> tuple[str, dict[str, tuple[str, bytes]]]:
    """Return the files that the apps' pages load: the name of their folder, and all of them.

    The name changes with what is in them.  For each file, by its address, there are its type and
    its content, compressed: in memory, since temporary folders are cleaned.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        vendor.copy_scripts(folder)
        for name in _FILES:
            (folder / name).write_text(asset(name), encoding="utf-8")
        (folder / _STYLE_FILE).write_text(_STYLE, encoding="utf-8")
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    name = hashlib.sha256(b"".join(found.values())).hexdigest()[:16]
    files = {
        f"{name}/{file}": (file_type(file), gzip.compress(content, mtime=0))
        for file, content in found.items()
    }
    return name, files
