"""What of the book goes on paper: by a reader's own menu, and by the command that prints it."""

import os
import re
from contextlib import nullcontext

import driver
import pytest
from pages import open_page
from pypdf import PdfReader
from shared import ROOT, refused

from explorable.outputs import files, pdf

TWO = ("game/from-reconstruction", "pmp/choose-epsilon")
PARTS = ("The game", "Practical membership privacy")
# In place of the browser's own dialog; and two files that were printed.
STANDS_IN = """
  window.print = () => {
    dispatchEvent(new Event("beforeprint"));
    window.printed = document.documentElement.className;
    window.pictures = document.querySelectorAll(".mb-plot .main-svg").length;
    dispatchEvent(new Event("afterprint"));
  };
  Object.defineProperty(window, "mipbookPdfs", {
    get: () => ["book/pmp/gaussian", "mipbook"], set: () => {},
  });"""


@pytest.fixture(scope="module", autouse=True)
def one_playwright(playwright):
    """The command starts its own, of which a process may run one: here it takes the tests'."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("explorable.outputs.pdf.sync_playwright", lambda: nullcontext(playwright))
        yield


@pytest.fixture(scope="module")
def printed(built_book, tmp_path_factory):
    """Two chapters and a book of both."""
    out = tmp_path_factory.mktemp("pdf")
    paths = [*(out / f"book/{name}.pdf" for name in TWO), out / "mipbook.pdf"]
    assert pdf.make(ROOT, TWO, out, book=True) == paths
    return [PdfReader(path) for path in paths]


def titles(outline) -> list[str]:
    every = (titles(item) if isinstance(item, list) else [item.title] for item in outline)
    return [title for found in every for title in found]


def words(reader) -> str:
    return " ".join(page.extract_text() for page in reader.pages)


def figures(reader) -> int:
    """Count the pictures that a reader of the tags is told in words."""
    objects = (reader.get_object(number) for number in range(1, reader.trailer["/Size"]))
    nodes = [node for node in objects if isinstance(node, dict) and node.get("/S") == "/Figure"]
    return sum(len(str(node.get("/Alt", ""))) > 40 for node in nodes)


@pytest.mark.nightly
def test_a_chapter_has_an_outline_and_its_pictures_and_all_is_tagged(printed, built_book):
    assert all(reader.root_object["/MarkInfo"]["/Marked"] for reader in printed)
    for name, reader in zip(TWO, printed, strict=False):
        html = (built_book / f"book/{name}.html").read_text(encoding="utf-8")
        assert figures(reader) >= html.count('class="mb-explorable"') > 0
        article = html.partition("<article")[2].partition("</article")[0]
        assert len(titles(reader.outline)) == len(re.findall(r"<h[1-6]>", article)) > 4
        assert "Exercise" in words(reader)
        assert not re.search("Solution to|import numpy", words(reader))


@pytest.mark.nightly
def test_the_book_joins_chapters_with_their_outline_tags_and_links(printed):
    *own, book = printed
    cover, first, second = 2, *(len(reader.pages) for reader in own)
    assert len(book.pages) == cover + first + second
    of_chapters = [title for reader in own for title in titles(reader.outline)]
    assert titles(book.outline) == ["mipbook", "Contents", *PARTS, *of_chapters]
    assert figures(book) == sum(map(figures, own))
    starts = [cover, cover + first]
    links = [link.get_object() for link in book.pages[1]["/Annots"]]
    pages = [page.indirect_reference.idnum for page in book.pages]
    assert [pages.index(link["/Dest"][0].idnum) for link in links] == starts
    # The numbers of the contents are those at the foot of the pages; the margins are read first.
    assert book.pages[starts[1]].extract_text().split("\n")[1].strip() == str(first + 1)
    assert re.search(rf"Choose.*{first + 1}", book.pages[1].extract_text(), re.DOTALL)
    assert book.page_labels[starts[0]] == "1"
    links = [link.get_object() for page in book.pages for link in page.get("/Annots", [])]
    assert not any("file:" in str(link) for link in links)
    numbers = [page["/StructParents"] for page in book.pages]
    assert len(set(numbers)) == len(numbers), "two pages share their tags"


@pytest.mark.nightly
def test_sheets_have_the_exercises_and_one_has_the_solutions(built_book, tmp_path):
    made = pdf.make(ROOT, TWO[:1], tmp_path, exercises=True)
    assert [path.name.partition("-exercises")[1] for path in made] == ["-exercises", ""]
    asked, solved = (words(PdfReader(path)) for path in made)
    assert not re.search("Solution to|Guess first", asked)
    assert asked.count("Exercise ") >= 3
    assert solved.count("Solution to") >= 3


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
    for path in (page, tmp_path / "pdf/book/a.pdf", tmp_path / "pdf/mipbook.pdf", tmp_path / "_static/x"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    files.list_printed(tmp_path)
    told = (tmp_path / "_static" / files.PDF_LIST).read_text(encoding="utf-8")
    assert told == 'globalThis.mipbookPdfs = ["book/a", "mipbook"];\n'
    os.utime(page, (2e9, 2e9))
    assert files.printed(tmp_path) == []


def test_unknown_pages_are_named(built_book):
    refused("pages = 'no/page': must be one printed page", pdf.make, ROOT, ["no/page"])
    assert "book/apps/index" not in {chapter.name for chapter in pdf.chapters(ROOT)}


def test_a_reader_chooses_what_is_printed_and_finds_the_files(browser, built_book):
    with driver.watched(browser) as page:
        page.add_init_script(STANDS_IN)
        panels = open_page(page, built_book, "book/pmp/gaussian")
        page.locator(".dropdown-download-buttons > button").click()
        links = [link.get_attribute("href").partition("/html/")[2] for link in page.locator("a.mb-pdf").all()]
        assert links == ["pdf/book/pmp/gaussian.pdf", "pdf/mipbook.pdf"]
        page.locator(".btn-download-pdf-button").click()
        dialog = page.locator("dialog.mb-print")
        assert [box.is_checked() for box in dialog.locator("input").all()] == [False, False, True]
        dialog.get_by_label("Solutions").check()
        assert driver.axe_violations_in(page, "dialog.mb-print") == []
        dialog.get_by_role("button", name="Print").click()
        page.wait_for_function("window.printed")
        assert "mb-paper mb-with-solutions mb-with-pictures" in page.evaluate("window.printed")
        assert page.evaluate("window.pictures") >= len(panels) > 1
        assert "mb-paper" not in (page.locator("html").get_attribute("class") or "")
        page.evaluate("window.printed = ''")
        page.keyboard.press("Control+p")
        page.wait_for_function("window.printed")
