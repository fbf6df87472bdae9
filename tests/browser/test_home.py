"""The ways into the book: the game of the front page, one click to each job, and the search."""

import json
import re

import driver
import pytest
from pages import LAPTOP, PHONE, hold_storage, load_anew, load_page, panels_of
from shared import ROOT

from explorable.sphinx.map import places

HOME = "book/index"
LATER = (".mb-sentence", ".mb-tools", "[data-control='sigma']", "[data-control='line']")
ZOE = ".mb-question strong:text-is('Was Zoe one of the five?')"
NIGHTLY = pytest.mark.nightly
JOBS = re.findall(r"^- \[([^\]]+)\]\(jobs\.md#", (ROOT / f"{HOME}.md").read_text("utf-8"), flags=re.M)
HAS_FOCUS = "(node) => node === document.activeElement"
PLACES = """(root) => Object.fromEntries(root.querySelector('.mb-plot').data.map(
  ({ name, x, y, opacity = 1, visible = true }) =>
    [name, { x: [...x], y: [...y], shown: visible ? opacity : 0 }]))"""
# Questions as somebody would type them, and the page that each is to find.
ASKED = {
    "Opacus noise multiplier": "book/jobs",
    "sigma 1.1": "book/jobs",
    "LiRA": "book/together/attack-with-shadows",
    "membership inference attack": "book/game/membership-game",
    "f-DP": "book/game/dp-as-hypothesis-test",
}
NAMED = {words: page for words, page, _ in places(ROOT)}
FOUND = "(links) => links.slice(0, 3).map((a) => new URL(a.href).pathname)"
# The words of the whole book are read once, which takes a second.
SEARCH = """(query) => {
  history.replaceState(null, "", `?q=${encodeURIComponent(query)}`);
  document.querySelector("#search-results").replaceChildren();
  Search.performSearch(query);
}"""
FINISHED = "/finished|found/i.test(document.querySelector('#search-results').innerText)"


def begun(page, book):
    load_page(page, book, HOME)  # to its top: what is asked further down stays asked
    game = panels_of(page)[0]
    driver.settle(game)
    return game


def shown_of_later(game):
    return [part for part in LATER if game.locator(part).first.is_visible()]


@pytest.mark.parametrize(("size", "most"), [(LAPTOP, 1.5), (PHONE, 2.5)])
def test_the_first_screen_is_one_line_a_picture_and_two_buttons(browser, built_book, size, most):
    with driver.watched(browser, viewport=size) as page:
        game = begun(page, built_book)
        for part in (".mb-question", ".mb-plot", "[data-guess='in']", "[data-guess='out']", ".mb-all"):
            box = game.locator(part).bounding_box()
            assert 0 <= box["y"] <= size["height"] - box["height"], part
        assert not shown_of_later(game)
        assert game.locator("button:visible").count() == 3
        assert not game.locator(".mb-handle:visible").count(), "a line can be dragged that is not there"
        lines = "(p) => p.offsetHeight / parseFloat(getComputedStyle(p).lineHeight)"
        assert page.locator("h1 ~ p").first.evaluate(lines) < most
        assert game.locator(ZOE).is_visible()


def test_a_phone_plays_at_the_first_touch(browser, built_book):
    with driver.watched(browser, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        load_page(page, built_book, HOME)  # lifting a veil would be a touch
        game = panels_of(page)[0]
        game.locator("[data-guess='in']").wait_for()
        assert not page.evaluate("'Plotly' in globalThis"), "this phone has drawn already"
        assert game.locator(ZOE).is_visible()
        game.locator("[data-guess='in']").tap()
        game.locator("[data-guess='next']").wait_for()
        driver.settle(game)
        assert "of 1 right" in game.locator(".mb-score:not(.mb-room)").inner_text()


@pytest.mark.parametrize("by", [pytest.param("mouse", marks=NIGHTLY), "keyboard"])
def test_after_three_rounds_the_controls_come_and_stay(browser, built_book, by):
    with driver.watched(browser) as page:
        hold_storage(page, built_book)
        game = begun(page, built_book)
        member, button = game.locator("[data-guess='in']"), game.locator("[data-guess='next']")
        for number in range(1, 8):
            assert (game.locator(".mb-afterwards").inner_text() == "") == (number <= 3)
            for control, since in (("line", 3), ("target", 3), ("sigma", 4), ("deck", 4)):
                assert game.locator(f"[data-control='{control}']").is_visible() == (number > since)
            driver.press(member, by)
            button.wait_for()
            score = game.locator(".mb-score:not(.mb-room)").inner_text()
            assert f"of {number} right" in score
            assert ("The best player" in score) == (number >= 3)
            if number == 4:
                # The line lies between the dots, also between those of a round that is solved.
                game.locator("[data-control='line'] .mb-range").press("ArrowRight")
                driver.settle(game)
                assert button.is_enabled()
                assert not member.count(), "a solved round is asked again"
            if number < 7:
                driver.press(button, by)
                member.wait_for()
                assert member.evaluate(HAS_FOCUS)
        assert "membership inference attack" in game.locator(".mb-afterwards").inner_text()
        assert len(shown_of_later(game)) == len(LATER)
        assert not game.locator(".mb-all").is_visible()
        # Who drags the line looks at the score; another noise is another game.
        # Its truth is not known: it deals the next round.
        for control, left, dealt in (("line", 7, 6), ("sigma", 0, 7)):
            game.locator(f"[data-control='{control}'] .mb-range").press("ArrowRight")
            assert driver.settle(game)["values"]["round"] == dealt
            assert json.loads(game.locator(".mb-rounds").get_attribute("data-score"))["played"] == left
        load_anew(
            page, lambda page: driver.settle(game), game.locator("[data-control='sigma']").is_visible, True
        )


def test_one_press_shows_all_at_once_and_so_does_an_address_or_a_sheet(browser, built_book):
    with driver.watched(browser) as page:
        game = begun(page, built_book)
        page.emulate_media(media="print")
        assert game.locator(".mb-sentence").is_visible()
        page.emulate_media(media="screen")
        driver.press(game.locator(".mb-all"), "keyboard")
        game.locator("[data-control='sigma']").wait_for()
        assert game.locator("[data-guess='in']").evaluate(HAS_FOCUS)
    with driver.watched(browser) as page:
        load_page(page, built_book, HOME, "?guess-round.sigma=8")
        game = panels_of(page)[0]
        assert driver.settle(game)["values"]["sigma"] == 8
        assert game.locator("[data-control='sigma']").is_visible()


def told_meanwhile(page, game) -> str:
    """Go on to the next round, and return what is said until it asks."""
    said: dict[str, None] = {}  # in their order
    game.locator("[data-guess='next']").click()
    for _ in range(100):
        said[game.locator(".mb-question").inner_text()] = None
        if game.locator("[data-guess='in']").count():
            break
        page.wait_for_timeout(100)
    return " ".join(said)


@pytest.mark.nightly
def test_the_draw_and_the_truth_are_seen(browser, built_book):
    with driver.watched(browser, reduced_motion="no-preference") as page:
        game = begun(page, built_book)
        start = game.evaluate(PLACES)
        game.locator("[data-guess='in']").click()
        page.wait_for_timeout(200)
        midway = game.evaluate(PLACES)
        page.wait_for_timeout(3000)
        truth = game.evaluate(PLACES)
        paths = zip(*(seen["the ten"]["y"] for seen in (start, midway, truth)), strict=True)
        walked = [path for path in paths if path[0] != path[2]]
        assert len(walked) == 5
        assert all(min(a, c) - 1e-9 < b < max(a, c) + 1e-9 for a, b, c in walked)
        assert truth["their mean"]["shown"] == truth["the noise"]["shown"] == 1
        assert truth["five of them"]["shown"] == 0
        assert re.search("by lot.*summed.*kicks", told_meanwhile(page, game), re.DOTALL)
        after = game.evaluate(PLACES)
        assert after["the ten"] == start["the ten"]
        assert after["five of them"]["shown"] == 1
        assert after["their mean"]["shown"] == after["the noise"]["shown"] == 0
        # Who has seen it once is not told again what the sum and the noise do.
        game.locator("[data-guess='in']").click()
        assert not re.search("summed|kicks", told_meanwhile(page, game))
    # Who will not wait presses anywhere in the panel, or Escape.
    for key in (None, "Escape"):
        with driver.watched(browser, reduced_motion="no-preference") as page:
            game = begun(page, built_book)
            game.locator("[data-guess='in']").click()
            game.locator("[data-guess='next']").click()
            page.wait_for_timeout(500)
            assert not game.locator("[data-guess='in']").count()
            page.keyboard.press(key) if key else game.locator(".mb-question").click()
            game.locator("[data-guess='in']").wait_for(timeout=1000)
            page.wait_for_timeout(1200)
            assert "Was" in game.locator(".mb-question strong").inner_text()


@pytest.mark.parametrize("job", [JOBS[0], *(pytest.param(job, marks=NIGHTLY) for job in JOBS[1:])])
def test_one_click_from_the_front_page_a_panel_answers(book_page, job):
    with book_page(HOME) as page:
        page.get_by_role("link", name=job, exact=True).click()
        page.wait_for_url("**/jobs.html#*")
        page.locator(":target").get_by_role("heading").first.wait_for()
        assert "In Python" in page.locator(":target").inner_text()
        panel = page.locator(":target section.mb-explorable").first
        driver.lift_veils(page)
        assert driver.settle(panel)["sentence"]
        control = next(c for c in driver.spec_of(panel)["controls"] if c["kind"] == "slider")
        line = panel.locator(".mb-command code").all_inner_texts()
        driver.move_and_compare(panel, control, 1, "keyboard", rtol=2e-7)
        # The line of the terminal goes with the panel.
        assert not line or panel.locator(".mb-command code").inner_text() != line[0]


@pytest.mark.parametrize("asked", [ASKED, pytest.param(NAMED, marks=NIGHTLY)], ids=["typed", "named"])
def test_the_page_comes_among_the_first_three_and_what_is_told_of_code_comes_last(browser, built_book, asked):
    with driver.watched(browser) as page:
        load_page(page, built_book, "search", "?q=membership+inference+attack")
        driver.wait_until(page, FINISHED)

        def first(query):
            page.evaluate(SEARCH, query)
            page.wait_for_selector("ul.search li a")
            driver.wait_until(page, FINISHED)
            return page.locator("ul.search li > a").evaluate_all(FOUND)

        for query, wanted in asked.items():
            found = first(query)
            assert any(path.endswith(f"/{wanted}.html") for path in found), f"{query}: {found}"
        assert not any("/api/" in path for path in first("Laplace"))


def test_what_a_game_said_stays_when_another_setting_deals_a_round(book_page):
    with book_page("book/pmp/exponential", viewport=PHONE) as page:
        driver.play_games(page)
        panel = page.locator("section#which-wheel")
        said, high = panel.locator(".mb-afterwards").inner_text(), "(root) => root.offsetHeight"
        height = panel.evaluate(high)
        assert said
        panel.evaluate("(root) => root.panel.set('epsilon', 1)")
        driver.settle(panel)
        panel.locator(".mb-question").wait_for()
        assert panel.locator(".mb-afterwards").inner_text() == said
        assert panel.evaluate(high) == pytest.approx(height, abs=1)
