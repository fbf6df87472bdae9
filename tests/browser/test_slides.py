"""A lesson as slides, and its links: each opens its panel in the state that it names."""

import re

import driver
import pytest
from pages import LAPTOP, PHONE, load_page


@pytest.mark.nightly
def test_each_step_shows_its_question_then_its_panel_then_what_to_expect(browser, built_book):
    with driver.watched(browser, viewport=LAPTOP) as page:
        load_page(page, built_book, "book/teach/lesson-45")
        steps = page.locator(".mb-step")
        page.get_by_role("button", name="Slides").press("Enter")
        slides = page.locator("dialog.mb-slides")
        for i in range(steps.count()):
            title = steps.nth(i).locator("strong").first.inner_text()
            assert slides.locator("h2").inner_text() == title
            assert f"{i + 1} of {steps.count()}" in slides.inner_text()
            assert slides.locator("iframe").count() == 0, "the panel gives the answer away"
            first = steps.nth(i).locator("a.mb-show").first.inner_text()
            assert first in slides.locator(".mb-slide-words").inner_text(), "a question about nothing"
            assert slides.locator(".mb-slide-answer").inner_text() == ""
            page.keyboard.press("ArrowRight")
            frame = slides.frame_locator("iframe")
            frame.locator(".mb-plot .main-svg").first.wait_for()
            assert slides.locator(".mb-slide-answer").inner_text() == ""
            page.keyboard.press("ArrowRight")
            expected = steps.nth(i).locator("dt:text-is('Expect') + dd").inner_text()
            assert expected.split("\n")[0][:20] in slides.locator(".mb-slide-answer").inner_text()
            page.keyboard.press("ArrowRight")
        assert slides.get_by_role("button", name="Next").is_disabled()
        page.keyboard.press("ArrowLeft")
        assert slides.get_attribute("data-stage") == "question"
        page.keyboard.press("Escape")
        slides.wait_for(state="detached")
        assert page.evaluate("document.activeElement.textContent") == "Slides"


def test_the_clock_of_a_lesson_has_no_gap(built_book):
    ends = {"lesson-45": [45], "lesson-90": [90], "lesson-180": [180], "two-weeks": [90] * 4}
    for lesson, minutes in ends.items():
        html = (built_book / f"book/teach/{lesson}.html").read_text(encoding="utf-8")
        for part, end in zip(html.split('mb-lesson"')[1:], minutes, strict=True):
            told = re.findall(r"mb-step-time\"> (\d+):(\d\d)–(\d+):(\d\d), (\d+) minutes", part)
            assert len(told) == part.count("mb-step-time")
            now = 0
            for step in told:
                hour, minute, end_hour, end_minute, takes = map(int, step)
                assert (60 * hour + minute, 60 * end_hour + end_minute) == (now, now + takes)
                now += takes
            assert now == end


@pytest.mark.parametrize("width", [360, 1920])
def test_a_slide_fits_its_window(browser, built_book, width):
    with driver.watched(browser, viewport={"width": width, "height": 800}) as page:
        load_page(page, built_book, "book/teach/lesson-90")
        page.get_by_role("button", name="Slides").click()
        page.keyboard.press("ArrowRight")
        page.locator("dialog.mb-slides iframe").wait_for()
        dialog = "document.querySelector('dialog.mb-slides')"
        assert page.evaluate(f"{dialog}.scrollWidth <= {dialog}.clientWidth")


# --- A poll on a guess; what codes are and how they are counted is tested in node

PAGE = "book/pmp/choose-epsilon"


def asked_in(page, built_book, query: str, key: str):
    load_page(page, built_book, PAGE, f"?{query}#guess")
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
        load_page(page, built_book, PAGE)
        asked.locator(".mb-verdict:not(:empty)").wait_for()
        assert asked.locator(".mb-poll, .mb-poll-code").count() == 0
