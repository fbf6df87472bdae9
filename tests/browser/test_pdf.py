"""The command that prints the book: what it writes, and that it leaves nothing half done."""

import os
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from pypdf import PdfReader
from shared import ROOT

from explorable.outputs import files, pdf

TWO = ("game/from-reconstruction", "pmp/choose-epsilon")
PARTS = ("The game", "Practical membership privacy")


@pytest.fixture(scope="module", autouse=True)
def one_playwright(playwright):
    """The command starts its own, of which a process may run one: here it takes the tests'."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorable.outputs.pdf.sync_playwright", lambda: nullcontext(playwright))
        yield


@pytest.fixture(scope="module")
def printed(built_book, tmp_path_factory) -> Path:
    """Two chapters and a book of both."""
    out = tmp_path_factory.mktemp("pdf")
    made = pdf.make(ROOT, TWO, out, book=True)
    assert made == [*(out / f"book/{name}.pdf" for name in TWO), out / "mipbook.pdf"]
    return out


def titles(outline) -> list[str]:
    found = []
    for item in outline:
        found += titles(item) if isinstance(item, list) else [item.title]
    return found


def figures(reader: PdfReader) -> int:
    """Count the pictures that a reader of the tags is told in words."""
    objects = (reader.get_object(number) for number in range(1, reader.trailer["/Size"]))
    nodes = [node for node in objects if isinstance(node, dict) and node.get("/S") == "/Figure"]
    return sum(len(str(node.get("/Alt", ""))) > 40 for node in nodes)


@pytest.mark.nightly
def test_a_chapter_is_tagged_and_has_an_outline_and_its_pictures(printed, built_book):
    for name in TWO:
        html = (built_book / f"book/{name}.html").read_text(encoding="utf-8")
        reader = PdfReader(printed / f"book/{name}.pdf")
        assert reader.root_object["/MarkInfo"]["/Marked"]
        assert figures(reader) >= html.count('class="mb-explorable"') > 0
        article = html.partition("<article")[2].partition("</article")[0]
        assert len(titles(reader.outline)) == len(re.findall(r"<h[1-6]>", article)) > 4
        text = " ".join(page.extract_text() for page in reader.pages)
        assert "Exercise" in text
        assert "Solution to" not in text
        assert "import numpy" not in text


@pytest.mark.nightly
def test_the_book_joins_chapters_with_their_outline_tags_and_links(printed):
    own = [PdfReader(printed / f"book/{name}.pdf") for name in TWO]
    book = PdfReader(printed / "mipbook.pdf")
    cover = len(book.pages) - sum(len(reader.pages) for reader in own)
    assert cover == 2
    of_chapters = [title for reader in own for title in titles(reader.outline)]
    assert titles(book.outline) == ["mipbook", "Contents", *PARTS, *of_chapters]
    assert book.root_object["/MarkInfo"]["/Marked"]
    assert figures(book) == sum(figures(reader) for reader in own)
    starts = [cover, cover + len(own[0].pages)]
    links = [link.get_object() for link in book.pages[1]["/Annots"]]
    pages = [page.indirect_reference.idnum for page in book.pages]
    assert [pages.index(link["/Dest"][0].idnum) for link in links] == starts
    # The numbers of the contents are those at the foot of the pages; the margins are read first.
    number = starts[1] - cover + 1
    assert book.pages[starts[1]].extract_text().split("\n")[1].strip() == str(number)
    assert re.search(rf"Choose.*{number}", book.pages[1].extract_text(), re.DOTALL)
    assert book.page_labels[starts[0]] == "1"
    for page in book.pages:
        for link in page.get("/Annots", []):
            assert "file:" not in str(link.get_object())
    numbers = [page["/StructParents"] for page in book.pages]
    assert len(set(numbers)) == len(numbers), "two pages share their tags"


@pytest.mark.nightly
def test_sheets_have_the_exercises_and_one_has_the_solutions(built_book, tmp_path):
    made = pdf.make(ROOT, TWO[:1], tmp_path, exercises=True)
    assert [path.name.partition("-exercises")[1] for path in made] == ["-exercises", ""]
    texts = ["".join(p.extract_text() for p in PdfReader(path).pages) for path in made]
    assert "Solution to" not in texts[0]
    assert texts[0].count("Exercise ") >= 3
    assert texts[1].count("Solution to") >= 3
    assert "Guess first" not in texts[0]


@pytest.mark.nightly
def test_what_is_interrupted_or_fails_leaves_nothing(built_book, tmp_path, monkeypatch):
    whole, begun = pdf.Printer.print, []

    def stops_at_the_second(self, **choice):
        begun.append(self)
        if len(begun) > 1:
            raise KeyboardInterrupt
        return whole(self, **choice)

    monkeypatch.setattr(pdf.Printer, "print", stops_at_the_second)
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit, match="no file was written"):
        pdf.main(["--pages", *TWO, "--out", str(tmp_path)])
    assert len(begun) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_page_links_its_file_until_it_is_built_anew(tmp_path):
    page = tmp_path / "book" / "a.html"
    (tmp_path / "_static").mkdir()
    for path in (page, tmp_path / "pdf/book/a.pdf", tmp_path / "pdf/mipbook.pdf"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    files.list_printed(tmp_path)
    told = (tmp_path / "_static" / files.PDF_LIST).read_text(encoding="utf-8")
    assert told == 'globalThis.mipbookPdfs = ["book/a", "mipbook"];\n'
    page.write_text("new", encoding="utf-8")
    os.utime(page, (2e9, 2e9))
    assert files.printed(tmp_path) == []


def test_unknown_pages_are_named(built_book):
    with pytest.raises(ValueError, match="pages = 'no/page': must be one printed page"):
        pdf.make(ROOT, ["no/page"])
    assert "book/apps/index" not in {chapter.name for chapter in pdf.chapters(ROOT)}
