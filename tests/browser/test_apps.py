"""Every Voila app, against its live server."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from pathlib import Path

import driver
import pytest
from playwright.sync_api import Locator, Page
from test_book_pages import check_csv

ROOT = Path(__file__).resolve().parents[2]
APPS = sorted(path.name for path in (ROOT / "book" / "apps").glob("*.ipynb"))


def open_app(page: Page, apps, name: str, query: str = "") -> list[Locator]:
    page.goto(f"{apps.url}/voila/render/{name}{query}")
    page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
    panels = page.locator("section.mb-explorable")
    return [panels.nth(i) for i in range(panels.count())]


def test_front_page_lists_every_app(browser, apps):
    assert APPS
    with driver.watched(browser, apps.url) as page:
        page.goto(apps.url)
        links = [a.get_attribute("href") for a in page.locator("li a").all()]
        assert links == [f"voila/render/{name}" for name in APPS]
        assert driver.axe_violations(page) == []


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
@pytest.mark.parametrize("name", APPS)
def test_every_control_moves_the_picture(browser, apps, name, by):
    with driver.watched(browser, apps.url) as page:
        for panel in open_app(page, apps, name):
            driver.move_everything(panel, by, rtol=1e-12)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", APPS)
def test_app_is_accessible_and_fits_a_phone(browser, apps, name, scheme):
    with driver.watched(
        browser, apps.url, color_scheme=scheme, viewport={"width": 360, "height": 740}
    ) as page:
        for panel in open_app(page, apps, name):
            driver.settle(panel)
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        assert driver.axe_violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("name", APPS)
def test_app_links_its_chapter(browser, apps, name):
    cells = json.loads((ROOT / "book" / "apps" / name).read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    (chapter,) = set(re.findall(r"\]\(\.\./([a-z]+/[a-z0-9-]+)\.md\)", text))
    with urllib.request.urlopen(f"{apps.url}/voila/{chapter}.md") as reply:
        assert reply.url.endswith(f"/book/book/{chapter}.html")
        assert reply.status == 200


@pytest.mark.parametrize("name", APPS)
def test_typed_values_between_stops_are_exact(browser, apps, name):
    with driver.watched(browser, apps.url) as page:
        for panel in open_app(page, apps, name):
            driver.settle(panel)
            spec = driver.spec_of(panel)
            for control in spec["controls"]:
                if control["kind"] != "slider" or control["low"] is None or control["whole"]:
                    continue
                low, high = control["stops"][3], control["stops"][4]
                value = float(f"{low + 0.37 * (high - low):.6g}")
                box = panel.locator(f"[data-control='{control['name']}'] .mb-typed")
                box.fill(repr(value))
                box.press("Enter")
                shown = driver.settle(panel)
                assert shown["values"][control["name"]] == value
                driver.compare(spec, shown, rtol=1e-12)


@pytest.mark.parametrize("name", APPS)
def test_address_restores_the_state_and_survives_nonsense(browser, apps, name):
    with driver.watched(browser, apps.url) as page:
        panels = open_app(page, apps, name)
        wanted = []
        for panel in panels:
            driver.settle(panel)
            for control in driver.spec_of(panel)["controls"]:
                if control["kind"] != "rounds":
                    driver.move(panel, control, 0, "keyboard")
                    driver.settle(panel)
            wanted.append(driver.settle(panel)["values"])
        query = page.evaluate("location.search")
        for panel, values in zip(open_app(page, apps, name, query), wanted, strict=True):
            assert driver.settle(panel)["values"] == values
        broken = re.sub(r"=[^&]*", "=nonsense", query)
        for panel in open_app(page, apps, name, broken):
            spec = driver.spec_of(panel)
            start = {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}
            assert driver.settle(panel)["values"] == start


@pytest.mark.parametrize("name", APPS)
def test_files_hold_what_is_shown(browser, apps, name, tmp_path):
    with driver.watched(browser, apps.url) as page:
        for panel in open_app(page, apps, name):
            shown = driver.settle(panel)
            check_csv(driver.save(panel, "CSV", tmp_path), shown)
            assert "<svg" in driver.save(panel, "SVG", tmp_path).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", APPS)
def test_visitors_do_not_see_each_other(browser, apps, name):
    with driver.watched(browser, apps.url) as one, driver.watched(browser, apps.url) as two:
        mine, theirs = open_app(one, apps, name)[0], open_app(two, apps, name)[0]
        before = driver.settle(theirs)
        driver.settle(mine)
        control = next(c for c in driver.spec_of(mine)["controls"] if c["kind"] == "slider")
        driver.move(mine, control, 0, "keyboard")
        assert driver.settle(mine)["values"][control["name"]] == control["stops"][0]
        assert driver.settle(theirs)["values"] == before["values"]


@pytest.mark.parametrize("name", APPS)
def test_leaving_the_page_stops_its_kernel(browser, apps, name):
    before = apps.log.read_text().count("Kernel shutdown")
    with driver.watched(browser, apps.url) as page:
        driver.settle(open_app(page, apps, name)[0])
        page.goto(apps.url)
        deadline = time.monotonic() + 20
        while apps.log.read_text().count("Kernel shutdown") == before:
            assert time.monotonic() < deadline, "the kernel of a visitor who left runs on"
            page.wait_for_timeout(100)
