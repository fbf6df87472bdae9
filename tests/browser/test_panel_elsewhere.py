"""A panel that fills the window, and a panel inside another page."""

import demo_figures
import driver
import pytest
from here_site import write_static

from explorable.outputs.files import embed_pages
from explorable.panels import Explorable, Slider
from explorable.panels.static import page_html


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of one panel: its scripts, a page, and the page to embed."""
    folder = tmp_path_factory.mktemp("book")
    write_static(folder)
    (folder / "embed").mkdir()
    threshold = Slider(0, 2, 1.0, step=0.1, label="Threshold ε̃")
    panel = Explorable(demo_figures.held, threshold=threshold, height=Slider(0.0, 2.0, 1.0))
    for name, text in embed_pages(f"<main>{panel.html()}</main>").items():
        (folder / "embed" / f"{name}.html").write_text(text, encoding="utf-8")
        page = text.replace(" mb-embed", "").replace("../", "")
        (folder / "page.html").write_text(page, encoding="utf-8")
    return folder


FONT = "(node) => parseFloat(getComputedStyle(node).fontSize)"


def test_presented_a_panel_fills_the_window_and_obeys_the_arrow_keys(browser, book):
    with driver.watched(browser, viewport={"width": 1280, "height": 720}) as page:
        page.goto((book / "page.html").as_uri())
        panel = page.locator("#held")
        driver.settle(panel)
        before = (panel.locator(".mb-sentence").evaluate(FONT), panel.evaluate("(r) => r.offsetHeight"))
        button = driver.tool(panel, "Present")
        button.focus()
        page.keyboard.press("Enter")
        box = panel.bounding_box()
        assert box == {"x": 0, "y": 0, "width": 1280, "height": 720}
        assert panel.locator(".mb-sentence").evaluate(FONT) >= 1.3 * before[0]
        driver.wait_until(page, "document.querySelector('.mb-plot')._fullLayout.font.size === 22")
        sentence = panel.locator(".mb-sentence").bounding_box()
        assert sentence["y"] + sentence["height"] <= 720, "the sentence is in the window"
        for key, value in (("ArrowRight", 1.1), ("ArrowLeft", 1.0), ("ArrowLeft", 0.9)):
            page.keyboard.press(key)
            assert driver.settle(panel)["values"]["threshold"] == value
        page.keyboard.press("Escape")
        driver.wait_until(page, "document.querySelector('.mb-plot')._fullLayout.font.size === 14")
        assert panel.evaluate("(r) => r.offsetHeight") == before[1]
        page.keyboard.press("ArrowRight")
        assert driver.settle(panel)["values"]["threshold"] == 0.9, "the keys are the page's again"
        menu = panel.locator(".mb-toolbox > summary")
        assert menu.evaluate("(node) => node === document.activeElement")


def test_a_panel_stands_in_another_page_with_its_state_and_tells_its_height(browser, book):
    with driver.watched(browser) as page:
        page.goto((book / "page.html").as_uri() + "?held.threshold=0.5")
        panel = page.locator("#held")
        driver.settle(panel)
        # Where the clipboard is closed, the lines are shown.
        page.on("dialog", lambda dialog: dialog.dismiss())
        driver.tool(panel, "Embed").click()
        driver.wait_until(page, "!!document.querySelector('[data-tool=Embed]').dataset.code")
        code = panel.locator("[data-tool='Embed']").get_attribute("data-code")
    assert "embed/held.html?held.threshold=0.5" in code
    slides = book / "slides.html"
    slides.write_text(f"<!DOCTYPE html><title>Slides</title><h1>Slides</h1>{code}")
    with driver.watched(browser) as page:
        page.goto(slides.as_uri())
        frame = page.frame_locator("iframe")
        inner = frame.locator("#held")
        assert driver.settle(inner)["values"]["threshold"] == 0.5
        page.wait_for_timeout(300)
        wide = page.locator("iframe").bounding_box()["height"]
        assert abs(wide - inner.bounding_box()["height"]) <= 4
        assert frame.locator("[data-tool='Embed']").count() == 0
        page.set_viewport_size({"width": 390, "height": 844})
        page.wait_for_timeout(500)
        narrow = page.locator("iframe").bounding_box()["height"]
        assert narrow > wide, "a narrow panel is higher, and so is its frame"
        assert abs(narrow - inner.bounding_box()["height"]) <= 4


# --- A page whose address nobody can read still works, and one with a foreign script runs none

PLANTED = "<script>globalThis.planted = 1</script><img src=x onerror='globalThis.planted = 2'>"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    panel = Explorable(demo_figures.held, threshold=Slider(0, 2, 1.0, step=0.1), height=(0, 2))
    path.write_text(page_html(panel, below=PLANTED), encoding="utf-8")
    return path


def test_an_address_that_cannot_be_read_switches_nothing_off(browser, page_file):
    with driver.watched(browser) as page:
        watch = driver.WATCHES[page.context]
        for end in ("", "#%", "#%E0%A4%A", "#%00", "#held", "?threshold=%&height=%ff#%%"):
            page.goto("about:blank")  # else another place of the same page
            page.goto(page_file.as_uri() + end)
            panel = page.locator("#held")
            driver.settle(panel)
            slider = driver.spec_of(panel)["controls"][0]
            driver.move(panel, slider, 3, "keyboard")
            assert driver.settle(panel)["values"]["threshold"] == slider["stops"][3], end
            assert page.evaluate("globalThis.planted") is None
            # What the page refuses is told in the console; it is what is asked for here.
            assert sum("Security Policy" in complaint for complaint in watch.complaints) >= 2
            watch.complaints.clear()
