"""Files: Voila's scripts, the built book, plotly; each compressed once, not once a visitor."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Any

import tornado.web as web
from jupyter_server.base.handlers import FileFindHandler
from voila.static_file_handler import MultiStaticFileHandler, TemplateStaticFileHandler

from explorable.panels.static import PLOTLY
from explorable.serve.serving.headers import Ours
from explorable.serve.web.packed import file_type, packed
from explorable.serve.web.words import NO_BOOK, page

__all__ = ["Book", "Extension", "Plotly", "Static", "Template", "plotly_address"]


class _Packed(Ours, web.StaticFileHandler):
    """A handler of files that sends them compressed where the browser takes it."""

    _type = ""

    def validate_absolute_path(self, root: str, absolute_path: str) -> str | None:
        """Check the path as usual, then choose the compressed file."""
        path: str | None = super().validate_absolute_path(root, absolute_path)
        if path is None:
            return None
        self._type = file_type(path)
        found = packed(path, self.request.headers.get("Accept-Encoding", ""))
        if found != path:
            self.set_header("Content-Encoding", "gzip")
        return found

    def get_content_size(self) -> int:
        """Return the size of what is sent."""
        return os.path.getsize(self.absolute_path)

    def get_content_type(self) -> str:
        """Return the type of the file itself."""
        return self._type


class Static(_Packed, MultiStaticFileHandler):
    """Voila's scripts."""


class Template(_Packed, TemplateStaticFileHandler):
    """The scripts and styles of the page's template."""

    def parse_url_path(self, url_path: str) -> str:
        """Refuse a way up, which the base class does not expect."""
        if ".." in Path(url_path).parts:
            raise web.HTTPError(404)
        return str(super().parse_url_path(url_path))


class Extension(_Packed, FileFindHandler):
    """The scripts of the widgets."""


class Book(_Packed):
    """The built book; a plain sentence where it has not been built."""

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Say how the book is built."""
        if status_code == 404 and not Path(self.root).is_dir():
            self.finish(page("No book", NO_BOOK))
        else:
            super().write_error(status_code, **kwargs)


@cache
def plotly_address() -> str:
    """Return plotly's address below the server's base; it changes with the script."""
    digest = hashlib.sha256(PLOTLY.read_bytes()).hexdigest()
    return f"mipbook/plotly.{digest[:16]}.js"


class Plotly(_Packed):
    """The plotting script, which a browser asks for once and then keeps."""

    def initialize(self) -> None:
        """Serve the folder of the installed package."""
        super().initialize(path=str(PLOTLY.parent))

    def parse_url_path(self, url_path: str) -> str:
        """Know one address only."""
        if f"mipbook/{url_path}" != plotly_address():
            raise web.HTTPError(404)
        return PLOTLY.name

    def set_extra_headers(self, path: str) -> None:
        """Let it be kept for good."""
        self.set_header("Cache-Control", "public, max-age=31536000, immutable")
