"""All addresses of a book come from one variable, and without it there is none."""

import io
import re
from xml.etree import ElementTree

import pytest
from PIL import Image
from shared import ROOT, refused
from sphinx.application import Sphinx

from explorable.settings import variable
from explorable.sphinx import identity as address
from explorable.sphinx import identity as share
from explorable.sphinx.identity import LONGEST
from mipbook.book import IDEAS

CONFIG = """
html_theme = "sphinx_book_theme"
html_baseurl = "BASE"
from explorable.sphinx import extension, identity
def setup(app):
    extension.connect(app, identity)
"""
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A function that builds a book of two pages under an address."""

    def build(url: str, base: str = ""):
        monkeypatch.setenv(variable(address.REPOSITORY), url)
        source, out = tmp_path / "source", tmp_path / "out"
        (source / "part").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text(CONFIG.replace("BASE", base), encoding="utf-8")
        (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   part/page\n")
        (source / "part" / "page.rst").write_text("Page\n====\n\nAbout it.\n")
        Sphinx(source, source, out, tmp_path / "trees", "html", status=None).build()
        return out

    return build


def heads(out):
    return (out / "part" / "page.html").read_text(encoding="utf-8").split("</head>")[0]


def test_one_variable_gives_every_address(book):
    out = book("https://github.com/Some-One/the-book.git/")
    base = "https://some-one.github.io/the-book/"
    tree = ElementTree.parse(out / "sitemap.xml")
    assert [x.text for x in tree.iter(f"{NAMESPACE}loc")] == [f"{base}index.html", f"{base}part/page.html"]
    assert f"Sitemap: {base}sitemap.xml" in (out / "robots.txt").read_text(encoding="utf-8")
    head = heads(out)
    assert f'<link rel="canonical" href="{base}part/page.html"' in head
    assert f'property="og:url" content="{base}part/page.html"' in head
    picture = re.search(rf'property="og:image" content="{base}(_static/cards/\w+\.png)"', head)
    assert (out / picture[1]).read_bytes().startswith(b"\x89PNG")
    assert 'property="og:image:alt" content="The page&#x27;s title, Page, and what it is' in head
    home = (out / "index.html").read_text(encoding="utf-8")
    assert f'property="og:image" content="{base}_static/share.png"' in home
    page = (out / "part" / "page.html").read_text(encoding="utf-8")
    assert 'href="https://github.com/Some-One/the-book"' in page


def test_a_domain_of_ones_own_wins(book):
    out = book("https://github.com/some-one/book", "https://mip.example.org")
    assert 'rel="canonical" href="https://mip.example.org/part/page.html"' in heads(out)
    assert "https://mip.example.org/part/page.html" in (out / "sitemap.xml").read_text()


def test_without_it_there_is_no_address_not_even_an_old_one(book):
    book("https://github.com/some-one/book")
    out = book("")
    assert not (out / "sitemap.xml").exists()
    assert not (out / "robots.txt").exists()
    assert not re.search(r"canonical|og:url|mybinder|some-one|cards/", heads(out))


@pytest.mark.parametrize("url", ["github.com/a/b", "https://github.com/a", "http://x.org/a/b", "x"])
def test_another_address_is_refused(url, monkeypatch):
    monkeypatch.setenv(variable(address.REPOSITORY), url)
    refused(f"{variable(address.REPOSITORY)} = .*such as https://github", address.repository)


# --- The pictures that go with links: one a page, in the book's faces, drawn anew when they change

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
