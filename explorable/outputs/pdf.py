"""Print the built book: ``python -m mipbook pdf`` writes one PDF a page, and the whole book.

The pages link the files that stand in ``_build/html/pdf``, until they are built anew.  What is
interrupted leaves nothing behind: files are put in their place when all are made.

Of the PDFs that are joined outline, links between pages and the tags of readers are kept.  Lost is
the table that finds a tag by its name, since names of two pages may be the same; Chromium writes it
for cells that name their headers.
"""

import argparse
import html
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote, urldefrag

import yaml
from playwright.sync_api import sync_playwright
from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    NameObject,
    NumberObject,
    TextStringObject,
)

from explorable import settings
from explorable.outputs.files import PDF_FOLDER, WHOLE_BOOK, list_printed
from explorable.progress import track
from explorable.sphinx.build import by_end, check_root


@dataclass
class Part:
    """A printed page of the book.

    Attributes
    ----------
    address : str
        Where it stands, as other pages link to it; empty for what nobody links to.
    printed : bytes
        Its PDF.
    numbered : bool
        Whether its pages have the numbers that are printed on them.
    """

    address: str
    printed: bytes
    numbered: bool = True


def _annotations(page: PageObject) -> list[Any]:
    return [annotation.get_object() for annotation in page.get("/Annots", [])]


def _spell_out(reader: PdfReader, places: dict[str, Any]) -> None:
    """Let links name their page themselves: names of two parts may be the same."""
    for page in reader.pages:
        for annotation in _annotations(page):
            name = annotation.get("/Dest")
            if isinstance(name, str) and name.lstrip("/") in places:
                annotation[NameObject("/Dest")] = places[name.lstrip("/")].dest_array


def _numbers(tree: DictionaryObject) -> list[tuple[int, Any]]:
    """Return what a number tree holds."""
    flat = tree.get("/Nums", ArrayObject())
    found = list(zip(map(int, flat[::2]), list.__getitem__(flat, slice(1, None, 2)), strict=True))
    for kid in tree.get("/Kids", []):
        found += _numbers(kid.get_object())
    return found


def _say_once(outline: Any) -> None:
    """Of a heading that it moved to the next page Chromium writes the words twice."""
    item = outline.get("/First") if outline else None
    while item is not None:
        entry = item.get_object()
        title = str(entry.get("/Title", ""))
        half = title[: len(title) // 2]
        if half and title == 2 * half:
            entry[NameObject("/Title")] = TextStringObject(half)
        _say_once(entry)
        item = entry.get("/Next")


def _dictionary(**entries: Any) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{name}"): value for name, value in entries.items()})


class _Tags:
    """The tags of all parts below one root, with numbers that no two parts share."""

    def __init__(self, writer: PdfWriter) -> None:
        self.writer = writer
        self.kids = ArrayObject()
        self.numbers = ArrayObject()
        self.next = 0

    def take(self, reader: PdfReader, pages: Sequence[PageObject]) -> None:
        root = reader.root_object.get("/StructTreeRoot")
        if root is None:
            raise ValueError("printed: must be a tagged PDF, and has no tags")
        old = root.get_object()
        first, self.next = self.next, self.next + int(old.get("/ParentTreeNextKey", 0))
        tree = old["/ParentTree"].get_object()
        for number, target in _numbers(tree):
            self.numbers.append(NumberObject(first + number))
            self.numbers.append(target.clone(self.writer))
            self.next = max(self.next, first + number + 1)
        kids = old["/K"]
        for kid in kids if isinstance(kids, ArrayObject) else [old.raw_get("/K")]:
            element = kid.clone(self.writer)
            element.get_object()[NameObject("/S")] = NameObject("/Part")
            self.kids.append(element)
        for page, printed in zip(pages, reader.pages, strict=True):
            # pypdf takes a page without its number in the tags, which would be another's.
            number = int(printed.get("/StructParents", 0))
            page[NameObject("/StructParents")] = NumberObject(first + number)
            for annotation in _annotations(page):
                if "/StructParent" in annotation:
                    own = first + int(annotation["/StructParent"])
                    annotation[NameObject("/StructParent")] = NumberObject(own)

    def finish(self) -> None:
        add = self.writer._add_object
        root = _dictionary(Type=NameObject("/StructTreeRoot"))
        book = _dictionary(Type=NameObject("/StructElem"), S=NameObject("/Document"), K=self.kids)
        root_at, book_at = add(root), add(book)
        book[NameObject("/P")] = root_at
        for kid in self.kids:
            kid.get_object()[NameObject("/P")] = book_at
        tree = add(_dictionary(Nums=self.numbers))
        root.update(_dictionary(K=book_at, ParentTree=tree, ParentTreeNextKey=NumberObject(self.next)))
        marked = _dictionary(Marked=BooleanObject(True))
        self.writer.root_object.update(_dictionary(StructTreeRoot=root_at, MarkInfo=marked))


def _lead(writer: PdfWriter, places: Mapping[str, Mapping[str, tuple[int, list[Any] | None]]]) -> None:
    """Lead the links between pages to their place in this file; what is on the web stays."""
    for page in writer.pages:
        for annotation in _annotations(page):
            action = annotation.get("/A", DictionaryObject()).get_object()
            address, name = urldefrag(str(action.get("/URI", "")))
            if address in places:
                number, fit = places[address].get(unquote(name), places[address][""])
                target = writer.pages[number].indirect_reference
                annotation[NameObject("/Dest")] = ArrayObject([target, *(fit or [NameObject("/Fit")])])
            # The folders of this machine are nobody's business.
            if address in places or address.startswith("file:"):
                del annotation["/A"]


def join(parts: Sequence[Part], title: str, author: str) -> bytes:
    """Return one tagged PDF of several, with their outlines one after another.

    Parameters
    ----------
    parts : sequence of Part
        In the order of the book.
    title, author : str
        What a reader's program shows.

    Raises
    ------
    ValueError
        If a part is no tagged PDF.
    """
    writer = PdfWriter()
    tags = _Tags(writer)
    places: dict[str, dict[str, tuple[int, list[Any] | None]]] = {}
    front = 0
    for part in parts:
        reader = PdfReader(BytesIO(part.printed))
        _say_once(reader.root_object.get("/Outlines"))
        named = {str(name).lstrip("/"): place for name, place in reader.named_destinations.items()}
        _spell_out(reader, named)
        numbers = {name: reader.get_destination_page_number(place) for name, place in named.items()}
        first = len(writer.pages)
        if part.address:
            places[part.address] = {"": (first, None)} | {
                name: (first + number, list(named[name].dest_array)[1:])
                for name, number in numbers.items()
                if number is not None
            }
        front += 0 if part.numbered else len(reader.pages)
        writer.append(reader, import_outline=True)
        tags.take(reader, [writer.pages[i] for i in range(first, len(writer.pages))])
    _lead(writer, places)
    tags.finish()
    if front:
        writer.set_page_label(0, front - 1, style=PageLabelStyle.LOWERCASE_ROMAN)
    if front < len(writer.pages):
        writer.set_page_label(front, len(writer.pages) - 1, style=PageLabelStyle.DECIMAL, start=1)
    writer.add_metadata({"/Title": title, "/Author": author})
    writer.root_object[NameObject("/Lang")] = TextStringObject("en")
    stream = BytesIO()
    writer.write(stream)
    return stream.getvalue()


OPTIONS = {
    "format": "A4",
    "prefer_css_page_size": True,
    "print_background": True,
    "tagged": True,
    "outline": True,
}
# What a reader of paper has no use for: what moves, what lists code, what tells of the build.
LEFT_OUT = re.compile(r"/(apps|api)/|/reference/(status|speed|how-it-is-built)$")
_H1 = re.compile(r"<h1>(.*?)(?:<a class=\"headerlink|</h1>)", re.DOTALL)
_STYLE = Path(__file__).with_name("pdf.css")
_SCRIPT = Path(__file__).with_name("pdf.js")


@dataclass
class Chapter:
    """A printed page: its name, its title, its part, and whether it stands below another."""

    name: str
    title: str
    part: str
    below: bool


def _title(file: Path) -> str:
    if not file.is_file():
        return ""
    found = _H1.search(file.read_text(encoding="utf-8"))
    return html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip() if found else file.stem


def chapters(root: Path) -> list[Chapter]:
    """List the pages that are printed, in the order of the contents; not built, without a title."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))

    def found(entries: Sequence[dict[str, Any]], part: str, below: bool) -> Iterator[Chapter]:
        for entry in entries:
            name = entry["file"]
            if not LEFT_OUT.search(name):
                yield Chapter(name, _title(root / "_build" / "html" / f"{name}.html"), part, below)
                yield from found(entry.get("sections", []), part, True)

    parts = contents["parts"]
    return [page for part in parts for page in found(part["chapters"], part["caption"], False)]


def front(config: Mapping[str, Any], numbers: Sequence[tuple[Chapter, str, int]]) -> str:
    """Return the cover and the contents: each chapter with its address and its page."""
    name, _, question = config["sphinx"]["config"]["html_title"].partition(": ")
    rows = ""
    for part, listed in groupby(numbers, key=lambda row: row[0].part):
        rows += f"<h3>{html.escape(part)}</h3><ol>"
        for chapter, address, number in listed:
            under = ' class="under"' if chapter.below else ""
            link = f'<a href="{html.escape(address)}">{html.escape(chapter.title)}'
            rows += f"<li{under}>{link}<i></i><span>{number}</span></a></li>"
        rows += "</ol>"
    asked = question[:1].upper() + question[1:]
    cover = f"<h1>{name}</h1><p>{asked}</p><p>{config['author']}, {config['copyright']}</p>"
    head = f'<meta charset="utf-8"><title>{name}</title><style>{_STYLE.read_text(encoding="utf-8")}</style>'
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}</head><body><header>{cover}</header>'
        f"<main><h2>Contents</h2>{rows}</main></body></html>"
    )


class Printer:
    """Prints one page after another, in one window, to a folder that is put in place at the end."""

    def __init__(self, page: Any, root: Path, folder: Path, choice: dict[str, bool]) -> None:
        self.page, self.html = page, root / "_build" / "html"
        self.config: dict[str, Any] = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
        self.folder, self.choice = folder, choice
        self.parts: list[Part] = []
        self.numbers: list[tuple[Chapter, str, int]] = []
        self.pages = 0

    def print(self, *, links: bool = False, **more: Any) -> bytes:
        """Print what is open, as `paper.js` takes the choice; with links to other pages or not.

        Raises
        ------
        RuntimeError
            If a picture is missing.
        """
        script = _SCRIPT.read_text(encoding="utf-8")
        self.page.evaluate(script, "link" if links else "unlink")
        self.page.evaluate("(choice) => mipbook.paper.lay(choice)", {**self.choice, **more})
        lost = self.page.evaluate(script, "undrawn")
        if lost:
            raise RuntimeError(f"{self.page.url}: no picture of {', '.join(lost)} was drawn")
        return bytes(self.page.pdf(**OPTIONS))

    def keep(self, name: str, title: str, parts: Sequence[Part]) -> None:
        """Write a file of these parts."""
        path = self.folder / f"{name}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        author = str(self.config["author"])
        path.write_bytes(join(parts, title, author[:1].upper() + author[1:]))

    def chapter(self, chapter: Chapter, book: bool) -> None:
        """Print a chapter: once with numbers of its own, once with those of the book."""
        file = self.html / f"{chapter.name}.html"
        self.page.goto(file.as_uri())
        self.keep(chapter.name, chapter.title, [Part("", self.print())])
        if book:
            first = self.pages + 1
            printed = self.print(links=True, first=first)
            self.parts.append(Part(file.as_uri(), printed))
            self.numbers.append((chapter, file.as_uri(), first))
            self.pages += len(PdfReader(BytesIO(printed)).pages)

    def sheets(self, chapter: Chapter) -> None:
        """Print the exercises of a chapter, once without solutions and once with them."""
        self.page.goto((self.html / f"{chapter.name}.html").as_uri())
        for kind in ("exercises", "solutions") if self.page.locator(".exercise").count() else ():
            printed = self.print(sheet=True, solutions=kind == "solutions")
            self.keep(f"{chapter.name}-{kind}", f"{chapter.title}: {kind}", [Part("", printed)])

    def book(self) -> None:
        """Put the cover and the contents before the chapters."""
        self.page.set_content(front(self.config, self.numbers))
        parts = [Part("", bytes(self.page.pdf(**OPTIONS)), numbered=False), *self.parts]
        self.keep(WHOLE_BOOK, str(self.config["title"]), parts)


@contextmanager
def browser_page(root: Path) -> Iterator[Any]:
    """Start a browser of this machine.

    Raises
    ------
    RuntimeError
        If there is none; the message says what to install.
    """
    # What finds the browser of the tests.
    finder = SimpleNamespace(**run_path(str(root / "tools" / "browser.py")))
    with sync_playwright() as playwright:
        try:
            _, browser = finder.start(playwright)
        except finder.NoBrowser as none:
            raise RuntimeError(str(none).replace(" for the tests", "")) from none
        try:
            context = browser.new_context(offline=True, viewport={"width": 1280, "height": 800})
            yield context.new_page()
        finally:
            browser.close()


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
    known = {page.name: page for page in chapters(root)}
    asked = by_end(names, list(known), "pages", "printed page of the book") if names else list(known)
    chosen = [known[name] for name in asked]
    for chapter in chosen:
        if not chapter.title:
            raise ValueError(f"{chapter.name} is not built; first: {settings.book().command} build")
    whole = not exercises and (not names if book is None else book)
    html = root / "_build" / "html"
    target = out or html / PDF_FOLDER
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=target) as name:
        folder = Path(name)
        with browser_page(root) as page:
            press = Printer(page, root, folder, choice)
            for chapter in track(chosen, what="prints", unit="pages"):
                if exercises:
                    press.sheets(chapter)
                else:
                    press.chapter(chapter, book=whole)
            if whole:
                press.book()
        made = []
        for path in sorted(folder.rglob("*.pdf")):
            place = target / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, place)
            made.append(place)
    if out is None:
        list_printed(html)
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the command line names."""
    parser = argparse.ArgumentParser(prog=f"{settings.book().command} pdf", description=__doc__)
    parser.add_argument("--pages", nargs="+", default=[], help="such as pmp/gaussian; else all")
    parser.add_argument("--book", action="store_true", help="one file of the named pages too")
    parser.add_argument("--solutions", action="store_true", help="with the solutions")
    parser.add_argument("--code", action="store_true", help="with the code and the checks")
    told = "a sheet of exercises and one with their solutions, instead of the pages"
    parser.add_argument("--exercises", action="store_true", help=told)
    parser.add_argument("--out", type=Path, help="the folder (default: _build/html/pdf)")
    asked = parser.parse_args(arguments)
    choice = {"solutions": asked.solutions, "code": asked.code}
    book = True if asked.book else None
    try:
        made = make(Path.cwd(), asked.pages, asked.out, book=book, exercises=asked.exercises, **choice)
    except KeyboardInterrupt:
        sys.exit("pdf: interrupted; no file was written")
    for path in made:
        print(path)
