"""All chapters of the book, shared between processes, with a memory of what did not change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from joblib import Parallel, delayed

from explorable import sources
from explorable.checks.mutants.chapter import Chapter, read_chapter
from explorable.checks.mutants.kept import code, read_kept
from explorable.checks.mutants.verdict import Tally, Verdict, judge, tallies

__all__ = ["added", "chapters", "judge_chapters", "judged", "known", "known_book"]


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
    found = sources.kept(_place(chapter, memory), lambda: [asdict(verdict) for verdict in judge(chapter)])
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
    # All are handed out at once: less than all joblib reads from a text, which it parses as code.
    run = Parallel(n_jobs, batch_size=1, pre_dispatch="all", return_as="generator_unordered")
    done = {}
    for name, verdicts in run(delayed(_named)(chapter, memory) for chapter in order):
        done[name] = verdicts
        if tell:
            tell(f"[{len(done):2}/{len(found)}] {name}: {len(verdicts)} planted errors")
    return {chapter.name: done[chapter.name] for chapter in found}


def _named(chapter: Chapter, memory: Path | None) -> tuple[str, list[Verdict]]:
    return chapter.name, judged(chapter, memory)


def known_book(book: Path, memory: Path) -> tuple[dict[str, dict[str, Tally]], list[Chapter]]:
    """Return what the checks of chapters catch that were judged as they are, and the others.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    memory : pathlib.Path
        The folder of the verdicts.

    Returns
    -------
    tuple of dict and list of Chapter
        By the chapters' names, then by result; and the chapters of which nothing is known.
    """
    found = {chapter: known(chapter, book, memory) for chapter in chapters(book)}
    told = {chapter.name: part for chapter, part in found.items() if part is not None}
    return told, [chapter for chapter, part in found.items() if part is None]


def added(parts: Iterable[Mapping[str, Tally]]) -> dict[str, Tally]:
    """Return what several chapters catch together, by result.

    Parameters
    ----------
    parts : iterable of mapping of Tally
    """
    total: dict[str, Tally] = {}
    for part in parts:
        for name, tally in part.items():
            total[name] = total.get(name, Tally(0, 0, 0)) + tally
    return total
