"""The engine without this book: what ``docs/another-book.md`` says, built in an empty folder."""

import os
import re

import pytest
from shared import ROOT, ran

from explorable import settings

PAGE = (ROOT / "docs" / "another-book.md").read_text(encoding="utf-8")
BUILD = """import sys
from pathlib import Path
sys.modules["mipbook"] = None  # whoever asks for it is refused
from explorable.sphinx.build import build
build(Path.cwd())"""


@pytest.mark.nightly
def test_a_book_of_another_subject_holds_its_panel_and_no_word_of_ours(tmp_path):
    config, contents = re.findall(r"^```yaml\n(.*?)^```$", PAGE, flags=re.M | re.S)
    (swing,) = re.findall(r"^````markdown\n(.*?)^````$", PAGE, flags=re.M | re.S)
    index = "# A pendulum\n\nSee [how it swings](swing.md).\n"
    files = {"_config.yml": config, "_toc.yml": contents, "swing.md": swing, "index.md": index}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    alone = {name: value for name, value in os.environ.items() if name != settings.NAME}
    done = ran("-c", BUILD, cwd=tmp_path, env=alone)
    assert done.returncode == 0, done.stdout + done.stderr
    html = tmp_path / "_build" / "html"
    page = (html / "swing.html").read_text(encoding="utf-8")
    shown = r'<section class="mb-explorable" id="swing" data-face="static".*?</section>'
    (panel,) = re.findall(shown, page, re.S)
    # Twenty states, packed: more than the words, less than the numbers as text.
    (at,) = re.findall(r'class="mb-blob" data-at="(\w+)"', panel)
    assert 10_000 < (html / "_static" / "panels" / f"{at}.js").stat().st_size < 100_000
    assert "A pendulum of 0.1 m swings once in 0.63 s." in panel
    assert panel in (html / "embed" / "swing.html").read_text(encoding="utf-8")
    for built in html.glob("*.html"):
        text = built.read_text(encoding="utf-8")
        assert not re.search(r'(?:src|href)="(?:https?:)?//[^"]*\.(?:js|css|woff2?)"', text), built.name
        assert not re.search(r"membership|privacy", text, re.I), built.name
