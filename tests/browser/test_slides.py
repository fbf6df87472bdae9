"""A lesson as slides, and its links: each opens its panel in the state that it names."""

import re

import driver
import pytest

LESSONS = ("lesson-45", "lesson-90", "lesson-180", "two-weeks")


@pytest.mark.nightly
def test_each_step_shows_its_question_then_its_panel_then_what_to_expect(browser, built_book):
    with driver.watched(browser, viewport={"width": 1280, "height": 800}) as page:
        page.goto((built_book / "book/teach/lesson-45.html").as_uri())
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


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_clock_of_a_lesson_has_no_gap(built_book, lesson):
    html = (built_book / f"book/teach/{lesson}.html").read_text(encoding="utf-8")
    parts = html.split('mb-lesson"')[1:]
    assert len(parts) == (4 if lesson == "two-weeks" else 1)
    for part in parts:
        told = re.findall(r"mb-step-time\"> (\d+):(\d\d)–(\d+):(\d\d), (\d+) minutes", part)
        assert len(told) == part.count("mb-step-time")
        now = 0
        for hour, minute, end_hour, end_minute, minutes in [map(int, found) for found in told]:
            assert (60 * hour + minute, 60 * end_hour + end_minute) == (now, now + minutes)
            now += minutes
        assert now in (45, 90, 180)


@pytest.mark.parametrize("width", [360, 1920])
def test_a_slide_fits_its_window(browser, built_book, width):
    with driver.watched(browser, viewport={"width": width, "height": 800}) as page:
        page.goto((built_book / "book/teach/lesson-90.html").as_uri())
        page.get_by_role("button", name="Slides").click()
        page.keyboard.press("ArrowRight")
        page.locator("dialog.mb-slides iframe").wait_for()
        dialog = "document.querySelector('dialog.mb-slides')"
        assert page.evaluate(f"{dialog}.scrollWidth <= {dialog}.clientWidth")


# --- A poll on a guess; what codes are and how they are counted is tested in node

PAGE = "book/pmp/choose-epsilon.html"


def asked_in(page, built_book, query: str, key: str):
    """Open the link for a class or its teacher, put the mark by its slider, and commit."""
    page.goto(f"{(built_book / PAGE).as_uri()}?{query}#guess")
    asked = page.locator("#guess")
    assert asked.locator(".mb-poll-code, textarea").count() == 0, "the truth stands beside the bars"
    asked.locator("input[type=range]").press(key)
    asked.locator("form button").first.press("Enter")
    return asked


@pytest.mark.nightly
def test_a_class_is_counted_beside_the_truth(browser, built_book):
    with driver.watched(browser, viewport={"width": 390, "height": 844}) as page:
        code = asked_in(page, built_book, "poll", "End").locator(".mb-poll-code").inner_text()
    with driver.watched(browser, viewport={"width": 1280, "height": 800}) as page:
        asked = asked_in(page, built_book, "poll=count", "ArrowUp")
        asked.get_by_label("Codes of the class").fill(f"{code}, {code} and good morning")
        bars = asked.locator(".mb-poll-bars li")
        assert [bar.get_attribute("data-count") for bar in bars.all()] == ["0", "0", "2"]
        assert "2 of 2 (100%)" in bars.nth(2).inner_text()
        assert "The truth: " in asked.locator(".mb-poll").inner_text()
        assert "2 codes of this question; 3 more not understood" in asked.inner_text()
        assert asked.get_by_role("button", name="Copy the link for the class").is_visible()
        # A reader without a class sees none of it.
        page.goto((built_book / PAGE).as_uri())
        asked.locator(".mb-verdict:not(:empty)").wait_for()
        assert asked.locator(".mb-poll, .mb-poll-code").count() == 0
