"""Every app, as the public meets it: its own server, the panel's own script."""

from collections.abc import Iterator
from contextlib import closing

import driver
import pytest
from pages import panels_of
from playwright.sync_api import Locator, Page, expect
from samples import SAMPLE
from server import app_server
from shared import ROOT
from test_book_pages import check_files

APPS = [path.stem for path in sorted((ROOT / "book" / "apps").glob("*.ipynb"))]
# A plan or a run of one's own takes the accountant longer than a busy machine may wait.
SLOW = ("clip-and-noise", "dpsgd")


def open_app(page: Page, apps, name: str, query: str = "") -> list[Locator]:
    page.goto(f"{apps.url}/app/{name}{query}")
    page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
    return panels_of(page)


def test_front_page_lists_every_app(browser, apps):
    assert APPS
    with driver.watched(browser, apps.url) as page:
        page.goto(apps.url)
        links = [a.get_attribute("href") for a in page.locator("li a").all()]
        assert links == [f"app/{name}" for name in APPS]
        assert driver.axe_violations(page) == []


@pytest.fixture(scope="module")
def one_load(browser, apps) -> Iterator[driver.OneLoad]:
    """An app, opened once for all that is looked at in it."""

    def open_it(page: Page, name: str) -> None:
        open_app(page, apps, name)

    with closing(driver.OneLoad(browser, open_it, host=apps.url, color_scheme="light")) as load:
        yield load


# By day a few, which have every kind of control that the apps have.
SOME = [
    pytest.param(name, marks=() if f"book/apps/{name}" in SAMPLE["apps"] else pytest.mark.nightly)
    for name in APPS
]


@pytest.mark.parametrize("visit", SOME, indirect=True)
def test_controls_move_the_picture_and_the_app_is_accessible(visit, request, tried, tmp_path):
    """Every control, then the page as people meet it."""
    name = request.node.callspec.params["visit"]
    names, typed = tried("apps", f"book/apps/{name}"), name not in SLOW
    for panel in panels_of(visit):
        driver.move_everything(panel, rtol=1e-12, only=driver.own_of(panel, names))
        if typed:
            type_between_stops(panel)
        check_files(panel, tmp_path)
    wide = visit.viewport_size
    visit.set_viewport_size({"width": 360, "height": 740})
    # Only colours differ between the schemes.
    for scheme in ("light", "dark"):
        visit.emulate_media(color_scheme=scheme)
        driver.still(visit)
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


def test_a_lost_line_is_told_and_the_last_move_answered_when_it_is_back(browser, apps):
    # A refused request is a complaint of the browser's own, so nobody watches here.
    with closing(browser.new_page()) as page:
        panel = open_app(page, apps, "pmp")[0]
        driver.settle(panel)  # else its first picture may come after the move
        page.route("**/figure/**", lambda route: route.abort())
        control = driver.spec_of(panel)["controls"][0]
        driver.move(panel, control, 0, "keyboard")
        expect(panel.locator(".mb-lost")).to_be_visible()
        expect(panel.locator(".mb-lost")).to_contain_text("The connection to the app is lost")
        expect(panel.locator("[data-tool=CSV]")).to_be_disabled()
        page.unroute("**/figure/**")
        expect(panel.locator(".mb-lost")).to_be_hidden(timeout=driver.SETTLE)
        assert driver.settle(panel)["values"][control["name"]] == control["stops"][0]
        expect(panel.locator("[data-tool=CSV]")).to_be_enabled()


@pytest.mark.nightly
def test_an_app_behind_voila_moves_and_asks_no_other_host(browser, tmp_path):
    with (
        app_server(ROOT / "book" / "apps", tmp_path / "log") as server,
        driver.watched(browser, server.url) as page,
    ):
        page.goto(f"{server.url}/voila/render/pmp.ipynb")
        page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
        driver.move_everything(panels_of(page)[0], rtol=1e-12)
        assert driver.axe_violations(page) == []
        page.goto(server.url)
        assert page.locator("li a").count() == len(APPS)
        assert driver.axe_violations(page) == []
