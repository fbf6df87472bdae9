"""Every Voila app, against its live server."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager

import driver
import pytest
from pages import panels_of
from playwright.sync_api import Locator, Page
from shared import ROOT
from test_book_pages import check_csv

APPS = sorted(path.name for path in (ROOT / "book" / "apps").glob("*.ipynb"))


def open_app(page: Page, apps, name: str, query: str = "") -> list[Locator]:
    page.goto(f"{apps.url}/voila/render/{name}{query}")
    page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
    return panels_of(page)


def test_front_page_lists_every_app(browser, apps):
    assert APPS
    with driver.watched(browser, apps.url) as page:
        page.goto(apps.url)
        links = [a.get_attribute("href") for a in page.locator("li a").all()]
        assert links == [f"voila/render/{name}" for name in APPS]
        assert driver.axe_violations(page) == []


@pytest.fixture(scope="module")
def one_load(browser, apps) -> Iterator[driver.OneLoad]:
    """An app, opened once for all that is looked at in it."""

    @contextmanager
    def opened(name: str) -> Iterator[Page]:
        with driver.watched(browser, apps.url, color_scheme="light") as page:
            open_app(page, apps, name)
            yield page

    with closing(driver.OneLoad(opened)) as load:
        yield load


@pytest.mark.parametrize("visit", APPS, indirect=True)
def test_controls_move_the_picture_and_the_app_is_accessible(visit, tmp_path):
    """By keyboard every control, by mouse one of each kind; then the page as people meet it."""
    kinds: set[str] = set()
    for panel in panels_of(visit):
        driver.move_everything(panel, "keyboard", rtol=1e-12)
        driver.move_each_kind(panel, kinds, rtol=1e-12)
        type_between_stops(panel)
        shown = driver.settle(panel)
        check_csv(driver.save(panel, "CSV", tmp_path), shown)
        assert "<svg" in driver.save(panel, "SVG", tmp_path).read_text(encoding="utf-8")
    wide = visit.viewport_size
    visit.set_viewport_size({"width": 360, "height": 740})
    # Only colours differ between the schemes.
    for scheme in ("light", "dark"):
        visit.emulate_media(color_scheme=scheme)
        driver.still(visit)
        assert visit.evaluate("document.documentElement.dataset.theme") == scheme
        assert driver.axe_violations(visit, colours_only=scheme == "dark") == [], scheme
        assert visit.evaluate("document.documentElement.scrollWidth") <= 360
    visit.set_viewport_size(wide)


def type_between_stops(panel: Locator) -> None:
    """Typed values that no stop holds are computed as they were typed."""
    spec = driver.spec_of(panel)
    for control in spec["controls"]:
        if control["kind"] != "slider" or control["low"] is None or control["stepped"]:
            continue
        low, high = control["stops"][-2], control["stops"][-1]
        value = float(f"{low + 0.37 * (high - low):.6g}")
        value = round(value) if control["whole"] else value
        assert value not in control["stops"]
        box = panel.locator(f"[data-control='{control['name']}'] .mb-typed")
        box.fill(repr(value))
        box.press("Enter")
        shown = driver.settle(panel)
        assert shown["values"][control["name"]] == value
        driver.compare(spec, shown, rtol=1e-12)


@pytest.mark.parametrize("name", APPS)
def test_app_links_its_chapter(browser, apps, name):
    cells = json.loads((ROOT / "book" / "apps" / name).read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    chapters = set(re.findall(r"\]\(\.\./([a-z]+/[a-z0-9-]+)\.md\)", text))
    assert chapters
    for chapter in chapters:
        with urllib.request.urlopen(f"{apps.url}/voila/{chapter}.md") as reply:
            assert reply.url.endswith(f"/book/book/{chapter}.html")
            assert reply.status == 200


@pytest.mark.parametrize("visit", APPS, indirect=True)
def test_addresses_restore_and_visitors_do_not_see_each_other(visit, request, browser, apps):
    """One visitor moves what can be moved, while another comes with nonsense in the address."""
    name = request.node.callspec.params["visit"]
    wanted = []
    for panel in panels_of(visit):
        for control in driver.spec_of(panel)["controls"]:
            if control["kind"] != "rounds":
                driver.move(panel, control, 0, "keyboard")
                driver.settle(panel)
        wanted.append(driver.settle(panel)["values"])
    query = driver.query(visit)
    with driver.watched(browser, apps.url) as other:
        for panel in open_app(other, apps, name, re.sub(r"=[^&]*", "=nonsense", query)):
            spec = driver.spec_of(panel)
            start = {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}
            assert driver.settle(panel)["values"] == start
        mine, theirs = panels_of(visit)[0], panels_of(other)[0]
        before = driver.settle(theirs)
        control = next(c for c in driver.spec_of(mine)["controls"] if c["kind"] == "slider")
        driver.move(mine, control, len(control["stops"]) - 1, "keyboard")
        assert driver.settle(mine)["values"][control["name"]] == control["stops"][-1]
        assert driver.settle(theirs)["values"] == before["values"]
        gone = apps.log.read_text().count("Kernel shutdown")
        visit.goto(apps.url)
        deadline = time.monotonic() + 20
        while apps.log.read_text().count("Kernel shutdown") == gone:
            assert time.monotonic() < deadline, "the kernel of a visitor who left runs on"
            visit.wait_for_timeout(100)
        for panel, values in zip(open_app(other, apps, name, query), wanted, strict=True):
            assert driver.settle(panel)["values"] == values
