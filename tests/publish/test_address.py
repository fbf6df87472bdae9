"""All addresses of a book come from one variable, and without it there is none."""

import re
from xml.etree import ElementTree

import pytest
from sphinx.application import Sphinx

from explorable.settings import variable
from explorable.sphinx import identity as address

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
    with pytest.raises(ValueError, match=f"{variable(address.REPOSITORY)} = .*such as https://github"):
        address.repository()


def test_a_host_whose_pages_are_not_known_has_none():
    assert address.book_of("https://git.example.org/a/b") is None
    assert address.book_of("https://gitlab.com/a/b") == "https://a.gitlab.io/b/"
