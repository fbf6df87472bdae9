"""The picture that goes with a link to a page: its title and its goal, in the book's own faces.

Made only where the book has an address, since a link without one shows no picture, and kept by
content, so that a build draws what changed.
"""

from __future__ import annotations

import hashlib
import io
import shutil
from itertools import groupby
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from explorable.outputs.files import FONTS
from explorable.outputs.new_chapter import NOTIONS
from explorable.palette import BACKGROUND, IDEAS, INK, TONES

__all__ = ["FOLDER", "SIZE", "draw", "idea", "picture", "wrapped"]

SIZE = (1200, 630)  # what those who show links expect
FOLDER = "cards"
_ICON = Path(__file__).parents[1] / "brand" / "icon.png"
_STRIPE, _LEFT, _RIGHT = 20, 92, 72
_HEAD, _FOOT = 158, 552  # where the title begins, and what is told of it must end
_LEADING = 1.22
_BOLD, _PLAIN = 700, 400


class _Face:
    """A face of the book, of which each file holds one script."""

    def __init__(self, name: str, size: int, weight: int) -> None:
        self.size = size
        self.scripts = {}
        for script in ("latin", "greek"):
            font = ImageFont.truetype(FONTS / f"{name}-{script}-wght-normal.woff2", size)
            font.set_variation_by_axes([weight])
            self.scripts[script] = font

    def runs(self, text: str) -> list[tuple[str, ImageFont.FreeTypeFont]]:
        """Return a text in parts, each with the font that has its letters."""
        scripts = groupby(text, lambda letter: "greek" if "Ͱ" <= letter <= "Ͽ" else "latin")
        return [("".join(letters), self.scripts[script]) for script, letters in scripts]

    def width(self, text: str) -> float:
        return sum(font.getlength(part) for part, font in self.runs(text))


def wrapped(text: str, face: Any, width: float, most: int) -> list[str] | None:
    """Break a text into lines; None if it takes more than there is room for.

    Parameters
    ----------
    text : str
        The text, in one line.
    face : object
        What tells the ``width`` of a text.
    width : float
        The room for a line.
    most : int
        The room for lines.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> wrapped("one two three", SimpleNamespace(width=len), 7, 2)
    ['one two', 'three']
    >>> wrapped("one two three", SimpleNamespace(width=len), 7, 1)
    """
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and face.width(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= most and all(face.width(x) <= width for x in lines) else None


def _fitted(
    text: str, name: str, weight: int, sizes: tuple[int, ...], height: float
) -> tuple[_Face, list[str]]:
    """Return the largest face in which a text fits, and its lines; else as much as fits."""
    room, words = SIZE[0] - _LEFT - _RIGHT, text.split()
    for size in sizes:
        face, most = _Face(name, size, weight), int(height / size / _LEADING)
        if lines := wrapped(text, face, room, most):
            return face, lines
    while words and not (lines := wrapped(" ".join([*words, "…"]), face, room, most)):
        words.pop()
    return face, lines or []


def _write(
    canvas: ImageDraw.ImageDraw, face: _Face, lines: list[str], top: float, colour: str, left: float = _LEFT
) -> float:
    """Write lines below each other, and return where the next thing may stand."""
    for line in lines:
        at, baseline = left, top + face.size
        for part, font in face.runs(line):
            canvas.text((at, baseline), part, font=font, fill=colour, anchor="ls")
            at += font.getlength(part)
        top += _LEADING * face.size
    return top


def draw(title: str, about: str, colour: str, address: str) -> bytes:
    """Return the picture of a page, as PNG.

    Parameters
    ----------
    title, about : str
        Its title and what it is about, plain text.
    colour : str
        Of its part of the book.
    address : str
        Where the book stands, without the protocol.

    Examples
    --------
    >>> draw("Which ε?", "A target in, an ε out.", IDEAS["pmp"], "example.org")[1:4]
    b'PNG'
    """
    image = Image.new("RGB", SIZE, BACKGROUND[0])
    canvas = ImageDraw.Draw(image)
    canvas.rectangle((0, 0, _STRIPE, SIZE[1]), fill=colour)
    with Image.open(_ICON) as icon:
        image.paste(icon.convert("RGB").resize((88, 88)), (_LEFT - 10, 40))
    _write(canvas, _Face("source-sans-3", 44, _BOLD), ["mipbook"], 54, INK, _LEFT + 92)
    head, lines = _fitted(title, "source-sans-3", _BOLD, (80, 66), 245)
    below = _write(canvas, head, lines, _HEAD, INK) + 22
    told, lines = _fitted(about, "source-serif-4", _PLAIN, (38, 34, 30), _FOOT - below)
    _write(canvas, told, lines, below, TONES["soft"][0])
    _write(canvas, _Face("source-sans-3", 30, _PLAIN), [address], 562, TONES["soft"][0])
    saved = io.BytesIO()
    image.quantize(64).save(saved, "PNG", optimize=True)
    return saved.getvalue()


def idea(page: str) -> str:
    """Return the colour of a page's part of the book, such as that of ``book/mip/noise``.

    Examples
    --------
    >>> idea("book/mip/noise") == IDEAS["mip"], idea("book/index") == INK
    (True, True)
    """
    part = page.split("/")[1] if page.count("/") > 1 else ""
    return IDEAS[NOTIONS[part][1].lower()] if part in NOTIONS else INK


def picture(static: Path, kept: Path, *told: str) -> str:
    """Put a page's picture among the book's files, and return its name there.

    Parameters
    ----------
    static : pathlib.Path
        The book's folder ``_static``.
    kept : pathlib.Path
        Where pictures stay from build to build.
    *told : str
        What `draw` takes.
    """
    # A picture that changed gets another name: those who show links keep the old one for long.
    digest = hashlib.sha256("\0".join((*told, _own())).encode()).hexdigest()[:16]
    name = f"{digest}.png"
    if not (kept / name).is_file():
        kept.mkdir(parents=True, exist_ok=True)
        (kept / name).write_bytes(draw(*told))
    (static / FOLDER).mkdir(exist_ok=True)
    shutil.copy(kept / name, static / FOLDER / name)
    return f"{FOLDER}/{name}"


def _own() -> str:
    """Return what this file says: another way to draw is another picture."""
    return Path(__file__).read_text(encoding="utf-8")
