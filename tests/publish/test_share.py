"""The pictures that go with links: one a page, in the book's faces, drawn anew when they change."""

import io
import re
from types import SimpleNamespace

import pytest
from PIL import Image
from shared import ROOT

from explorable.sphinx import identity as share
from explorable.sphinx.identity import LONGEST
from mipbook.book import IDEAS

SANS, SERIF = ("source-sans-3", 700), ("source-serif-4", 400)
HEADS = {
    path.relative_to(ROOT).as_posix(): re.findall(r"^(?:#|:goal:) (.+)", text, flags=re.M)[:2]
    for path in sorted((ROOT / "book").rglob("*.md"))
    if (text := path.read_text(encoding="utf-8"))
}


def opened(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture)).convert("RGB")


def unknown(text: str, face: tuple[str, int]) -> set[str]:
    """The letters of a text that a face draws as a box."""
    found = share._Face(face[0], 40, face[1])
    return {
        letter
        for part, font in found.runs(text)
        for letter in part
        if not letter.isspace() and bytes(font.getmask(letter)) == bytes(font.getmask("\uffff"))
    }


@pytest.mark.parametrize("face", [SANS, SERIF])
def test_the_faces_have_every_letter_of_every_title_and_goal(face):
    assert len(HEADS) > 50
    assert not [page for page, told in HEADS.items() if "$" in "".join(told)], "a formula"
    assert not [page for page, told in HEADS.items() if unknown(" ".join(told), face)]
    assert unknown("A ε \u4e2d", face) == {"\u4e2d"}


def test_a_picture_has_the_size_that_is_asked_for_and_its_parts_colour():
    image = opened(share.draw("Which ε?", "A target in, an ε out.", IDEAS["pmp"], "example.org"))
    assert image.size == (1200, 630)
    red, green, blue = image.getpixel((5, 300))
    assert f"#{red:02x}{green:02x}{blue:02x}" == IDEAS["pmp"]


@pytest.mark.parametrize("title", ["A", "Words " * 12, "Words " * 60, "W" * 90])
def test_nothing_is_written_outside_or_over_the_address(title):
    """The longest texts: what is empty in a picture of short ones stays empty."""
    image = opened(share.draw(title, "words " * (LONGEST // 6), IDEAS["mip"], "example.org"))
    for strip in ((1140, 0, 1200, 630), (92, 553, 1200, 560), (92, 605, 1200, 630)):
        assert len(image.crop(strip).getcolors()) == 1, strip


def test_a_text_too_long_is_cut_at_a_word():
    face, lines = share._fitted("word " * 80, *SANS, (80, 60), 220)
    assert len(lines) == 3
    assert lines[-1].endswith("word …")
    assert face.size == 60


def test_words_are_broken_where_the_room_ends():
    monospace = SimpleNamespace(width=len)
    assert share.wrapped("a bb ccc", monospace, 4, 2) == ["a bb", "ccc"]
    assert share.wrapped("abcdef", monospace, 4, 2) is None


def test_a_picture_is_drawn_once_and_again_when_a_word_changes(tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(share, "draw", lambda *told: drawn.append(told) or b"x")
    for _ in range(2):
        static = tmp_path / "html" / "_static"
        static.mkdir(parents=True, exist_ok=True)
        first = share.picture(static, tmp_path / "kept", "a", "b", "c", "d")
        assert (static / first).read_bytes() == b"x"
    assert len(drawn) == 1
    assert share.picture(static, tmp_path / "kept", "a", "other", "c", "d") != first
    assert len(drawn) == 2
