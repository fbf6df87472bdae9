"""The map and the table of apps come from the contents: nothing can be forgotten."""

import json
import re

import pytest
import yaml
from shared import ROOT

from explorable import checks as ledger
from explorable.sphinx.map import all_pages, app_card, parts

CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
APPS = sorted((ROOT / "book" / "apps").glob("*.ipynb"))
WORDS = {4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", 10: "ten"}


@pytest.mark.parametrize("path", APPS, ids=lambda path: path.stem)
def test_every_app_says_its_question_and_its_chapter(path):
    question, chapter = app_card(path)
    assert question.endswith("?")
    pages = {page for part in parts(CONTENTS).values() for page in part}
    assert f"book/{chapter}" in pages, f"{path.name} names a chapter that is not in _toc.yml"
    assert f"book/apps/{path.stem}" in pages


@pytest.mark.parametrize("told", [{}, {"question": "Why?"}, {"question": "", "chapter": "mis/x"}])
def test_an_app_without_them_is_refused_with_the_mend(tmp_path, told):
    (tmp_path / "app.ipynb").write_text(json.dumps({"metadata": {"mipbook": told}, "cells": []}))
    with pytest.raises(ValueError, match=r'app.ipynb, .* must be in the metadata .*"mipbook": {"'):
        app_card(tmp_path / "app.ipynb")


def test_the_front_page_and_the_apps_show_what_is_there():
    assert "```{book-map}" in (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert "```{table-of-apps}" in (ROOT / "book" / "apps" / "index.md").read_text("utf-8")


def counts() -> dict[str, int]:
    """What a text might count, and how many of it there are."""
    book = parts(CONTENTS)
    notions = ("game", "mip", "pmp", "mis")
    chapters = [page for part in book.values() for page in part if page.split("/")[1] in notions]
    return {
        "results": len(ledger.results()),
        "apps": len(APPS),
        "chapters": len(chapters),
        "pages": len(all_pages(CONTENTS)),
        "parts": len(book),
    }


def typed(text: str) -> list[str]:
    """The counts that a text types, although they could be derived."""
    found = []
    for what, number in counts().items():
        word = WORDS.get(number, str(number))
        found += re.findall(rf"\b(?:{number}|{word}) (?:\w+ )?{what}\b", text, flags=re.I)
    return found


def test_nothing_types_a_count_that_can_be_derived():
    for path in [*ROOT.glob("*.md"), *(ROOT / "book").rglob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        assert not typed(text), f"{path.relative_to(ROOT)}: derive it, or leave the number out"
    number = counts()["results"]
    assert typed(f"All {number} numbered results and {len(APPS)} live apps.")


LONGEST_TITLE = 28


def title(page: str, contents: dict | list = CONTENTS) -> str | None:
    """What the side of the book calls a page: as the contents say, or by its heading."""
    if isinstance(contents, dict):
        if page in (contents.get("file"), contents.get("root")) and "title" in contents:
            return contents["title"]
        contents = [part for part in contents.values() if isinstance(part, list)]
    found = [title(page, part) for part in contents if isinstance(part, dict | list)]
    return next(filter(None, found), None)


def heading(page: str) -> str:
    """The heading of a page's source."""
    if (path := ROOT / f"{page}.ipynb").is_file():
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells)
    elif (path := ROOT / f"{page}.rst").is_file():
        return path.read_text(encoding="utf-8").split("\n====")[0].splitlines()[-1]
    else:
        text = (ROOT / f"{page}.md").read_text(encoding="utf-8")
    found = re.search(r"^# (.+)$", text, flags=re.M)
    assert found, page
    return found[1]


def test_a_title_fits_into_a_line_at_the_side():
    titles = {page: title(page) or heading(page) for page in all_pages(CONTENTS)[1:]}
    long = {page: told for page, told in titles.items() if len(told) > LONGEST_TITLE}
    assert not long, f"give a shorter 'title:' in _toc.yml: {long}"
    planted = {"parts": [{"chapters": [{"file": "a", "sections": [{"file": "b", "title": "B"}]}]}]}
    assert title("b", planted) == "B"
    assert title("a", planted) is None
