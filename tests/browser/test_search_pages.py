"""Who searches finds the page: in the words of the field, in a book that lies in a folder."""

import driver
import pytest
from shared import ROOT

from explorable.sphinx.search import rows

# Questions as somebody would type them, and the page that must come among the first three.
ASKED = {
    "Opacus noise multiplier": "book/jobs",
    "sigma 1.1": "book/jobs",
    "DP-SGD epsilon": "book/jobs",
    "canary exposure": "book/together/audit-your-model",
    "LiRA": "book/together/attack-with-shadows",
    "membership inference attack": "book/game/membership-game",
    "f-DP": "book/game/dp-as-hypothesis-test",
    "zCDP conversion": "book/together/translate",
    "choose epsilon": "book/pmp/choose-epsilon",
}
FOUND = "(links) => links.slice(0, 3).map((a) => new URL(a.href).pathname)"


@pytest.fixture(scope="module")
def searching(browser):
    with driver.watched(browser) as page:
        yield page


def found(page, built_book, query):
    page.goto((built_book / "search.html").as_uri() + "?q=" + query.replace(" ", "+"))
    page.wait_for_selector("ul.search li a")
    driver.wait_until(page, "/finished|found/i.test(document.querySelector('#search-results').innerText)")
    return page.locator("ul.search li > a").evaluate_all(FOUND)


@pytest.mark.parametrize(
    ("query", "wanted"),
    [*ASKED.items(), *(pytest.param(*row, marks=pytest.mark.nightly) for row in rows(ROOT))],
)
def test_the_page_comes_among_the_first_three(searching, built_book, query, wanted):
    first = found(searching, built_book, query)
    assert any(path.endswith(f"/{wanted}.html") for path in first), first


def test_what_is_told_of_code_comes_last(searching, built_book):
    first = found(searching, built_book, "Laplace")
    assert not any("/api/" in path for path in first)
