"""Cards of words and statements: by hover, focus and tap."""

import driver
import pytest
from pages import PHONE
from playwright.sync_api import expect

TERM = "article a:has(> .mb-term)"
CARD = "#mb-card"


@pytest.fixture(scope="module")
def words(book_page):
    with book_page("book/mip/definition") as page:
        yield page


def test_a_card_comes_by_hover_stays_while_hovered_and_goes_by_escape(words):
    link, card = words.locator(TERM).first, words.locator(CARD)
    name = link.get_attribute("href").partition("#term-")[2].partition("-")[0]
    expect(card).to_be_hidden()
    link.hover()
    expect(card).to_be_visible()
    assert link.get_attribute("aria-describedby") == "mb-card"
    assert card.inner_text().startswith(name)
    card.hover()
    words.wait_for_timeout(600)
    expect(card).to_be_visible()
    words.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert link.get_attribute("aria-describedby") is None
    link.hover()
    expect(card).to_be_visible()
    words.mouse.move(2, 400)
    expect(card).to_be_hidden()


def test_a_card_comes_by_focus_in_both_themes(words):
    link, card = words.locator(TERM).nth(1), words.locator(CARD)
    link.focus()
    expect(card).to_be_visible()
    for theme in ("dark", "light"):
        words.evaluate("(t) => { document.documentElement.dataset.theme = t }", theme)
        assert driver.axe_violations_in(words, {"include": [[CARD]]}) == []
    words.keyboard.press("Escape")
    expect(card).to_be_hidden()
    link.blur()
    link.focus()
    expect(card).to_be_visible()
    words.keyboard.press("Tab")
    expect(link).not_to_have_attribute("aria-describedby", "mb-card")


HERE = "article p a.reference.internal[href^='#limits-']"
ELSEWHERE = "article p a.reference.internal[href*='record.html#limits-']"


def test_the_card_of_a_statement_is_its_box(book_page):
    with book_page("book/mis/discrete-data") as page:
        card = page.locator(CARD)
        for links in (ELSEWHERE, HERE):
            link = page.locator(links).locator("visible=true").first
            name = link.get_attribute("href").split("#")[1]
            link.focus()
            expect(card).to_be_visible()
            expect(card).to_contain_text(link.inner_text().split(" of ")[0])
            expect(card.locator(".katex").first).to_be_visible()
            assert "\\(" not in card.inner_text()
            assert card.locator("[id], a, button").count() == 0
        said, box = card.locator("p").nth(1).inner_text(), page.locator(f"[id='{name}'] p").nth(1)
        # What is folded opens for whoever follows a link into it.
        page.evaluate("(name) => { location.hash = name; }", name)
        expect(box).to_be_visible()
        assert "".join(said.split()) == "".join(box.inner_text().split())


def test_the_first_tap_shows_the_card_and_the_second_follows(book_page):
    with book_page("book/mip/definition", viewport=PHONE, has_touch=True) as page:
        link, card = page.locator(TERM).first, page.locator(CARD)
        link.tap()
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert 0 <= box["x"] <= 390 - box["width"]
        link.tap()
        page.wait_for_url("**/glossary.html#term-*")
