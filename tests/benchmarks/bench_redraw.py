"""Print how long a panel takes to redraw: ``python tests/benchmarks/bench_redraw.py ADDRESS``.

The address is that of a page of the book (file://...) or of a running app; the first
slider of the first panel is moved by key 80 times.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from browser import start

PRESSES = 80


def main(address: str) -> None:
    with sync_playwright() as playwright:
        _, browser = start(playwright)
        page = browser.new_page()
        page.goto(address)
        page.locator(".mb-explorable").first.scroll_into_view_if_needed()
        page.wait_for_selector(".mb-explorable[data-settled]:not([data-settled=no])")
        panel = page.locator(".mb-explorable").first
        panel.locator("input[type=range]").first.focus()
        times = []
        for press in range(PRESSES):
            page.keyboard.press("ArrowLeft" if press // 3 % 2 else "ArrowRight")
            page.wait_for_timeout(250)
            times.append(float(panel.get_attribute("data-redraw")))
        browser.close()
    times.sort()
    print(
        f"{PRESSES} moves: median {statistics.median(times):.0f} ms, "
        f"p95 {times[int(0.95 * PRESSES)]:.0f} ms, max {times[-1]:.0f} ms"
    )


if __name__ == "__main__":
    main(sys.argv[1])
