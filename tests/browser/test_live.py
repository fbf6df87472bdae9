"""A live panel never passes an old picture for a new one: waiting, failing, losing the kernel."""

import time
from contextlib import contextmanager

import driver
import psutil
import pytest
from live import GONE, choose, off, opacity, troubled
from server import app_server, write_notebook

CELL = """from demo_figures import patient
from explorable.panels import Choice, Explorable, File, Slider

Explorable(patient, seconds=Choice([0.0, 0.5, 3.0, 6.0, 30.0]), height=Slider(0.0, 2.0, 1.0),
           file=File(["short", "long"]))"""
pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    write_notebook(folder / "demo.ipynb", CELL, words="# Demo")
    process = app_server(folder, folder / "log")
    process.wait()
    yield process
    process.stop()


def opened(page, app, query: str = ""):
    page.goto(f"{app.url}/voila/render/demo.ipynb{query}")
    panel = page.locator("#patient")
    panel.wait_for(timeout=driver.SETTLE)
    driver.settle(panel)
    return panel


@contextmanager
def live(browser, app, query: str = ""):
    with driver.watched(browser, app.url) as page:
        yield opened(page, app, query)


def wait_for_pale(panel) -> None:
    plot = "getComputedStyle(document.querySelector('#patient .mb-plot'))"
    driver.wait_until(panel.page, f"{plot}.opacity < 0.5", seconds=4)


def test_the_old_picture_is_dimmed_and_the_old_words_gone_while_pending(browser, app):
    with live(browser, app) as panel:
        assert opacity(panel) == 1
        assert off(panel) == [False, False]
        choose(panel, "seconds", 6)
        wait_for_pale(panel)
        assert panel.locator(".mb-sentence").inner_text() == ""
        assert panel.get_attribute("aria-busy") == "true"
        assert "computed" in panel.locator(".mb-plot").get_attribute("aria-label")
        assert panel.locator(".mb-busy").inner_text() == "computing…"
        assert off(panel) == [True, True]
        busy = panel.locator(".mb-busy")
        busy.locator("[data-tool='Cancel']").wait_for(timeout=4000)
        assert "Still computing" in busy.inner_text()
        bar = "Number(document.querySelector('#patient .mb-busy progress').value)"
        driver.wait_until(panel.page, f"{bar} > 0", seconds=3)
        early = panel.page.evaluate(bar)
        driver.wait_until(panel.page, f"{bar} > {early} && {bar} < 1", seconds=3)
        assert driver.axe_violations(panel.page) == []
        shown = driver.settle(panel)
        assert shown["sentence"].startswith("6 seconds")
        assert opacity(panel) == 1
        assert busy.is_hidden()
        assert off(panel) == [False, False]


def test_cancel_stops_the_work_and_goes_back_to_the_picture(browser, app):
    with live(browser, app, "?patient.height=0.5") as panel:
        choose(panel, "seconds", 30)
        panel.locator("[data-tool='Cancel']").click(timeout=6000)
        start = time.monotonic()
        shown = driver.settle(panel)
        assert time.monotonic() - start < 10  # of the 30 that it would have taken
        assert shown["values"]["seconds"] == 0
        assert shown["sentence"].startswith("0 seconds, height 0.5")
        assert "Cancelled" in panel.locator(".mb-busy").inner_text()
        assert "seconds" not in driver.query(panel.page)
        # The kernel is free at once, and what was cancelled can be asked again.
        choose(panel, "seconds", 0.5)
        assert driver.settle(panel)["sentence"].startswith("0.5 seconds")
        choose(panel, "seconds", 6)
        panel.page.wait_for_timeout(300)
        assert panel.get_attribute("data-settled") == "no"


def with_kernel(page, app, query: str = ""):
    """Open the app; return its panel and the kernel behind it."""
    server = psutil.Process(app.process.pid)
    before = set(server.children())
    panel = opened(page, app, query)
    (mine,) = set(server.children()) - before
    return panel, mine


def kept(page, panel, seconds: float = 40) -> dict:
    """Wait until the page has started again, and return what it shows."""
    driver.wait_until(
        page,
        "performance.getEntriesByType('navigation')[0].type === 'reload'"
        " && document.querySelector('#patient')?.dataset.settled > 'no'",
        seconds=seconds,
    )
    return driver.settle(panel)


def upload(panel, text: str, name: str = "mine.csv") -> dict:
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    panel.locator("input[type=file]").set_input_files(file)
    driver.wait_until(panel.page, "document.querySelector('#patient').panel.values.file.upload > 0")
    return driver.settle(panel)


def test_a_killed_kernel_is_told_within_ten_seconds_and_the_state_is_kept(browser, app):
    with troubled(browser) as page:
        panel, mine = with_kernel(page, app, "?patient.height=0.5")
        assert "3 lines" in upload(panel, "a,b\n1,2\n3,4\n")["sentence"]
        mine.kill()
        choose(panel, "seconds", 0.5)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert opacity(panel) < 0.5
        assert panel.locator(".mb-sentence").inner_text() == ""
        assert off(panel) == [True, True]
        shown = kept(page, panel)
        driver.wait_until(page, "document.querySelector('#patient').panel.values.file.upload > 0")
        shown = driver.settle(panel)
        # The settings, the move that was lost, and the reader's file are there again.
        assert shown["sentence"] == "0.5 seconds, height 0.5, 3 lines (exact)."
        assert page.evaluate("Object.keys(sessionStorage).some((k) => k.includes('file'))") is False
        # And the panel works.
        choose(panel, "seconds", 0)
        assert driver.settle(panel)["sentence"].startswith("0 seconds, height 0.5")


def test_a_kernel_that_forgot_the_page_is_told(browser, app):
    """A kernel restarted by somebody else answers, but not to this page."""
    with troubled(browser) as page:
        panel = opened(page, app, "?patient.height=0.5")
        page.evaluate(
            "() => { document.querySelector('#patient').panel.source.figure = () => new Promise(() => {}); }"
        )
        choose(panel, "seconds", 0.5)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert kept(page, panel)["sentence"].startswith("0.5 seconds, height 0.5")
