"""What all browser tests share: a watched page, and a hand that moves a panel."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Locator,
    Page,
    Request,
)

from mipbook.explore.pack import plain

# Voila ships an older JupyterLab core than its extensions ask for, and says so itself.
VOILA_CHATTER = ("Unsatisfied version", "No satisfying version")
SETTLE = 60_000


@dataclass
class Watch:
    """What a page asked of other hosts, and what it complained about."""

    host: str | None
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def on_request(self, request: Request) -> None:
        own = ("file:", "data:", "blob:") + ((self.host,) if self.host else ())
        if not request.url.startswith(own):
            self.requests.append(request.url)

    def on_console(self, message: ConsoleMessage) -> None:
        chatter = self.host and message.text.startswith(VOILA_CHATTER)
        if message.type in ("error", "warning") and not chatter:
            self.complaints.append(f"{message.type}: {message.text}")

    def check(self) -> None:
        assert not self.requests, f"asked another host: {self.requests}"
        assert not self.complaints, f"the console is not silent: {self.complaints}"


@contextmanager
def watched(browser: Browser, host: str | None = None, **options: Any) -> Iterator[Page]:
    """Open a page whose every request and complaint is recorded, and judged at the end.

    Nothing moves by itself: what flashes is painted sixty times a second, at every step.
    """
    options.setdefault("viewport", {"width": 1200, "height": 900})
    options.setdefault("reduced_motion", "reduce")
    context: BrowserContext = browser.new_context(offline=host is None, **options)
    watch = Watch(host)
    context.on("request", watch.on_request)
    context.on("console", watch.on_console)
    context.on("weberror", lambda error: watch.complaints.append(f"page error: {error.error}"))
    context.set_default_navigation_timeout(SETTLE)
    try:
        yield context.new_page()
        watch.check()
    finally:
        context.close()


# The insides of formulas and plots, thousands of nodes, are told by a label, which is looked at.
TOLD_ELSEWHERE = "mjx-container, .mb-plot"
TAKE_OUT = """(selector) => {
  const range = document.createRange();
  const found = [...document.querySelectorAll(selector)].map((node) => {
    range.selectNodeContents(node);
    const { width, height } = range.getBoundingClientRect();
    return { node, width, height, inside: [...node.childNodes] };
  });
  for (const { node, width, height } of found) {
    const word = document.createElement("span");
    word.textContent = "x";
    word.style = `display: inline-block; width: ${width}px; height: ${height}px`;
    node.replaceChildren(word);
  }
  window.takenOut = found;
}"""
PUT_BACK = """() => {
  for (const { node, inside } of window.takenOut) node.replaceChildren(...inside);
}"""
# Whether a word can be read follows from its look: a few of each are enough, also of those in
# folded lines, and of the words of code, thousands on a page.
MARK_LOOKS = """() => {
  const closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((node) => node.setAttribute("open", ""));
  const grounds = new Map();
  const ground = (node) => {
    if (!node) return "";
    if (!grounds.has(node)) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(node);
      const through = !backgroundColor.startsWith("rgb(") || opacity !== "1";
      const below = through ? ground(node.parentElement) : "";
      grounds.set(node, [backgroundColor, backgroundImage, opacity, below].join());
    }
    return grounds.get(node);
  };
  const looks = new Map();
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let word = words.nextNode(); word; word = words.nextNode()) {
    const node = word.parentElement;
    // Of a single letter axe says nothing, and of what is covered neither: so two words of each.
    const seen = node.checkVisibility({ visibilityProperty: true });
    if (!seen || word.data.trim().length < 2) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(node);
    const look = [color, fontSize, fontWeight, textShadow, ground(node)].join();
    looks.set(look, (looks.get(look) ?? 0) + 1);
    if (looks.get(look) <= 2) node.setAttribute("data-look", "");
  }
  window.opened = closed;
}"""
UNMARK = """() => {
  document.querySelectorAll("[data-look]").forEach((node) => node.removeAttribute("data-look"));
  window.opened.forEach((node) => node.removeAttribute("open"));
}"""
# axe would fetch the style sheets again, which a page from a file may not.
AXE_OPTIONS = {"preload": False, "resultTypes": ["violations"]}
BUT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


def axe_violations(page: Page, *, colours_only: bool = False) -> list[str]:
    """Return axe-core's serious and critical findings, of all its rules or of that on colours."""
    page.evaluate(TAKE_OUT, TOLD_ELSEWHERE)
    found = [] if colours_only else axe_violations_in(page, None, BUT_COLOURS)
    page.evaluate(MARK_LOOKS)
    found += axe_violations_in(page, {"include": [["[data-look]"]]}, COLOURS)
    page.evaluate(UNMARK)
    page.evaluate(PUT_BACK)
    return found


def axe_violations_in(
    page: Page, context: Any, options: Mapping[str, Any] = MappingProxyType({})
) -> list[str]:
    """Return what axe-core finds in a part of the page, with all that stands in it."""
    found = Axe().run(page, context, {**AXE_OPTIONS, **options}).response["violations"]
    return [
        f"{v['id']}: {v['help']}: {[n['html'][:160] for n in v['nodes'][:3]]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def lift_veils(page: Page) -> None:
    """Show what a guess of the page veils, as a reader may ask for it."""
    while (anyway := page.locator("[data-veil=show]")).count():
        anyway.first.click()


def read(panel: Locator) -> dict[str, Any]:
    """Return what the panel shows: values, drawn traces, texts."""
    # As one text: playwright looks at every number of a list on its own.
    shown = panel.evaluate(
        """(root) => {
          const list = (a) => ArrayBuffer.isView(a) || Array.isArray(a) ? Array.from(a, list)
            : (typeof a === "number" && !Number.isFinite(a) ? null : a);
          const plot = root.querySelector(".mb-plot");
          const keys = ["x", "y", "z", "text", "customdata", "name", "visible"];
          return JSON.stringify({
            values: JSON.parse(root.dataset.settled),
            failed: !root.querySelector(".mb-error").hidden,
            error: root.querySelector(".mb-error").textContent,
            sentence: root.querySelector(".mb-sentence").textContent,
            alt: plot.dataset.alt,
            data: (plot.data ?? []).filter((t) => t.meta !== "ghost").map((t) => Object.fromEntries(
              keys.filter((k) => k in t).map((k) => [k, list(t[k])]))),
          });
        }"""
    )
    return json.loads(shown)  # type: ignore[no-any-return]


def wait_until(
    page: Page, expression: str, arg: Any = None, seconds: float = SETTLE / 1000
) -> None:
    """Wait until an expression of the page holds, also where the page forbids to evaluate text."""
    end = time.monotonic() + seconds
    while True:
        # A page that is being loaded anew has nothing to ask.
        with suppress(Error):
            if page.evaluate(expression, arg):
                return
        assert time.monotonic() < end, f"in vain for {seconds:g} s: {expression}"
        page.wait_for_timeout(50)


def settle(panel: Locator) -> dict[str, Any]:
    """Wait until the panel shows its values, and return what it shows."""
    panel.evaluate(
        """(root) => new Promise((done) => {
          const look = () => root.dataset.settled && root.dataset.settled !== "no"
            ? requestAnimationFrame(() => done()) : setTimeout(look, 5);
          look();
        })""",
        timeout=SETTLE,
    )
    return read(panel)


def spec_of(panel: Locator) -> dict[str, Any]:
    told = panel.evaluate("(root) => JSON.stringify(root.panel.spec)")
    return json.loads(told)  # type: ignore[no-any-return]


def expected_figure(spec: dict[str, Any], values: dict[str, Any]) -> Any:
    """Return what the figure function draws for values; a figure is computed once."""
    return _figure(spec["function"], json.dumps(values))


@lru_cache(maxsize=200)
def _figure(function: str, values: str) -> Any:
    module, name = function.split(":")
    assert module != "__main__", f"{function}: a figure function must live in a module"
    return getattr(importlib.import_module(module), name)(**json.loads(values))


def compare(spec: dict[str, Any], shown: dict[str, Any], rtol: float) -> None:
    """Check that the picture shows what the figure function returns for its values."""
    figure = expected_figure(spec, shown["values"])
    tree = plain(figure.to_dict()["data"])
    where = f"{spec['id']} at {shown['values']}"
    assert not shown["failed"], f"{where}: {shown['error']}"
    assert len(shown["data"]) == len(tree), where
    for drawn, wanted in zip(shown["data"], tree, strict=True):
        assert drawn.get("name") == wanted.get("name"), where
        hidden = wanted.get("meta") == "reveal"
        assert drawn.get("visible", True) is not hidden, where
        for key in ("x", "y", "z", "customdata"):
            if key not in wanted:
                assert key not in drawn, f"{where}: {key} should not be there"
                continue
            expect, got = wanted[key], drawn[key]
            if np.asarray(expect).dtype.kind in "iuf":
                got = np.array(got, dtype=float)
                expect = np.asarray(expect, dtype=float)
                assert got.shape == expect.shape, f"{where}: {wanted['name']}.{key}"
                np.testing.assert_allclose(
                    got, expect, rtol=rtol, err_msg=f"{where}: {wanted['name']}.{key}"
                )
            else:
                assert got == list(expect), f"{where}: {wanted['name']}.{key}"
        if "text" in wanted:
            assert drawn["text"] == list(wanted["text"]), where
    meta = figure.layout.meta
    assert shown["sentence"] == meta["sentence"], where
    assert shown["alt"] == meta["alt"], where


def stops_to_visit(control: dict[str, Any], by: str) -> list[int]:
    """Both ends, and what a key reaches from there or the mouse half-way."""
    last = len(control["stops"]) - 1
    return list(dict.fromkeys([last, 0, min(1, last) if by == "keyboard" else last // 2]))


def move(panel: Locator, control: dict[str, Any], stop: int, by: str) -> None:
    """Move one control to one of its stops, by mouse or by keyboard, as a reader would."""
    row = panel.locator(f"[data-control='{control['name']}']")
    if control["kind"] == "slider":
        slide(row.locator("input[type=range]"), stop, len(control["stops"]) - 1, by)
    elif control["kind"] in ("choice", "file"):
        radios, menu = row.locator("input[type=radio]"), row.locator("select.mb-menu")
        if menu.count():
            if by == "mouse":
                menu.select_option(index=stop)
            else:
                menu.focus()
                panel.page.keyboard.press("Home")
                for _ in range(stop):
                    panel.page.keyboard.press("ArrowDown")
        elif by == "mouse":
            row.locator("label").nth(stop).click()
        else:
            current = [radios.nth(i).is_checked() for i in range(radios.count())].index(True)
            radios.nth(current).focus()
            for _ in range((stop - current) % radios.count()):
                panel.page.keyboard.press("ArrowDown")
    elif control["kind"] == "switch":
        box = row.locator("input")
        if box.is_checked() != bool(stop):
            if by == "mouse":
                box.click()
            else:
                box.focus()
                panel.page.keyboard.press("Space")
    else:
        raise AssertionError(f"no way to move a control of kind {control['kind']}")


def slide(range_: Locator, stop: int, last: int, by: str) -> None:
    if by == "keyboard":
        range_.focus()
        keys = range_.page.keyboard
        # Whichever end is nearer, then one stop at a time.
        if stop <= last - stop:
            keys.press("Home")
            for _ in range(stop):
                keys.press("ArrowRight")
        else:
            keys.press("End")
            for _ in range(last - stop):
                keys.press("ArrowLeft")
        return
    range_.scroll_into_view_if_needed()
    box = range_.bounding_box()
    assert box is not None
    mouse = range_.page.mouse
    # The thumb's centre travels the track less one thumb width.
    thumb = 16
    start = float(range_.input_value()) / last
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + thumb / 2 + start * (box["width"] - thumb), y)
    mouse.down()
    mouse.move(box["x"] + thumb / 2 + stop / last * (box["width"] - thumb), y, steps=4)
    mouse.up()


def move_and_compare(
    panel: Locator, control: dict[str, Any], stop: int, by: str, rtol: float
) -> None:
    """Move a control, and check that it went there and that the picture followed."""
    move(panel, control, stop, by)
    shown = settle(panel)
    assert shown["values"][control["name"]] == control["stops"][stop], (
        f"{control['name']} did not move by {by} to stop {stop}"
    )
    compare(spec_of(panel), shown, rtol)


def play(panel: Locator, by: str) -> None:
    """Play two rounds of a guessing game and check the score against the answers."""
    score = {"played": 0, "reader": 0, "optimal": 0}
    spec = spec_of(panel)
    for key in ("in", "out"):
        meta = expected_figure(spec, settle(panel)["values"]).layout.meta
        button = panel.locator(f"[data-guess='{key}']")
        press(button, by)
        score["played"] += 1
        score["reader"] += key == meta["answer"]
        score["optimal"] += meta["optimal"] == meta["answer"]
        panel.locator("[data-guess='next']").wait_for()
        row = panel.locator(".mb-rounds")
        assert json.loads(row.get_attribute("data-score") or "") == score
        verdict = "Right." if key == meta["answer"] else "Wrong."
        assert (
            row.locator(".mb-verdict:not(.mb-room)").inner_text() == f"{verdict} {meta['reveal']}"
        )
        visible = panel.evaluate("(r) => r.querySelector('.mb-plot').data.map((t) => t.visible)")
        assert False not in visible, "the truth stays hidden after the guess"
        before = settle(panel)["values"]
        press(panel.locator("[data-guess='next']"), by)
        panel.locator(f"[data-guess='{key}']").wait_for()
        assert settle(panel)["values"] != before


def press(button: Locator, by: str) -> None:
    if by == "mouse":
        button.click()
    else:
        button.focus()
        button.page.keyboard.press("Enter")


def move_everything(panel: Locator, by: str, rtol: float) -> None:
    """Move every control to its ends and a step from one, the others at their start."""
    panel.scroll_into_view_if_needed()
    start = settle(panel)
    spec = spec_of(panel)
    compare(spec, start, rtol)
    for control in spec["controls"]:
        if control["kind"] == "rounds":
            play(panel, by)
        else:
            seen = set()
            for stop in stops_to_visit(control, by):
                move_and_compare(panel, control, stop, by, rtol)
                seen.add(control["stops"][stop])
            assert len(seen) >= min(3, len(control["stops"]))
            type_the_middle(panel, control, rtol)
        panel.locator("[data-tool='Reset']").click()
        assert settle(panel)["values"] == start["values"]


def type_the_middle(panel: Locator, control: dict[str, Any], rtol: float) -> None:
    """Type a stop half-way where a number can be typed."""
    box = panel.locator(f"[data-control='{control['name']}'] .mb-typed")
    stop = control["stops"][len(control["stops"]) // 2]
    if not box.count() or not isinstance(stop, int | float):
        return
    box.fill(repr(stop))
    box.press("Enter")
    shown = settle(panel)
    assert shown["values"][control["name"]] == stop, f"{control['name']}: {stop!r} was typed"
    compare(spec_of(panel), shown, rtol)


def move_each_kind(panel: Locator, known: set[str], rtol: float) -> None:
    """Move by mouse the controls of kinds that are not known yet, and note these."""
    spec = spec_of(panel)
    for control in spec["controls"]:
        kind = control["kind"]
        if kind in known:
            continue
        known.add(kind)
        if kind == "rounds":
            play(panel, "mouse")
        else:
            for stop in stops_to_visit(control, "mouse"):
                move_and_compare(panel, control, stop, "mouse", rtol)
        panel.locator("[data-tool='Reset']").click()
        settle(panel)


def save(panel: Locator, tool: str, folder: Path) -> Path:
    """Press CSV or SVG and return the file that the browser saved."""
    with panel.page.expect_download() as caught:
        panel.locator(f"[data-tool='{tool}']").click()
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path
