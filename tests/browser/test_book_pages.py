"""Every page of the built book, offline, in a real browser."""

from __future__ import annotations

import csv
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import driver
import numpy as np
import pytest
from pages import PAGES, VISITED, WITH_PANELS, open_page, panels_of, words_alone
from playwright.sync_api import Locator, Page
from shared import ROOT

# The faces in which the words of the page itself are set, as the browser found them.
FACES = """() => [...document.fonts].filter((face) => face.status === "loaded")
  .map((face) => face.family.replaceAll('"', ""))"""
HEAD = re.compile(
    r'<link rel="(?:icon|apple-touch-icon)"[^>]* href="([^"]+)"'
    r'|<meta property="og:image" content="([^"]+)"'
    r'|<img src="([^"]+)" class="logo__image'
)
ABOUT = re.compile(r'<meta name="description" content="([^"]{20,160})">')
PLOT_INKS = "[...document.querySelectorAll('.mb-plot')].map((p) => p._fullLayout.font.color)"


def printed_pictures(name: str) -> int:
    """Count the cells of a page that promise a picture with an alt text."""
    source = ROOT / f"{name}.md"
    return source.read_text(encoding="utf-8").count("\n    alt: ") if source.is_file() else 0


def set_theme(page: Page, theme: str) -> None:
    page.evaluate(
        "(t) => { localStorage.setItem('mode', t); localStorage.setItem('theme', t); "
        "document.documentElement.dataset.mode = t; document.documentElement.dataset.theme = t; }",
        theme,
    )


def test_every_page_of_the_book_is_known(built_book):
    html = {
        str(p.relative_to(built_book).with_suffix(""))
        for p in (built_book / "book").rglob("*.html")
    }
    assert html == set(PAGES)
    assert len(WITH_PANELS) >= 3


def head_faults(path: Path) -> list[str]:
    """Say what is missing of a page's mark, icons, picture to share and description."""
    text = path.read_text(encoding="utf-8")
    files = ["".join(found) for found in HEAD.findall(text)]
    gone = [name for name in files if not (path.parent / name).is_file()]
    few = [] if len(files) == 6 else [f"{len(files)} of 6 pictures"]
    return gone + few + ([] if ABOUT.search(text) else ["no description"])


def test_every_page_has_the_mark_the_icons_and_a_picture_to_share(built_book, tmp_path):
    found = {
        page: head_faults(built_book / f"{page}.html") for page in [*PAGES, "search", "genindex"]
    }
    assert not {page: faults for page, faults in found.items() if faults}
    bare = tmp_path / "bare.html"
    bare.write_text('<link rel="icon" type="image/png" href="gone.png">', encoding="utf-8")
    assert head_faults(bare) == ["gone.png", "1 of 6 pictures", "no description"]


@pytest.mark.parametrize("visit", WITH_PANELS, indirect=True)
def test_every_control_moves_the_picture_and_the_files_say_it(visit, tmp_path):
    """By keyboard every control, by mouse one of each kind."""
    panels = panels_of(visit)
    assert panels
    kinds: set[str] = set()
    for panel in panels:
        driver.move_everything(panel, "keyboard", rtol=2e-7)
        driver.move_each_kind(panel, kinds, rtol=2e-7)
        check_files(panel, tmp_path)


@pytest.mark.parametrize("visit", [*VISITED, "search", "genindex"], indirect=True)
def test_page_is_silent_offline_and_accessible_and_fits_a_phone(visit, request):
    name = request.node.callspec.params["visit"]
    for panel in panels_of(visit):
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
    # The page of the search has no text until somebody searches.
    wanted = {"Source Sans 3"} if name == "search" else {"Source Serif 4", "Source Sans 3"}
    assert wanted <= set(visit.evaluate(FACES))
    # The theme keeps a second heading for print, which no reader of the screen meets.
    assert visit.locator("h1:visible").count() == 1
    images = visit.locator("article img").all()
    assert len(images) >= printed_pictures(name), "a printed picture is missing"
    for image in images:
        alt = image.get_attribute("alt") or ""
        assert len(alt) > 10, f"no alt text: {image.get_attribute('src')}"
        assert "/" not in alt[:40], f"a path is no alt text: {alt}"
    inks = []
    # Only colours differ between the themes.
    for theme in ("light", "dark"):
        set_theme(visit, theme)
        visit.wait_for_timeout(300)
        assert driver.axe_violations(visit, colours_only=theme == "dark") == [], theme
        inks.append(visit.evaluate(PLOT_INKS))
    assert all(light != dark for light, dark in zip(*inks, strict=True)), "a plot kept its theme"
    wide = visit.viewport_size
    visit.set_viewport_size({"width": 360, "height": 740})
    visit.wait_for_timeout(500)
    assert visit.evaluate("document.documentElement.scrollWidth") <= 360
    visit.set_viewport_size(wide)


def check_files(panel: Locator, folder: Path) -> None:
    shown = driver.settle(panel)
    check_csv(driver.save(panel, "CSV", folder), shown)
    picture = ET.parse(driver.save(panel, "SVG", folder)).getroot()
    assert picture.tag.endswith("svg")
    assert len(list(picture.iter())) > 50


@pytest.mark.parametrize("visit", WITH_PANELS, indirect=True)
def test_address_restores_the_state(visit, request, browser, built_book):
    wanted = []
    for panel in panels_of(visit):
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
        for control in driver.spec_of(panel)["controls"]:
            if control["kind"] != "rounds":
                driver.move(panel, control, len(control["stops"]) - 1, "keyboard")
                driver.settle(panel)
        wanted.append(driver.settle(panel))
    query = visit.evaluate("location.search")
    assert query
    with words_alone(browser) as other:
        again = open_page(other, built_book, request.node.callspec.params["visit"], query)
        for panel, state in zip(again, wanted, strict=True):
            panel.scroll_into_view_if_needed()
            shown = driver.settle(panel)
            assert shown["values"] == state["values"]
            assert shown["data"] == state["data"]
            start_anew(panel)
        assert other.evaluate("location.search") == ""
    for panel in panels_of(visit):
        start_anew(panel)


def start_anew(panel: Locator) -> None:
    panel.locator("[data-tool='Reset']").click()
    start = driver.settle(panel)["values"]
    spec = driver.spec_of(panel)
    assert start == {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}


def check_csv(path: Path, shown: dict) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert any(shown["sentence"] in line for line in comments)
    rows = list(csv.DictReader(lines[len(comments) :]))
    for trace in shown["data"]:
        if trace.get("visible") is False:
            continue
        mine = [row for row in rows if row["trace"] == trace["name"]]
        if "z" in trace:
            heights = [float(row["z"]) for row in mine]
            np.testing.assert_allclose(heights, np.ravel(trace["z"]), rtol=1e-12)
            continue
        for key in ("x", "y"):
            if trace[key] and isinstance(trace[key][0], str):
                assert [row[key] for row in mine] == trace[key]
                continue
            # An empty cell is a gap in a line.
            saved = [float(row[key] or "nan") for row in mine]
            np.testing.assert_allclose(
                saved, [np.nan if v is None else v for v in trace[key]], rtol=1e-12
            )
