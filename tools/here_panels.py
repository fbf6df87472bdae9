"""Let the panels of the built book compute in a browser: ``python tools/here_panels.py [PAGE...]``.

Each is asked for values between its stops, by Python in its page, and its curves are compared with
what this Python computes; an error, another curve or a request to another host makes the run red.
"""

import json
import sys
from pathlib import Path
from typing import Any

import browser as finder
import numpy as np
from playwright.sync_api import Browser, Error, Locator, sync_playwright
from rehearse import HTML, served, shut_in

from explorable.outputs.files import engine_here
from explorable.panels.pack import plain
from explorable.panels.reply import answer

SECONDS = 300  # for one panel
# Other versions of the numerical libraries, compiled for another machine.
CLOSE = 1e-6
PANEL = "section.mb-explorable[data-face=static]"
SETTLED = """async (root, seconds) => {
  const end = Date.now() + 1000 * seconds;
  root.scrollIntoView();
  while (!root.panel || root.dataset.settled !== JSON.stringify(root.panel.values)) {
    if (Date.now() > end) throw new Error("it took too long");
    await new Promise((done) => setTimeout(done, 50));
  }
}"""
COMPUTE = """async (root, values) => {
  const { source } = root.panel;
  await source.here.load();
  source.here.turn(true);
  root.panel.retake(values, {});
}"""
DRAWN = """(root) => {
  const list = (a) => (ArrayBuffer.isView(a) || Array.isArray(a) ? Array.from(a, list) : a);
  const { error, panel } = { error: root.querySelector(".mb-error"), panel: root.panel };
  if (!error.hidden) return JSON.stringify({ error: error.textContent });
  const keys = ["x", "y", "z"];
  const data = panel.shown.data.map((trace) =>
    Object.fromEntries(keys.filter((k) => k in trace).map((k) => [k, list(trace[k])])));
  return JSON.stringify({ data });
}"""


def between(control: dict[str, Any]) -> Any:
    """Return a value beside a control's start that the page does not hold, if it takes any."""
    stops, start = control["stops"], control["start"]
    if control["low"] is None or control["stepped"]:
        return stops[start]
    other = stops[start + 1] if start + 1 < len(stops) else stops[start - 1]
    middle = (stops[start] + other) / 2
    return round(middle) if control["whole"] else middle


def _numbers(values: Any) -> Any:
    """Return an array of numbers, a gap as none; nothing for words."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        return None


def different(drawn: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Say where the page's curves are others than this Python's; nothing if they are the same."""
    if "error" in drawn or "error" in wanted:
        same = str(wanted.get("error", "-")) in str(drawn.get("error", ""))
        return "" if same else f"{drawn.get('error')}, not {wanted.get('error', 'a picture')}"
    curves = plain(wanted["figure"]["data"])
    if len(curves) != len(drawn["data"]):
        return f"{len(drawn['data'])} curves, not {len(curves)}"
    for i, (curve, want) in enumerate(zip(drawn["data"], curves, strict=True)):
        for key in curve:
            got, expect = _numbers(curve[key]), _numbers(want[key])
            if got is None or expect is None:
                continue
            if got.shape != expect.shape:
                return f"curve {i}: {got.shape} numbers in {key}, not {expect.shape}"
            size = float(np.nanmax(np.abs(expect), initial=0.0))
            if not np.allclose(got, expect, rtol=CLOSE, atol=CLOSE * size, equal_nan=True):
                return f"curve {i}: {key} is off by {np.nanmax(np.abs(got - expect)):g} of {size:g}"
    return ""


def compared(root: Locator) -> str:
    """Let a panel compute; return what is wrong with it."""
    try:
        root.evaluate(SETTLED, SECONDS)
        spec = json.loads(root.evaluate("(root) => JSON.stringify(root.panel.spec)"))
        if not root.evaluate("(root) => Boolean(root.panel.source.here)"):
            return ""
        values = {control["name"]: between(control) for control in spec["controls"]}
        root.evaluate(COMPUTE, values)
        root.evaluate(SETTLED, SECONDS)
        drawn = json.loads(root.evaluate(DRAWN))
    except Error as error:
        return error.message.splitlines()[0]
    return different(drawn, json.loads(answer(spec["call"], json.dumps(values), lambda *_: None)))


def look(browser: Browser, address: str) -> list[str]:
    """Let all panels of a page compute; return what is wrong, by panel."""
    with shut_in(browser, address) as (page, asked):
        page.set_default_timeout(1000 * SECONDS)
        page.goto(address)
        told = {root.get_attribute("id"): compared(root) for root in page.locator(PANEL).all()}
    found = [f"panel {name}: {words}" for name, words in told.items() if words]
    return [*found, *(f"asked {url}" for url in sorted(asked))]


def main() -> None:
    """Look at the named pages, or at all with panels; leave with 1 if one is wrong."""
    if engine_here(HTML) is None:
        sys.exit("There is no Python beside the pages yet; first: python -m mipbook lite")
    book = HTML / "book"
    every = [path for path in sorted(book.rglob("*.html")) if "data-face" in path.read_text("utf-8")]
    pages = [HTML / f"{name}.html" for name in sys.argv[1:]] or every
    wrong = 0
    with served(HTML, "/some/where/book/") as site, sync_playwright() as playwright:
        _, browser = finder.start(playwright)
        for path in pages:
            name = Path(path).relative_to(HTML).as_posix()
            found = look(browser, f"{site}{name}")
            print(f"{name}: {'; '.join(found) or 'as this Python computes'}", flush=True)
            wrong += bool(found)
        browser.close()
    sys.exit(int(wrong > 0))


if __name__ == "__main__":
    main()
