"""What a page of the server does below a prefix: files go along, lost lines, a full server."""

from collections.abc import Iterator

import driver
import pytest
from playwright.sync_api import Route, expect
from server import Served, figure_server
from shared import ROOT
from test_apps import open_app


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("figures") / "log"
    server = figure_server(ROOT / "book" / "apps", log, "--base-url", "/mip/", base="/mip")
    try:
        server.wait()
        yield server
    finally:
        server.stop()


def test_a_file_of_ones_own_goes_with_each_move(browser, figures, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("score,member\n" + "\n".join(f"{i % 17},{i % 2}" for i in range(60)))
    sent: list[str] = []
    with driver.watched(browser, figures.url) as page:
        panel = open_app(page, figures, "attack")[0]
        page.on("request", lambda r: sent.append(r.post_data or "") if r.method == "POST" else None)
        panel.locator("input[type=file]").set_input_files(path)
        expect(panel.locator(".mb-file-name")).to_contain_text("mine.csv. ")
        slider = next(c for c in driver.spec_of(panel)["controls"] if c["kind"] == "slider")
        driver.move(panel, slider, 0, "keyboard")
        assert driver.settle(panel)["values"]["file"]["name"] == "mine.csv"
        assert len(sent) >= 2
        assert all("score,member" in body for body in sent)
        assert "mine.csv" not in driver.query(page)


def test_a_lost_line_is_told_and_the_last_move_answered_when_it_is_back(browser, figures):
    # A refused request is a complaint of the browser's own, so nobody watches here.
    page = browser.new_page()
    try:
        panel = open_app(page, figures, "pmp")[0]
        driver.settle(panel)  # else its first picture may come after the move
        page.route("**/figure/**", lambda route: route.abort())
        control = driver.spec_of(panel)["controls"][0]
        driver.move(panel, control, 0, "keyboard")
        expect(panel.locator(".mb-lost")).to_contain_text("The connection to the app is lost")
        expect(panel.locator("[data-tool=CSV]")).to_be_disabled()
        page.unroute("**/figure/**")
        expect(panel.locator(".mb-lost")).to_be_hidden(timeout=driver.SETTLE)
        assert driver.settle(panel)["values"][control["name"]] == control["stops"][0]
        expect(panel.locator("[data-tool=CSV]")).to_be_enabled()
    finally:
        page.close()


def test_a_full_server_is_asked_again_and_a_newer_move_wins(browser, figures):
    page, refused = browser.new_page(), []

    def full_once(route: Route) -> None:
        if len(refused) < 2:
            refused.append(route.request.post_data)
            route.fulfill(status=503, headers={"Retry-After": "0"}, body="{}")
        else:
            route.continue_()

    try:
        panel = open_app(page, figures, "pmp")[0]
        page.route("**/figure/**", full_once)
        control = driver.spec_of(panel)["controls"][0]
        driver.move(panel, control, 0, "keyboard")
        shown = driver.settle(panel)
        assert shown["values"][control["name"]] == control["stops"][0]
        assert len(refused) == 2
    finally:
        page.close()
