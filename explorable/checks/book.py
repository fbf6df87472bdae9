"""All chapters of the book, judged side by side, and what of it is kept while nothing changes."""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple
from functools import partial
from pathlib import Path

from joblib import Parallel, delayed

from explorable import settings, sources
from explorable.checks import boxes
from explorable.checks.plant import Chapter, read_chapter
from explorable.checks.verdict import TEXT, Tally, Verdict, judge, tallies

FILE = "planted.json"
# What plants and judges, besides what the chapters' own code reaches.
_JUDGE = "import explorable.checks.verdict"


def code(chapter: Chapter) -> str:
    """Return all that what a chapter's checks catch depends on: their code, and statements that it reads.

    Parameters
    ----------
    chapter : Chapter
    """
    parts = [ast.parse(cell.source) for cell in chapter.needed()]
    used = {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}
    for part in parts:
        for node in part.body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                # A panel beside the checks, imported with them, is nothing that they depend on.
                node.names = [a for a in node.names if (a.asname or a.name).split(".")[0] in used]
        part.body = [node for node in part.body if getattr(node, "names", True)]
    source = "\n".join([_JUDGE, *map(ast.unparse, parts)])
    return f"{source}\n{boxes.read_by(source)!r}"


def read_kept(book: Path, chapter: Chapter) -> dict[str, Tally] | None:
    """Return what a chapter's checks catch, by result; None if it was another code that did.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    chapter : Chapter

    Raises
    ------
    ValueError
        If the file is none that ``mutants --keep`` wrote.
    """
    path = book / FILE
    if not path.is_file():
        return None
    try:
        kept = json.loads(path.read_text(encoding="utf-8")).get(chapter.name, {})
        caught = {name: Tally(*counts) for name, counts in kept.get("caught", {}).items()}
    except (AttributeError, TypeError, ValueError) as error:
        told = f"must be as `{settings.book().command} mutants --keep` writes it"
        raise ValueError(f"{path}: {told} ({error}); remove it, or make it anew") from None
    return caught if kept.get("of") == sources.digest(code(chapter), portable=True) else None


def write_kept(book: Path, judged: Mapping[str, list[Verdict]], found: list[Chapter]) -> None:
    """Keep what the checks of all chapters catch, a line each.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    judged : mapping of list of Verdict
        By the chapters' names.
    found : list of Chapter
    """
    lines = []
    for chapter in found:
        counts = {name: astuple(tally) for name, tally in tallies(judged[chapter.name]).items()}
        entry = {"of": sources.digest(code(chapter), portable=True), "caught": counts}
        lines.append(f"{json.dumps(chapter.name)}: {json.dumps(entry)}")
    sources.put(book / FILE, "{\n" + ",\n".join(lines) + "\n}\n")


def chapters(book: Path) -> list[Chapter]:
    """Return the chapters that check a result.

    Parameters
    ----------
    book : pathlib.Path
        The folder of the book's sources.
    """
    found = map(read_chapter, sorted(book.rglob("*.md")))
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


def table(verdicts: list[Verdict]) -> str:
    """Return a line for each result, and one for each error that its check lets through."""
    lines = []
    for identifier, tally in tallies(verdicts).items():
        lines.append(f"{identifier:20} {tally}")
        told = [v for v in verdicts if v.result == identifier and (v.survives or v.why)]
        lines += [f"    {v.function} {v.error}: {v.fate}" for v in told]
    return "\n".join(lines)


def main() -> None:
    """Print the table; fail if a check lets an error through without an excuse."""
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} mutants", description=__doc__)
    parser.add_argument("chapter", nargs="*", type=Path, help="pages; all of the book if none")
    told = "write what the book's checks catch to book/planted.json, which a build then reads"
    parser.add_argument("--keep", action="store_true", help=told)
    given = parser.parse_args()
    if given.keep and given.chapter:
        parser.error("--keep: must be alone, for it keeps what all pages catch")
    book = Path("book")
    found = [read_chapter(path) for path in given.chapter] or chapters(book)
    if not found:
        raise ValueError("no chapters in book/; run it in the repository's folder")
    memory = Path("_build", ".mutants") if given.keep else None
    progress = partial(print, file=sys.stderr, flush=True)
    by_chapter = judge_chapters(found, memory, 1 if len(found) == 1 else -1, progress)
    verdicts = [verdict for part in by_chapter.values() for verdict in part]
    print(table(verdicts))
    survivors = sum(v.survives for v in verdicts)
    texts = sum(v.function == TEXT for v in verdicts)
    told = f"; all misprints of {texts} formulas are caught or excused" if texts else ""
    print(f"\n{len(verdicts) - texts} planted errors, {survivors} not caught and not excused{told}")
    if given.keep and not survivors:
        write_kept(book, by_chapter, found)
    sys.exit(survivors > 0)
