"""A page's first picture is there soon, against a small page that never changes; by night."""

import sys

import pytest
from shared import ROOT

sys.path.insert(0, str(ROOT / "tests" / "benchmarks"))
import first_picture

WORDS = "<p>" + "Words of a page that never changes. " * 40 + "</p>"
PICTURE = '<div class="mb-first"><svg><path d="M0 0h9"/></svg></div>'
SMALL = f"<!DOCTYPE html><title>Small</title>{WORDS * 20}{PICTURE}"
# How many times what the small page takes on a phone, on a busy machine; and what comes unasked.
MOST = {"picture": 16, "kilobytes": 600, "requests": 25, "shift": 0.02}


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["book/mip/noise", "book/game/membership-game"])
def test_a_phone_shows_the_first_picture_soon(browser, built_book, tmp_path, name):
    (tmp_path / "small.html").write_text(SMALL, encoding="utf-8")
    with first_picture.hosted(tmp_path) as small, first_picture.hosted(built_book) as book:
        least = [first_picture.looked(browser, "phone", f"{small}/small.html") for _ in range(2)]
        found = first_picture.looked(browser, "phone", f"{book}/{name}.html")
    found["picture"] /= min(each["picture"] for each in least)
    assert {what: found[what] for what, most in MOST.items() if found[what] > most} == {}
