"""Python in a published page, on demand: values typed exactly, a file that never leaves it."""

from contextlib import closing

import driver
import here_figures
import pytest
from driver import type_into
from here_site import PREFIX, served, write_site

from explorable.outputs.files import HERE_FOLDER, HERE_LIST
from explorable.panels import Choice, Count, Explorable, File, Slider, UploadedFile
from explorable.serve.entry import dress

SECONDS = 240  # a busy machine starts Python slowly
HEIGHT = "(root) => root.offsetHeight"
BETWEEN = "lies between two stops, 1.12 and 1.25."


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("here")
    rounds = Count([5, 10, 20], 10, label="Rounds")
    package = Choice(["math", "mpmath", "sklearn"])
    panels = [
        Explorable(here_figures.decay, rate=Slider(0.5, 3.0, 1.0, label="Rate"), rounds=rounds),
        Explorable(here_figures.mean_of, file=File(["small", "large"]), shift=Slider(0.0, 1.0, 0.0)),
        Explorable(here_figures.long, steps=Slider(1.0, 3.0, 1.0, points=3)),
        Explorable(here_figures.other, package=package, digits=Slider(1.0, 30.0, 20.0), may_refuse=True),
    ]
    write_site(folder / PREFIX, panels)
    return folder


@pytest.fixture
def server(site):
    with served(site) as running:
        yield running


def seen(page, name: str):
    panel = page.locator(f"#{name}")
    panel.scroll_into_view_if_needed()
    driver.settle(panel)
    return panel


def opened(page, server, name="decay"):
    page.goto(f"{server[0]}/{PREFIX}/page.html")
    return seen(page, name)


def ruled(in_book: bool):
    rules = dress(in_book, "'self'")

    def under_rules(route):
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, **rules})

    return under_rules


def computed(panel) -> dict:
    panel.locator(".mb-badge").wait_for(timeout=1000 * SECONDS)
    return driver.settle(panel)


def shows(panel, values: dict, rtol: float = 1e-12) -> None:
    shown = driver.settle(panel)
    assert shown["values"] == values
    driver.compare(driver.spec_of(panel), shown, rtol)


@pytest.mark.nightly
@pytest.mark.timeout(3 * SECONDS)
def test_what_a_reader_types_and_opens_is_computed_in_the_page(browser, server, tmp_path):
    address, paths = server
    with driver.watched(browser, address) as page:
        page.route("**/*", ruled(True))
        panel = opened(page, server)
        notice = type_into(panel, "rate", "1.2345678901").locator(".mb-notice")
        assert f"1.2345678901 {BETWEEN}" in notice.inner_text()
        assert not any(HERE_FOLDER in path for path in paths), "nothing is fetched before somebody asks"
        before = panel.evaluate(HEIGHT)
        notice.get_by_role("button", name="Compute it here").press("Enter")
        loading = "/Loading Python, \\d+ of \\d+ MB/.test(document.querySelector('.mb-here').innerText)"
        driver.wait_until(page, loading)
        assert panel.evaluate(HEIGHT) == before
        computed(panel)
        shows(panel, {"rate": 1.2345678901, "rounds": 10}, rtol=1e-15)
        told = panel.locator(".mb-here [role=status]").inner_text()
        assert told.endswith("Computed in this browser; nothing was sent.")
        assert "decay.rate=1.2345678901" in driver.query(page)
        assert panel.evaluate(HEIGHT) <= before
        assert page.evaluate("document.activeElement.className") == "mb-typed", "the focus has moved"
        # Few stops were buttons; now any whole number between them may be typed.
        paths.clear()
        type_into(panel, "rounds", "7")
        shows(panel, {"rate": 1.2345678901, "rounds": 7}, rtol=1e-15)
        text = driver.save(panel, "CSV", tmp_path).read_text("utf-8")
        assert "# rate = 1.2345678901\n# rounds = 7\n" in text
        assert paths == [], "once Python is there, nothing is asked of anybody"

        mean = seen(page, "mean-of")
        assert "never leaves this computer" in mean.locator(".mb-where").inner_text()
        # A secret of the reader's, which no request may carry.
        mine = tmp_path / "mine.csv"
        mine.write_text("1\n2\n4.625\n", "utf-8")
        mean.locator("input[type=file]").set_input_files(mine)
        shown = computed(mean)
        wanted = here_figures.mean_of(UploadedFile("mine.csv", mine.read_text("utf-8")))
        assert shown["sentence"] == wanted.layout.meta["sentence"] == "The mean is 2.5416666666666665."
        assert "mine.csv" in mean.locator(".mb-file-name").inner_text()
        mine.write_text("1\ntwo\n", "utf-8")
        mean.locator("input[type=file]").set_input_files(mine)
        driver.wait_until(page, "!document.querySelector('#mean-of .mb-error').hidden")
        assert "file: write one number a line" in mean.locator(".mb-error").inner_text()
        assert paths == [], "a file goes nowhere"

        other = seen(page, "other")
        other.get_by_role("button", name="Compute exactly here").click()
        computed(other)
        other.locator("[data-control=package] label").nth(1).click()
        assert driver.settle(other)["sentence"] == "mpmath is here, 20 digits."
        other.locator("[data-control=package] label").nth(2).click()
        error = driver.settle(other)["error"]
        assert "This needs sklearn, which Python in this page does not have" in error
        (more,) = paths  # one more package, and Python no second time
        assert "/mpmath-" in more

        panel.get_by_role("button", name="Back to the stored states").press("Enter")
        shows(panel, {"rate": 1.25, "rounds": 5}, rtol=2e-7)
        assert BETWEEN in notice.inner_text()
        assert not panel.locator(".mb-badge").count()
        assert panel.get_by_role("button", name="Compute exactly here").is_visible()


@pytest.mark.nightly
@pytest.mark.timeout(2 * SECONDS)
def test_loading_and_computing_can_be_stopped(browser, server):
    loading = "/Loading/.test(document.querySelector('#long .mb-here').innerText)"
    with driver.watched(browser, server[0]) as page:
        panel = opened(page, server, "long")
        button = panel.locator(".mb-here button")
        button.press("Enter")
        driver.wait_until(page, loading)
        button.press("Enter")
        driver.wait_until(page, f"!{loading}")
        assert button.inner_text() == "Compute exactly here"
        shows(panel, {"steps": 1.0}, rtol=2e-7)
        button.press("Enter")
        computed(panel)
        shows(panel, {"steps": 1.0})
        type_into(panel, "steps", "2.5")
        panel.locator(".mb-busy progress").wait_for(timeout=1000 * SECONDS)
        driver.wait_until(page, "document.querySelector('#long progress').value > 0")
        panel.get_by_role("button", name="Cancel").click()
        shows(panel, {"steps": 1.0})  # the controls are back where the picture is
        # The next move starts Python again.
        type_into(panel, "steps", "1.001")
        shows(panel, {"steps": 1.001})


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("files", "how", "said"),
    [
        ("**/*.wasm", lambda route: route.fulfill(status=404), "pyodide.asm.wasm could not be read (404)"),
        ("**/mipbook-here-worker.js", ruled(False), "the server does not let its pages run it."),
    ],
)
def test_what_could_not_be_loaded_or_is_forbidden_is_told_in_words(browser, server, files, how, said):
    with closing(browser.new_page(viewport={"width": 1200, "height": 900})) as page:
        page.route(files, how)
        panel = opened(page, server)
        panel.get_by_role("button", name="Compute exactly here").click()
        problem = panel.locator(".mb-here .mb-invalid")
        problem.wait_for(timeout=1000 * SECONDS)
        assert problem.inner_text().startswith("Python stopped in this page: ")
        assert said in problem.inner_text()
        assert not driver.settle(panel)["failed"], "the stored states are still there"


@pytest.mark.parametrize("how", ["file", "none"])
def test_without_an_engine_a_panel_is_as_it_was(browser, site, server, how):
    address, paths = server
    with driver.watched(browser, address) as page:
        none = {"body": "globalThis.mipbookHere = null;\n", "content_type": "text/javascript"}
        page.route(f"**/{HERE_LIST}", lambda route: route.fulfill(**none))
        page.goto(f"{site.as_uri() if how == 'file' else address}/{PREFIX}/page.html")
        panel = seen(page, "decay")
        assert not page.locator(".mb-here").count()
        type_into(panel, "rate", "1.2345678901")
        assert driver.settle(panel)["values"]["rate"] == 1.25
        assert not panel.get_by_role("button", name="Compute it here").count()
        assert not seen(page, "mean-of").locator("input[type=file]").count()
        assert not any(HERE_FOLDER in path for path in paths)
