"""The map and the table of apps come from the contents: nothing can be forgotten."""

import json
import re

import yaml
from shared import ROOT, refused

from explorable import settings
from explorable.sphinx.map import app_card, parts
from explorable.sphinx.words import chapter_heads

PARTS = parts(yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8")))
PAGES = {page for part in PARTS.values() for page in part}
HOME = (ROOT / "book" / "index.md").read_text(encoding="utf-8")
CORE = re.search(r":core: (.*)", HOME)[1].split(", ")
HEADS = chapter_heads(ROOT)


def test_every_app_says_its_question_and_its_chapter(tmp_path):
    for path in (ROOT / "book" / "apps").glob("*.ipynb"):
        question, chapter = app_card(path)
        assert question.endswith("?")
        assert {f"book/{chapter}", f"book/apps/{path.stem}"} <= PAGES, f"{path.name}: add it to _toc.yml"
    for told in ({}, {"question": "Why?"}, {"question": "", "chapter": "mis/x"}):
        (tmp_path / "app.ipynb").write_text(json.dumps({"metadata": {"mipbook": told}, "cells": []}))
        mend = r'app.ipynb, .* must be in the metadata .*"mipbook": {"'
        refused(mend, app_card, tmp_path / "app.ipynb")


def test_the_core_is_known_needs_nothing_optional_and_takes_as_long_as_is_said():
    parts_of_book = settings.book().parts
    names = {page.removeprefix("book/") for page in PAGES if page.split("/")[1] in parts_of_book}
    assert set(CORE) <= names
    for name in CORE:
        assert name not in HEADS or set(HEADS[name].needs) <= set(CORE), name
    assert "Seven stations, less than two hours in all." in HOME
    assert len(CORE) == 7
    assert 90 <= sum(HEADS[name].minutes for name in CORE) < 120
