"""Make the skeleton of a chapter, or name what is missing: ``python -m mipbook new-chapter``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from explorable.outputs.chapter.files import Chapter
from explorable.outputs.chapter.missing import all_chapters, missing
from explorable.outputs.chapter.skeleton import write
from explorable.sphinx.build import check_root

__all__ = ["main"]


def _tell(root: Path, chapter: Chapter) -> bool:
    """Print what a chapter lacks; say whether that is anything."""
    lacks = missing(root, chapter)
    print(f"{chapter.name}: {'missing' if lacks else 'nothing is missing'}")
    for line in lacks:
        print(f"  {line}")
    return bool(lacks)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make a chapter that is new; of one that is there, name what is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m mipbook new-chapter",
        description="Write the skeleton of a chapter; of one that is there, name what is missing.",
    )
    parser.add_argument("chapter", nargs="?", help="such as mis/my-idea; none for all that are there")
    parser.add_argument("--title", help="of a new chapter (default: from its name)")
    parser.add_argument("--missing", action="store_true", help="write nothing, name what is missing")
    options = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    root = Path.cwd()
    check_root(root)
    if options.chapter is None and not options.missing:
        parser.error("name a chapter, such as mis/my-idea, or ask with --missing")
    chapters = [Chapter.named(options.chapter)] if options.chapter else all_chapters(root)
    there = [chapter for chapter in chapters if (root / chapter.page).is_file()]
    if there:
        lacking = [chapter for chapter in there if _tell(root, chapter)]
        sys.exit(1 if lacking else 0)
    (chapter,) = chapters
    if options.missing:
        sys.exit(f"{chapter.page.as_posix()} is not there: leave out --missing to have it made")
    title = options.title or chapter.slug.replace("-", " ").capitalize()
    for path in write(root, chapter, title):
        print(f"wrote {path.as_posix()}")
    print("\nFill in each TODO; the same command again names what is missing.")
