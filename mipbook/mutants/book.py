"""All chapters of the book, shared between processes, with a memory of what did not change."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path

from joblib import Parallel, delayed

import mipbook
from mipbook.mutants.chapter import Chapter, read_chapter
from mipbook.mutants.verdict import Verdict, judge

__all__ = ["chapters", "judge_book", "judged"]

_PACKAGE = Path(mipbook.__file__).parent
# No check's verdict depends on what draws and publishes.
_FACES = ("figures", "explore", "static", "voila")


def chapters(book: Path) -> list[Chapter]:
    """Return the chapters that check a result.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    """
    found = (read_chapter(path) for path in sorted(book.rglob("*.md")))
    return [chapter for chapter in found if any(cell.result for cell in chapter.cells)]


@cache
def _package() -> str:
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*")):
        inner = path.relative_to(_PACKAGE).parts
        if path.suffix in {".py", ".csv", ".npz"} and inner[0] not in _FACES:
            digest.update(path.read_bytes())
    for name in ("numpy", "scipy"):
        digest.update(version(name).encode())
    return digest.hexdigest()


def judged(chapter: Chapter, memory: Path | None) -> list[Verdict]:
    """Return a chapter's verdicts: those in ``memory``, if neither it nor the package changed.

    Parameters
    ----------
    chapter : Chapter
    memory : pathlib.Path or None
        A folder for the verdicts; None to judge anew and to write nothing.

    Returns
    -------
    list of Verdict
    """
    if memory is None:
        return judge(chapter)
    code = "\0".join(cell.source for cell in chapter.cells)
    key = hashlib.sha256(f"{_package()}\0{code}".encode()).hexdigest()[:24]
    path = memory / f"{chapter.name.replace('/', '-')}-{key}.json"
    if path.is_file():
        return [Verdict(**v) for v in json.loads(path.read_text(encoding="utf-8"))]
    verdicts = judge(chapter)
    memory.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_text(json.dumps([asdict(v) for v in verdicts]), encoding="utf-8")
    part.replace(path)
    return verdicts


def judge_book(book: Path, memory: Path | None = None, n_jobs: int = -1) -> list[Verdict]:
    """Return the verdicts on all chapters, in their order.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    memory : pathlib.Path, optional
        A folder for the verdicts on what does not change.
    n_jobs : int
        How many processes share the chapters; -1 for one a core.

    Returns
    -------
    list of Verdict
    """
    done = Parallel(n_jobs=n_jobs)(delayed(judged)(c, memory) for c in chapters(book))
    return [verdict for verdicts in done for verdict in verdicts]
