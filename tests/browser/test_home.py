"""The front page: the game in the first screen, the map as a picture or as a list."""

import driver
import pytest
from pages import open_page, panels_of

HOME = "book/index"


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_question_buttons_and_picture_are_in_the_first_screen(browser, built_book, width, height):
    with driver.watched(browser, viewport={"width": width, "height": height}) as page:
        open_page(page, built_book, HOME)
        game = panels_of(page)[0]
        driver.settle(game)
        for part in (".mb-question", ".mb-plot", "[data-guess='in']", "[data-guess='out']"):
            box = game.locator(part).bounding_box()
            assert box is not None
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part


def test_the_map_is_a_picture_where_there_is_room_and_a_list_on_a_phone(browser, built_book):
    with driver.watched(browser, viewport={"width": 1280, "height": 800}) as page:
        open_page(page, built_book, HOME)
        picture, listed = page.locator("svg.mb-map"), page.locator(".mb-map-list")
        assert picture.is_visible()
        assert not listed.is_visible()
        wide = page.evaluate(
            "[...document.querySelectorAll('.mb-map a')].map((a) => a.querySelector('text')"
            ".getBBox().width - a.querySelector('rect').getBBox().width)"
        )
        assert max(wide) < -12, "a title is wider than its box"
        picture.locator("a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/from-reconstruction.html")
    with driver.watched(browser, viewport={"width": 390, "height": 844}) as page:
        open_page(page, built_book, HOME)
        assert not page.locator("svg.mb-map").is_visible()
        assert page.locator(".mb-map-list").is_visible()
        links = page.locator(".mb-map-list a[href*='/'], .mb-map-list a").count()
        assert links >= page.locator("svg.mb-map a").count()
