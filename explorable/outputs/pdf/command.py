"""Print the built book: ``python -m mipbook pdf`` writes one PDF a page, and the whole book.

The pages link the files that stand in ``_build/html/pdf``, until they are built anew.  What is
interrupted leaves nothing behind: files are put in their place when all are made.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from explorable.outputs.pdf import files
from explorable.outputs.pdf.front import Chapter, chapters, front
from explorable.outputs.pdf.printing import Printer, missing, pages_in, printer
from explorable.progress import reader, track
from explorable.sphinx.build import by_end, check_root

try:
    from explorable.outputs.pdf.join import Part, join
except ImportError as error:
    raise missing(error) from error

__all__ = ["main", "make"]

AUTHOR = "The mipbook authors"


def _asked(found: Sequence[Chapter], names: Sequence[str]) -> list[Chapter]:
    """Choose chapters by the end of their names; without names all."""
    if not names:
        return list(found)
    known = {page.name: page for page in found}
    asked = by_end(names, list(known), "pages", "printed page of the book")
    return [known[name] for name in asked]


class _Press:
    """What is printed goes to a folder that is put in place at the end."""

    def __init__(self, root: Path, press: Printer, folder: Path, choice: dict[str, bool]) -> None:
        self.root = root
        self.html = root / "_build" / "html"
        self.press = press
        self.folder = folder
        self.choice = choice
        self.parts: list[Part] = []
        self.numbers: list[tuple[Chapter, str, int]] = []
        self.pages = 0

    def keep(self, name: str, title: str, parts: Sequence[Part]) -> None:
        path = self.folder / f"{name}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(join(parts, title, AUTHOR))

    def chapter(self, chapter: Chapter, own: bool, book: bool) -> None:
        """Print a chapter: once with numbers of its own, once with those of the book."""
        file = self.html / f"{chapter.name}.html"
        self.press.open(file)
        if own:
            printed = self.press.print(**self.choice)
            self.keep(chapter.name, chapter.title, [Part("", printed)])
        if book:
            first = self.pages + 1
            printed = self.press.print(links=True, first=first, **self.choice)
            self.parts.append(Part(file.as_uri(), printed))
            self.numbers.append((chapter, file.as_uri(), first))
            self.pages += pages_in(printed)

    def sheets(self, chapter: Chapter) -> None:
        """Print the exercises of a chapter, once without solutions and once with them."""
        if not self.press.open(self.html / f"{chapter.name}.html"):
            return
        for kind, solutions in (("exercises", False), ("solutions", True)):
            printed = self.press.print(sheet=True, **{**self.choice, "solutions": solutions})
            name, title = f"{chapter.name}-{kind}", f"{chapter.title}: {kind}"
            self.keep(name, title, [Part("", printed)])

    def book(self) -> None:
        """Put the cover and the contents before the chapters."""
        printed = self.press.print_text(front(self.root, self.numbers))
        parts = [Part("", printed, numbered=False), *self.parts]
        self.keep(files.BOOK, "mipbook", parts)


def make(
    root: Path,
    names: Sequence[str] = (),
    out: Path | None = None,
    *,
    book: bool | None = None,
    exercises: bool = False,
    **choice: bool,
) -> list[Path]:
    """Print pages of the built book, and return the files.

    Parameters
    ----------
    root : pathlib.Path
        The repository's folder, with ``_build/html``.
    names : sequence of str
        Pages by their names, or the ends of them; none for all.
    out : pathlib.Path, optional
        Where the files go; beside the pages, which then link them, if not given.
    book : bool, optional
        Whether one file of all these pages is made too; if no page is named, unless it says no.
    exercises : bool
        Whether sheets of exercises, and of their solutions, are made instead.
    **choice : bool
        ``solutions``, ``code``: what is printed besides.

    Raises
    ------
    ValueError
        If a page is unknown or not built.
    RuntimeError
        If there is no browser, or a picture is missing.
    """
    check_root(root)
    chosen = _asked(chapters(root), names)
    for chapter in chosen:
        if not chapter.title:
            raise ValueError(f"{chapter.name} is not built; first: python -m mipbook build")
    whole = not exercises and (not names if book is None else book)
    html = root / "_build" / "html"
    target = out or html / files.FOLDER
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=target) as name:
        folder = Path(name)
        with printer(root) as window, reader() as stream:
            press = _Press(root, window, folder, choice)
            for chapter in track(chosen, stream, total=len(chosen), what="prints", unit="pages"):
                if exercises:
                    press.sheets(chapter)
                else:
                    press.chapter(chapter, own=True, book=whole)
            if whole:
                press.book()
        made = _put(folder, target)
    if out is None:
        files.list_current(html)
    return made


def _put(folder: Path, target: Path) -> list[Path]:
    made = []
    for path in sorted(folder.rglob("*.pdf")):
        place = target / path.relative_to(folder)
        place.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, place)
        made.append(place)
    return made


def _parse(arguments: Sequence[str] | None) -> Any:
    parser = argparse.ArgumentParser(prog="python -m mipbook pdf", description=__doc__)
    parser.add_argument("--pages", nargs="+", default=[], help="such as pmp/gaussian; else all")
    parser.add_argument("--book", action="store_true", help="one file of the named pages too")
    parser.add_argument("--solutions", action="store_true", help="with the solutions")
    parser.add_argument("--code", action="store_true", help="with the code and the checks")
    told = "a sheet of exercises and one with their solutions, instead of the pages"
    parser.add_argument("--exercises", action="store_true", help=told)
    parser.add_argument("--out", type=Path, help="the folder (default: _build/html/pdf)")
    return parser.parse_args(sys.argv[1:] if arguments is None else arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the command line names."""
    asked = _parse(arguments)
    choice = {"solutions": asked.solutions, "code": asked.code}
    book = True if asked.book else None
    try:
        made = make(Path.cwd(), asked.pages, asked.out, book=book, exercises=asked.exercises, **choice)
    except KeyboardInterrupt:
        sys.exit("mipbook pdf: interrupted; no file was written")
    for path in made:
        print(path)
