"""Every guess, answer and button in the text of the built book, found on its pages."""

from __future__ import annotations

import json
import re
from typing import Any

import driver
import pytest
from playwright.sync_api import Locator, Page
from shared import ROOT
from test_book_pages import PAGES

ASKS = re.compile(r"\b(?:Guess|Answer)\(|\{set\}`")
ASKING = [
    page
    for page in PAGES
    for source in (ROOT / f"{page}.md", ROOT / f"{page}.ipynb")
    if source.is_file() and ASKS.search(source.read_text(encoding="utf-8"))
]
WAYS = ("mouse", "keyboard", "touch")


def press(button: Locator, by: str) -> None:
    if by == "touch":
        button.scroll_into_view_if_needed()
        button.tap()
    else:
        driver.press(button, by)


def opened(page: Page, book: Any, name: str, query: str = "") -> None:
    page.goto(f"{(book / name).as_uri()}.html{query}")
    page.locator("section.mb-explorable, .mb-asked").first.wait_for(state="attached")


def wrong_number(spec: dict[str, Any]) -> float:
    """Return a number that is neither right nor a mistake that the page knows."""
    taken = [spec["truth"], *spec["mistakes"]]
    return 2.0 * max(abs(end) for each in taken for end in (each["low"], each["high"])) + 10.0


def tries(spec: dict[str, Any]) -> list[tuple[Any, str, str]]:
    """Return what to answer, the verdict, and what it says; the right answer last."""
    truth, mistakes = spec["truth"], spec["mistakes"]
    right = f"Right: {truth['text']}"
    if spec["input"] == "number":
        known = [((m["low"] + m["high"]) / 2, "wrong", m["why"]) for m in mistakes]
        middle = (truth["low"] + truth["high"]) / 2
        return [(wrong_number(spec), "wrong", "too large"), *known, (middle, "right", right)]
    picked = truth["picked"]
    known = [([m["pick"]], "wrong", m["why"]) for m in mistakes]
    others = [([c], "wrong", "Not yet") for c in spec["choices"] if c not in picked]
    part = [(picked[:1], "wrong", "something is missing")] if len(picked) > 1 else []
    return [*others, *known, *part, (picked, "right", right)]


def give(asked: Locator, spec: dict[str, Any], given: Any, by: str) -> None:
    """Answer as a reader would."""
    submit = asked.locator("form button:not(.mb-pick)").first
    if spec["input"] == "number":
        box = asked.locator("input")
        box.fill(repr(given))
        if by == "keyboard":
            box.press("Enter")
        else:
            press(submit, by)
    elif spec["input"] == "one":
        press(asked.locator(".mb-pick").nth(spec["choices"].index(given[0])), by)
    elif spec["input"] == "many":
        for i, choice in enumerate(spec["choices"]):
            box = asked.locator("input").nth(i)
            if box.is_checked() != (choice in given):
                box.press("Space") if by == "keyboard" else press(box, by)
        press(submit, by)
    else:
        draw(asked, by)
        press(submit, by)


def draw(asked: Locator, by: str) -> None:
    """Draw a line that rises across the empty axes."""
    picture, mouse = asked.locator("svg.mb-drawn"), asked.page.mouse
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    assert box is not None
    places = [(0.2 + 0.15 * i, 0.7 - 0.1 * i) for i in range(6)]
    dots = asked.locator("circle[role=slider]")
    before = [dots.nth(i).get_attribute("aria-valuenow") for i in range(dots.count())]
    if by == "keyboard":
        for i in range(dots.count()):
            dots.nth(i).press("ArrowUp" if i % 2 else "PageDown")
    elif by == "touch":
        for x, y in places:
            picture.tap(position={"x": x * box["width"], "y": y * box["height"]})
    else:
        spots = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in places]
        mouse.move(*spots[0])
        mouse.down()
        for spot in spots[1:]:
            mouse.move(*spot, steps=5)
        mouse.up()
    after = [dots.nth(i).get_attribute("aria-valuenow") for i in range(dots.count())]
    assert before != after


def asked_on(page: Page, role: str) -> list[tuple[Locator, dict[str, Any]]]:
    found = page.locator(f"[data-asked={role}]")
    return [(found.nth(i), found.nth(i).evaluate("(n) => n.asked")) for i in range(found.count())]


def covered(page: Page, spec: dict[str, Any]) -> list[bool]:
    """Tell of each thing that a guess veils whether nobody can see or reach it."""
    return page.evaluate(  # type: ignore[no-any-return]
        """({ name, panels }) => [...panels.map((id) => `section#${id}`),
            `.mb-veiled[data-guess="${name}"]`].flatMap((s) => [...document.querySelectorAll(s)])
          .map((n) => n.inert && n.ariaHidden === "true"
            && getComputedStyle(n).filter.startsWith("blur"))""",
        spec,
    )


def check_guess(page: Page, asked: Locator, spec: dict[str, Any], by: str) -> None:
    """Commit, read, come back, forget, and look without a guess."""
    veils = covered(page, spec)
    assert all(veils), f"{spec['name']} does not cover what it names"
    given = wrong_number({"truth": {"low": 1, "high": 1}, "mistakes": []})
    give(asked, spec, [spec["choices"][0]] if spec["input"] == "one" else given, by)
    result = asked.locator(".mb-verdict").inner_text()
    assert spec["truth"].get("text", "dashed") in result
    assert spec["tag"] in result
    assert not any(covered(page, spec))
    page.reload()
    asked.locator(".mb-verdict:not(:empty)").wait_for()
    assert asked.locator(".mb-verdict").inner_text() == result
    assert not any(covered(page, spec))
    press(asked.locator("[data-tool='Guess again']"), by)
    assert covered(page, spec) == veils
    assert asked.locator(".mb-verdict").inner_text() == ""
    if veils:
        press(page.locator("[data-veil=guess]").first, by)
        assert asked.locator(":focus").count() or page.locator("[data-asked=guess] :focus").count()
    page.reload()
    asked.locator("form").wait_for()
    assert covered(page, spec) == veils
    if veils:
        driver.lift_veils(page)
        assert not any(covered(page, spec))
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("name", ASKING)
def test_guesses_and_answers_of_a_page(browser, built_book, name, by):
    with driver.watched(browser, has_touch=by == "touch") as page:
        opened(page, built_book, name)
        for asked, spec in asked_on(page, "guess"):
            check_guess(page, asked, spec, by)
            page.reload()
        for asked, spec in asked_on(page, "answer"):
            truth = spec["truth"]["text"]
            assert asked.locator(".mb-verdict").inner_text() == ""
            if spec["input"] == "number":
                assert truth not in asked.inner_text().split(), "the truth is told before"
            for given, verdict, says in tries(spec):
                give(asked, spec, given, by)
                words = asked.locator(".mb-verdict[role=status]").inner_text()
                assert (asked.get_attribute("data-verdict"), says in words) == (verdict, True), (
                    words
                )
        page.reload()
        for asked, spec in asked_on(page, "answer"):
            assert asked.get_attribute("data-verdict") == "right", f"{spec['name']} is not kept"
            press(asked.locator("[data-tool=Clear]"), by)
            assert asked.get_attribute("data-verdict") == "none"
        page.reload()
        for asked, _ in asked_on(page, "answer"):
            assert asked.get_attribute("data-verdict") == "none"


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("name", ASKING)
def test_buttons_in_the_text_move_their_panels(browser, built_book, name, by):
    with driver.watched(browser, has_touch=by == "touch") as page:
        opened(page, built_book, name)
        driver.lift_veils(page)
        buttons = page.locator("button.mb-set")
        for i in range(buttons.count()):
            told = buttons.nth(i).evaluate("(b) => b.dataset")
            wanted = json.loads(told["values"])
            assert wanted, buttons.nth(i).inner_text()
            press(buttons.nth(i), by)
            panel = page.locator(f"section#{told['panel']}")
            driver.wait_until(
                page,
                """([id, wanted]) => {
                  const { panel, dataset } = document.querySelector(`section#${id}`);
                  return panel && dataset.settled !== "no"
                    && Object.keys(wanted).every((k) => panel.values[k] === wanted[k]);
                }""",
                [told["panel"], wanted],
            )
            driver.wait_until(
                page,
                """(id) => {
                  const seen = document.querySelector(`#${id} .mb-plot`).getBoundingClientRect();
                  return seen.top < innerHeight && seen.bottom > 0;
                }""",
                told["panel"],
            )
            assert not driver.settle(panel)["failed"]


def settled_spec(panel: Locator) -> dict[str, Any]:
    driver.settle(panel)
    return driver.spec_of(panel)


@pytest.mark.parametrize("name", ASKING)
def test_a_link_to_a_panel_is_never_covered_and_without_scripts_nothing_is(
    browser, built_book, name
):
    with driver.watched(browser) as page:
        opened(page, built_book, name)
        guesses = [spec for _, spec in asked_on(page, "guess") if spec["panels"]]
        for spec in guesses:
            panel = page.locator(f"section#{spec['panels'][0]}")
            panel.evaluate("(root) => root.scrollIntoView()")
            control = next(c for c in settled_spec(panel)["controls"] if c["stops"])
            query = f"?{spec['panels'][0]}.{control['name']}={control['labels'][-1]}"
            opened(page, built_book, name, query)
            asked = page.locator(f"#{spec['name']} form")
            asked.wait_for()
            assert not any(covered(page, spec))
    with driver.watched(browser, java_script_enabled=False) as page:
        opened(page, built_book, name)
        assert page.locator(".mb-veil, [inert]").count() == 0
        assert page.locator("button.mb-set").count() == 0


def test_pages_ask():
    assert ASKING
