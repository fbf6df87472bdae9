"""The map of the book: every chapter once, the way on its line."""

import re

import yaml
from shared import ROOT

from explorable import settings
from explorable.sphinx.map import parts
from explorable.sphinx.words import chapter_heads

CONTENTS = parts(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
NAMES = [
    page.removeprefix("book/")
    for pages in CONTENTS.values()
    for page in pages
    if pages[0].split("/")[1] in settings.book().parts
]
CORE = re.search(r":core: (.*)", (ROOT / "book" / "index.md").read_text("utf-8"))[1].split(", ")
HEADS = chapter_heads(ROOT)


def test_the_core_is_known_and_needs_nothing_optional():
    assert set(CORE) <= set(NAMES)
    for name in CORE:
        if name in HEADS:
            assert set(HEADS[name].needs) <= set(CORE), name


def test_the_way_takes_about_as_long_as_the_front_page_says():
    text = (ROOT / "book" / "index.md").read_text("utf-8")
    assert "Seven stations, less than two hours in all." in text
    assert len(CORE) == 7
    assert 90 <= sum(HEADS[name].minutes for name in CORE) < 120
