"""A teacher's notebook in JupyterLab: one line makes a function explorable."""

from contextlib import closing

import driver
import pytest
from server import notebook_server, write_notebook

pytestmark = pytest.mark.nightly

CELL = """from demo_figures import everything
from explorable.panels import Explorable, Slider

Explorable(everything, count=Slider(1, 5, 3, step=1), height=(0.0, 2.0), dots=True)"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lab")
    write_notebook(folder / "lesson.ipynb", CELL)
    with notebook_server(folder, folder / "log") as server:
        yield server


def test_panel_in_jupyterlab(browser, lab):
    """JupyterLab has shortcuts on the arrow keys, which must not take them from the sliders."""
    # A window whose console nobody listens to.
    with closing(browser.new_context(viewport={"width": 1400, "height": 1000})) as context:
        page = context.new_page()
        others = []
        page.on("request", lambda r: others.append(r.url) if r.url.startswith("http") else None)
        page.goto(f"{lab.url}/lab/tree/lesson.ipynb?reset")
        page.locator(".jp-CodeCell .cm-content").first.click(timeout=driver.SETTLE)
        # The kernel of a notebook that has just opened may still be starting.
        page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=driver.SETTLE)
        page.keyboard.press("Shift+Enter")
        panel = page.locator("#everything")
        panel.wait_for(timeout=driver.SETTLE)
        driver.settle(panel)
        address = page.url
        for control in driver.spec_of(panel)["controls"]:
            for by in ("keyboard", "mouse"):
                for stop in (0, 1):
                    driver.move_and_compare(panel, control, stop, by, rtol=1e-12)
        driver.query(page)
        assert page.url == address, "the address belongs to JupyterLab"
        assert [url for url in others if not url.startswith(lab.url)] == []

        # A kernel that the teacher restarts knows nothing of the panel: it says so, until the cell
        # is run again.
        page.locator(".jp-CodeCell .cm-content").first.click()
        for key in ("Escape", "0", "0"):
            page.keyboard.press(key)
        page.locator(".jp-Dialog-button.jp-mod-accept").click()
        panel.locator(".mb-lost").wait_for(timeout=10_000)
        assert "Run this cell again" in panel.locator(".mb-lost").inner_text()
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(
            "document.querySelectorAll('#everything').length === 1 &&"
            " document.querySelector('#everything .mb-lost')?.hidden",
            timeout=driver.SETTLE,
        )
        control = driver.spec_of(panel)["controls"][1]
        driver.move_and_compare(panel, control, 0, "keyboard", rtol=1e-12)
