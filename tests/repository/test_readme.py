"""The Python of the README and of `docs/using.md` runs as printed; the README is short."""

import re

import pytest
from PIL import Image
from shared import ROOT

README = ROOT / "README.md"


@pytest.mark.parametrize(
    ("path", "least"), [(README, 2), (ROOT / "docs" / "using.md", 9)], ids=["README", "using"]
)
def test_its_code_runs(path, least):
    blocks = re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), flags=re.S)
    assert len(blocks) >= least
    for block in blocks:
        exec(compile(block, str(path), "exec"), {})


def test_the_readme_is_short():
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")], ids=lambda p: p.name)
def test_its_links_lead_to_files_and_their_headings(path):
    for name, place in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", path.read_text("utf-8")):
        target = (path.parent / name) if name else path
        assert target.exists(), name
        if place:
            headings = re.findall(r"^#+ (.*)$", target.read_text("utf-8"), flags=re.M)
            assert place in {re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings}


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
