"""The map and the table of apps come from the contents: nothing can be forgotten."""

import json

import pytest
import yaml
from shared import ROOT, refused

from explorable.sphinx.map import app_card, parts

CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
APPS = sorted((ROOT / "book" / "apps").glob("*.ipynb"))


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
    refused(r'app.ipynb, .* must be in the metadata .*"mipbook": {"', app_card, tmp_path / "app.ipynb")


def test_the_front_page_and_the_apps_show_what_is_there():
    assert "```{book-map}" in (ROOT / "book" / "index.md").read_text(encoding="utf-8")
    assert "```{table-of-apps}" in (ROOT / "book" / "apps" / "index.md").read_text("utf-8")
