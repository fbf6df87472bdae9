"""Make the pictures that stand for the book, from the built one: ``python tools/picture.py``.

The mark in pixels, the picture that goes with a link, and the README's: a chapter after its guess,
and a few rounds of the opening game that move.
"""

import base64
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from browser import start
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from explorable.sphinx.identity import mark
from mipbook.book import IDEAS

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
GAME, CHAPTER = ("book/index.html", "guess-round"), ("book/mis/overfitting.html", "a-model-remembers")
BRAND = ROOT / "explorable" / "brand"
COLOURS = 128  # of the moving picture, the most common ones: white stays white
SHORT, LONG = 60, 1800  # milliseconds: on the way, and to read
STEPS, BETTER = 8, 66  # frames of a move, and pixels from the first line to the best

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
ICON = "<style>body { margin: 0 } svg { width: 148px; height: 148px; margin: 16px }</style>"
# 1200 by 630 is what those who show links expect.
SHARE = """<meta charset="utf-8"><link rel="stylesheet" href="_static/fonts.css"><style>
body { margin: 0; padding: 0 24px 0 48px; display: grid; grid-template-columns: 330px 1fr;
  gap: 12px; box-sizing: border-box; width: 1200px; height: 630px; align-items: center }
h1 { font: 700 78px/1 "Source Sans 3"; margin: 24px 0 18px }
p { font: 400 38px/1.25 "Source Serif 4"; margin: 0 }
svg { width: 104px; height: 104px } img { width: 100% }
</style><div>MARK<h1>mipbook</h1><p>Can you tell who was in the data?</p></div><img src="PLOT">"""
Frame = tuple[Image.Image, int]


def opened(browser: Browser, where: tuple[str, str], scale: int = 1) -> tuple[Page, Locator]:
    """Open a page at a panel that has been drawn."""
    path, name = where
    page = browser.new_page(viewport={"width": 1280, "height": 800}, device_scale_factor=scale)
    page.goto((HTML / path).as_uri())
    panel = page.locator(f"#{name}")
    panel.scroll_into_view_if_needed()
    page.wait_for_timeout(1500)
    return page, panel


def chapter(browser: Browser) -> bytes:
    """Return a chapter's first screen after its guess has been made."""
    page, panel = opened(browser, CHAPTER)
    guess = panel.locator(".mb-asked input[type=range]")
    guess.focus()
    for _ in range(6):
        guess.press("ArrowRight")
    panel.get_by_text("That is my guess", exact=True).click()
    page.mouse.move(0, 0)  # what lies under the pointer looks otherwise
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(2000)
    return page.screenshot()


def drawn(browser: Browser, text: str, width: int, height: int) -> bytes:
    """Return a page as a picture; it lies beside the book's, whose fonts it may use there."""
    path = HTML / "share-draft.html"
    path.write_text(text, encoding="utf-8")
    try:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready.then(() => true)")
        page.wait_for_timeout(300)
        return page.screenshot()
    finally:
        path.unlink()


def shared(browser: Browser) -> bytes:
    """Return the opening game beside the book's name."""
    _, panel = opened(browser, GAME, scale=2)
    seen = base64.b64encode(panel.locator(".mb-plot").screenshot()).decode()
    own = mark(IDEAS["in"], IDEAS["out"])
    text = SHARE.replace("MARK", own).replace("PLOT", f"data:image/png;base64,{seen}")
    return drawn(browser, text, 1200, 630)


def middle(place: Locator) -> tuple[float, float]:
    """Return the middle of what is on the page."""
    box = place.bounding_box()
    assert box, "it is not to be seen"
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def game(browser: Browser) -> Iterator[Frame]:
    """Yield what a reader sees who plays three rounds as the best attacker would, then moves the line."""
    page, panel = opened(browser, GAME)
    page.evaluate(POINTER)
    at, clip = middle(panel.locator(".mb-plot")), panel.bounding_box()

    def seen(milliseconds: int) -> Frame:
        return Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB"), milliseconds

    def moved(to: tuple[float, float]) -> Iterator[Frame]:
        nonlocal at
        (x, y), at = at, to
        for step in range(1, STEPS + 1):
            page.mouse.move(x + (to[0] - x) * step / STEPS, y + (to[1] - y) * step / STEPS)
            page.wait_for_timeout(30)
            yield seen(SHORT)

    def pressed(button: Locator, still: int = LONG) -> Iterator[Frame]:
        yield from moved(middle(button))
        page.mouse.down()
        page.mouse.up()
        yield from (seen(SHORT) for _ in range(STEPS))  # while it glides
        page.wait_for_timeout(1200)
        yield seen(still)

    yield seen(LONG)
    for _ in range(3):
        said = panel.evaluate("(root) => root.panel.shown.layout.meta.optimal")
        yield from pressed(panel.locator(f"[data-guess={said}]"))
        yield from pressed(panel.locator("[data-guess=next]"), SHORT)
    yield from moved(middle(panel.locator(".mb-handle").first))
    page.mouse.down()
    yield from moved((at[0] - BETTER, at[1]))
    page.mouse.up()
    page.wait_for_timeout(1200)
    yield seen(LONG)


def save_moving(path: Path, frames: list[Frame]) -> None:
    """Save frames in one set of colours, so that what stands still takes no room."""
    pixels = np.asarray(frames[-1][0]).reshape(-1, 3)
    found, counts = np.unique(pixels, axis=0, return_counts=True)
    colours = Image.new("P", (1, 1))
    colours.putpalette(found[np.argsort(-counts)[:COLOURS]].ravel().tolist())
    still = [image.quantize(palette=colours, dither=Image.Dither.NONE) for image, _ in frames]
    times = [time for _, time in frames]
    still[0].save(path, save_all=True, append_images=still[1:], duration=times, loop=0)


def main() -> None:
    """Visit the built book, and save what a reader sees."""
    if not (HTML / GAME[0]).is_file():
        sys.exit("The book has not been built. Run: make book")
    with sync_playwright() as playwright:
        _, browser = start(playwright)
        icon = ICON + mark(IDEAS["in"], IDEAS["out"])
        (BRAND / "icon.png").write_bytes(drawn(browser, icon, 180, 180))
        (BRAND / "share.png").write_bytes(shared(browser))
        (ROOT / "tools" / "picture.png").write_bytes(chapter(browser))
        save_moving(ROOT / "tools" / "game.gif", list(game(browser)))
        browser.close()


if __name__ == "__main__":
    main()
