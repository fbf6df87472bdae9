"""The panel itself: every kind of control, errors, themes, typing, handles; presented and embedded."""

import demo_figures
import driver
import pytest
from driver import type_into
from here_site import write_static
from pages import LAPTOP, PHONE

from explorable import palette
from explorable.outputs.files import embed_pages
from explorable.panels import Choice, Draws, Explorable, LogSlider, Slider, Switch
from explorable.panels.static import page_html

# What else is a number and what is none: `tests/js/values.test.js`.
TYPED = {"7": None, "high": None, "0,5": 0.5, "": None, " 50 %": 0.5, "1/2": 0.5, "2": 2.0}
PLANTED = "<script>globalThis.planted = 1</script><img src=x onerror='globalThis.planted = 2'>"
FONT = "(node) => parseFloat(getComputedStyle(node).fontSize)"
# What a finger hardly meets.
SMALL = """(root) => [...root.querySelectorAll("button, summary, select, .mb-segment, .mb-range")]
  .filter((node) => node.checkVisibility() && !node.matches(".mb-more"))
  .filter(({ offsetWidth, offsetHeight }) => Math.min(offsetWidth, offsetHeight) < 24)
  .map((node) => node.outerHTML.slice(0, 80))"""
# Of a group of radio buttons the tab key reaches the chosen one, as everywhere.
ORDER = """[...document.querySelectorAll('#everything :is(input, button, summary)')].filter((node) =>
  !node.disabled && node.checkVisibility() && (node.type !== 'radio' || node.checked))"""
PLACE = """(root, [at, level]) => {
  const plot = root.querySelector(".mb-plot"), box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  return [box.left + xaxis._offset + xaxis.d2p(at), box.top + yaxis._offset + yaxis.d2p(level)];
}"""
# How high the first curve is in every frame until a second after a press.
FRAMES = """(root) => new Promise((done) => {
  const [plot, seen, end] = [root.querySelector(".mb-plot"), [], performance.now() + 1000];
  const look = (now) => {
    seen.push(Math.max(...plot.data[0].y.filter(Number.isFinite)));
    if (now < end) requestAnimationFrame(look); else done(seen);
  };
  look(0);
  root.querySelector("[data-tool=Reset]").click();
})"""
GHOSTS = """(root) => root.querySelector(".mb-plot").data
  .filter((trace) => trace.meta === "ghost").map((trace) => trace.y[0])"""


@pytest.fixture(scope="module")
def everything(browser, tmp_path_factory):
    made = Explorable(
        demo_figures.everything,
        may_refuse=True,
        count=Slider(1, 5, 3, step=1, label="Count", unit="waves", play=True),
        height=Slider(0.0, 2.0, 1.0, points=5, label="Height"),
        style=Choice(["solid", "dash", "dot"]),
        dots=Switch(True),
        size=LogSlider(0.01, 100, 1.0, points=5),
    )
    page = made.save(tmp_path_factory.mktemp("demo") / "page.html").as_uri()
    return lambda query="", **more: driver.shown(browser, page + query, "everything", **more)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book of one panel: its scripts, a page, and the page to embed."""
    folder = tmp_path_factory.mktemp("book")
    write_static(folder)
    (folder / "embed").mkdir()
    threshold = Slider(0, 2, 1.0, step=0.1, label="Threshold ε̃")
    height = Slider(0.0, 2.0, 1.0, points=21, label="Height")
    panel = Explorable(demo_figures.held, threshold=threshold, height=height)
    ((name, text),) = embed_pages(f"<main>{panel.html()}</main>").items()
    (folder / "embed" / f"{name}.html").write_text(text, encoding="utf-8")
    page = text.replace(" mb-embed", "").replace("../", "")
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def held(browser, book):
    page = (book / "page.html").as_uri()
    return lambda query="", **more: driver.shown(browser, page + query, "held", **more)


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_static_controls_of_every_kind(everything, by):
    with everything("?everything.count=2") as panel:
        for control in driver.spec_of(panel)["controls"]:
            for stop in driver.stops_to_visit(control, by):
                if (control["name"], control["stops"][stop]) != ("count", 5):
                    driver.move_and_compare(panel, control, stop, by, rtol=2e-7)


def test_a_press_deals_the_next_draw_and_the_first_follows_the_last(browser, tmp_path):
    made = Explorable(demo_figures.everything, count=Draws(4, 3, label="Deal"))
    with driver.shown(browser, made.save(tmp_path / "page.html").as_uri(), "everything") as panel:
        button = panel.get_by_role("button", name="Deal", exact=True)
        for draw, by in ((4, "mouse"), (1, "keyboard"), (2, "keyboard")):
            driver.press(button, by)
            driver.compare_at(panel, driver.spec_of(panel)["controls"][0], draw, rtol=2e-7)
        assert panel.get_by_role("slider", name="Deal", exact=True).input_value() == "1"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_error_is_shown_and_left_again_and_the_picture_follows_the_theme(everything, scheme):
    with everything(color_scheme=scheme) as panel:
        control = driver.spec_of(panel)["controls"][0]
        driver.move(panel, control, 4, "keyboard")
        shown = driver.settle(panel)
        assert shown["failed"]
        assert "count = 5: must be at most 4" in shown["error"]
        assert panel.locator(".mb-error").get_attribute("role") == "alert"
        driver.move_and_compare(panel, control, 1, "keyboard", rtol=2e-7)
        for now in ("dark", "light"):
            panel.page.emulate_media(color_scheme=now)
            ink = palette.BLUE if now == "light" else palette.DARK_TWIN[palette.BLUE]
            drawn = "(ink) => document.querySelector('#everything .mb-plot').data[0].line.color === ink"
            driver.wait_until(panel.page, drawn, ink, seconds=5)


def test_typed_values_are_read_as_they_were_meant_and_a_doubtful_one_gets_a_question(everything):
    with everything() as panel:
        height, size = (panel.locator(f"[data-control='{name}']") for name in ("height", "size"))
        value = driver.settle(panel)["values"]["height"]
        for text, meant in TYPED.items():
            type_into(panel, "height", text)
            value = value if meant is None else meant
            assert driver.settle(panel)["values"]["height"] == value, text
            wrong = height.locator(".mb-typed").get_attribute("aria-invalid")
            assert wrong == ("true" if meant is None else None), text
            said = height.locator("[role=status]")
            assert "from 0 to 2" in said.inner_text() if wrong else said.is_hidden()
        said = size.locator("[role=status]")
        type_into(panel, "size", "1,000")
        assert driver.settle(panel)["values"]["size"] == 1
        assert size.locator(".mb-typed").get_attribute("aria-invalid") == "true"
        assert said.inner_text().startswith("Does 1,000 mean 1000 or 1?")
        # 1000 is out of range, and nothing else is put in its place.
        size.locator("[data-reading='1000']").click()
        assert driver.settle(panel)["values"]["size"] == 1
        assert "from 0.01 to 100" in said.inner_text()
        for text in ("100", "1,000"):
            type_into(panel, "size", text)
        size.locator("[data-reading='1']").click()
        assert driver.settle(panel)["values"]["size"] == 1
        assert said.is_hidden()


def test_another_value_than_the_typed_one_is_never_silent(everything):
    with everything() as panel:
        row = type_into(panel, "height", "1,4")
        assert driver.settle(panel)["values"]["height"] == 1.5
        assert row.locator(".mb-typed").input_value() == "1.5"
        notice, said = row.locator("[role=status]"), "1.4 lies between two stops, 1 and 1.5. Shown is 1.5."
        assert notice.locator("span").inner_text() == said
        assert panel.locator(".mb-headline").get_attribute("data-of") == "1.5, not 1.4"
        imports, _, call = notice.locator("[data-python]").get_attribute("data-python").rpartition("; ")
        names: dict = {}
        exec(imports, names)
        assert eval(call, names).layout.meta["sentence"].startswith("3 waves of height 1.4, solid")
        # It stays as long as it explains what is shown.
        driver.move(panel, driver.spec_of(panel)["controls"][2], 1, "keyboard")
        driver.settle(panel)
        assert notice.is_visible()
        for leave in (
            lambda: row.locator(".mb-range").press("ArrowLeft"),
            lambda: type_into(panel, "height", "2"),
        ):
            assert notice.is_visible()
            leave()
            driver.settle(panel)
            assert notice.is_hidden()
            type_into(panel, "height", "1,4")
            driver.settle(panel)


def test_a_finger_meets_every_control_and_the_tab_key_reaches_it(everything):
    with everything(viewport=PHONE) as panel:
        assert panel.evaluate(SMALL) == []
        wanted, reached = panel.page.evaluate(f"{ORDER}.length"), set()
        for _ in range(wanted + 10):
            panel.page.keyboard.press("Tab")
            reached.add(panel.page.evaluate(f"{ORDER}.indexOf(document.activeElement)"))
        assert reached >= set(range(wanted)) > set(range(10))
        # Where there is room, the controls stand beside the picture.
        panel.page.set_viewport_size(LAPTOP)
        driver.still(panel.page)
        controls, plot = (panel.locator(f".mb-{part}").bounding_box() for part in ("controls", "plot"))
        assert controls["x"] + controls["width"] < plot["x"]


@pytest.mark.parametrize("touch", [False, True])
def test_a_value_is_dragged_in_the_picture(everything, touch):
    with everything(has_touch=touch) as panel:
        for height in (0.5, 0.0):
            x, y = panel.evaluate(PLACE, [height, 0.4])
            if touch:
                panel.page.touchscreen.tap(x + 1, y)
            else:
                driver.pull(panel.page, (x + 41, y), (x + 1, y))
                panel.page.mouse.move(x + 300, y)  # let go: nothing follows any more
            shown = driver.settle(panel)
            assert shown["values"]["height"] == height
            driver.compare(driver.spec_of(panel), shown, rtol=2e-7)


def test_a_control_plays_and_pauses(everything):
    count = "everything.panel.values.count"
    with everything("?everything.count=1", reduced_motion="no-preference") as panel:
        button = panel.locator("[data-control='count'] .mb-play")
        assert button.get_attribute("aria-label") == "Play Count"
        button.press("Enter")
        assert button.get_attribute("aria-label") == "Pause Count"
        driver.wait_until(panel.page, f"{count} >= 3")
        button.press("Enter")
        at = panel.page.evaluate(count)
        panel.page.wait_for_timeout(900)
        assert panel.page.evaluate(count) == at
        button.press("Enter")
        driver.wait_until(panel.page, f"{count} === 5")
        driver.wait_until(panel.page, "!document.querySelector('.mb-play').ariaLabel.startsWith('Pa')")
        button.press("Enter")  # from the end it begins anew
        driver.wait_until(panel.page, f"{count} === 2")
    # Who wants nothing to move goes a step.
    with everything("?everything.count=1") as panel:
        panel.get_by_role("button", name="Step Count").click()
        panel.page.wait_for_timeout(1000)
        assert panel.page.evaluate(count) == 2


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_a_press_is_moved_to_and_a_key_is_there_at_once(everything, motion, moves):
    with everything(reduced_motion=motion) as panel:
        start = driver.settle(panel)
        panel.locator("[data-control=height] input[type=range]").press("End")
        driver.settle(panel)
        first, *between, last = panel.evaluate(FRAMES)
        assert first > last
        assert (len({height for height in between if last < height < first}) >= 3) == moves
        shown = driver.settle(panel)
        assert shown["values"] == start["values"]
        driver.compare(driver.spec_of(panel), shown, rtol=2e-7)


def test_a_handle_obeys_the_keys_and_says_what_it_holds(held):
    with held() as panel:
        handle = panel.locator(".mb-handle").first
        assert handle.get_attribute("aria-label") == "Drag in the picture: Threshold epsilon tilde"
        handle.focus()
        keys = {"ArrowRight": 1.1, "ArrowDown": 1.0, "ArrowUp": 1.1, "ArrowLeft": 1.0}
        for key, value in {**keys, "End": 2, "PageDown": 1.8, "PageUp": 2}.items():
            panel.page.keyboard.press(key)
            assert driver.settle(panel)["values"]["threshold"] == value, key
            assert handle.get_attribute("aria-valuetext") == f"{value:g}"
        assert handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
        assert handle.evaluate("(node) => node === document.activeElement")


@pytest.mark.parametrize("by", ["keyboard", "mouse", "touch"])
def test_a_curve_is_read(held, by):
    with held(has_touch=by == "touch") as panel:
        before, probe = driver.settle(panel)["values"], panel.locator(".mb-probe")
        x, y = panel.evaluate(PLACE, [0.5, 0.607])
        if by == "keyboard":
            probe.focus()
            for key in ("ArrowRight",) * 12 + ("ArrowLeft",) * 2:
                panel.page.keyboard.press(key)
        elif by == "mouse":
            panel.page.mouse.move(x - 30, y)
            panel.page.mouse.move(x + 2, y - 10)
        else:
            panel.page.touchscreen.tap(x, y)
        text = "document.querySelector('.mb-probe').getAttribute('aria-valuetext')"
        driver.wait_until(panel.page, f"{text} === 'at 0.50 it is 0.607 of epsilon tilde = 2'", seconds=5)
        assert panel.locator(".hoverlayer .hovertext").count() == 1
        assert driver.settle(panel)["values"] == before, "reading is not moving"
        if by == "keyboard":
            panel.page.keyboard.press("ArrowUp")
            driver.wait_until(panel.page, f"{text} === 'here it is 1'", seconds=5)
            panel.page.keyboard.press("Escape")
            assert not probe.evaluate("(node) => node === document.activeElement")
            assert panel.locator(".hoverlayer .hovertext").count() == 0


def test_a_panel_speaks_in_words_keeps_the_last_state_as_a_ghost_and_flashes_what_changed(held, tmp_path):
    with held() as panel:
        assert panel.get_by_role("slider", name="Threshold epsilon tilde", exact=True).count() == 1
        assert panel.get_by_role("img", name="A falling curve of epsilon tilde.").count() == 1
        assert panel.locator(".mb-sentence [aria-label='epsilon tilde']").inner_text() == "ε̃"
        assert not [v for v in driver.axe_violations(panel.page) if "page-has-heading" not in v]
        assert panel.evaluate(GHOSTS) == []
        assert driver.tool(panel, "Last state").is_disabled()
        type_into(panel, "height", "2")
        driver.settle(panel)
        assert panel.evaluate(GHOSTS) == [1]
        assert "the last state" not in driver.save(panel, "CSV", tmp_path).read_text()
        assert panel.locator(".mb-legend li:has(svg)").all_inner_texts() == ["decay", "here"]
        for ghosts in ([], [1]):
            driver.tool(panel, "Last state").click()
            assert panel.evaluate(GHOSTS) == ghosts
        panel.locator("[data-tool='Reset']").click()
        driver.settle(panel)
        assert panel.evaluate(GHOSTS) == []
        headline = panel.locator(".mb-headline")
        assert headline.inner_text() == "0.368 at 1"
        assert headline.evaluate(FONT) >= 1.5 * panel.locator(".mb-sentence").evaluate(FONT)
        type_into(panel, "threshold", "2")
        driver.settle(panel)
        assert headline.locator(".mb-changed").all_inner_texts() == ["0.135", "2"]


def test_presented_a_panel_fills_the_window_and_obeys_the_arrow_keys(held):
    with held(viewport={"width": 1280, "height": 720}) as panel:
        page, sentence = panel.page, panel.locator(".mb-sentence")
        font, height = sentence.evaluate(FONT), panel.evaluate("(r) => r.offsetHeight")
        driver.tool(panel, "Present").press("Enter")
        assert panel.bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
        assert sentence.evaluate(FONT) >= 1.3 * font
        driver.wait_until(page, "document.querySelector('.mb-plot')._fullLayout.font.size === 22")
        box = sentence.bounding_box()
        assert box["y"] + box["height"] <= 720, "the sentence is in the window"
        for key, value in (("ArrowRight", 1.1), ("ArrowLeft", 1.0), ("ArrowLeft", 0.9)):
            page.keyboard.press(key)
            assert driver.settle(panel)["values"]["threshold"] == value
        page.keyboard.press("Escape")
        driver.wait_until(page, "document.querySelector('.mb-plot')._fullLayout.font.size === 14")
        assert panel.evaluate("(r) => r.offsetHeight") == height
        page.keyboard.press("ArrowRight")
        assert driver.settle(panel)["values"]["threshold"] == 0.9, "the keys are the page's again"
        assert panel.locator(".mb-toolbox > summary").evaluate("(node) => node === document.activeElement")


def test_a_panel_stands_in_another_page_with_its_state_and_tells_its_height(browser, book, held):
    with held("?held.threshold=0.5") as panel:
        # Where the clipboard is closed, the lines are shown.
        panel.page.on("dialog", lambda dialog: dialog.dismiss())
        driver.tool(panel, "Embed").click()
        driver.wait_until(panel.page, "!!document.querySelector('[data-tool=Embed]').dataset.code")
        code = panel.locator("[data-tool='Embed']").get_attribute("data-code")
    assert "embed/held.html?held.threshold=0.5" in code
    slides = book / "slides.html"
    slides.write_text(f"<!DOCTYPE html><title>Slides</title><h1>Slides</h1>{code}", "utf-8")
    with driver.watched(browser) as page:
        page.goto(slides.as_uri())
        inner = page.frame_locator("iframe").locator("#held")
        assert driver.settle(inner)["values"]["threshold"] == 0.5
        assert inner.locator("[data-tool='Embed']").count() == 0
        heights = []
        for size in (page.viewport_size, PHONE):
            page.set_viewport_size(size)
            page.wait_for_timeout(500)
            heights.append(page.locator("iframe").bounding_box()["height"])
            assert abs(heights[-1] - inner.bounding_box()["height"]) <= 4
        assert heights[1] > heights[0], "a narrow panel is higher, and so is its frame"


def test_an_address_that_cannot_be_read_switches_nothing_off_and_a_foreign_script_runs_not(browser, tmp_path):
    made = Explorable(demo_figures.held, threshold=Slider(0, 2, 1.0, step=0.1), height=(0, 2))
    path = tmp_path / "page.html"
    path.write_text(page_html(made, above=PLANTED), encoding="utf-8")
    with driver.watched(browser) as page:
        complaints = driver.COMPLAINTS[page.context]
        for end in ("", "#%", "#%E0%A4%A", "#%00", "#held", "?threshold=%&height=%ff#%%"):
            page.goto("about:blank")  # else another place of the same page
            page.goto(path.as_uri() + end)
            panel = page.locator("#held")
            driver.settle(panel)
            slider = driver.spec_of(panel)["controls"][0]
            driver.move_and_compare(panel, slider, 3, "keyboard", rtol=2e-7)
            assert page.evaluate("globalThis.planted") is None
            # What the page refuses is told in the console; it is what is asked for here.
            assert sum("Security Policy" in complaint for complaint in complaints) >= 2
            complaints.clear()
