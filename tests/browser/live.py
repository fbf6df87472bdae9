"""A panel whose server answers late or not at all, and what a reader sees of it."""

from contextlib import contextmanager

import driver

GONE = 10_000


def choose(panel, name: str, value: float) -> None:
    """Move a slider with fixed stops in one step, without waiting for the answer.

    Keys would pass other stops on the way, and on a slow machine those are answered too.
    """
    (stops,) = (c["stops"] for c in driver.spec_of(panel)["controls"] if c["name"] == name)
    panel.locator(f"[data-control='{name}'] input[type=range]").evaluate(
        "(range, stop) => { range.value = stop; range.dispatchEvent(new Event('input')); }",
        stops.index(value),
    )


def opacity(panel) -> float:
    return float(panel.evaluate("(root) => getComputedStyle(root.querySelector('.mb-plot')).opacity"))


def off(panel) -> list[bool]:
    return [panel.locator(f"[data-tool='{name}']").is_disabled() for name in ("CSV", "SVG")]


@contextmanager
def troubled(browser):
    """A page whose console may complain: its server is taken away."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    try:
        yield context.new_page()
    finally:
        context.close()
