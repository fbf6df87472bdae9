"""When a reader sees a page's first picture: ``python tools/first_picture.py [BUILT ...]``.

On a phone of the middle class (9 Mbit/s) and on a laptop, this machine itself, with files compressed
as a host does.  The phone is the same on every machine: the browser is slowed until Chrome's own score
of a processor is 650, between the 1000 of a Pixel 5 and the 264 of a weak phone.  Two built books, the
older first, are measured in turns, so that a busy hour slows both.  ``--save`` writes the worst page
and the median to ``first.csv``, for the page *How fast it is*.
"""

import argparse
import csv
import functools
import gzip
import http.server
import itertools
import re
import statistics
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import TimeoutError as Late
from rehearse import hosting

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "_build" / "html"
STORED = Path(__file__).with_name("first.csv")
MEASURES = {
    "text": "first text, s",
    "picture": "first picture, s",
    "move": "first move answered, s",
    "blocked": "processor blocked, ms",
    "shift": "layout shift",
    "kilobytes": "kB before the first touch",
    "requests": "requests before the first touch",
}
DEVICES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "laptop": {"viewport": {"width": 1280, "height": 800}},
}
NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 9e6 / 8, "uploadThroughput": 1.5e6 / 8}
PHONE = 650
# Chrome's score: letters appended, and numbers copied, in a tenth of a second.
SCORE = """() => {
  const timed = (work) => {
    const start = performance.now();
    let turns = 0;
    for (; performance.now() - start < 250; turns += 1) work(turns);
    return turns / (performance.now() - start) * 100;
  };
  const letters = () => { let s = ""; for (let j = 0; j < 1e4; j++) s += "a"; if (!s[1]) throw s; };
  const both = [0, 1].map(() => Array.from({ length: 1e5 }, (_, i) => i));
  const copied = (turn) => {
    const [to, from] = [both[turn % 2], both[1 - turn % 2]];
    for (let j = 0; j < from.length; j++) to[j] = from[j];
  };
  timed(letters);
  return (timed(letters) + timed(copied)) / 2;
}"""
# So long a page is left alone before it counts as quiet, and so long it is waited for.
QUIET, PATIENCE = 3000, 30_000
PACKED = (".html", ".js", ".css", ".svg", ".json", ".txt", ".inv")
PANEL = re.compile(
    r'<section class="mb-explorable" id="([\w-]+)" data-face="static"(.*?)</section>', re.DOTALL
)
PICTURE = ".mb-first svg, svg.main-svg"
WATCH = """
window.seen = { blocked: 0, shift: 0 };
const watch = (type, each) =>
  new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
watch("longtask", (e) => { seen.blocked += e.duration - 50; });
watch("layout-shift", (e) => { if (!e.hadRecentInput) seen.shift += e.value; });
"""
MOVED = """(id) => {
  const { panel, dataset } = document.getElementById(id);
  return panel && dataset.settled?.startsWith("{") && dataset.settled !== JSON.stringify(panel.start);
}"""


@functools.cache
def packed(path: Path) -> bytes:
    """Compress a file once, as a host does."""
    return gzip.compress(path.read_bytes(), 6)


class Compressed(http.server.SimpleHTTPRequestHandler):
    """A host that compresses what is a text."""

    def do_GET(self) -> None:
        """Send a file, or say that there is none."""
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        text = path.suffix in PACKED
        body = packed(path) if text else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if text:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # A reader who leaves does not wait for the rest.
        with suppress(ConnectionError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def hosted(folder: Path) -> AbstractContextManager[str]:
    """Serve a built book on this machine."""
    return hosting(functools.partial(Compressed, directory=str(folder)))


@functools.cache
def slower(browser: Browser) -> float:
    """Return how many times this machine's processor is that of the phone; at least once."""
    page = browser.new_page()
    score = statistics.median(float(page.evaluate(SCORE)) for _ in range(9))
    page.close()
    return max(1.0, score / PHONE)


@contextmanager
def opened(browser: Browser, device: str, address: str) -> Iterator[tuple[Page, list[int], float]]:
    """Open a page as a reader with nothing in store does; with the sizes of all that it loads."""
    context = browser.new_context(**DEVICES[device])
    page = context.new_page()
    page.add_init_script(WATCH)
    wire = context.new_cdp_session(page)
    wire.send("Network.enable")
    if device == "phone":
        wire.send("Emulation.setCPUThrottlingRate", {"rate": slower(browser)})
        wire.send("Network.emulateNetworkConditions", NETWORK)
    sizes: list[int] = []

    def note(event: Any) -> None:
        # A picture that stands in a style sheet is loaded from nowhere.
        if event["encodedDataLength"]:
            sizes.append(event["encodedDataLength"])

    wire.on("Network.loadingFinished", note)
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    yield page, sizes, start
    context.close()


def looked(browser: Browser, device: str, address: str) -> dict[str, float]:
    """Return what a reader meets on a page who touches nothing, by the names of `MEASURES`."""
    with opened(browser, device, address) as (page, sizes, start):
        found = {}
        with suppress(Late):  # none comes where it is drawn only when somebody scrolls to it
            page.wait_for_selector(PICTURE, state="attached", timeout=PATIENCE / 3)
            found["picture"] = time.perf_counter() - start
        page.wait_for_timeout(QUIET)
        painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        paint = page.wait_for_function(painted, timeout=PATIENCE).json_value()
        found |= page.evaluate("seen") | {"text": paint / 1000}
        found |= {"kilobytes": sum(sizes) / 1000, "requests": len(sizes)}
    if "picture" in found:  # which nobody sees before the first paint
        found["picture"] = max(found["picture"], found["text"])
    return found


def answered(browser: Browser, device: str, address: str, panel: str) -> dict[str, float]:
    """Return when a reader's first move is answered; the address lifts the veil of a guess."""
    with opened(browser, device, f"{address}#{panel}") as (page, _, start):
        try:
            # Of a panel that asks, the address lifts the veil, and then the controls are made anew.
            ready = f"#{panel}:is(.mb-ready, :not([data-posed]))"
            slider = page.locator(f"{ready} .mb-controls .mb-range").first
            slider.wait_for(timeout=PATIENCE)
            # The case that a guess asks about may be the last.
            slider.press(
                "ArrowLeft" if slider.evaluate("(node) => node.value === node.max") else "ArrowRight"
            )
            page.wait_for_function(MOVED, arg=panel, timeout=PATIENCE)
        except Late:
            return {}
        return {"move": time.perf_counter() - start}


def with_panels(folder: Path) -> dict[str, str]:
    """Name the pages of a built book that have a panel with a slider, each with the first such."""
    found = {}
    for path in sorted((folder / "book").rglob("*.html")):
        told = PANEL.findall(path.read_text(encoding="utf-8"))
        sliders = [name for name, panel in told if '"kind":"slider"' in panel]
        if sliders:
            found[path.relative_to(folder).as_posix()] = sliders[0]
    return found


def run(folders: list[Path], pages: list[str]) -> dict[tuple[Path, str], list[dict[str, float]]]:
    """Measure pages of some built books in turns, on both devices."""
    import browser as finder

    found: dict[tuple[Path, str], list[dict[str, float]]] = {}
    panels = {folder: with_panels(folder) for folder in folders}
    with sync_playwright() as play:
        _, running = finder.start(play)
        print(f"The phone is {slower(running):.2f} times slower than this machine.", flush=True)
        for page, device in itertools.product(pages, DEVICES):
            for folder in folders:
                # An older book may lack a page.
                if panel := panels[folder].get(page):
                    with hosted(folder) as host:
                        address = f"{host}/{page}"
                        told = looked(running, device, address) | answered(running, device, address, panel)
                    found.setdefault((folder, device), []).append(told)
                    line = "  ".join(f"{name} {told.get(name, float('nan')):.3g}" for name in MEASURES)
                    print(f"{folder.parent.parent.name:8} {device:6} {page:36} {line}", flush=True)
        running.close()
    return found


def main() -> None:
    """Measure, and save it if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("built", nargs="*", type=Path, default=[BUILT], help="folders of built books")
    parser.add_argument(
        "--pages", nargs="*", help="such as book/mip/noise.html; all with a panel if not given"
    )
    parser.add_argument("--save", action="store_true", help=f"write {STORED.name}")
    asked = parser.parse_args()
    found = run(asked.built, asked.pages or list(with_panels(asked.built[-1])))
    head, rows = ["device", "what"], [[device, words] for device in DEVICES for words in MEASURES.values()]
    whens = {1: ("",), 2: ("before: ", "now: ")}.get(len(asked.built)) or [f"{b}: " for b in asked.built]
    for folder, when in zip(asked.built, whens, strict=True):
        head += [f"{when}worst page", f"{when}median"]
        for row, (device, name) in zip(rows, ((d, n) for d in DEVICES for n in MEASURES), strict=True):
            values = [each[name] for each in found[folder, device] if name in each]
            row += [f"{max(values):.3g}", f"{statistics.median(values):.3g}"] if values else ["", ""]
    for row in [head, *rows]:
        print(*row, sep="; ")
    if asked.save:
        with STORED.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([head, *rows])


if __name__ == "__main__":
    main()
