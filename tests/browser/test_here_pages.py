"""Python in a published page, on demand: values typed exactly, a file that never leaves it."""

from contextlib import closing

import driver
import here_figures
import pytest
from here_site import PREFIX, served, write_site

from explorable.outputs.files import HERE_FOLDER, HERE_LIST
from explorable.panels import Choice, Count, Explorable, File, Slider, UploadedFile
from explorable.serve.entry import dress

SECONDS = 240  # a busy machine starts Python slowly


def panels() -> list[Explorable]:
    file = File(["small", "large"], label="Numbers")
    rounds = Count([5, 10, 20], 10, label="Rounds")
    return [
        Explorable(here_figures.decay, rate=Slider(0.5, 3.0, 1.0, label="Rate"), rounds=rounds),
        Explorable(here_figures.mean_of, file=file, shift=Slider(0.0, 1.0, 0.0)),
        Explorable(here_figures.long, steps=Slider(1.0, 3.0, 1.0, points=3)),
        Explorable(
            here_figures.other,
            package=Choice(["math", "mpmath", "sklearn"]),
            digits=Slider(1.0, 30.0, 20.0),
            may_refuse=True,
        ),
    ]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("here")
    write_site(folder / PREFIX, panels())
    return folder


@pytest.fixture
def server(site):
    with served(site) as running:
        yield running


def opened(page, server, name="decay", query=""):
    page.goto(f"{server.url}/{PREFIX}/page.html{query}")
    panel = page.locator(f"#{name}")
    panel.scroll_into_view_if_needed()
    driver.settle(panel)
    return panel


def ruled(in_book: bool):
    """Lay the rules of our server upon files: which scripts a page may run."""
    rules = dress(in_book, "'self'")

    def under_rules(route):
        answer = route.fetch()
        route.fulfill(response=answer, headers={**answer.headers, **rules})

    return under_rules


def loaded(server) -> list[str]:
    return [path for path in server.paths if HERE_FOLDER in path]


def computed(panel) -> dict:
    """Wait until the panel says that this browser computed it."""
    panel.locator(".mb-badge").wait_for(timeout=1000 * SECONDS)
    return driver.settle(panel)


def type_in(panel, name: str, text: str) -> None:
    box = panel.locator(f"[data-control={name}] .mb-typed")
    box.fill(text)
    box.press("Enter")


HEIGHT = "(root) => root.offsetHeight"


@pytest.mark.nightly
@pytest.mark.timeout(3 * SECONDS)
def test_what_a_reader_types_and_opens_is_computed_in_the_page(browser, server, tmp_path):
    with driver.watched(browser, server.url) as page:
        page.route("**/*", ruled(True))
        panel = opened(page, server)
        type_in(panel, "rate", "1.2345678901")
        notice = panel.locator("[data-control=rate] .mb-notice")
        assert "1.2345678901 lies between two stops, 1.12 and 1.25." in notice.inner_text()
        assert loaded(server) == [], "nothing is fetched before somebody asks"
        before = panel.evaluate(HEIGHT)

        notice.get_by_role("button", name="Compute it here").press("Enter")
        status = panel.locator(".mb-here [role=status]")
        driver.wait_until(
            page, "/Loading Python, \\d+ of \\d+ MB/.test(document.querySelector('.mb-here').innerText)"
        )
        assert panel.evaluate(HEIGHT) == before
        shown = computed(panel)
        assert shown["values"] == {"rate": 1.2345678901, "rounds": 10}
        driver.compare(driver.spec_of(panel), shown, rtol=1e-15)
        assert status.inner_text().endswith("Computed in this browser; nothing was sent.")
        assert "decay.rate=1.2345678901" in driver.query(page)
        assert panel.evaluate(HEIGHT) <= before
        focused = page.evaluate("document.activeElement.className")
        assert focused == "mb-typed", "the keyboard stands where it was"

        # Few stops were buttons; now any whole number between them may be typed.
        asked = len(server.paths)
        type_in(panel, "rounds", "7")
        shown = driver.settle(panel)
        assert shown["values"]["rounds"] == 7
        driver.compare(driver.spec_of(panel), shown, rtol=1e-15)
        with page.expect_download() as download:
            driver.tool(panel, "CSV").click()
        text = download.value.path().read_text("utf-8")
        assert "# rate = 1.2345678901\n# rounds = 7\n" in text
        assert server.paths[asked:] == [], "once Python is there, nothing is asked of anybody"

        mean = page.locator("#mean-of")
        mean.scroll_into_view_if_needed()
        driver.settle(mean)
        assert "never leaves this computer" in mean.locator(".mb-where").inner_text()
        # A secret of the reader's, which no request may carry.
        mine = tmp_path / "mine.csv"
        mine.write_text("1\n2\n4.625\n", "utf-8")
        asked = len(server.paths)
        mean.locator("input[type=file]").set_input_files(mine)
        shown = computed(mean)
        wanted = here_figures.mean_of(UploadedFile("mine.csv", mine.read_text("utf-8")))
        assert shown["sentence"] == wanted.layout.meta["sentence"] == "The mean is 2.5416666666666665."
        assert "mine.csv" in mean.locator(".mb-file-name").inner_text()
        mine.write_text("1\ntwo\n", "utf-8")
        mean.locator("input[type=file]").set_input_files(mine)
        driver.wait_until(page, "!document.querySelector('#mean-of .mb-error').hidden")
        assert "file: write one number a line" in mean.locator(".mb-error").inner_text()
        assert server.paths[asked:] == [], "a file goes nowhere"

        other = page.locator("#other")
        other.scroll_into_view_if_needed()
        driver.settle(other)
        other.get_by_role("button", name="Compute exactly here").click()
        computed(other)
        other.locator("[data-control=package] label").nth(1).click()
        assert driver.settle(other)["sentence"] == "mpmath is here, 20 digits."
        other.locator("[data-control=package] label").nth(2).click()
        shown = driver.settle(other)
        assert "This needs sklearn, which Python in this page does not have" in shown["error"]
        files = [path.rsplit("/", 1)[1] for path in server.paths[asked:]]
        assert [name.split("-")[0] for name in files] == ["mpmath"], "one more package, no more"
        assert len([path for path in loaded(server) if path.endswith(".wasm")]) == 1

        panel.get_by_role("button", name="Back to the stored states").press("Enter")
        shown = driver.settle(panel)
        assert shown["values"] == {"rate": 1.25, "rounds": 5}
        assert "lies between two stops, 1.12 and 1.25" in notice.inner_text()
        assert not panel.locator(".mb-badge").count()
        driver.compare(driver.spec_of(panel), shown, rtol=2e-7)
        assert panel.get_by_role("button", name="Compute exactly here").is_visible()


@pytest.mark.nightly
@pytest.mark.timeout(2 * SECONDS)
def test_loading_and_computing_can_be_stopped(browser, server):
    with driver.watched(browser, server.url) as page:
        panel = opened(page, server, "long")
        button = panel.locator(".mb-here button")
        button.press("Enter")
        driver.wait_until(page, "/Loading/.test(document.querySelector('#long .mb-here').innerText)")
        button.press("Enter")
        driver.wait_until(page, "!/Loading/.test(document.querySelector('#long .mb-here').innerText)")
        assert button.inner_text() == "Compute exactly here"
        assert driver.settle(panel)["values"] == {"steps": 1.0}

        button.press("Enter")
        shown = computed(panel)
        driver.compare(driver.spec_of(panel), shown, rtol=1e-12)
        type_in(panel, "steps", "2.5")
        bar = panel.locator(".mb-busy progress")
        bar.wait_for(timeout=1000 * SECONDS)
        driver.wait_until(page, "document.querySelector('#long progress').value > 0")
        panel.get_by_role("button", name="Cancel").click()
        shown = driver.settle(panel)
        assert shown["values"] == {"steps": 1.0}, "the controls are back where the picture is"
        # The next move starts Python again.
        type_in(panel, "steps", "1.001")
        shown = driver.settle(panel)
        assert shown["values"] == {"steps": 1.001}
        driver.compare(driver.spec_of(panel), shown, rtol=1e-12)


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
    html = site / PREFIX
    with driver.watched(browser, server.url) as page:
        none = {"body": "globalThis.mipbookHere = null;\n", "content_type": "text/javascript"}
        page.route(f"**/{HERE_LIST}", lambda route: route.fulfill(**none))
        base = (html / "page.html").as_uri() if how == "file" else None
        page.goto(base or f"{server.url}/{PREFIX}/page.html")
        panel = page.locator("#decay")
        driver.settle(panel)
        assert not page.locator(".mb-here").count()
        type_in(panel, "rate", "1.2345678901")
        assert driver.settle(panel)["values"]["rate"] == 1.25
        assert not panel.get_by_role("button", name="Compute it here").count()
        mean = page.locator("#mean-of")
        mean.scroll_into_view_if_needed()
        driver.settle(mean)
        assert not mean.locator("input[type=file]").count()
        assert loaded(server) == []
