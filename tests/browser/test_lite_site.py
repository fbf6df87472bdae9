"""A notebook of the site for browsers: Python starts there, offline, and the panel moves."""

import math

import driver
import nbformat.v4 as made
import pytest
from here_site import numpy_stub, served
from shared import ROOT

from explorable.outputs.lite import make
from explorable.outputs.lite_python import Sources

PREFIX = "some/where/book"
# NumPy for browsers cannot be had everywhere, so this figure is made of plain numbers.
FIGURE = """import math

import plotly.graph_objects as go


def decay(rate=1.0):
    x = [0.1 * i for i in range(31)]
    y = [math.exp(-rate * each) for each in x]
    figure = go.Figure(go.Scatter(x=x, y=y, name="decay"))
    said = f"At rate {rate:g} it falls to {y[-1]:.6g} (exact)."
    return figure.update_layout(meta={"sentence": said, "alt": "A curve."})
"""
CELL = f"""{FIGURE}

from explorable.panels import Explorable, Slider

Explorable(decay, rate=Slider(0.0, 3.0, 1.0, step=0.1))
"""
SECOND = "import sys\nprint(sys.platform, 6 * 7)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The address of a site below a folder, with one notebook."""
    folder = tmp_path_factory.mktemp("lite")
    cells = [made.new_code_cell(CELL, id="panel"), made.new_code_cell(SECOND, id="second")]
    book = made.new_notebook(cells=cells)
    book.metadata["kernelspec"] = {"name": "python", "display_name": "Python"}
    make(ROOT, folder / PREFIX / "lite", Sources(bare=True), [numpy_stub(folder)], {"lesson": book})
    with served(folder) as server:
        yield f"{server.url}/{PREFIX}/lite"


@pytest.mark.nightly
def test_a_notebook_runs_in_the_browser(browser, site):
    # Whatever goes to another host meets a door that is shut.
    shut = {"server": "http://127.0.0.1:9", "bypass": "127.0.0.1"}
    context = browser.new_context(viewport={"width": 1200, "height": 1000}, proxy=shut)
    others: list[str] = []
    own = (site.split(f"/{PREFIX}")[0], "data:", "blob:")
    context.on("request", lambda r: r.url.startswith(own) or others.append(r.url))
    page = context.new_page()
    page.goto(f"{site}/notebooks/index.html?path=lesson.ipynb")
    page.locator(".jp-CodeCell .cm-content").first.click(timeout=driver.SETTLE)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    panel = page.locator("#decay")
    panel.wait_for(timeout=3 * driver.SETTLE)

    # The same function, by this Python.
    here: dict = {}
    exec(FIGURE, here)
    (control,) = driver.spec_of(panel)["controls"]
    for steps in (0, 3):
        for _ in range(steps):
            panel.locator(".mb-range").press("ArrowRight")
        shown = driver.settle(panel)
        rate = shown["values"]["rate"]
        assert math.isclose(rate, 1.0 + 0.1 * steps)
        wanted = here["decay"](rate)
        assert not shown["failed"], shown["error"]
        assert shown["sentence"] == wanted.layout.meta["sentence"]
        assert shown["data"][0]["y"] == pytest.approx(wanted.data[0].y, rel=1e-12)
    assert control["stops"][-1] == 3.0
    page.get_by_text("emscripten 42").wait_for(timeout=driver.SETTLE)
    assert others == []
    context.close()
