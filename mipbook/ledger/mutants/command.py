"""Run every check of the book under planted errors: ``python -m mipbook mutants``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from mipbook.ledger.mutants.book import chapters, judge_book
from mipbook.ledger.mutants.chapter import read_chapter
from mipbook.ledger.mutants.verdict import Verdict, judge, tallies


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
    parser = argparse.ArgumentParser(prog="python -m mipbook mutants", description=__doc__)
    parser.add_argument("chapter", nargs="*", type=Path, help="pages; all of the book if none")
    given = parser.parse_args().chapter
    if not given and not chapters(Path("book")):
        raise ValueError("no chapters in book/; run it in the repository's folder")
    verdicts = [v for path in given for v in judge(read_chapter(path))]
    verdicts = verdicts or judge_book(Path("book"))
    print(table(verdicts))
    survivors = sum(v.survives for v in verdicts)
    print(f"\n{len(verdicts)} planted errors, {survivors} not caught and not excused")
    sys.exit(bool(survivors))
