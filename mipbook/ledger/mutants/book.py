"""All chapters of the book, shared between processes, with a memory of what did not change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, delayed

from mipbook.base import sources
from mipbook.ledger.mutants.chapter import Chapter, read_chapter
from mipbook.ledger.mutants.kept import code, read_kept
from mipbook.ledger.mutants.verdict import Tally, Verdict, judge, tallies

__all__ = ["chapters", "judge_chapters", "judged", "known", "tally_book"]


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
    return memory / f"{chapter.name.replace('/', '-')}-{sources.digest(code(chapter))}.json"


def known(chapter: Chapter, book: Path, memory: Path) -> dict[str, Tally] | None:
    """Return what a chapter's checks catch, if it was judged as it is today; None if it was not.

    Parameters
    ----------
    chapter : Chapter
    book : pathlib.Path
        The folder of the book's sources, which may tell it.
    memory : pathlib.Path
        The folder of the verdicts, which may tell it, too.

    Returns
    -------
    dict of Tally or None
        By result.
    """
    if _place(chapter, memory).is_file():
        return tallies(judged(chapter, memory))
    return read_kept(book, chapter)


def judge_chapters(
    found: list[Chapter],
    memory: Path | None = None,
    n_jobs: int = -1,
    tell: Callable[[str], None] | None = None,
) -> dict[str, list[Verdict]]:
    """Return the verdicts on chapters, by name, in their order.

    Parameters
    ----------
    found : list of Chapter
    memory : pathlib.Path, optional
        A folder for the verdicts on what does not change.
    n_jobs : int
        How many processes share the chapters; -1 for one a core.
    tell : callable, optional
        Takes a line whenever a chapter is done.

    Returns
    -------
    dict of list of Verdict
    """
    # Those with the most code first: none that takes long may be left to one process at the end.
    order = sorted(found, key=lambda chapter: -chapter.length)
    n_jobs = n_jobs if len(found) > 1 else 1
    run = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")
    done = {}
    for name, verdicts in run(delayed(_named)(chapter, memory) for chapter in order):
        done[name] = verdicts
        if tell:
            tell(f"[{len(done):2}/{len(found)}] {name}: {len(verdicts)} planted errors")
    return {chapter.name: done[chapter.name] for chapter in found}


def _named(chapter: Chapter, memory: Path | None) -> tuple[str, list[Verdict]]:
    return chapter.name, judged(chapter, memory)


def tally_book(book: Path, memory: Path, n_jobs: int = -1) -> dict[str, Tally]:
    """Return what the checks of all chapters catch; those that nothing is known of are judged.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    memory : pathlib.Path
        A folder for the verdicts.
    n_jobs : int
        How many processes share the chapters; -1 for one a core.

    Returns
    -------
    dict of Tally
        By result; a result may be checked in several chapters.
    """
    found = chapters(book)
    caught = {chapter.name: known(chapter, book, memory) for chapter in found}
    anew = [chapter for chapter in found if caught[chapter.name] is None]
    if anew:
        print(f"mipbook: {len(anew)} pages to judge, by planted errors in their checks", flush=True)
        verdicts = judge_chapters(anew, memory, n_jobs)
        caught |= {name: tallies(told) for name, told in verdicts.items()}
    total: dict[str, Tally] = {}
    for part in caught.values():
        for name, tally in (part or {}).items():
            total[name] = total[name] + tally if name in total else tally
    return total
