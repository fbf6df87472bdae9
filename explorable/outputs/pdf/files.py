"""Where PDFs stand beside the built pages, and how a page learns of its own."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["BOOK", "FOLDER", "LIST", "current", "list_current"]

FOLDER = "pdf"
BOOK = "mipbook"
LIST = "pdfs.js"  # a script, since a page that is opened from a file may read nothing else


def current(html: Path) -> list[str]:
    """Name the PDFs that are no older than their pages; the whole book's is `BOOK`.

    Parameters
    ----------
    html : pathlib.Path
        The folder of the built book.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     current(Path(folder))
    []
    """
    folder = html / FOLDER
    made = {path: path.relative_to(folder).with_suffix("").as_posix() for path in _pdfs(folder)}
    newest = max((page.stat().st_mtime for page in (html / "book").rglob("*.html")), default=0)
    found = []
    for path, name in made.items():
        page = html / f"{name}.html"
        needed = newest if name == BOOK else page.stat().st_mtime if page.is_file() else None
        if needed is not None and path.stat().st_mtime >= needed:
            found.append(name)
    return sorted(found)


def _pdfs(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.pdf"))


def list_current(html: Path) -> None:
    """Write down for the pages which PDFs they may link to."""
    path = html / "_static" / LIST
    path.write_text(f"globalThis.mipbookPdfs = {json.dumps(current(html))};\n", encoding="utf-8")
