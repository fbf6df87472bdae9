"""A hand that takes what a page asks: guesses and answers, by mouse, by keyboard, by touch."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import driver
from driver import press
from playwright.sync_api import Locator, Page

WAYS = ("mouse", "keyboard", "touch")
# A panel that comes to life above moves what stands below it; a click that begins before and ends
# after would be lost.
CALM = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const busy = ({ begun, dataset }) => begun && (dataset.settled ?? "no") === "no";
  do { await frame(); await frame(); }
  while ([...document.querySelectorAll("section.mb-explorable")].some(busy));
}"""


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
    """Answer as a reader would, once what stands there has come to rest."""
    asked.scroll_into_view_if_needed()
    asked.page.evaluate(CALM)
    submit = asked.locator("form button:not(.mb-pick)").first
    if spec["input"] == "number":
        box = asked.locator("input")
        box.fill(repr(given))
        if by == "keyboard":
            box.press("Enter")
        else:
            press(submit, by)
    elif spec["input"] == "mark":
        put(asked, by)
        press(submit, by)
    elif spec["input"] == "one":
        press(asked.locator(".mb-pick").nth(spec["choices"].index(given[0])), by)
    else:
        for i, choice in enumerate(spec["choices"]):
            box = asked.locator("input").nth(i)
            if box.is_checked() != (choice in given):
                box.press("Space") if by == "keyboard" else press(box, by)
        press(submit, by)


def put(asked: Locator, by: str) -> None:
    """Put the mark: in the picture by mouse or finger, by the slider where there is no picture."""
    dot = asked.page.locator(f"[data-mark={asked.get_attribute('id')}]:visible")
    if by == "keyboard" or not dot.count():
        (dot if dot.count() else asked.locator("input[type=range]")).press("ArrowUp")
    else:
        # A dot in the middle of its axis goes a little down or to the left.
        dot.scroll_into_view_if_needed()
        box = dot.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        asked.page.mouse.move(x, y)
        asked.page.mouse.down()
        asked.page.mouse.move(x - 20, y + 20, steps=4)
        asked.page.mouse.up()
    assert asked.locator("output").inner_text() != "?"


def asked_on(page: Page, role: str) -> list[tuple[Locator, dict[str, Any]]]:
    found = page.locator(f"[data-asked={role}]")
    return [(found.nth(i), found.nth(i).evaluate("(n) => n.asked")) for i in range(found.count())]


def covered(page: Page, spec: dict[str, Any]) -> list[bool]:
    """Tell of each thing that a guess asks for whether it is missing: in a picture, all words too."""
    return page.evaluate(
        """({ name, panels }) => [
          ...panels.map((id) => document.querySelector(`section#${id}`).panel)
            .filter((panel) => panel?.shownValues).map(({ picture }) =>
              picture.shown.data.some((t) => t.opacity === 0 && t.hoverinfo === "skip")
              && !picture.headline.node.textContent && !picture.sentence.node.textContent),
          ...[...document.querySelectorAll(`.mb-veiled[data-guess="${name}"]`)].map((n) => n.hidden)]""",
        spec,
    )


def check_guess(
    page: Page, asked: Locator, spec: dict[str, Any], still: frozenset[str] = frozenset()
) -> None:
    """Commit and take it back in each way; the last guess stays.

    What another guess asks for too stays away: in the panels in ``still``.
    """
    own = {**spec, "panels": [panel for panel in spec["panels"] if panel not in still]}
    assert all(covered(page, spec)), f"{spec['name']} shows what it asks for"
    for by in WAYS:
        press_again = asked.locator("[data-tool='Guess again']")
        if press_again.is_visible():
            press(press_again, by)
            driver.wait_until(page, SETTLED, spec["panels"])
            assert all(covered(page, spec))
            assert told(asked) == ""
        give(asked, spec, [spec["choices"][0]] if spec["input"] == "one" else 12345.5, by)
        driver.wait_until(page, SETTLED, spec["panels"])
        assert told(asked), f"{spec['name']} does not answer"
        assert spec.get("replies") or spec["truth"]["text"] in told(asked)
        assert not any(covered(page, own))


SETTLED = """(ids) => ids.every((id) => {
  const { dataset, begun } = document.querySelector(`section#${id}`) ?? { dataset: {} };
  return !begun || (dataset.settled ?? "no") !== "no";
})"""


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
        assert says in told(asked), f"{given}: {told(asked)}"


def told(asked: Locator) -> str:
    return asked.locator(".mb-verdict[role=status]").inner_text()


def soon(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until it holds: what is drawn follows what was touched."""
    for _ in range(50):
        if holds():
            return
        page.wait_for_timeout(100)
    assert holds()
