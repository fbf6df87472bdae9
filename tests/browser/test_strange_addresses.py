"""A page whose address nobody can read still works, and one with a foreign script runs none."""

import demo_figures
import driver
import pytest

from explorable.panels import Explorable, Slider
from explorable.panels.static import page_html

PLANTED = "<script>globalThis.planted = 1</script><img src=x onerror='globalThis.planted = 2'>"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    panel = Explorable(demo_figures.held, threshold=Slider(0, 2, 1.0, step=0.1), height=(0, 2))
    path.write_text(page_html(panel, below=PLANTED), encoding="utf-8")
    return path


@pytest.mark.parametrize("end", ["", "#%", "#%E0%A4%A", "#%00", "#held", "?threshold=%&height=%ff#%%"])
def test_an_address_that_cannot_be_read_switches_nothing_off(browser, page_file, end):
    with driver.watched(browser) as page:
        # What the page refuses is told in the console; it is what is asked for here.
        page.goto(page_file.as_uri() + end)
        panel = page.locator("#held")
        driver.settle(panel)
        slider = driver.spec_of(panel)["controls"][0]
        driver.move(panel, slider, 3, "keyboard")
        assert driver.settle(panel)["values"]["threshold"] == slider["stops"][3]
        assert page.evaluate("globalThis.planted") is None
        policy = [c for c in driver.WATCHES[page.context].complaints if "Security Policy" in c]
        assert len(policy) >= 2
        driver.WATCHES[page.context].complaints.clear()
