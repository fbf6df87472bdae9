"""The README's Python runs as printed."""

from __future__ import annotations

import re

from PIL import Image
from shared import ROOT

README = ROOT / "README.md"


def test_readme_code_runs():
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) >= 2
    for block in blocks:
        exec(compile(block, str(README), "exec"), {})


def test_readme_pictures_exist_and_have_alt_texts_and_one_moves():
    text = README.read_text(encoding="utf-8")
    pictures = re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)
    moving = []
    for alt, path in pictures:
        assert len(alt) > 20
        with Image.open(README.parent / path) as picture:
            assert picture.width > 900
            moving.append(getattr(picture, "n_frames", 1) > 20)
    assert sum(moving) == 1
