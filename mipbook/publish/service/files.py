"""Files over ASGI: the built book, and what the apps' pages load; compressed once."""

from __future__ import annotations

import os
from pathlib import Path

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from mipbook.publish.web.packed import file_type, packed
from mipbook.publish.web.words import NO_BOOK, page

__all__ = ["Book", "Kept", "Packed"]


class Packed(StaticFiles):
    """A folder whose files travel compressed where the browser takes it."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with the file; to compress it for the first time takes a moment."""
        full, status = await to_thread.run_sync(self.lookup_path, path)
        if status is None or not os.path.isfile(full):
            raise HTTPException(404)
        accepted = Headers(scope=scope).get("accept-encoding", "")
        found = await to_thread.run_sync(packed, full, accepted)
        response = self.file_response(found, os.stat(found), scope)
        kind = file_type(full)
        text = kind.startswith("text/")
        response.headers["Content-Type"] = f"{kind}; charset=utf-8" if text else kind
        response.headers["Vary"] = "Accept-Encoding"
        if found != full:
            response.headers["Content-Encoding"] = "gzip"
        return response


class Kept(Packed):
    """Files whose address changes with them, so that a browser keeps them for good."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with the file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


class Book(Packed):
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

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a page, the first one where none is named."""
        if not self._folder.is_dir():
            return HTMLResponse(page("No book", NO_BOOK), 404)
        return await super().get_response("index.html" if path == "." else path, scope)
