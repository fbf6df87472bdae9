"""The rehearsal finds what a stranger would stumble over, and the book has nothing of it."""

import pytest
import rehearse
import yaml
from pages import PAGES
from shared import ROOT

URL, BASE = "https://github.com/some-one/the-book", "https://some-one.github.io/the-book/"
HEAD = """<!doctype html><html lang="en"><head><title>x</title>
<link rel="canonical" href="{base}{page}.html"><meta property="og:url" content="{base}{page}.html">
<meta property="og:image" content="{base}_static/x.png"><meta property="og:image:alt" content="x">
</head><body>"""
OPENS = "_build/html/notebooks/mip/noise.ipynb"
LAUNCH = f"https://mybinder.org/v2/gh/some-one/the-book/main?urlpath=lab/tree/{OPENS}"
BODY = f"""<a href="../other.html#here">other</a> <a href="../_static/x.png">file</a>
<a href="{LAUNCH}">launch</a> <a href="https://example.org/elsewhere">elsewhere</a>"""
SITEMAP = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'
NOISE = "book/mip/noise"


@pytest.fixture
def book(tmp_path):
    """A site of two pages as they are published, with nothing amiss."""
    pages = [NOISE, "book/other"]
    (tmp_path / "book" / "_static").mkdir(parents=True)
    (tmp_path / "_static").mkdir()
    (tmp_path / "notebooks" / "mip").mkdir(parents=True)
    (tmp_path / "notebooks" / "mip" / "noise.ipynb").write_text("{}", encoding="utf-8")
    for file in ("book/_static/x.png", "_static/x.png"):
        (tmp_path / file).write_bytes(b"x")
    for page, body in zip(pages, (BODY, '<p id="here">'), strict=True):
        path = tmp_path / f"{page}.html"
        path.parent.mkdir(exist_ok=True)
        path.write_text(HEAD.format(base=BASE, page=page) + body, encoding="utf-8")
    listed = "".join(f"<url><loc>{BASE}{page}.html</loc></url>" for page in pages)
    (tmp_path / "sitemap.xml").write_text(SITEMAP.format(listed), encoding="utf-8")
    (tmp_path / "robots.txt").write_text(f"Sitemap: {BASE}sitemap.xml\n", encoding="utf-8")
    return rehearse.Book(tmp_path, pages, URL, BASE)


def faults(book):
    with rehearse.served(book.html, book.below) as site:
        found = [*rehearse.address_faults(book), *rehearse.launch_faults(book)]
        return [*found, *rehearse.link_faults(book, site)]


PLANTED = (
    ("sitemap.xml", "noise.html", "nose.html", "nose.html is no page"),
    ("robots.txt", "Sitemap", "# Sitemap is not", "robots.txt does not"),
    (f"{NOISE}.html", f'"{BASE}{NOISE}', f'"http://localhost/{NOISE}', "canonical is http"),
    (f"{NOISE}.html", "_static/x.png", "_static/y.png", "there is no https"),
    (f"{NOISE}.html", 'og:image:alt"', 'og:image:other"', "without words"),
    (f"{NOISE}.html", "gh/some-one", "gh/executablebooks", "launches https"),
    (f"{NOISE}.html", "mip/noise.ipynb", "mip/nose.ipynb", "launches https"),
    (f"{NOISE}.html", LAUNCH, "", "no launch button"),
    (f"{NOISE}.html", "../other.html", "../none.html", "answers 404"),
    (f"{NOISE}.html", "#here", "#there", "has no such place"),
)


@pytest.mark.nightly
def test_a_good_site_has_no_fault_and_a_planted_one_is_found(book):
    assert faults(book) == []
    for name, old, new, said in PLANTED:
        kept = (book.html / name).read_text(encoding="utf-8")
        assert old in kept
        (book.html / name).write_text(kept.replace(old, new, 1), encoding="utf-8")
        found = faults(rehearse.Book(book.html, book.pages, URL, BASE))
        assert len([fault for fault in found if said in fault]) == 1, found
        (book.html / name).write_text(kept, encoding="utf-8")


@pytest.mark.nightly
def test_the_book_below_a_path_is_whole(browser, built_book, monkeypatch):
    """Every link of every page; the front page, one other and the search in the browser."""
    root = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["root"]
    book = rehearse.Book(built_book, PAGES, URL, BASE)
    with rehearse.served(built_book, book.below) as site:
        assert list(rehearse.link_faults(book, site)) == []
        assert list(rehearse.walk(browser, site, [NOISE])) == []
        assert list(rehearse.use(browser, site, root)) == []
        monkeypatch.setattr(rehearse, "SETTLE", 15_000)
        assert list(rehearse.use(browser, site, root, "qqzzxxyyww"))
