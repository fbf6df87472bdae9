"""A live panel never passes an old picture for a new one: waiting, failing, losing the kernel."""

import time
from contextlib import closing, contextmanager

import driver
import psutil
import pytest
from server import app_server, write_notebook
from test_apps_files import upload
from test_panel import check_error_and_recovery, type_into

CELLS = (
    """from demo_figures import everything, guess, patient
from explorable.panels import Choice, Explorable, File, LogSlider, Rounds, Slider, Switch

Explorable(everything, count=Slider(1, 5, 3, step=1), height=Slider(0.0, 2.0, 1.0),
           style=Choice("solid dash dot dashdot longdash longdashdot".split()), dots=Switch(True),
           size=LogSlider(0.01, 100, 1.0))""",
    "Explorable(guess, round=Rounds(5), hard=Switch(False))",
    """Explorable(patient, seconds=Choice([0.0, 0.5, 3.0, 6.0, 30.0]), height=Slider(0.0, 2.0, 1.0),
           file=File(["short", "long"]))""",
)
GONE = 10_000


def choose(panel, name: str, value: float) -> None:
    """Move a slider with fixed stops in one step, without waiting for the answer.

    Keys would pass other stops on the way, and on a slow machine those are answered too.
    """
    (stops,) = (c["stops"] for c in driver.spec_of(panel)["controls"] if c["name"] == name)
    panel.locator(f"[data-control='{name}'] input[type=range]").evaluate(
        "(range, stop) => { range.value = stop; range.dispatchEvent(new Event('input')); }",
        stops.index(value),
    )


def opacity(panel) -> float:
    return float(panel.evaluate("(root) => getComputedStyle(root.querySelector('.mb-plot')).opacity"))


def off(panel) -> list[bool]:
    return [panel.locator(f"[data-tool='{name}']").is_disabled() for name in ("CSV", "SVG")]


@contextmanager
def troubled(browser):
    """A page whose console may complain: its server is taken away."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    with closing(context):
        yield context.new_page()


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


@contextmanager
def live(browser, app, query: str = "", name: str = "patient"):
    with driver.watched(browser, app.url) as page:
        yield opened(page, app, query, name)


def test_live_controls_error_and_game(browser, app):
    with live(browser, app, "?everything.count=2", "everything") as panel:
        assert driver.settle(panel)["values"]["count"] == 2
        for control in driver.spec_of(panel)["controls"][1:3]:
            for stop in (len(control["stops"]) - 1, 0):
                driver.move_and_compare(panel, control, stop, "keyboard", rtol=1e-12)
        row = type_into(panel, "height", "0.123")
        assert driver.settle(panel)["values"]["height"] == 0.123
        assert float(row.locator("[type=range]").input_value()) % 1 > 0, "the thumb is on a stop"
        check_error_and_recovery(panel)
        driver.play(panel.page.locator("#guess"), "keyboard")


def test_an_offline_page_says_so_and_comes_back_by_itself(browser, app):
    with troubled(browser) as page:
        panel = opened(page, app, name="everything")
        page.context.set_offline(True)
        panel.locator(".mb-lost").wait_for(timeout=GONE)
        assert "lost" in panel.locator(".mb-lost").inner_text()
        assert opacity(panel) < 0.5
        assert off(panel) == [True, True]
        choose(panel, "height", 0)
        page.wait_for_timeout(1500)
        assert opacity(panel) < 0.5
        page.context.set_offline(False)
        panel.locator(".mb-lost").wait_for(state="hidden", timeout=GONE)
        shown = driver.settle(panel)
        assert shown["values"]["height"] == 0
        driver.compare(driver.spec_of(panel), shown, rtol=1e-12)
        assert opacity(panel) == 1
        assert off(panel) == [False, False]


def wait_for_pale(panel) -> None:
    plot = "getComputedStyle(document.querySelector('#patient .mb-plot'))"
    driver.wait_until(panel.page, f"{plot}.opacity < 0.5", seconds=4)


@pytest.mark.nightly
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


@pytest.mark.nightly
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


def kept(page, panel, seconds: float = 40) -> dict:
    """Wait until the page has started again, and return what it shows."""
    driver.wait_until(
        page,
        "performance.getEntriesByType('navigation')[0].type === 'reload'"
        " && document.querySelector('#patient')?.dataset.settled > 'no'",
        seconds=seconds,
    )
    return driver.settle(panel)


@pytest.mark.nightly
def test_a_killed_kernel_is_told_within_ten_seconds_and_the_state_is_kept(browser, app):
    with troubled(browser) as page:
        server = psutil.Process(app.process.pid)
        before = set(server.children())
        panel = opened(page, app, "?patient.height=0.5")
        (mine,) = set(server.children()) - before
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


@pytest.mark.nightly
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
