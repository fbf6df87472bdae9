"""Every panel of the built book fits, stays still, and can be held and read."""

import re

import driver
import hands
import pytest
import samples
from pages import WITH_PANELS, each, panels_of


def settled_panels(page, names=None):
    panels = [p for p in panels_of(page) if names is None or p.get_attribute("id") in names]
    for panel in panels:
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
    return panels


@pytest.mark.parametrize("visit", each("hands", WITH_PANELS), indirect=True)
def test_what_can_be_held_and_read_obeys(visit, request, tried, built_book):
    names = tried("hands", request.node.callspec.params["visit"])
    # What finds nothing would judge nothing.
    kinds = samples.hands(built_book / f"{request.node.callspec.params['visit']}.html")
    for panel in settled_panels(visit, names):
        own = kinds[panel.get_attribute("id")]
        assert bool(hands.hold_handles(panel)) == any(kind.startswith("grab") for kind in own)
        told = hands.read_curves(panel)
        assert bool(told) == ("probe" in own)
        assert all(len(re.findall(r"[a-z]{2,}", text)) >= 2 for text in told), f"no sentence: {told}"


# What lies over a control that is in sight: nothing but itself.
COVERED = """(row) => [...row.querySelectorAll("input, button, label")].filter((node) => {
  const { left, top, width, height } = node.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return height && !row.contains(seen);
}).map((node) => node.outerHTML)"""


@pytest.mark.parametrize("name", [pytest.param("book/jobs", marks=pytest.mark.nightly), "book/index"])
def test_beside_any_of_many_controls_a_phone_shows_picture_and_headline_and_covers_none(book_page, name):
    with book_page(name, viewport={"width": 390, "height": 844}) as page:
        panels = [p for p in settled_panels(page) if p.locator(".mb-many:not(.mb-game)").count()]
        assert panels
        for panel in panels:
            parts = {part: panel.locator(f".mb-{part}") for part in ("plot", "headline", "sentence")}
            for row in panel.locator(".mb-controls > .mb-control").all():
                row.evaluate("(node) => node.scrollIntoView({ block: 'end' })")
                plot, headline, box = (one.bounding_box() for one in (parts["plot"], parts["headline"], row))
                assert 0 < plot["y"] < plot["y"] + plot["height"] <= headline["y"] + 1
                assert headline["y"] + headline["height"] <= box["y"] + 1
                assert not row.evaluate(COVERED)
                assert box["y"] < parts["sentence"].bounding_box()["y"], "words between the controls"
