"""The built book over ASGI: each file compressed once, and kept in memory where it is asked for."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from explorable.serve.service.kept import Kept
from explorable.serve.web.packed import is_worth_packing
from explorable.serve.web.words import NO_BOOK, page

__all__ = ["Book"]

# The whole book takes some 20 MB, compressed.
_MOST = 32_000_000


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
        self._packed, self._turn = Kept(_MOST), asyncio.Lock()

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a page, the first one where none is named; compressed where that is taken."""
        if not self._folder.is_dir():
            return HTMLResponse(page("No book", NO_BOOK), 404)
        plain = await super().get_response("index.html" if path == "." else path, scope)
        plain.headers["Vary"] = "Accept-Encoding"
        taken = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        if not (taken and isinstance(plain, FileResponse) and is_worth_packing(plain.path)):
            return plain
        headers = {name: plain.headers[name] for name in ("vary", "etag", "last-modified")}
        # Not the same bytes as the file itself, but the same page.
        headers |= {"etag": f"W/{headers['etag']}", "content-encoding": "gzip"}
        key = f"{plain.path} {headers['etag']}".encode()
        # Of visitors who come together the first compresses it.
        async with self._turn:
            packed = self._packed.get(key)
            if packed is None:
                packed = await asyncio.to_thread(_compressed, Path(plain.path))
                self._packed.put(key, packed)
        return Response(packed, headers=headers, media_type=plain.media_type)


def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), 6, mtime=0)
