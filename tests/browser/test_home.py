"""The front page: the game begins alone, its draw is seen, the way is a line."""

import json

import driver
import pytest
from pages import hold_storage, load_anew, load_page, open_page, panels_of

HOME = "book/index"
SIZES = [(1280, 800), (390, 844)]
LATER = (".mb-sentence", ".mb-tools", "[data-control='sigma']", "[data-control='line']")


def begun(page, book):
    load_page(page, book, HOME)  # to its top: what is asked further down stays asked
    game = panels_of(page)[0]
    driver.settle(game)
    return game


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_first_screen_is_one_line_a_picture_and_two_buttons(browser, built_book, width, height):
    with driver.watched(browser, viewport={"width": width, "height": height}) as page:
        game = begun(page, built_book)
        for part in (".mb-question", ".mb-plot", "[data-guess='in']", "[data-guess='out']", ".mb-all"):
            box = game.locator(part).bounding_box()
            assert 0 <= box["y"] <= height - box["height"], part
        assert not [part for part in LATER if game.locator(part).first.is_visible()]
        assert game.locator("button:visible").count() == 3
        assert not game.locator(".mb-handle:visible").count(), "a line can be dragged that is not there"
        line = page.locator("h1 ~ p").first
        lines = line.evaluate("(p) => p.offsetHeight / parseFloat(getComputedStyle(p).lineHeight)")
        assert lines < (1.5 if width > 600 else 2.5)
        assert game.locator(".mb-question strong").inner_text() == "Was Zoe one of the five?"


def test_a_phone_plays_at_the_first_touch(browser, built_book):
    with driver.watched(
        browser, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    ) as page:
        open_page(page, built_book, HOME)
        game = panels_of(page)[0]
        answer = game.locator("[data-guess='in']")
        answer.wait_for()
        assert not page.evaluate("'Plotly' in globalThis"), "this phone has drawn already"
        assert game.locator(".mb-question strong").inner_text() == "Was Zoe one of the five?"
        answer.tap()
        game.locator("[data-guess='next']").wait_for()
        driver.settle(game)
        assert "of 1 right" in game.locator(".mb-score:not(.mb-room)").inner_text()


@pytest.mark.parametrize("by", [pytest.param("mouse", marks=pytest.mark.nightly), "keyboard"])
def test_after_three_rounds_the_controls_come_one_a_round_and_stay(browser, built_book, by):
    with driver.watched(browser) as page:
        hold_storage(page, built_book)
        game = begun(page, built_book)
        for number in range(1, 8):
            assert (game.locator(".mb-afterwards").inner_text() == "") == (number <= 3)
            for control, since in (("line", 3), ("target", 4), ("sigma", 5), ("deck", 5)):
                assert game.locator(f"[data-control='{control}']").is_visible() == (number > since)
            driver.press(game.locator("[data-guess='in']"), by)
            button = game.locator("[data-guess='next']")
            button.wait_for()
            assert f"of {number} right" in game.locator(".mb-score:not(.mb-room)").inner_text()
            if number < 7:
                driver.press(button, by)
                game.locator("[data-guess='in']").wait_for()
                assert game.locator("[data-guess='in']").evaluate("(b) => b === document.activeElement")
        game.locator("[data-control='sigma']").wait_for()
        assert "membership inference attack" in game.locator(".mb-afterwards").inner_text()
        assert not [part for part in LATER if not game.locator(part).first.is_visible()]
        assert not game.locator(".mb-all").is_visible()
        # Who drags the line looks at the score; another noise is another game.
        for control, left in (("line", 7), ("sigma", 0)):
            game.locator(f"[data-control='{control}'] .mb-range").press("ArrowRight")
            driver.settle(game)
            score = json.loads(game.locator(".mb-rounds").get_attribute("data-score"))
            assert score["played"] == left, control
        load_anew(
            page,
            lambda page: driver.settle(panels_of(page)[0]),
            lambda: panels_of(page)[0].locator("[data-control='sigma']").is_visible(),
        )


def test_one_press_shows_all_at_once_and_so_does_an_address_or_a_sheet(browser, built_book):
    with driver.watched(browser) as page:
        game = begun(page, built_book)
        page.emulate_media(media="print")
        assert game.locator(".mb-sentence").is_visible()
        page.emulate_media(media="screen")
        driver.press(game.locator(".mb-all"), "keyboard")
        game.locator("[data-control='sigma']").wait_for()
        assert game.locator("[data-guess='in']").evaluate("(b) => b === document.activeElement")
    with driver.watched(browser) as page:
        open_page(page, built_book, HOME)
        page.goto(f"{page.url}?guess-round.sigma=8")
        game = panels_of(page)[0]
        assert driver.settle(game)["values"]["sigma"] == 8
        assert game.locator("[data-control='sigma']").is_visible()


PLACES = """(root) => Object.fromEntries(root.querySelector('.mb-plot').data.map(
  ({ name, x, y, opacity = 1, visible = true }) =>
    [name, { x: [...x], y: [...y], shown: visible ? opacity : 0 }]))"""


def told_meanwhile(page, game):
    """Go on to the next round, and return what is said until it asks."""
    said: dict[str, None] = {}  # in their order
    game.locator("[data-guess='next']").click()
    for _ in range(100):
        said[game.locator(".mb-question").inner_text()] = None
        if game.locator("[data-guess='in']").count():
            break
        page.wait_for_timeout(100)
    return list(said)


@pytest.mark.nightly
def test_the_draw_and_the_truth_are_seen(browser, built_book):
    with driver.watched(browser, reduced_motion="no-preference") as page:
        game = begun(page, built_book)
        start = game.evaluate(PLACES)
        game.locator("[data-guess='in']").click()
        page.wait_for_timeout(200)
        on_the_way = game.evaluate(PLACES)["the ten"]["y"]
        page.wait_for_timeout(3000)
        truth = game.evaluate(PLACES)
        walked = [i for i, y in enumerate(truth["the ten"]["y"]) if y != start["the ten"]["y"][i]]
        assert len(walked) == 5
        assert all(start["the ten"]["y"][i] < on_the_way[i] < truth["the ten"]["y"][i] + 1e-9 for i in walked)
        assert truth["their mean"]["shown"] == truth["the noise"]["shown"] == 1
        assert truth["five of them"]["shown"] == 0
        said = told_meanwhile(page, game)
        steps = [
            next(i for i, text in enumerate(said) if word in text) for word in ("by lot.", "summed", "kicks")
        ]
        assert steps == sorted(steps)
        after = game.evaluate(PLACES)
        assert after["the ten"] == start["the ten"]
        assert after["five of them"]["shown"] == 1
        assert after["their mean"]["shown"] == after["the noise"]["shown"] == 0
        # Who has seen it once is not told again what the sum and the noise do.
        game.locator("[data-guess='in']").click()
        assert not any("summed" in text or "kicks" in text for text in told_meanwhile(page, game))
