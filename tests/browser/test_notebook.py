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
    for name, cell in (("lesson", CELL), ("linked", LINKED)):
        write_notebook(folder / f"{name}.ipynb", cell)
    with notebook_server(folder, folder / "log") as server:
        yield server


@pytest.fixture
def roomy(browser):
    """A window of its own, whose console nobody listens to."""
    with closing(browser.new_context(viewport={"width": 1400, "height": 1000})) as context:
        yield context


def ran(page, lab, name):
    """Open a notebook, run its first cell, and return its panel."""
    page.goto(f"{lab.url}/lab/tree/{name}.ipynb?reset")
    page.locator(".jp-CodeCell .cm-content").first.click(timeout=driver.SETTLE)
    # The kernel of a notebook that has just opened may still be starting.
    page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", timeout=driver.SETTLE)
    page.keyboard.press("Shift+Enter")
    panel = page.locator("#everything")
    panel.wait_for(timeout=driver.SETTLE)
    driver.settle(panel)
    return panel


def test_panel_in_jupyterlab(roomy, lab):
    """JupyterLab has shortcuts on the arrow keys, which must not take them from the sliders."""
    page = roomy.new_page()
    others = []
    page.on("request", lambda r: others.append(r.url) if r.url.startswith("http") else None)
    panel = ran(page, lab, "lesson")
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


def test_a_panel_is_linked_and_stands_in_a_row_and_in_a_tab(roomy, lab):
    page = roomy.new_page()
    panel = ran(page, lab, "linked")
    assert driver.settle(panel)["values"]["height"] == 0.5, "set from Python"
    assert panel.bounding_box()["width"] > 500, "a row leaves the panel its room"
    panel.locator("[data-control='height'] .mb-typed").fill("1.25")
    page.keyboard.press("Enter")
    labels = "[...document.querySelectorAll('.widget-label')].map((node) => node.innerText)"
    driver.wait_until(page, f"{labels}.includes('at 1.25')")
    readout = page.locator(".widget-readout")
    driver.wait_until(page, "document.querySelector('.widget-readout').innerText === '1.25'")
    readout.fill("1.5")
    readout.press("Enter")
    driver.wait_until(page, "document.querySelector('#everything').panel.values.height === 1.5")
    driver.compare(driver.spec_of(panel), driver.settle(panel), rtol=1e-12)
    page.get_by_role("tab", name="other").click()
    other = page.locator("#other")
    assert driver.settle(other)["values"]["height"] == 1.5, "the panels are linked"
    assert other.locator(".mb-plot").bounding_box()["width"] > 500, "drawn anew when it is seen"
    driver.compare(driver.spec_of(other), driver.settle(other), rtol=1e-12)
    other.locator("[data-control='height'] .mb-typed").fill("0.75")
    page.keyboard.press("Enter")
    driver.wait_until(page, "document.querySelector('#everything').panel.values.height === 0.75")
