"""Join the PDFs of pages to one: outline, links between pages and the tags of readers are kept.

Lost is the table that finds a tag by its name, since names of two pages may be the same; Chromium
writes it for cells that name their headers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any
from urllib.parse import unquote, urldefrag

from pypdf import PageObject, PdfReader, PdfWriter
from pypdf.constants import PageLabelStyle
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    Fit,
    NameObject,
    NumberObject,
    TextStringObject,
)


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
    places: dict[str, list[Any]] = field(default_factory=dict)


def _annotations(page: PageObject) -> list[Any]:
    return [annotation.get_object() for annotation in page.get("/Annots", [])]


def _named_places(reader: PdfReader) -> dict[str, Any]:
    return {str(name).lstrip("/"): place for name, place in reader.named_destinations.items()}


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
        root = DictionaryObject({NameObject("/Type"): NameObject("/StructTreeRoot")})
        book = DictionaryObject(
            {
                NameObject("/Type"): NameObject("/StructElem"),
                NameObject("/S"): NameObject("/Document"),
                NameObject("/K"): self.kids,
            }
        )
        root_at, book_at = add(root), add(book)
        book[NameObject("/P")] = root_at
        for kid in self.kids:
            kid.get_object()[NameObject("/P")] = book_at
        root[NameObject("/K")] = book_at
        tree = DictionaryObject({NameObject("/Nums"): self.numbers})
        root[NameObject("/ParentTree")] = add(tree)
        root[NameObject("/ParentTreeNextKey")] = NumberObject(self.next)
        marked = DictionaryObject({NameObject("/Marked"): BooleanObject(True)})
        self.writer.root_object[NameObject("/StructTreeRoot")] = root_at
        self.writer.root_object[NameObject("/MarkInfo")] = marked


def _address_of(annotation: DictionaryObject) -> str:
    action = annotation.get("/A")
    return str(action.get_object().get("/URI", "")) if action else ""


def _lead(writer: PdfWriter, parts: Sequence[Part], starts: dict[str, int]) -> None:
    """Lead the links between pages to their place in this file; what is on the web stays."""
    places = {part.address: part.places for part in parts}
    for page in writer.pages:
        for annotation in _annotations(page):
            address, name = urldefrag(_address_of(annotation))
            if address not in starts:
                # The folders of this machine are nobody's business.
                if address.startswith("file:"):
                    del annotation["/A"]
                continue
            start = starts[address]
            offset, fit = places[address].get(unquote(name), (0, Fit.fit()))
            target = writer.pages[start + offset].indirect_reference
            del annotation["/A"]
            annotation[NameObject("/Dest")] = ArrayObject(
                [target, *fit] if isinstance(fit, list) else [target, NameObject("/Fit")]
            )


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
    starts: dict[str, int] = {}
    front = 0
    for part in parts:
        reader = PdfReader(BytesIO(part.printed))
        _say_once(reader.root_object.get("/Outlines"))
        places = _named_places(reader)
        _spell_out(reader, places)
        for name, place in places.items():
            number = reader.get_destination_page_number(place)
            if number is not None:
                part.places[name] = [number, list(place.dest_array)[1:]]
        first = len(writer.pages)
        starts[part.address] = first
        front += 0 if part.numbered else len(reader.pages)
        writer.append(reader, import_outline=True)
        tags.take(reader, [writer.pages[i] for i in range(first, len(writer.pages))])
    starts.pop("", None)
    _lead(writer, parts, starts)
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
