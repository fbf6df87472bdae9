"""The button that opens a page's notebook, and the notebooks that it may open."""

import json
import re

import pytest
from shared import ROOT

from explorable.outputs import lite, lite_offer

TOLD = {
    "python": "3.14.2",
    "pyodide": "314.0.6",
    "packages": {"numpy": "2.4.6"},
    "notebooks": ["start"],
    "missing": [],
    "elsewhere": "",
    "bytes": 39_800_000,
    "site_bytes": 62_300_000,
}


@pytest.fixture(scope="module")
def books():
    return lite.all_notebooks(ROOT)


def test_every_chapter_and_app_is_there(books):
    sources = [*(ROOT / "book").glob("*/*.md"), *(ROOT / "book" / "apps").glob("*.ipynb")]
    pages = [path.relative_to(ROOT).with_suffix("").as_posix() for path in sources]
    wanted = {page.removeprefix("book/") for page in pages if lite_offer.offered(page)}
    assert len(wanted) > 40
    assert wanted <= set(books)
    students = {name for name in books if name.endswith("-student")}
    assert {f"{name}-student" for name in wanted if "apps/" not in name} - students == {
        f"{name}-student" for name in wanted if name.endswith("-record")
    }


def test_links_lead_to_notebooks_that_are_there(books):
    count = 0
    for name, book in books.items():
        for cell in book.cells:
            for target in re.findall(r"\]\(([\w./-]+\.(?:md|ipynb))", cell.source):
                path = (ROOT / name).parent.joinpath(target).resolve()
                assert path.relative_to(ROOT).with_suffix("").as_posix() in books, (name, target)
                count += 1
    assert count > 100


def test_the_first_page_leads_to_all(books):
    text = "".join(cell.source for cell in books[lite.INDEX].cells)
    linked = set(re.findall(r"\]\(([\w/-]+)\.ipynb\)", text))
    assert linked == set(books) - {lite.INDEX}


def test_a_whole_site_is_offered_and_no_other(tmp_path):
    for name in ("_static", lite_offer.SITE):
        (tmp_path / name).mkdir()
    script = tmp_path / "_static" / lite_offer.SCRIPT
    assert not lite_offer.tell(tmp_path)
    assert script.read_text("utf-8") == ""
    asks = "Your browser asks no other host for anything."
    for missing, said in ([], asks), (["numpy"], "Without numpy no chapter runs, so no page offers it."):
        told = json.dumps({**TOLD, "missing": missing})
        (tmp_path / lite_offer.SITE / lite_offer.TOLD).write_text(told, "utf-8")
        assert lite_offer.tell(tmp_path) == (not missing)
        (words,) = re.findall(r"const items = (\[.*\])\.map", script.read_text("utf-8"))
        (there,) = re.findall(r"const there = (\w+) &&", script.read_text("utf-8"))
        assert json.loads(there) == (not missing)
        assert "62 MB" in json.loads(words)[0]
        assert json.loads(words)[1] == said


def test_what_was_seen_is_told_with_its_errors():
    seen = {"browser": "Chromium 156", "errors": {"a": [], "b": ["ZeroDivisionError"]}}
    assert lite_offer.words(TOLD, seen)[-1] == (
        "2 notebooks of this very build were run in Chromium 156: 1 with an error (b: ZeroDivisionError)."
    )
    assert lite_offer.words({**TOLD, "elsewhere": "https://x/"}, {})[1].endswith("from https://x/.")
