"""What opens over a page: cards of words and statements, a lesson as slides, and the poll of a class."""

import re

import driver
import pytest
from pages import LAPTOP, PHONE, load_page
from playwright.sync_api import expect

TERM, CARD = "article a:has(> .mb-term)", "#mb-card"

HERE = "article p a.reference.internal[href^='#limits-']"
ELSEWHERE = "article p a.reference.internal[href*='record.html#limits-']"
# What codes are and how they are counted is tested in node.
POLLED = "book/pmp/choose-epsilon"


def test_a_card_comes_by_hover_or_focus_stays_while_hovered_and_goes_by_escape(book_page):
    with book_page("book/mip/definition") as page:
        link, other, card = page.locator(TERM).first, page.locator(TERM).nth(1), page.locator(CARD)
        expect(card).to_be_hidden()
        link.hover()
        expect(card).to_be_visible()
        assert link.get_attribute("aria-describedby") == "mb-card"
        name = link.get_attribute("href").partition("#term-")[2].partition("-")[0]
        assert card.inner_text().startswith(name)
        card.hover()
        page.wait_for_timeout(600)
        expect(card).to_be_visible()
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        assert link.get_attribute("aria-describedby") is None
        link.hover()
        expect(card).to_be_visible()
        page.mouse.move(2, 400)
        expect(card).to_be_hidden()
        other.focus()
        expect(card).to_be_visible()
        for theme in ("dark", "light"):
            page.evaluate("(t) => { document.documentElement.dataset.theme = t }", theme)
            assert driver.axe_violations_in(page, {"include": [[CARD]]}) == []
        page.keyboard.press("Tab")
        expect(other).not_to_have_attribute("aria-describedby", "mb-card")


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
        page.wait_for_function("globalThis.mipbook")
        link.tap()
        expect(card).to_be_visible()
        box = card.bounding_box()
        assert 0 <= box["x"] <= 390 - box["width"]
        link.tap()
        page.wait_for_url("**/glossary.html#term-*")


@pytest.mark.nightly
def test_each_step_shows_its_question_then_its_panel_then_what_to_expect(book_page):
    with book_page("book/teach/lesson-45", viewport=LAPTOP) as page:
        steps, slides = page.locator(".mb-step"), page.locator("dialog.mb-slides")
        answer = slides.locator(".mb-slide-answer")
        page.get_by_role("button", name="Slides").press("Enter")
        for i, step in enumerate(steps.all()):
            assert slides.locator("h2").inner_text() == step.locator("strong").first.inner_text()
            assert f"{i + 1} of {steps.count()}" in slides.inner_text()
            assert slides.locator("iframe").count() == 0, "the panel gives the answer away"
            first = step.locator("a.mb-show").first.inner_text()
            assert first in slides.locator(".mb-slide-words").inner_text(), "a question about nothing"
            assert answer.inner_text() == ""
            page.keyboard.press("ArrowRight")
            slides.frame_locator("iframe").locator(".mb-plot .main-svg").first.wait_for()
            assert answer.inner_text() == ""
            page.keyboard.press("ArrowRight")
            expected = step.locator("dt:text-is('Expect') + dd").inner_text()
            assert expected.split("\n")[0][:20] in answer.inner_text()
            page.keyboard.press("ArrowRight")
        assert slides.get_by_role("button", name="Next").is_disabled()
        page.keyboard.press("ArrowLeft")
        assert slides.get_attribute("data-stage") == "question"
        page.keyboard.press("Escape")
        slides.wait_for(state="detached")
        assert page.evaluate("document.activeElement.textContent") == "Slides"


@pytest.mark.parametrize("width", [360, 1920])
def test_a_slide_fits_its_window(book_page, width):
    with book_page("book/teach/lesson-90", viewport={"width": width, "height": 800}) as page:
        page.get_by_role("button", name="Slides").click()
        page.keyboard.press("PageDown")  # as a remote control does
        page.locator("dialog.mb-slides iframe").wait_for()
        fits = "({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth"
        assert page.locator("dialog.mb-slides").evaluate(fits)


def test_the_clock_of_a_lesson_has_no_gap(built_book):
    for lesson in ("lesson-45", "lesson-90", "lesson-180", "two-weeks"):
        html = (built_book / f"book/teach/{lesson}.html").read_text(encoding="utf-8")
        for part in html.split('mb-lesson"')[1:]:
            told, now = re.findall(r"mb-step-time\"> (\d+):(\d\d)–(\d+):(\d\d), (\d+) minutes", part), 0
            assert len(told) == part.count("mb-step-time") > 1
            for step in told:
                hour, minute, end_hour, end_minute, takes = map(int, step)
                assert (60 * hour + minute, 60 * end_hour + end_minute) == (now, now + takes)
                now += takes


def asked_in(page, built_book, query: str, key: str):
    load_page(page, built_book, POLLED, f"?{query}#guess")
    asked = page.locator("#guess")
    assert asked.locator(".mb-poll-code, textarea").count() == 0, "the truth stands beside the bars"
    asked.locator("input[type=range]").press(key)
    asked.locator("form button").first.press("Enter")
    return asked


@pytest.mark.nightly
def test_a_class_is_counted_beside_the_truth(browser, built_book):
    with driver.watched(browser, viewport=PHONE) as page:
        code = asked_in(page, built_book, "poll", "End").locator(".mb-poll-code").inner_text()
    with driver.watched(browser, viewport=LAPTOP) as page:
        asked = asked_in(page, built_book, "poll=count", "ArrowUp")
        asked.get_by_label("Codes of the class").fill(f"{code}, {code} and good morning")
        bars = asked.locator(".mb-poll-bars li")
        assert [bar.get_attribute("data-count") for bar in bars.all()] == ["0", "0", "2"]
        assert "2 of 2 (100%)" in bars.nth(2).inner_text()
        assert "The truth: " in asked.locator(".mb-poll").inner_text()
        assert "2 codes of this question; 3 more not understood" in asked.inner_text()
        assert asked.get_by_role("button", name="Copy the link for the class").is_visible()
        # A reader without a class sees none of it.
        load_page(page, built_book, POLLED)
        asked.locator(".mb-verdict:not(:empty)").wait_for()
        assert asked.locator(".mb-poll, .mb-poll-code").count() == 0
