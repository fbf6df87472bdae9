"""Every guess, answer and button in the text of the built book, found on its pages."""

from __future__ import annotations

import json
import re
from itertools import cycle
from typing import Any

import driver
import numpy as np
import pytest
from pages import PAGES, words_alone
from playwright.sync_api import Locator, Page
from shared import ROOT

from mipbook.explore import Answer, DrawnGuess, Guess

ASKS = re.compile(r"\b(?:Guess|Answer)\(|\{set\}`")
ASKING = [
    page
    for page in PAGES
    for source in (ROOT / f"{page}.md", ROOT / f"{page}.ipynb")
    if source.is_file() and ASKS.search(source.read_text(encoding="utf-8"))
]
ASKED = re.compile(r'class="mb-asked"[^>]*><script[^>]*class="mb-spec">(.*?)</script>', re.DOTALL)
WAYS = ("mouse", "keyboard", "touch")
BLURS = "[...document.querySelectorAll('[inert]')].map((n) => getComputedStyle(n).filter)"
MOVED = """([id, wanted]) => {
  const { panel, dataset } = document.querySelector(`section#${id}`);
  return panel && dataset.settled !== "no"
    && Object.keys(wanted).every((name) => panel.values[name] === wanted[name]);
}"""
IN_SIGHT = """(id) => {
  const seen = document.querySelector(`#${id} .mb-plot`).getBoundingClientRect();
  return seen.top < innerHeight && seen.bottom > 0;
}"""


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


def check_guess(
    page: Page, asked: Locator, spec: dict[str, Any], still: frozenset[str] = frozenset()
) -> None:
    """Commit and take it back in each way; the last guess stays.

    What another guess veils too stays covered: the panels in ``still``.
    """
    veils = covered(page, spec)
    own = {**spec, "panels": [panel for panel in spec["panels"] if panel not in still]}
    assert all(veils), f"{spec['name']} does not cover what it names"
    for by in WAYS:
        press_again = asked.locator("[data-tool='Guess again']")
        if press_again.is_visible():
            press(press_again, by)
            assert covered(page, spec) == veils
            assert told(asked) == ""
        give(asked, spec, [spec["choices"][0]] if spec["input"] == "one" else 12345.5, by)
        assert spec["truth"].get("text", "dashed") in told(asked)
        assert spec["tag"] in told(asked)
        assert not any(covered(page, own))


def check_answer(asked: Locator, spec: dict[str, Any], ways: tuple[str, ...] = WAYS) -> None:
    """Answer wrong, with each known mistake, and right in these ways; the right answer stays."""
    assert told(asked) == ""
    if spec["input"] == "number":
        assert spec["truth"]["text"] not in asked.inner_text().split(), "the truth is told before"
    *wrong, right = tries(spec)
    turns = [*wrong, *[right] * len(ways)]
    for (given, verdict, says), by in zip(turns, cycle(ways), strict=False):
        if asked.locator("[data-tool=Clear]").is_visible():
            press(asked.locator("[data-tool=Clear]"), by)
            assert asked.get_attribute("data-verdict") == "none"
        give(asked, spec, given, by)
        assert asked.get_attribute("data-verdict") == verdict, f"{given}: {told(asked)}"
        assert says in told(asked)


def told(asked: Locator) -> str:
    return asked.locator(".mb-verdict[role=status]").inner_text()


@pytest.mark.parametrize("name", ASKING)
def test_guesses_and_answers_are_taken_kept_and_forgotten(browser, built_book, name):
    with words_alone(browser, has_touch=True) as page:
        opened(page, built_book, name)
        guesses, answers = asked_on(page, "guess"), asked_on(page, "answer")
        for i, (asked, spec) in enumerate(guesses):
            later = frozenset(panel for _, other in guesses[i + 1 :] for panel in other["panels"])
            check_guess(page, asked, spec, later)
        seen: set[str] = set()
        for (asked, spec), way in zip(answers, cycle(WAYS), strict=False):
            # The first of its kind on the page in all ways, the others in turn.
            check_answer(asked, spec, (way,) if spec["input"] in seen else WAYS)
            seen.add(spec["input"])
        said = [told(asked) for asked, _ in guesses + answers]
        page.reload()
        page.locator(".mb-asked:not(:has(form))").first.wait_for(state="detached")
        assert [told(asked) for asked, _ in guesses + answers] == said
        assert not any(cover for _, spec in guesses for cover in covered(page, spec))
        for asked, _ in guesses:
            asked.locator("[data-tool='Guess again']").click()
        for asked, _ in answers:
            asked.locator("[data-tool=Clear]").click()
        page.reload()
        page.locator(".mb-asked:not(:has(form))").first.wait_for(state="detached")
        assert not any(told(asked) for asked, _ in guesses + answers)
        for _, spec in guesses:
            assert all(covered(page, spec))
        if page.locator("[data-veil=guess]").count():
            driver.press(page.locator("[data-veil=guess]").first, "keyboard")
            assert page.locator("[data-asked=guess] :focus").count() == 1
            page.emulate_media(media="print")
            assert set(page.evaluate(BLURS)) == {"none"}
            page.emulate_media(media="screen")
        driver.lift_veils(page)
        assert not any(cover for _, spec in guesses for cover in covered(page, spec))


@pytest.mark.parametrize("name", ASKING)
def test_buttons_in_the_text_move_their_panels(browser, built_book, name):
    with words_alone(browser, has_touch=True) as page:
        opened(page, built_book, name)
        driver.lift_veils(page)
        buttons = page.locator("button.mb-set")
        for i, by in zip(range(buttons.count()), cycle(WAYS), strict=False):
            moves = buttons.nth(i).evaluate("(b) => b.dataset")
            wanted = json.loads(moves["values"])
            press(buttons.nth(i), by)
            driver.wait_until(page, MOVED, [moves["panel"], wanted])
            driver.wait_until(page, IN_SIGHT, moves["panel"])
            assert not driver.settle(page.locator(f"section#{moves['panel']}"))["failed"]


@pytest.mark.parametrize("name", ASKING)
def test_a_link_to_a_panel_is_not_covered(browser, built_book, name):
    text = (built_book / f"{name}.html").read_text(encoding="utf-8")
    # Without a script nothing is covered and nothing looks like a button.
    assert not re.search(r"\binert\b|mb-veil-notice|<button[^>]*mb-set", text)
    told = [json.loads(each) for each in ASKED.findall(text)]
    guesses = [spec for spec in told if spec["role"] == "guess" and spec["panels"]]
    if not guesses:
        return
    with words_alone(browser) as page:
        opened(page, built_book, name, "?" + "&".join(f"{s['panels'][0]}.any=1" for s in guesses))
        for spec in guesses:
            page.locator(f"#{spec['name']} form").wait_for(state="attached")
            assert not any(covered(page, spec))


PLACES = np.linspace(0, 2, 9)
WIDGET = """({ text, spec }) => new Promise((done) => {
  const source = text.replace("export default", "globalThis.widget =") + "\\nglobalThis.begin();";
  globalThis.begin = () => {
    globalThis.widget.render({ model: { get: () => spec }, el: document.body });
    done();
  };
  const script = document.createElement("script");
  script.textContent = source;
  document.body.append(script);
})"""


@pytest.mark.parametrize(
    "asked",
    [
        Guess(92.0, unit="of 1,000", name="widget"),
        DrawnGuess(PLACES, PLACES**2, low=0, high=4, x_label="x", y_label="y", name="widget"),
        Answer("widget", 0.4, tolerance=0.01, mistakes={0.2: "Half."}, label="ε"),
        Answer("widget", {"x", "y"}, choices=["x", "y", "z"], kind=""),
    ],
    ids=lambda asked: f"{type(asked).__name__}-{asked.describe()['input']}",
)
def test_the_same_works_as_a_widget(browser, tmp_path, asked):
    (tmp_path / "page.html").write_text(
        '<!DOCTYPE html><html lang="en"><title>A widget</title><body></body></html>'
    )
    with words_alone(browser, has_touch=True) as page:
        page.goto((tmp_path / "page.html").as_uri())
        widget = asked.widget()
        page.evaluate(WIDGET, {"text": widget._esm, "spec": widget.spec})
        page.add_style_tag(content=str(widget._css))
        for each, spec in asked_on(page, "guess"):
            check_guess(page, each, spec)
        for each, spec in asked_on(page, "answer"):
            check_answer(each, spec)
        assert page.locator(".mb-asked .mb-verdict:not(:empty)").count() == 1


def test_pages_ask_in_every_way():
    """Numbers, choices, several choices and curves stand in the book, and words that move."""
    text = "".join((ROOT / f"{page}.md").read_text(encoding="utf-8") for page in ASKING)
    for kind in ("Guess(", "DrawnGuess(", "Answer(", "choices=", "{set}`", ":::{veiled}"):
        assert kind in text
