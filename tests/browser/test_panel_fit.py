"""Every panel of the built book fits, stays still, and can be held and read."""

from __future__ import annotations

import re

import driver
import hands
import pytest
from pages import WITH_PANELS, open_page, panels_of

SIZES = {"laptop": (1280, 800, 720), "phone": (390, 844, 760)}


def settled_panels(page):
    panels = panels_of(page)
    for panel in panels:
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
    return panels


@pytest.mark.parametrize("visit", WITH_PANELS, indirect=True)
def test_panels_fit_and_keep_their_height(visit):
    found, usual = [], visit.viewport_size
    for size, (width, height, room) in SIZES.items():
        visit.set_viewport_size({"width": width, "height": height})
        visit.wait_for_timeout(300)
        for panel in settled_panels(visit):
            label = f"{panel.get_attribute('id')}, {size}"
            needs = hands.extent(panel)
            if needs > room:
                found.append(f"{label} needs {needs:.0f} px of {room}")
            found += [f"{label} hops at {line}" for line in hands.hops(panel)]
    visit.set_viewport_size(usual)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("visit", WITH_PANELS, indirect=True)
def test_what_can_be_held_and_read_obeys(visit):
    for panel in settled_panels(visit):
        hands.hold_handles(panel)
        for told in hands.read_curves(panel):
            words = re.findall(r"[a-z]{2,}", told)
            assert len(words) >= 2, f"{panel.get_attribute('id')}: no sentence: {told!r}"


def test_a_handle_and_a_curve_are_found_somewhere(browser, built_book):
    """What finds nothing would judge nothing."""
    found = {"handles": 0, "curves": 0}
    with driver.watched(browser) as page:
        for name in WITH_PANELS:
            open_page(page, built_book, name)
            for panel in settled_panels(page):
                found["handles"] += panel.locator(".mb-handle:visible").count()
                found["curves"] += panel.locator(".mb-probe:visible").count()
            if all(found.values()):
                return
    raise AssertionError(f"found only {found}")
