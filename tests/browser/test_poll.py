"""A poll on a guess: codes on the students' pages, and what the teacher's page makes of them."""

import driver
import pytest

PAGE = "book/mip/noise.html"


def code(browser, built_book, choice: int) -> str:
    """What a student is told who opens the link for the class and answers."""
    with driver.watched(browser, viewport={"width": 390, "height": 844}) as page:
        page.goto(f"{(built_book / PAGE).as_uri()}?poll#guess")
        asked = page.locator("#guess")
        assert asked.locator(".mb-poll-code").count() == 0
        asked.locator(".mb-pick").nth(choice).press("Enter")
        told = asked.locator(".mb-poll-code")
        told.wait_for()
        return told.inner_text()


def test_a_class_is_counted_beside_the_truth(browser, built_book):
    said = [code(browser, built_book, choice) for choice in (0, 1, 1)]
    assert len(set(said)) == 2
    with driver.watched(browser, viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{(built_book / PAGE).as_uri()}?poll=count#guess")
        asked = page.locator("#guess")
        assert asked.locator("textarea").count() == 0, "the truth stands beside the bars"
        asked.locator(".mb-pick").nth(2).press("Enter")
        asked.get_by_label("Codes of the class").fill(f"{', '.join(said)} and good morning")
        bars = asked.locator(".mb-poll-bars li")
        counts = [bars.nth(i).get_attribute("data-count") for i in range(bars.count())]
        assert counts == ["1", "2", "0"]
        assert "2 of 3 (67%)" in bars.nth(1).inner_text()
        assert "4.48" in asked.locator(".mb-poll").inner_text()
        assert "3 codes of this question; 3 more not understood" in asked.inner_text()
        copied = asked.get_by_role("button", name="Copy the link for the class")
        assert copied.is_visible()


@pytest.mark.nightly
@pytest.mark.parametrize("search", ["", "?noise-over-spread.ratio=2"])
def test_a_reader_without_a_class_sees_none_of_it(browser, built_book, search):
    with driver.watched(browser, viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{(built_book / PAGE).as_uri()}{search}#guess")
        asked = page.locator("#guess")
        asked.locator(".mb-pick").nth(1).press("Enter")
        asked.locator(".mb-verdict").wait_for()
        assert asked.locator(".mb-poll, .mb-poll-code").count() == 0
