"""Make the README's pictures from the built book: ``python tools/picture.py``.

The still one is a chapter as a reader finds it, the moving one a few rounds of the opening game.
"""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from browser import start
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "_build" / "html" / "book"
CHAPTER, GAME = PAGES / "game" / "attacks-as-lower-bounds.html", PAGES / "index.html"
COLOURS = 128  # of the moving picture, the most common ones: white stays white
SHORT, LONG = 60, 2200  # milliseconds: on the way, and to read
STEPS = 8

# A page has no pointer that a screenshot shows.
POINTER = """() => {
  const arrow = "<path d='M2 1v15l4-3.6 2.8 6 2.6-1.2-2.7-5.9H14z' fill='#111' stroke='#fff'/>";
  const style = "position:absolute; z-index:9999; pointer-events:none";
  document.body.insertAdjacentHTML("beforeend", `<svg id="pointer" width="26" height="30"
    viewBox="0 0 17 20" style="${style}">${arrow}</svg>`);
  addEventListener("pointermove", ({ pageX, pageY }) => {
    const { style } = document.getElementById("pointer");
    Object.assign(style, { left: `${pageX}px`, top: `${pageY}px` });
  }, true);
}"""
Frame = tuple[Image.Image, int]


def opened(browser: Browser, path: Path, name: str) -> tuple[Page, Locator]:
    """Open a page at a panel that has been drawn."""
    page = browser.new_page(viewport={"width": 1280, "height": 860})
    page.goto(f"{path.as_uri()}#{name}")
    panel = page.locator(f"#{name}")
    panel.scroll_into_view_if_needed()
    settle(page, name)
    return page, panel


def settle(page: Page, name: str) -> None:
    """Wait until a panel shows what was asked of it, and what flashes has faded."""
    page.wait_for_selector(f"#{name}[data-settled]:not([data-settled=no])")
    page.wait_for_timeout(1500)


def chapter(browser: Browser) -> bytes:
    """Return a chapter's panel after its guess has been made, with the words around it."""
    page, panel = opened(browser, CHAPTER, "tracing")
    page.get_by_text("That is my guess", exact=True).first.click()
    page.mouse.move(0, 0)  # what lies under the pointer looks otherwise
    panel.evaluate("(root) => root.scrollIntoView({ block: 'center' })")
    settle(page, "tracing")
    return page.screenshot()


def middle(place: Locator) -> tuple[float, float]:
    """Return the middle of what is on the page."""
    box = place.bounding_box()
    assert box, "it is not to be seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def game(browser: Browser) -> Iterator[Frame]:
    """Yield what a reader sees who plays two rounds, moves the line and raises the noise."""
    page, panel = opened(browser, GAME, "guess-round")
    page.evaluate(POINTER)
    at, clip = middle(panel), panel.bounding_box()

    def seen(milliseconds: int) -> Frame:
        return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"), milliseconds

    def moved(to: tuple[float, float]) -> Iterator[Frame]:
        nonlocal at
        (x, y), at = at, to
        for step in range(1, STEPS + 1):
            page.mouse.move(x + (to[0] - x) * step / STEPS, y + (to[1] - y) * step / STEPS)
            page.wait_for_timeout(50)
            yield seen(SHORT)

    def dragged(handle: Locator, right: float) -> Iterator[Frame]:
        yield from moved(middle(handle))
        page.mouse.down()
        yield from moved((at[0] + right, at[1]))
        page.mouse.up()
        settle(page, "guess-round")
        yield seen(LONG)

    yield from moved(middle(panel.locator(".mb-plot")))
    yield seen(LONG)
    for _ in range(2):
        said = panel.evaluate("(root) => root.panel.shown.layout.meta.optimal")
        yield from moved(middle(panel.locator(f"[data-guess={said}]")))
        page.mouse.down()
        page.mouse.up()
        settle(page, "guess-round")
        yield seen(LONG)
        panel.locator("[data-guess=next]").click()
        settle(page, "guess-round")
    yield from dragged(panel.locator(".mb-handle"), -57 / 2)
    slider = panel.locator("[data-control=sigma] .mb-range")
    length = slider.evaluate("(node) => node.offsetWidth")
    x, y = middle(slider)
    yield from moved((x - 0.155 * length, y))
    page.mouse.down()
    yield from moved((at[0] + 0.45 * length, y))
    page.mouse.up()
    settle(page, "guess-round")
    yield seen(LONG)


def save_moving(path: Path, frames: list[Frame]) -> None:
    """Save frames in one set of colours, so that what stands still takes no room."""
    pixels = np.asarray(frames[-1][0]).reshape(-1, 3)
    found, counts = np.unique(pixels, axis=0, return_counts=True)
    colours = Image.new("P", (1, 1))
    colours.putpalette(found[np.argsort(-counts)[:COLOURS]].ravel().tolist())
    drawn = [image.quantize(palette=colours, dither=Image.Dither.NONE) for image, _ in frames]
    times = [time for _, time in frames]
    drawn[0].save(path, save_all=True, append_images=drawn[1:], duration=times, loop=0)


def main() -> None:
    """Open both pages, and save what a reader sees."""
    if not (CHAPTER.is_file() and GAME.is_file()):
        sys.exit("The book has not been built. Run: make book")
    with sync_playwright() as playwright:
        _, browser = start(playwright)
        (ROOT / "tools" / "picture.png").write_bytes(chapter(browser))
        save_moving(ROOT / "tools" / "game.gif", list(game(browser)))
        browser.close()


if __name__ == "__main__":
    main()
