"""Run every check of the book under planted errors: ``python -m mipbook mutants``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from explorable.checks.mutants.book import chapters, judge_chapters
from explorable.checks.mutants.chapter import read_chapter
from explorable.checks.mutants.kept import write_kept
from explorable.checks.mutants.verdict import Verdict, tallies


def table(verdicts: list[Verdict]) -> str:
    """Return a line for each result, and one for each error that its check lets through."""
    lines = []
    for identifier, tally in tallies(verdicts).items():
        lines.append(f"{identifier:20} {tally}")
        told = [v for v in verdicts if v.result == identifier and (v.survives or v.why)]
        lines += [f"    {v.function} {v.error}: {v.fate}" for v in told]
    return "\n".join(lines)


def _progress(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Print the table; fail if a check lets an error through without an excuse."""
    parser = argparse.ArgumentParser(prog="python -m mipbook mutants", description=__doc__)
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
    by_chapter = judge_chapters(found, memory, 1 if len(found) == 1 else -1, _progress)
    verdicts = [verdict for part in by_chapter.values() for verdict in part]
    print(table(verdicts))
    survivors = sum(v.survives for v in verdicts)
    print(f"\n{len(verdicts)} planted errors, {survivors} not caught and not excused")
    if given.keep and not survivors:
        write_kept(book, {name: tallies(part) for name, part in by_chapter.items()}, found)
    sys.exit(bool(survivors))
