"""All addresses of a book come from one variable, and without it there is none."""

import io
import re
from unittest.mock import Mock

import pytest
from PIL import Image
from shared import ROOT, refused
from sphinx.application import Sphinx

from explorable.settings import variable
from explorable.sphinx import identity
from mipbook.book import IDEAS

CONFIG = """
html_theme = "sphinx_book_theme"
html_baseurl = "BASE"
from explorable.sphinx import extension, identity
def setup(app):
    for hook in extension.HOOKS:
        if hook.act.__module__ == identity.__name__:
            app.connect(hook.event, hook.act, priority=hook.priority)
"""


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A function that builds a book of two pages under an address, and reads a file of it."""

    def build(url, base=""):
        monkeypatch.setenv(variable(identity.REPOSITORY), url)
        source, out = tmp_path / "source", tmp_path / "out"
        (source / "part").mkdir(parents=True, exist_ok=True)
        (source / "conf.py").write_text(CONFIG.replace("BASE", base), encoding="utf-8")
        (source / "index.rst").write_text("Home\n====\n\n.. toctree::\n\n   part/page\n")
        (source / "part" / "page.rst").write_text("Page\n====\n\nAbout it.\n")
        Sphinx(source, source, out, tmp_path / "trees", "html", status=None).build()
        return lambda name: (out / name).read_text(encoding="utf-8") if (out / name).is_file() else ""

    return build


def test_one_variable_gives_every_address(book, tmp_path):
    read = book("https://github.com/Some-One/the-book.git/")
    base = "https://some-one.github.io/the-book/"
    places = re.findall("<loc>(.*?)</loc>", read("sitemap.xml"))
    assert places == [f"{base}index.html", f"{base}part/page.html"]
    assert f"Sitemap: {base}sitemap.xml" in read("robots.txt")
    head, _, body = read("part/page.html").partition("</head>")
    assert f'<link rel="canonical" href="{base}part/page.html"' in head
    assert f'property="og:url" content="{base}part/page.html"' in head
    picture = re.search(rf'property="og:image" content="{base}(_static/cards/\w+\.png)"', head)
    assert (tmp_path / "out" / picture[1]).read_bytes().startswith(b"\x89PNG")
    assert 'property="og:image:alt" content="The page&#x27;s title, Page, and what it is' in head
    assert f'property="og:image" content="{base}_static/share.png"' in read("index.html")
    assert 'href="https://github.com/Some-One/the-book"' in body


def test_a_domain_of_ones_own_wins_and_without_both_there_is_no_address_not_even_an_old_one(book):
    read = book("https://github.com/some-one/book", "https://mip.example.org")
    assert 'rel="canonical" href="https://mip.example.org/part/page.html"' in read("part/page.html")
    assert "https://mip.example.org/part/page.html" in read("sitemap.xml")
    read = book("")
    assert read("sitemap.xml") == read("robots.txt") == ""
    head = read("part/page.html").split("</head>")[0]
    assert "<title>" in head
    assert not re.search(r"canonical|og:url|mybinder|some-one|cards/", head)


def test_another_address_is_refused(monkeypatch):
    for url in ("github.com/a/b", "https://github.com/a", "http://x.org/a/b", "x"):
        monkeypatch.setenv(variable(identity.REPOSITORY), url)
        refused(f"{variable(identity.REPOSITORY)} = .*such as https://github", identity.repository)


# --- The pictures that go with links: one a page, in the book's faces, drawn anew when they change


def unknown(text, face):
    """The letters of a text that a face draws as a box."""
    return {
        letter
        for part, font in face.runs(text)
        for letter in part
        if not letter.isspace() and bytes(font.getmask(letter)) == bytes(font.getmask("\uffff"))
    }


def test_the_faces_have_every_letter_of_every_title_and_goal():
    pages = [*(ROOT / "book").rglob("*.md")]
    heads = [re.findall(r"^(?:#|:goal:) (.+)", path.read_text("utf-8"), flags=re.M)[:2] for path in pages]
    assert len(heads) > 50
    assert not [told for told in heads if "$" in "".join(told)], "a formula"
    for name, weight in (("source-sans-3", 700), ("source-serif-4", 400)):
        face = identity._Face(name, 40, weight)
        assert not [told for told in heads if unknown(" ".join(told), face)]
        assert unknown("A ε \u4e2d", face) == {"\u4e2d"}


def test_a_picture_has_its_size_and_its_parts_colour_and_nothing_outside_or_over_the_address():
    """The longest texts: what is empty in a picture of short ones stays empty."""
    for title in ("A", "Words " * 12, "Words " * 60, "W" * 90):
        drawn = identity.draw(title, "words " * (identity.LONGEST // 6), IDEAS["mip"], "example.org")
        image = Image.open(io.BytesIO(drawn)).convert("RGB")
        assert image.size == (1200, 630)
        assert "#{:02x}{:02x}{:02x}".format(*image.getpixel((5, 300))) == IDEAS["mip"]
        for strip in ((1140, 0, 1200, 630), (92, 553, 1200, 560), (92, 605, 1200, 630)):
            assert len(image.crop(strip).getcolors()) == 1, (title, strip)


def test_a_picture_is_drawn_once_and_again_when_a_word_changes(tmp_path, monkeypatch):
    draw = Mock(return_value=b"x")
    monkeypatch.setattr(identity, "draw", draw)
    first, again, other = (
        identity.picture(tmp_path, tmp_path / "kept", word) for word in ("b", "b", "other")
    )
    assert first == again != other
    assert (tmp_path / first).read_bytes() == b"x"
    assert draw.call_count == 2
