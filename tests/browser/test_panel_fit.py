"""Every panel of the built book fits, stays still, and can be held and read."""

from __future__ import annotations

import re

import driver
import hands
import pytest
from test_book_pages import WITH_PANELS, open_page

SIZES = {"laptop": (1280, 800, 720), "phone": (390, 844, 760)}


def settled_panels(page, book, name):
    panels = open_page(page, book, name)
    for panel in panels:
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
    return panels


@pytest.mark.parametrize("name", WITH_PANELS)
@pytest.mark.parametrize("size", SIZES)
def test_panels_fit_and_keep_their_height(browser, built_book, name, size):
    width, height, room = SIZES[size]
    with driver.watched(browser, viewport={"width": width, "height": height}) as page:
        found = []
        for panel in settled_panels(page, built_book, name):
            label = panel.get_attribute("id")
            needs = hands.extent(panel)
            if needs > room:
                found.append(f"{label} needs {needs:.0f} px of {room}")
            found += [f"{label} hops at {line}" for line in hands.hops(panel)]
        assert not found, "\n".join(found)


@pytest.mark.parametrize("name", WITH_PANELS)
def test_what_can_be_held_and_read_obeys(browser, built_book, name):
    with driver.watched(browser) as page:
        for panel in settled_panels(page, built_book, name):
            hands.hold_handles(panel)
            for told in hands.read_curves(panel):
                words = re.findall(r"[a-z]{2,}", told)
                assert len(words) >= 2, f"{panel.get_attribute('id')}: no sentence: {told!r}"


def test_a_handle_and_a_curve_are_found_somewhere(browser, built_book):
    """What finds nothing would judge nothing."""
    found = {"handles": 0, "curves": 0}
    with driver.watched(browser) as page:
        for name in WITH_PANELS:
            for panel in settled_panels(page, built_book, name):
                found["handles"] += panel.locator(".mb-handle:visible").count()
                found["curves"] += panel.locator(".mb-probe:visible").count()
            if all(found.values()):
                return
    raise AssertionError(f"found only {found}")
