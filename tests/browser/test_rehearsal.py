"""The rehearsal finds what a stranger would stumble over, and the book has nothing of it."""

import pytest
import rehearse
import yaml
from pages import PAGES
from shared import ROOT

URL, BASE = "https://github.com/some-one/the-book", "https://some-one.github.io/the-book/"
NOISE = "book/mip/noise"


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
