"""The built pages: links lead to the boxes with their numbers, and by day every kind of thing is tried."""

import re
from posixpath import dirname, normpath

import pytest
import samples
import yaml
from shared import ROOT

from explorable.outputs.new_chapter import all_chapters
from explorable.sphinx.map import all_pages

CHAPTERS = [chapter.page.with_suffix("").as_posix() for chapter in all_chapters(ROOT)]
HEAD = r'<p class="admonition-title">(.*?)</p>'
BOX = re.compile(rf'<div class="proof[^"]*mb-statement[^"]*" id="([^"]+)">\s*{HEAD}', flags=re.S)
SPAN = re.compile(r'<span class="mb-(number|source)">(.*?)</span>', flags=re.S)
LINK = re.compile(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', flags=re.S)
NAMED = re.compile(
    r"(?P<name>(?:Theorem|Lemma|Proposition|Corollary|Definition|Example|Remark) [\w.]*\d\w*)"
    r"(?: of the (?P<source>[\w ]+))?"
)


def plain(found):
    """A piece of HTML as it is read."""
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def boxes(text):
    """Number and source of each box of a page, by its anchor."""
    spans = {name: {k: plain(part) for k, part in SPAN.findall(head)} for name, head in BOX.findall(text)}
    return {name: (own.get("number", "").rstrip("."), own.get("source", "")) for name, own in spans.items()}


def wrong_links(page, text, found):
    """The links of a page that say a number and lead to a box with another one."""
    wrong = []
    for target, words in LINK.findall(text):
        if named := NAMED.fullmatch(plain(words)):
            place, _, anchor = target.partition("#")
            there = normpath(f"{dirname(page)}/{place}").removesuffix(".html") if place else page
            number, source = found.get(there, {}).get(anchor, ("no box", ""))
            same = named["source"] is None or named["source"].lower() == source.lower()
            if number != named["name"] or not same:
                wrong.append(f"{page}: {plain(words)} leads to {target}, {number} {source}")
    return wrong


@pytest.fixture(scope="module")
def pages(built_book):
    """The chapters as they were built, of each the part that is its own."""
    texts = {name: (built_book / f"{name}.html").read_text(encoding="utf-8") for name in CHAPTERS}
    return {name: text.split("<article", 1)[1].split("</article>", 1)[0] for name, text in texts.items()}


def test_every_mention_of_a_statement_leads_to_the_box_with_its_number(pages):
    found = {page: boxes(text) for page, text in pages.items()}
    assert sum(map(len, found.values())) > 80
    wrong = [said for page, text in pages.items() for said in wrong_links(page, text, found)]
    assert not wrong, "\n".join(wrong)
    said = [plain(words) for text in pages.values() for _, words in LINK.findall(text)]
    assert sum(bool(NAMED.fullmatch(words)) for words in said) > 40
    planted = {"book/mip/a": {"x": ("Theorem 4", "MIP paper")}}
    link = '<a class="internal" href="../mip/a.html#x"><span>{}</span></a>'
    for words, count in (
        ("Theorem 4", 0),
        ("Theorem 4 of the MIP paper", 0),
        ("Theorem 5", 1),
        ("Theorem 4 of the RIP paper", 1),
        ("the theorem above", 0),
    ):
        assert len(wrong_links("book/pmp/b", link.format(words), planted)) == count, words


PAGES = all_pages(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("way", samples.KINDS)
def test_every_kind_is_on_a_page_that_is_tried_by_day(built_book, way):
    left = samples.missing(way, built_book, PAGES)
    assert not left, f"nothing by day shows {sorted(left)}: add a page to SAMPLE[{way!r}] in tests/samples.py"
