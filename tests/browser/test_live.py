"""A live panel, behind Voila and in JupyterLab: it never passes an old picture for a new one."""

import time
from contextlib import closing

import driver
import psutil
import pytest
from driver import type_into
from playwright.sync_api import expect
from server import app_server, notebook_server, write_notebook
from test_apps import upload

CELLS = (
    """from demo_figures import everything, patient
from explorable.panels import Choice, Explorable, File, LogSlider, Slider, Switch

Explorable(everything, count=Slider(1, 5, 3, step=1), height=Slider(0.0, 2.0, 1.0),
           style=Choice("solid dash dot dashdot longdash longdashdot".split()), dots=Switch(True),
           size=LogSlider(0.01, 100, 1.0))""",
    """Explorable(patient, seconds=Choice([0.0, 0.5, 3.0, 6.0, 30.0]), height=Slider(0.0, 2.0, 1.0),
           file=File(["short", "long"]))""",
)
LINKED = """import ipywidgets
from demo_figures import everything
from explorable.panels import Explorable, Slider

panel = Explorable(everything, height=(0.0, 2.0), dots=True).widget()
slider, label = ipywidgets.FloatSlider(max=2, step=0.25), ipywidgets.Label()
panel.observe(lambda change: setattr(label, "value", f"at {change['new']['height']}"), "values")
panel.link("height", slider)
panel.values = {"height": 0.5}
other = Explorable(everything, name="other", height=(0.0, 2.0), dots=True).widget()
panel.link("height", other)
row = ipywidgets.HBox([panel, ipywidgets.VBox([slider, label])])
ipywidgets.Tab([row, other], titles=["row", "other"])"""
GONE = 10_000
OPACITY = "(root) => Number(getComputedStyle(root.querySelector('.mb-plot')).opacity)"


def choose(panel, name: str, value: float) -> None:
    """Move a slider of fixed stops in one step: keys would pass others, which a slow machine answers too."""
    (stops,) = (c["stops"] for c in driver.spec_of(panel)["controls"] if c["name"] == name)
    panel.locator(f"[data-control='{name}'] input[type=range]").fill(str(stops.index(value)))


def is_current(panel) -> bool:
    """Say whether a picture is shown in full that may be saved; else it is pale and may not."""
    off = [panel.locator(f"[data-tool='{name}']").is_disabled() for name in ("CSV", "SVG")]
    opacity = panel.evaluate(OPACITY)
    assert (opacity < 0.5 and all(off)) or (opacity == 1 and not any(off)), (opacity, off)
    return opacity == 1


def troubled(browser):
    """A page whose console may complain: its server is taken away, or is not ours."""
    return closing(browser.new_page(viewport={"width": 1400, "height": 1000}))


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    write_notebook(folder / "demo.ipynb", *CELLS, words="# Demo")
    with app_server(folder, folder / "log") as process:
        yield process


def opened(page, app, query: str = "", name: str = "patient"):
    page.goto(f"{app.url}/voila/render/demo.ipynb{query}")
    panel = page.locator(f"#{name}")
    panel.wait_for(timeout=driver.SETTLE)
    driver.settle(panel)
    return panel


def test_live_controls_typed_values_and_an_error(browser, app):
    with driver.watched(browser, app.url) as page:
        page.goto(app.url)
        assert page.locator("li a").count() == 1
        assert driver.axe_violations(page) == []
        panel = opened(page, app, "?everything.count=2", "everything")
        assert driver.axe_violations(page) == []
        assert driver.settle(panel)["values"]["count"] == 2
        for control in driver.spec_of(panel)["controls"][1:3]:
            for stop in (len(control["stops"]) - 1, 0):
                driver.move_and_compare(panel, control, stop, "keyboard", rtol=1e-12)
        row = type_into(panel, "height", "0.123")
        assert driver.settle(panel)["values"]["height"] == 0.123
        assert float(row.locator("[type=range]").input_value()) % 1 > 0, "the thumb is on a stop"
        count = driver.spec_of(panel)["controls"][0]
        driver.move(panel, count, 4, "keyboard")
        assert "count = 5: must be at most 4" in driver.settle(panel)["error"]
        driver.move_and_compare(panel, count, 1, "keyboard", rtol=1e-12)


def test_an_offline_page_says_so_and_comes_back_by_itself(browser, app):
    with troubled(browser) as page:
        panel = opened(page, app, name="everything")
        page.context.set_offline(True)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert "lost" in panel.locator(".mb-lost").inner_text()
        assert not is_current(panel)
        choose(panel, "height", 0)
        page.wait_for_timeout(1500)
        assert not is_current(panel)
        page.context.set_offline(False)
        panel.locator(".mb-lost").wait_for(state="hidden", timeout=GONE)
        shown = driver.settle(panel)
        assert shown["values"]["height"] == 0
        driver.compare(driver.spec_of(panel), shown, rtol=1e-12)
        assert is_current(panel)


@pytest.mark.nightly
def test_while_pending_the_old_picture_is_dimmed_without_its_words_and_can_be_cancelled(browser, app):
    with driver.watched(browser, app.url) as page:
        panel = opened(page, app, "?patient.height=0.5")
        busy = panel.locator(".mb-busy")
        assert is_current(panel)
        choose(panel, "seconds", 6)
        driver.wait_until(page, f"(root) => ({OPACITY})(root) < 0.5", panel.element_handle(), seconds=4)
        assert panel.locator(".mb-sentence").inner_text() == ""
        assert panel.get_attribute("aria-busy") == "true"
        assert "computed" in panel.locator(".mb-plot").get_attribute("aria-label")
        assert busy.inner_text() == "computing…"
        assert not is_current(panel)
        busy.locator("[data-tool='Cancel']").wait_for(timeout=4000)
        assert "Still computing" in busy.inner_text()
        bar = "Number(document.querySelector('#patient .mb-busy progress').value)"
        driver.wait_until(page, f"{bar} > 0", seconds=3)
        early = page.evaluate(bar)
        driver.wait_until(page, f"{bar} > {early} && {bar} < 1", seconds=3)
        assert driver.axe_violations(page) == []
        assert driver.settle(panel)["sentence"].startswith("6 seconds")
        assert busy.is_hidden()
        assert is_current(panel)
        choose(panel, "seconds", 30)
        panel.locator("[data-tool='Cancel']").click(timeout=6000)
        start = time.monotonic()
        assert driver.settle(panel)["sentence"].startswith("6 seconds, height 0.5")
        assert time.monotonic() - start < 10  # of the 30 that it would have taken
        assert "Cancelled" in busy.inner_text()
        assert "seconds=6" in driver.query(page)
        # The kernel is free at once, and what was cancelled can be asked again.
        choose(panel, "seconds", 0.5)
        assert driver.settle(panel)["sentence"].startswith("0.5 seconds")
        choose(panel, "seconds", 30)
        page.wait_for_timeout(300)
        assert panel.get_attribute("data-settled") == "no"


def kept(panel) -> dict:
    """Wait until the page has started again, and return what it shows."""
    again = "performance.getEntriesByType('navigation')[0].type === 'reload'"
    drawn = "document.querySelector('#patient')?.dataset.settled > 'no'"
    driver.wait_until(panel.page, f"{again} && {drawn}", seconds=40)
    return driver.settle(panel)


@pytest.mark.nightly
def test_a_killed_kernel_is_told_within_ten_seconds_and_the_state_is_kept(browser, app):
    with troubled(browser) as page:
        server = psutil.Process(app.process.pid)
        before = set(server.children())
        panel = opened(page, app, "?patient.height=0.5")
        (mine,) = set(server.children()) - before
        assert "3 lines" in upload(panel, b"a,b\n1,2\n3,4\n")["sentence"]
        mine.kill()
        choose(panel, "seconds", 0.5)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert panel.locator(".mb-sentence").inner_text() == ""
        assert not is_current(panel)
        kept(panel)
        driver.wait_until(page, "document.querySelector('#patient').panel.values.file.upload > 0")
        # The settings, the move that was lost, and the reader's file are there again.
        assert driver.settle(panel)["sentence"] == "0.5 seconds, height 0.5, 3 lines (exact)."
        assert page.evaluate("Object.keys(sessionStorage).some((k) => k.includes('file'))") is False
        # And the panel works.
        choose(panel, "seconds", 0)
        assert driver.settle(panel)["sentence"].startswith("0 seconds, height 0.5")


@pytest.mark.nightly
def test_a_kernel_that_forgot_the_page_is_told(browser, app):
    """A kernel restarted by somebody else answers, but not to this page."""
    with troubled(browser) as page:
        panel = opened(page, app, "?patient.height=0.5")
        panel.evaluate("(root) => { root.panel.source.figure = () => new Promise(() => {}); }")
        choose(panel, "seconds", 0.5)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert kept(panel)["sentence"].startswith("0.5 seconds, height 0.5")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    write_notebook(folder / "lesson.ipynb", CELLS[0])
    write_notebook(folder / "linked.ipynb", LINKED)
    with notebook_server(folder, folder / "log") as server:
        yield server


def ran(page, lab, name: str):
    page.goto(f"{lab.url}/lab/tree/{name}.ipynb?reset")
    page.locator(".jp-CodeCell .cm-content").first.click(timeout=driver.SETTLE)
    # The kernel of a notebook that has just opened may still be starting.
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=driver.SETTLE)
    page.keyboard.press("Shift+Enter")
    panel = page.locator("#everything")
    panel.wait_for(timeout=driver.SETTLE)
    driver.settle(panel)
    return panel


@pytest.mark.nightly
def test_panel_in_jupyterlab(browser, lab):
    """JupyterLab has shortcuts on the arrow keys, which must not take them from the sliders."""
    with troubled(browser) as page:
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        panel = ran(page, lab, "lesson")
        address = page.url
        for control in driver.spec_of(panel)["controls"]:
            for by in ("keyboard", "mouse"):
                for stop in (0, 1):
                    driver.move_and_compare(panel, control, stop, by, rtol=1e-12)
        driver.query(page)
        assert page.url == address, "the address belongs to JupyterLab"
        assert [url for url in asked if url.startswith("http") and not url.startswith(lab.url)] == []
        # After the teacher restarts the kernel the panel says so, until the cell is run again.
        cell = page.locator(".jp-CodeCell .cm-content").first
        cell.click()
        for key in ("Escape", "0", "0"):
            page.keyboard.press(key)
        page.locator(".jp-Dialog-button.jp-mod-accept").click()
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert "Run this cell again" in panel.locator(".mb-lost").inner_text()
        cell.press("Shift+Enter")
        again = "document.querySelectorAll('#everything').length === 1"
        driver.wait_until(page, f"{again} && document.querySelector('#everything .mb-lost')?.hidden")
        driver.move_and_compare(panel, driver.spec_of(panel)["controls"][1], 0, "keyboard", rtol=1e-12)


@pytest.mark.nightly
def test_a_panel_is_linked_and_stands_in_a_row_and_in_a_tab(browser, lab):
    with troubled(browser) as page:
        panel, other = ran(page, lab, "linked"), page.locator("#other")
        assert driver.settle(panel)["values"]["height"] == 0.5, "set from Python"
        assert panel.bounding_box()["width"] > 500, "a row leaves the panel its room"
        row = type_into(panel, "height", "1.25")
        # There Enter is a shortcut too, which takes the keys into the cell's code.
        expect(row.locator(".mb-typed")).to_be_focused()
        expect(page.get_by_text("at 1.25", exact=True)).to_be_visible()
        readout = page.locator(".widget-readout")
        expect(readout).to_have_text("1.25")
        readout.fill("1.5")
        readout.press("Enter")
        driver.wait_until(page, "document.querySelector('#everything').panel.values.height === 1.5")
        driver.compare(driver.spec_of(panel), driver.settle(panel), rtol=1e-12)
        page.get_by_role("tab", name="other").click()
        shown = driver.settle(other)
        assert shown["values"]["height"] == 1.5, "the panels are linked"
        assert other.locator(".mb-plot").bounding_box()["width"] > 500, "drawn anew when it is seen"
        driver.compare(driver.spec_of(other), shown, rtol=1e-12)
        type_into(other, "height", "0.75")
        driver.wait_until(page, "document.querySelector('#everything').panel.values.height === 0.75")
