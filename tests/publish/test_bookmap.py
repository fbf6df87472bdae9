"""The map of the book: every chapter once, every need an arrow, nothing over anything else."""

import re
import xml.etree.ElementTree as ET

import pytest
import yaml
from shared import ROOT

from explorable import settings
from explorable.sphinx import map as bookmap
from explorable.sphinx.map import parts
from explorable.sphinx.words import Head, chapter_heads

CONTENTS = parts(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
CHAPTERS = {
    caption: [page.removeprefix("book/") for page in pages]
    for caption, pages in CONTENTS.items()
    if pages[0].split("/")[1] in settings.book().parts
}
NAMES = [name for names in CHAPTERS.values() for name in names]
CORE = re.search(r":core: (.*)", (ROOT / "book" / "index.md").read_text("utf-8"))[1].split(", ")
HEADS = chapter_heads(ROOT)
SVG = "{http://www.w3.org/2000/svg}"


def laid(chapters=CHAPTERS, heads=HEADS):
    titles = {name: f"Title of <{name}>" for names in chapters.values() for name in names}
    return bookmap.boxes(chapters, heads, titles, CORE)


def drawn(heads=HEADS):
    links = {name: f"{name}.html" for name in NAMES}
    needs = bookmap.direct_needs(heads)
    text = bookmap.drawing(*laid(heads=heads), needs, links)
    return ET.fromstring(text.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" '))


def test_each_chapter_is_a_link_with_its_minutes():
    links = drawn().findall(f".//{SVG}a")
    assert [link.get("href") for link in links] == [f"{name}.html" for name in NAMES]
    for link, name in zip(links, NAMES, strict=True):
        told = link.findall(f"{SVG}text")[1].text or ""
        assert ("optional" in told) is (name not in CORE)
        if name in HEADS:
            assert told.startswith(f"{HEADS[name].minutes} min")
        assert link.get("aria-label").endswith(told)


def test_an_arrow_leads_from_each_need_that_no_other_implies():
    arrows = {(a.get("data-from"), a.get("data-to")) for a in drawn().findall(f".//{SVG}g/{SVG}path")}
    direct = bookmap.direct_needs(HEADS)
    assert arrows == {(need, name) for name, needs in direct.items() for need in needs}
    assert ("mip/definition", "mip/dp-and-mip") in arrows
    # Whoever follows the arrows meets every need.
    for name, head in HEADS.items():
        met, left = set(), list(direct[name])
        while left:
            met.add(left[-1])
            left += direct.get(left.pop(), [])
        assert set(head.needs) <= met


def test_no_box_covers_another_and_all_are_in_the_picture():
    found, captions, height = laid()
    places = {(box.x, box.y) for box in found}
    assert len(places) == len(found) == len(NAMES)
    for box in found:
        assert 0 <= box.x <= 984 - bookmap._WIDE
        assert box.y + bookmap._HIGH <= height
        assert not [y for _, y in captions if box.y <= y <= box.y + bookmap._HIGH]


def test_the_core_is_known_and_needs_nothing_optional():
    assert set(CORE) <= set(NAMES)
    for name in CORE:
        if name in HEADS:
            assert set(HEADS[name].needs) <= set(CORE), name


def test_chapters_that_need_each_other_are_refused():
    heads = {"a": Head("", 5, ("b",)), "b": Head("", 5, ("a",))}
    with pytest.raises(ValueError, match="must not need itself"):
        bookmap.direct_needs(heads)


def test_a_title_with_a_formula_is_written_in_signs():
    assert bookmap._plain(r"What $\eta$ means") == "What η means"
