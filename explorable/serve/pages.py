"""What the server shows: its front page, the apps' pages and their files, errors, the built book.

All of it lies in memory, each file compressed once: temporary folders are cleaned.
"""

import asyncio
import gzip
import hashlib
import html
import json
import mimetypes
import re
import shutil
import tempfile
from collections.abc import Mapping
from http.client import responses
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from explorable import palette, settings
from explorable.outputs import files
from explorable.panels.static import asset
from explorable.serve.turns import Kept
from explorable.serve.worker import App

# How soon a page that found no place tries again.
RETRY_SECONDS = 15
_TEXTS = ("text/", "application/javascript", "application/json", "image/svg+xml")
_SMALLEST_PACKED = 1024
# The whole book takes some 20 MB, compressed.
_MOST_OF_THE_BOOK = 32_000_000
_TEMPLATE = Path(__file__).parents[1] / "templates" / "page.html"
_WELCOME = """<p>Each app is one question with sliders, computed live. The same figures, with their
proofs, stand in <a href="book/book/index.html">the book</a>.</p>
<ul>{links}</ul>"""
NO_BOOK = "<p>The book has not been built here yet. Run: <code>make book</code></p>"
_WORDS = {
    400: "This is no request that the server understands.",
    403: "This is not open to visitors.",
    404: "There is no such page here.",
    500: "Something went wrong on this server. It is not your doing.",
    503: "All places are taken at the moment. This page tries again by itself.",
}
# What a page loads, beside vendor/.
_FILES = ("explorable.js", "explorable.css", "fonts.css")
# An app links its chapter as the book does, ../mip/chapter.md.
_CHAPTER = re.compile(r'(?<=href=")\.\./([a-z]+/[a-z0-9-]+)\.md(?=["#])')
_STYLE = Path(__file__).with_name("app.css")


def page(title: str, body: str, head: str = "") -> str:
    """Return a small page in our look.

    Parameters
    ----------
    title : str
        Its title, plain text.
    body : str
        What stands under the title, HTML.
    head : str
        More for its head, HTML.

    Returns
    -------
    str
        The HTML.
    """
    told = {"title": html.escape(title), "body": body, "head": head, "style": palette.style()}
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(told)


def front_page(titles: Mapping[str, str]) -> str:
    """Return the front page: one link an app.

    Parameters
    ----------
    titles : mapping
        Each app's address with its title.
    """
    escaped = ((html.escape(address), html.escape(title)) for address, title in titles.items())
    links = "".join(f'<li><a href="{address}">{title}</a></li>' for address, title in escaped)
    return page(f"{settings.book().title} apps", _WELCOME.format(links=links))


def error_page(status: int, home: str) -> str:
    """Return what a visitor is told of an error: words, without a traceback.

    Parameters
    ----------
    status : int
        The answer's status.
    home : str
        The address of the front page.
    """
    words = _WORDS.get(status, "The server does not do that.")
    again = f'<meta http-equiv="refresh" content="{RETRY_SECONDS}">' if status == 503 else ""
    title = f"{status} {responses.get(status, 'Error')}"
    return page(title, f'<p>{words}</p><p><a href="{home}">All apps</a></p>', again)


def _math(text: str, options: dict[str, bool]) -> str:
    from latex2mathml.converter import convert

    return str(convert(text, display="block" if options.get("display_mode") else "inline"))


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
    styles = (*(file for file in _FILES if file.endswith(".css")), _STYLE.name)
    links = "".join(f'<link rel="stylesheet" href="../static/{files}/{s}">' for s in styles)
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{html.escape(app.title)}</title>{links}'
        f'<script src="../static/{files}/explorable.js" defer></script></head>'
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
        files.copy_scripts(folder)
        for name in _FILES:
            (folder / name).write_text(asset(name), encoding="utf-8")
        shutil.copy(_STYLE, folder)
        found = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    name = hashlib.sha256(b"".join(found.values())).hexdigest()[:16]
    packed = {f"{name}/{file}": (_type(file), gzip.compress(raw, mtime=0)) for file, raw in found.items()}
    return name, packed


def _type(path: str) -> str:
    return mimetypes.guess_type(path)[0] or "application/octet-stream"


class Book(StaticFiles):
    """The built book; a plain sentence where it has not been built.

    Parameters
    ----------
    folder : pathlib.Path
        Where it lies.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, check_dir=False)
        self._folder = folder
        # A missing folder is answered in words below.
        self.config_checked = True
        self._packed, self._turn = Kept(_MOST_OF_THE_BOOK), asyncio.Lock()

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a page, the first one where none is named; compressed where that is taken."""
        if not self._folder.is_dir():
            return HTMLResponse(page("No book", NO_BOOK), 404)
        plain = await super().get_response("index.html" if path == "." else path, scope)
        plain.headers["Vary"] = "Accept-Encoding"
        taken = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        if not (taken and isinstance(plain, FileResponse)):
            return plain
        file = Path(plain.path)
        if not _type(file.name).startswith(_TEXTS) or file.stat().st_size < _SMALLEST_PACKED:
            return plain
        headers = {name: plain.headers[name] for name in ("vary", "etag", "last-modified")}
        # Not the same bytes as the file itself, but the same page.
        headers |= {"etag": f"W/{headers['etag']}", "content-encoding": "gzip"}
        key = f"{plain.path} {headers['etag']}".encode()
        # Of visitors who come together the first compresses it.
        async with self._turn:
            packed = self._packed.get(key)
            if packed is None:
                packed = await asyncio.to_thread(lambda: gzip.compress(file.read_bytes(), 6, mtime=0))
                self._packed.put(key, packed)
        return Response(packed, headers=headers, media_type=plain.media_type)
