"""All chapters of the book, shared between processes, with a memory of what did not change."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, delayed

from mipbook.base import sources
from mipbook.ledger.mutants.chapter import Chapter, read_chapter
from mipbook.ledger.mutants.verdict import Verdict, judge

__all__ = ["chapters", "judge_book", "judged", "remembered"]

# What plants and judges, besides what the chapters' own code reaches.
_JUDGE = "import mipbook.ledger.mutants"


def chapters(book: Path) -> list[Chapter]:
    """Return the chapters that check a result.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    """
    found = (read_chapter(path) for path in sorted(book.rglob("*.md")))
    return [chapter for chapter in found if any(cell.result for cell in chapter.cells)]


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
    found = sources.kept(
        _place(chapter, memory), lambda: [asdict(verdict) for verdict in judge(chapter)]
    )
    return [Verdict(**verdict) for verdict in found]


def _place(chapter: Chapter, memory: Path) -> Path:
    key = sources.digest("\n".join([_JUDGE, *(cell.source for cell in chapter.cells)]))
    return memory / f"{chapter.name.replace('/', '-')}-{key}.json"


def remembered(chapter: Chapter, memory: Path) -> list[Verdict]:
    """Return a chapter's verdicts that are in ``memory``; none where it has none of today.

    Parameters
    ----------
    chapter : Chapter
    memory : pathlib.Path
        The folder of the verdicts.

    Returns
    -------
    list of Verdict
    """
    return judged(chapter, memory) if _place(chapter, memory).is_file() else []


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
    # Those with the most code first: none that takes long may be left to one process at the end.
    found = chapters(book)
    order = sorted(range(len(found)), key=lambda i: -found[i].length)
    done = Parallel(n_jobs=n_jobs, batch_size=1)(delayed(judged)(found[i], memory) for i in order)
    by_place = dict(zip(order, done, strict=True))
    return [verdict for i in range(len(found)) for verdict in by_place[i]]
