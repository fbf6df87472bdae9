"""The panels of the pages; what their figures draw and say is tested for all figures together."""

from panels import panels


def test_panels_are_found():
    assert len(panels()) >= 5


def test_panel_ids_are_unique_on_each_page():
    for page, found in panels().items():
        names = [panel.name for panel in found]
        assert len(set(names)) == len(names), f"{page}: give one of the panels a name of its own"
