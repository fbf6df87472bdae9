"""The panel itself: every kind of control, errors, themes, typing, two panels on a page."""

from __future__ import annotations

import json
from pathlib import Path

import demo_figures
import driver
import nbformat
import pytest
from server import app_server

from mipbook import palette
from mipbook.explore import Choice, Explorable, LogSlider, Rounds, Slider, Switch
from mipbook.explore.static import panel_html

CODE = """from demo_figures import everything, guess
from mipbook.explore import Choice, Explorable, LogSlider, Rounds, Slider, Switch
"""


def everything() -> Explorable:
    return Explorable(
        demo_figures.everything,
        count=Slider(1, 5, 3, step=1, label="Count", unit="waves"),
        height=Slider(0.0, 2.0, 1.0, points=5),
        style=Choice(["solid", "dash", "dot"]),
        dots=Switch(True),
        size=LogSlider(0.01, 100, 1.0, points=3),
    )


def game() -> Explorable:
    return Explorable(demo_figures.guess, round=Rounds(5, label="In or out?"), hard=Switch(False))


@pytest.fixture(scope="module")
def demo_page(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("demo") / "page.html"
    return everything().save(path).as_uri()


@pytest.fixture(scope="module")
def demo_app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("app")
    cell = CODE + (
        "Explorable(everything, count=Slider(1, 5, 3, step=1), height=Slider(0.0, 2.0, 1.0),"
        " style=Choice(['solid', 'dash', 'dot']), dots=Switch(True),"
        " size=LogSlider(0.01, 100, 1.0))"
    )
    cells = [nbformat.v4.new_markdown_cell("# Demo"), nbformat.v4.new_code_cell(cell)]
    cells.append(
        nbformat.v4.new_code_cell("Explorable(guess, round=Rounds(5), hard=Switch(False))")
    )
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(notebook, folder / "demo.ipynb")
    process = app_server(folder, folder / "log")
    process.wait()
    yield process
    process.stop()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_static_controls_of_every_kind(browser, demo_page, by):
    with driver.watched(browser) as page:
        page.goto(f"{demo_page}?everything.count=2")
        panel = page.locator("#everything")
        driver.settle(panel)
        spec = driver.spec_of(panel)
        for control in spec["controls"]:
            for stop in driver.stops_to_visit(control):
                if control["name"] == "count" and control["stops"][stop] == 5:
                    continue
                driver.move_and_compare(panel, control, stop, by, rtol=2e-7)


def check_error_and_recovery(panel) -> None:
    spec = driver.spec_of(panel)
    driver.move(panel, spec["controls"][0], 4, "keyboard")
    shown = driver.settle(panel)
    assert shown["failed"]
    assert "ValueError: count = 5: must be at most 4" in shown["error"]
    assert panel.locator(".mb-error").get_attribute("role") == "alert"
    driver.move(panel, spec["controls"][0], 1, "keyboard")
    after = driver.settle(panel)
    assert not after["failed"]
    driver.compare(spec, after, rtol=2e-7)


def test_static_error_is_shown_and_left_again(browser, demo_page):
    with driver.watched(browser) as page:
        page.goto(demo_page)
        panel = page.locator("#everything")
        driver.settle(panel)
        check_error_and_recovery(panel)


def test_live_error_is_shown_and_left_again(browser, demo_app):
    with driver.watched(browser, demo_app.url) as page:
        page.goto(f"{demo_app.url}/voila/render/demo.ipynb")
        panel = page.locator("#everything")
        panel.wait_for(timeout=driver.SETTLE)
        driver.settle(panel)
        check_error_and_recovery(panel)


def test_live_controls_and_game(browser, demo_app):
    with driver.watched(browser, demo_app.url) as page:
        page.goto(f"{demo_app.url}/voila/render/demo.ipynb?everything.count=2")
        panel = page.locator("#everything")
        panel.wait_for(timeout=driver.SETTLE)
        assert driver.settle(panel)["values"]["count"] == 2
        spec = driver.spec_of(panel)
        for control in spec["controls"][1:]:
            for stop in driver.stops_to_visit(control):
                driver.move_and_compare(panel, control, stop, "keyboard", rtol=1e-12)
        driver.play(page.locator("#guess"), "keyboard")


def test_typed_values(browser, demo_page):
    with driver.watched(browser) as page:
        page.goto(demo_page)
        panel = page.locator("#everything")
        before = driver.settle(panel)["values"]
        row = panel.locator("[data-control='height']")
        box = row.locator(".mb-typed")
        for text in ("7", "-0.1", "high", ""):
            box.fill(text)
            box.press("Enter")
            assert driver.settle(panel)["values"] == before
            assert box.get_attribute("aria-invalid") is not None
            assert "from 0 to 2" in row.locator("[role=alert]").inner_text()
        box.fill("1,4")
        box.press("Enter")
        shown = driver.settle(panel)
        assert shown["values"]["height"] == 1.5
        assert box.input_value() == "1.5"
        assert box.get_attribute("aria-invalid") is None
        assert "nearest stop" in panel.inner_text()


def test_game_counts_and_starts_anew(browser, tmp_path):
    with driver.watched(browser) as page:
        page.goto(game().save(tmp_path / "game.html").as_uri())
        panel = page.locator("#guess")
        driver.settle(panel)
        driver.play(panel, "mouse")
        panel.locator("input[role=switch]").click()
        driver.settle(panel)
        score = json.loads(panel.locator(".mb-rounds").get_attribute("data-score"))
        assert score == {"played": 0, "reader": 0, "optimal": 0}
        driver.play(panel, "keyboard")


def test_dark_theme_swaps_the_colours(browser, demo_page):
    colours = {}
    for scheme in ("light", "dark"):
        with driver.watched(browser, color_scheme=scheme) as page:
            page.goto(demo_page)
            panel = page.locator("#everything")
            driver.settle(panel)
            colours[scheme] = panel.evaluate(
                "(r) => [r.querySelector('.mb-plot').data[0].line.color,"
                " getComputedStyle(r).backgroundColor,"
                " r.querySelector('.mb-plot')._fullLayout.font.color]"
            )
            page.emulate_media(color_scheme="dark" if scheme == "light" else "light")
            # The picture follows the switch, or this waits in vain.
            page.wait_for_function(
                "(old) => old !== "
                "document.querySelector('#everything .mb-plot').data[0].line.color",
                arg=colours[scheme][0],
                timeout=5000,
            )
    assert colours["light"][0] == palette.BLUE
    assert colours["dark"][0] == palette.DARK_TWIN[palette.BLUE]
    assert colours["light"][1:] != colours["dark"][1:]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible_on_a_phone(browser, demo_page, scheme):
    with driver.watched(
        browser,
        color_scheme=scheme,
        viewport={"width": 360, "height": 740},
        reduced_motion="reduce",
    ) as page:
        page.goto(demo_page)
        panel = page.locator("#everything")
        driver.settle(panel)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        found = [v for v in driver.axe_violations(page) if "page-has-heading" not in v]
        assert found == []
        for control in driver.spec_of(panel)["controls"]:
            row = panel.locator(f"[data-control='{control['name']}']")
            for box in row.locator("input").all():
                name = box.get_attribute("aria-label") or box.evaluate(
                    "(i) => i.labels[0]?.innerText"
                )
                assert name


def test_two_panels_keep_their_own_address(browser, tmp_path):
    both = Path(game().save(tmp_path / "two.html")).read_text(encoding="utf-8")
    second = Explorable(demo_figures.guess, name="other", round=Rounds(5), hard=Switch(False))
    (tmp_path / "two.html").write_text(both.replace("</main>", panel_html(second) + "</main>", 1))
    with driver.watched(browser) as page:
        page.goto((tmp_path / "two.html").as_uri())
        for name in ("guess", "other"):
            driver.settle(page.locator(f"#{name}"))
        page.locator("#other input[role=switch]").click()
        driver.settle(page.locator("#other"))
        assert page.evaluate("location.search") == "?other.hard=on"
        page.reload()
        assert driver.settle(page.locator("#other"))["values"]["hard"] is True
        assert driver.settle(page.locator("#guess"))["values"]["hard"] is False


def test_tab_reaches_every_control(browser, demo_page):
    with driver.watched(browser) as page:
        page.goto(demo_page)
        panel = page.locator("#everything")
        driver.settle(panel)
        # Of a group of radio buttons the tab key reaches the chosen one, as everywhere.
        order = (
            "[...document.querySelectorAll('#everything :is(input, button)')]"
            ".filter((node) => node.type !== 'radio' || node.checked)"
        )
        wanted = page.evaluate(f"{order}.length")
        reached = set()
        for _ in range(wanted + 5):
            page.keyboard.press("Tab")
            reached.add(page.evaluate(f"{order}.indexOf(document.activeElement)"))
        assert set(range(wanted)) <= reached
        assert wanted > 10
