"""What the built pages say of statements: one number each, and links that lead there by it."""

import re
from pathlib import Path

import pytest
from shared import ROOT

from explorable.checks.ledger import results
from explorable.outputs.new_chapter import all_chapters, bare_mentions
from mipbook.book import BOOK

CHAPTERS = [chapter.page.with_suffix("").as_posix() for chapter in all_chapters(ROOT)]
BOX = re.compile(
    r'<div class="proof[^"]*mb-statement[^"]*" id="([^"]+)">\s*'
    r'<p class="admonition-title">(.*?)</p>',
    flags=re.S,
)
LINK = re.compile(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', flags=re.S)
NAMED = re.compile(
    r"(?P<name>(?:Theorem|Lemma|Proposition|Corollary|Definition|Example|Remark) [\w.]*\d\w*)"
    r"(?: of the (?P<source>[\w ]+))?"
)
# What is no text of the page's own: panels, checks and code, scripts, headers of boxes, links.
NOT_TEXT = re.compile(
    r'<section class="mb-explorable".*?</section>|<details class="[^"]*\bmb-fold.*?</details>'
    r'|<p class="admonition-title">.*?</p>|<script.*?</script>|<template.*?</template>'
    r"|<a\b.*?</a>|<pre.*?</pre>",
    flags=re.S,
)
Boxes = dict[str, dict[str, tuple[str, str]]]


def plain(found: str) -> str:
    """A piece of HTML as it is read."""
    return " ".join(re.sub(r"<[^>]+>", " ", found).split())


def article(page: str) -> str:
    """The part of a page that is its own."""
    return page.split("<article", 1)[1].split("</article>", 1)[0]


def span(title: str, name: str) -> str:
    """A part of a box's header."""
    found = re.search(rf'<span class="{name}">(.*?)</span>', title, flags=re.S)
    return plain(found[1]) if found else ""


def boxes(text: str) -> dict[str, tuple[str, str]]:
    """Number and source of each box of a page, by its anchor."""
    return {
        name: (span(title, "mb-number").rstrip("."), span(title, "mb-source"))
        for name, title in BOX.findall(text)
    }


def wrong_boxes(found: Boxes) -> list[str]:
    """The boxes that carry another number or another source than the ledger's."""
    rows = {row.id: row for row in results()}
    wrong = []
    for page, own in found.items():
        for name in sorted(own.keys() & rows.keys()):
            number, source = own[name]
            row = rows[name]
            told = row.number in number or not re.fullmatch(r"[\w.]*\d\w*", row.number)
            kind = number.lower().startswith(row.kind)
            if not (told and kind and source == BOOK.sources[row.source]):
                wrong.append(f"{page}: {name} is headed {number}, {source}")
    return wrong


def wrong_links(page: str, text: str, found: Boxes) -> list[str]:
    """The links of a page that say a number and lead to a box with another one."""
    wrong = []
    for target, words in LINK.findall(text):
        named = NAMED.fullmatch(plain(words))
        if not named:
            continue
        place, _, anchor = target.partition("#")
        there = (Path(page).parent / place).with_suffix("").as_posix() if place else page
        parts: list[str] = []
        for part in there.split("/"):
            parts = parts[:-1] if part == ".." else [*parts, part]
        number, source = found.get("/".join(parts), {}).get(anchor, ("no box", ""))
        same = named["source"] is None or named["source"].lower() == source.lower()
        if number != named["name"] or not same:
            wrong.append(f"{page}: {plain(words)} leads to {target}, {number} {source}")
    return wrong


def bare(text: str) -> list[str]:
    """The numbers of statements in a page's text that are no links."""
    return bare_mentions(plain(NOT_TEXT.sub(" ", text)))


@pytest.fixture(scope="module")
def pages(built_book) -> dict[str, str]:
    """The chapters as they were built."""
    return {name: article((built_book / f"{name}.html").read_text(encoding="utf-8")) for name in CHAPTERS}


def test_every_box_has_the_number_of_the_ledger(pages):
    found = {page: boxes(text) for page, text in pages.items()}
    assert sum(map(len, found.values())) > 80
    assert wrong_boxes(found) == []
    planted = {"a": {"mip-thm-4": ("Theorem 5", "MIP paper"), "rip-thm-4": ("Theorem 4", "MIP paper")}}
    assert len(wrong_boxes(planted)) == 2
    assert wrong_boxes({"a": {"mip-thm-4": ("Theorem 4", "MIP paper")}}) == []


def test_every_mention_of_a_statement_leads_to_the_box_with_its_number(pages):
    found = {page: boxes(text) for page, text in pages.items()}
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


def test_no_statement_is_named_by_a_number_without_a_link(pages):
    named = {page: found for page, text in pages.items() if (found := bare(text))}
    assert not named, f"write {{prf:ref}}`its-label`: {named}"
    planted = '<p>By <a href="#x">Theorem 4</a> and <em>Lemmas</em> 5, <code>x</code>.</p>'
    assert bare(planted) == ["Lemmas 5"]
