"""The README's Python runs as printed."""

from __future__ import annotations

import re

from shared import ROOT

README = ROOT / "README.md"


def test_readme_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})


def test_readme_picture_exists_and_has_alt_text():
    text = README.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
    assert pictures
    for alt, path in pictures:
        assert len(alt) > 20
        assert (README.parent / path).is_file()
