"""The core of the book is what its front page says."""

import re

import yaml
from shared import ROOT

from explorable import settings
from explorable.sphinx.map import parts
from explorable.sphinx.words import chapter_heads

PARTS = parts(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
PAGES = {page for part in PARTS.values() for page in part}
HOME = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
CORE = re.search(r":core: (.*)", HOME)[1].split(", ")
HEADS = chapter_heads(ROOT)


def test_the_core_is_known_needs_nothing_optional_and_takes_as_long_as_is_said():
    parts_of_book = settings.book().parts
    names = {page.removeprefix("book/") for page in PAGES if page.split("/")[1] in parts_of_book}
    assert set(CORE) <= names
    for name in CORE:
        assert name not in HEADS or set(HEADS[name].needs) <= set(CORE), name
    assert "Seven stations, less than two hours in all." in HOME
    assert len(CORE) == 7
    assert 90 <= sum(HEADS[name].minutes for name in CORE) < 120
