"""The panel itself: every kind of control, errors, themes, typing, two panels on a page."""

import demo_figures
import driver
import pytest

from explorable import palette
from explorable.panels import Choice, Draws, Explorable, LogSlider, Slider, Switch


def everything() -> Explorable:
    return Explorable(
        demo_figures.everything,
        may_refuse=True,
        count=Slider(1, 5, 3, step=1, label="Count", unit="waves", play=True),
        height=Slider(0.0, 2.0, 1.0, points=5, label="Height"),
        style=Choice(["solid", "dash", "dot"]),
        dots=Switch(True),
        size=LogSlider(0.01, 100, 1.0, points=5),
    )


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("demo") / "page.html"
    return everything().save(path).as_uri()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_static_controls_of_every_kind(browser, demo_page, by):
    with driver.shown(browser, f"{demo_page}?everything.count=2", "everything") as panel:
        spec = driver.spec_of(panel)
        for control in spec["controls"]:
            for stop in driver.stops_to_visit(control, by):
                if control["name"] == "count" and control["stops"][stop] == 5:
                    continue
                driver.move_and_compare(panel, control, stop, by, rtol=2e-7)


def test_a_press_deals_the_next_draw_and_the_first_follows_the_last(browser, tmp_path):
    made = Explorable(demo_figures.everything, count=Draws(4, 3, label="Deal"))
    with driver.shown(browser, made.save(tmp_path / "page.html").as_uri(), "everything") as panel:
        button = panel.get_by_role("button", name="Deal", exact=True)
        for draw, by in ((4, "mouse"), (1, "keyboard"), (2, "keyboard")):
            button.click() if by == "mouse" else button.press("Enter")
            control = driver.spec_of(panel)["controls"][0]
            driver.compare_at(panel, control, draw, rtol=2e-7)
        assert panel.get_by_role("slider", name="Deal", exact=True).input_value() == "1"


def check_error_and_recovery(panel) -> None:
    spec = driver.spec_of(panel)
    driver.move(panel, spec["controls"][0], 4, "keyboard")
    shown = driver.settle(panel)
    assert shown["failed"]
    assert "count = 5: must be at most 4" in shown["error"]
    assert panel.locator(".mb-error").get_attribute("role") == "alert"
    driver.move(panel, spec["controls"][0], 1, "keyboard")
    after = driver.settle(panel)
    assert not after["failed"]
    driver.compare(spec, after, rtol=2e-7)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_error_is_shown_and_left_again_and_the_picture_follows_the_theme(browser, demo_page, scheme):
    with driver.shown(browser, demo_page, "everything", color_scheme=scheme) as panel:
        check_error_and_recovery(panel)
        for now in ("dark", "light"):
            panel.page.emulate_media(color_scheme=now)
            ink = palette.BLUE if now == "light" else palette.DARK_TWIN[palette.BLUE]
            drawn = "(ink) => document.querySelector('#everything .mb-plot').data[0].line.color === ink"
            driver.wait_until(panel.page, drawn, ink, seconds=5)


def type_into(panel, name: str, text: str):
    """Type a value, press Enter, and return the row of the control."""
    row = panel.locator(f"[data-control='{name}']")
    row.locator(".mb-typed").fill(text)
    row.locator(".mb-typed").press("Enter")
    return row


# What else is a number and what is none: `tests/js/values.test.js`.
REFUSED, READ = ("7", "high", ""), {"0,5": 0.5, " 50 %": 0.5, "1/2": 0.5, "2": 2.0}


def test_typed_values_are_read_as_they_were_meant(browser, demo_page):
    with driver.shown(browser, demo_page, "everything") as panel:
        before = driver.settle(panel)["values"]
        for text in REFUSED:
            row = type_into(panel, "height", text)
            assert driver.settle(panel)["values"] == before, text
            assert row.locator(".mb-typed").get_attribute("aria-invalid") == "true", text
            assert "from 0 to 2" in row.locator("[role=status]").inner_text()
        for text, value in READ.items():
            row = type_into(panel, "height", text)
            assert driver.settle(panel)["values"]["height"] == value, text
            assert row.locator(".mb-typed").get_attribute("aria-invalid") is None, text
            assert row.locator("[role=status]").is_hidden(), text


def test_a_doubtful_number_gets_a_question(browser, demo_page):
    with driver.shown(browser, demo_page, "everything") as panel:
        before = driver.settle(panel)["values"]
        row = type_into(panel, "size", "1,000")
        assert driver.settle(panel)["values"] == before
        assert row.locator(".mb-typed").get_attribute("aria-invalid") == "true"
        assert row.locator("[role=status]").inner_text().startswith("Does 1,000 mean 1000 or 1?")
        # 1000 is out of range, and nothing else is put in its place.
        row.locator("[data-reading='1000']").click()
        assert driver.settle(panel)["values"] == before
        assert "from 0.01 to 100" in row.locator("[role=status]").inner_text()
        type_into(panel, "size", "100")
        type_into(panel, "size", "1,000")
        row.locator("[data-reading='1']").click()
        assert driver.settle(panel)["values"]["size"] == 1.0
        assert row.locator("[role=status]").is_hidden()


def test_another_value_than_the_typed_one_is_never_silent(browser, demo_page):
    with driver.shown(browser, demo_page, "everything") as panel:
        row = type_into(panel, "height", "1,4")
        assert driver.settle(panel)["values"]["height"] == 1.5
        assert row.locator(".mb-typed").input_value() == "1.5"
        notice = row.locator("[role=status]")
        said = notice.locator("span").inner_text()
        assert said == "1.4 lies between two stops, 1 and 1.5. Shown is 1.5."
        assert panel.locator(".mb-headline").get_attribute("data-of") == "1.5, not 1.4"
        line = notice.locator("[data-python]").get_attribute("data-python")
        names: dict = {}
        exec(line.rpartition("; ")[0], names)
        drawn = eval(line.rpartition("; ")[2], names)
        assert drawn.layout.meta["sentence"].startswith("3 waves of height 1.4, solid")
        # It stays as long as it explains what is shown.
        driver.move(panel, driver.spec_of(panel)["controls"][2], 1, "keyboard")
        driver.settle(panel)
        assert notice.is_visible()
        type_into(panel, "height", "2")
        driver.settle(panel)
        assert notice.is_hidden()


# What a finger hardly meets.
SMALL = """(root) => [...root.querySelectorAll("button, summary, select, .mb-segment, .mb-range")]
  .filter((node) => node.checkVisibility() && !node.matches(".mb-more"))
  .filter(({ offsetWidth, offsetHeight }) => Math.min(offsetWidth, offsetHeight) < 24)
  .map((node) => node.outerHTML.slice(0, 80))"""


def test_all_can_be_met_on_a_phone_and_the_controls_stand_beside_the_picture_where_there_is_room(
    browser, demo_page
):
    phone = {"width": 360, "height": 740}
    with driver.shown(browser, demo_page, "everything", viewport=phone) as panel:
        assert panel.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert panel.evaluate(SMALL) == []
        panel.page.set_viewport_size({"width": 1280, "height": 800})
        driver.still(panel.page)
        controls, plot, sentence = (
            panel.locator(f".mb-{part}").bounding_box() for part in ("controls", "plot", "sentence")
        )
        assert controls["x"] + controls["width"] < plot["x"]
        assert sentence["y"] + sentence["height"] - controls["y"] <= 720


def test_tab_reaches_every_control(browser, demo_page):
    with driver.shown(browser, demo_page, "everything") as panel:
        # Of a group of radio buttons the tab key reaches the chosen one, as everywhere.
        order = (
            "[...document.querySelectorAll('#everything :is(input, button, summary)')]"
            ".filter((node) => !node.disabled && node.checkVisibility()"
            "  && (node.type !== 'radio' || node.checked))"
        )
        wanted = panel.page.evaluate(f"{order}.length")
        reached = set()
        for _ in range(wanted + 10):
            panel.page.keyboard.press("Tab")
            reached.add(panel.page.evaluate(f"{order}.indexOf(document.activeElement)"))
        assert set(range(wanted)) <= reached
        assert wanted > 10


# ------------------------------------------------------------------ play, grab


@pytest.mark.parametrize("touch", [False, True])
def test_a_value_is_dragged_in_the_picture(browser, demo_page, touch):
    with driver.shown(browser, demo_page, "everything", has_touch=touch) as panel:
        for height in (0.5, 0.0):
            x, y = panel.evaluate(
                """(root, height) => {
                  const plot = root.querySelector(".mb-plot");
                  const box = plot.getBoundingClientRect(), axis = plot._fullLayout.xaxis;
                  return [box.left + axis._offset + axis.d2p(height) + 1, box.top + 60];
                }""",
                height,
            )
            if touch:
                panel.page.touchscreen.tap(x, y)
            else:
                panel.page.mouse.move(x + 40, y)
                panel.page.mouse.down()
                panel.page.mouse.move(x, y, steps=3)
                panel.page.mouse.up()
                panel.page.mouse.move(x + 300, y)  # let go: nothing follows any more
            shown = driver.settle(panel)
            assert shown["values"]["height"] == height
            driver.compare(driver.spec_of(panel), shown, rtol=2e-7)


def test_a_control_plays_and_pauses(browser, demo_page):
    with driver.shown(
        browser, f"{demo_page}?everything.count=1", "everything", reduced_motion="no-preference"
    ) as panel:
        button = panel.locator("[data-control='count'] .mb-play")
        assert button.get_attribute("aria-label") == "Play Count"
        button.press("Enter")
        assert button.get_attribute("aria-label") == "Pause Count"
        driver.wait_until(panel.page, "everything.panel.values.count >= 3")
        button.press("Enter")
        at = panel.page.evaluate("everything.panel.values.count")
        panel.page.wait_for_timeout(900)
        assert panel.page.evaluate("everything.panel.values.count") == at
        button.press("Enter")
        driver.wait_until(panel.page, "everything.panel.values.count === 5")
        driver.wait_until(panel.page, "!document.querySelector('.mb-play').ariaLabel.startsWith('Pa')")
        button.press("Enter")  # from the end it begins anew
        driver.wait_until(panel.page, "everything.panel.values.count === 2")
    # Who wants nothing to move goes a step.
    with driver.shown(browser, f"{demo_page}?everything.count=1", "everything") as panel:
        panel.get_by_role("button", name="Step Count").click()
        panel.page.wait_for_timeout(1000)
        assert panel.page.evaluate("everything.panel.values.count") == 2


# How high the first curve is in every frame until a second after a press.
FRAMES = """(root) => new Promise((done) => {
  const plot = root.querySelector(".mb-plot");
  const high = () => Math.max(...plot.data[0].y.filter(Number.isFinite));
  const seen = [high()];
  const look = (now) => {
    seen.push(high());
    if (now < end) requestAnimationFrame(look); else done(seen);
  };
  const end = performance.now() + 1000;
  root.querySelector("[data-tool=Reset]").click();
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_a_press_is_moved_to_and_a_key_is_there_at_once(browser, demo_page, motion, moves):
    with driver.shown(browser, demo_page, "everything", reduced_motion=motion) as panel:
        start = driver.settle(panel)
        panel.locator("[data-control=height] input[type=range]").press("End")
        driver.settle(panel)
        seen = panel.evaluate(FRAMES)
        first, last = seen[0], seen[-1]
        between = {height for height in seen if min(first, last) < height < max(first, last)}
        assert first != last
        assert (len(between) >= 3) == moves
        assert driver.settle(panel)["values"] == start["values"]
        driver.compare(driver.spec_of(panel), driver.settle(panel), rtol=2e-7)


# ------------------------------------------------------------------ handles, reading, ghost


@pytest.fixture(scope="module")
def held_page(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("held") / "page.html"
    threshold = Slider(0, 2, 1.0, step=0.1, label="Threshold ε̃")
    height = Slider(0.0, 2.0, 1.0, points=21, label="Height")
    return Explorable(demo_figures.held, threshold=threshold, height=height).save(path).as_uri()


def test_a_handle_obeys_the_keys_and_says_what_it_holds(browser, held_page):
    with driver.shown(browser, held_page, "held") as panel:
        handle = panel.locator(".mb-handle").first
        assert handle.get_attribute("aria-label") == "Drag in the picture: Threshold epsilon tilde"
        handle.focus()
        keys = "ArrowRight ArrowDown ArrowUp ArrowLeft End PageDown PageUp"
        for key, value in zip(keys.split(), (1.1, 1.0, 1.1, 1.0, 2, 1.8, 2), strict=True):
            panel.page.keyboard.press(key)
            assert driver.settle(panel)["values"]["threshold"] == value, key
            assert handle.get_attribute("aria-valuetext") == f"{value:g}"
        assert handle.get_attribute("aria-valuenow") == handle.get_attribute("aria-valuemax")
        assert handle.evaluate("(node) => node === document.activeElement")


@pytest.mark.parametrize("by", ["keyboard", "mouse", "touch"])
def test_a_curve_is_read(browser, held_page, by):
    with driver.shown(browser, held_page, "held", has_touch=by == "touch") as panel:
        before = driver.settle(panel)["values"]
        probe = panel.locator(".mb-probe")
        x, y = panel.evaluate(
            """(root) => {
              const plot = root.querySelector(".mb-plot"), at = plot.getBoundingClientRect();
              const { xaxis, yaxis } = plot._fullLayout;
              return [at.left + xaxis._offset + xaxis.d2p(0.5),
                at.top + yaxis._offset + yaxis.d2p(Math.exp(-0.5))];
            }"""
        )
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
            panel.page.keyboard.press("Escape")
            assert not probe.evaluate("(node) => node === document.activeElement")
            assert panel.locator(".hoverlayer .hovertext").count() == 0


GHOSTS = """(root) => root.querySelector(".mb-plot").data
  .filter((trace) => trace.meta === "ghost").map((trace) => trace.y[0])"""


def test_the_last_state_stays_as_a_ghost(browser, held_page, tmp_path):
    with driver.shown(browser, held_page, "held") as panel:
        assert panel.evaluate(GHOSTS) == []
        button = driver.tool(panel, "Last state")
        assert button.is_disabled()
        type_into(panel, "height", "2")
        driver.settle(panel)
        assert panel.evaluate(GHOSTS) == [1]
        assert "the last state" not in driver.save(panel, "CSV", tmp_path).read_text()
        assert panel.locator(".mb-legend li").all_inner_texts() == ["decay", "here"]
        assert panel.locator(".mb-legend svg").count() == 2
        driver.tool(panel, "Last state").click()
        assert panel.evaluate(GHOSTS) == []
        button.click()
        assert panel.evaluate(GHOSTS) == [1]
        panel.locator("[data-tool='Reset']").click()
        driver.settle(panel)
        assert panel.evaluate(GHOSTS) == []


def test_the_headline_is_large_and_its_numbers_flash(browser, held_page):
    with driver.shown(browser, held_page, "held") as panel:
        headline = panel.locator(".mb-headline")
        assert headline.inner_text() == "0.368 at 1"
        size = "(node) => parseFloat(getComputedStyle(node).fontSize)"
        assert headline.evaluate(size) >= 1.5 * panel.locator(".mb-sentence").evaluate(size)
        type_into(panel, "threshold", "2")
        driver.settle(panel)
        assert headline.locator(".mb-changed").all_inner_texts() == ["0.135", "2"]


def test_a_screen_reader_is_told_the_symbols(browser, held_page):
    with driver.shown(browser, held_page, "held") as panel:
        assert panel.get_by_role("slider", name="Threshold epsilon tilde", exact=True).count() == 1
        assert panel.get_by_role("img", name="A falling curve of epsilon tilde.").count() == 1
        assert panel.locator(".mb-sentence [aria-label='epsilon tilde']").inner_text() == "ε̃"
        found = [v for v in driver.axe_violations(panel.page) if "page-has-heading" not in v]
        assert found == []
