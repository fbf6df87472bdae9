"""Every app, as the public meets it: its own server, the panel's own script, a reader's own files."""

import io
import json
from contextlib import ExitStack, closing
from functools import cache, partial

import driver
import numpy as np
import pytest
from driver import type_into
from pages import panels_of
from playwright.sync_api import expect
from samples import SAMPLE
from shared import ROOT
from test_book_pages import check_files

from mipbook import figures

APPS = [path.stem for path in sorted((ROOT / "book" / "apps").glob("*.ipynb"))]
BY_DAY = [page.removeprefix("book/apps/") for page in SAMPLE["apps"]]
SOME = [pytest.param(name, marks=() if name in BY_DAY else pytest.mark.nightly) for name in APPS]
# A plan or a run of one's own takes the accountant longer than a busy machine may wait.
SLOW = ("clip-and-noise", "dpsgd")
PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const settings = { clipboardData, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new ClipboardEvent("paste", settings));
}"""


def open_app(page, apps, name: str):
    page.goto(f"{apps.url}/app/{name}")
    page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
    panel = panels_of(page)[0]
    driver.settle(panel)
    return panel


def test_front_page_lists_every_app(browser, apps):
    assert APPS
    with driver.watched(browser, apps.url) as page:
        page.goto(apps.url)
        links = [a.get_attribute("href") for a in page.locator("li a").all()]
        assert links == [f"app/{name}" for name in APPS]
        assert driver.axe_violations(page) == []


@pytest.fixture(scope="module")
def one_load(browser, apps):
    """An app, opened once for all that is looked at in it."""
    opens = partial(open_app, apps=apps)
    with closing(driver.OneLoad(browser, opens, host=apps.url, color_scheme="light")) as load:
        yield load


@pytest.mark.parametrize("visit", SOME, indirect=True)
def test_controls_move_the_picture_and_the_app_is_accessible(visit, request, tried, tmp_path):
    """Every control, then the page as people meet it."""
    name = request.node.callspec.params["visit"]
    names = tried("apps", f"book/apps/{name}")
    for panel in panels_of(visit):
        driver.move_everything(panel, rtol=1e-12, only=driver.own_of(panel, names))
        if name not in SLOW:
            type_between_stops(panel)
        check_files(panel, tmp_path)
    wide = visit.viewport_size
    visit.set_viewport_size({"width": 360, "height": 740})
    # Only colours differ between the schemes.
    for scheme in ("light", "dark"):
        visit.emulate_media(color_scheme=scheme)
        driver.still(visit)
        assert driver.axe_violations(visit, colours_only=scheme == "dark") == [], scheme
        assert visit.evaluate("document.documentElement.scrollWidth") <= 360
    visit.set_viewport_size(wide)


def type_between_stops(panel) -> None:
    """Typed values that no stop holds are computed as they were typed."""
    spec = driver.spec_of(panel)
    for control in spec["controls"]:
        if control["kind"] != "slider" or control["low"] is None or control["stepped"]:
            continue
        low, high = control["stops"][-2:]
        value = float(f"{low + 0.37 * (high - low):.6g}")
        value = round(value) if control["whole"] else value
        assert value not in control["stops"]
        type_into(panel, control["name"], repr(value))
        shown = driver.settle(panel)
        assert shown["values"][control["name"]] == value
        driver.compare(spec, shown, rtol=1e-12)


def test_a_lost_line_is_told_and_the_last_move_answered_when_it_is_back(browser, apps):
    # A refused request is a complaint of the browser's own, so nobody watches here.
    with closing(browser.new_page()) as page:
        panel = open_app(page, apps, "pmp")
        page.route("**/figure/**", lambda route: route.abort())
        control = driver.spec_of(panel)["controls"][0]
        driver.move(panel, control, 0, "keyboard")
        lost = panel.locator(".mb-lost:visible")
        expect(lost).to_contain_text("The connection to the app is lost")
        expect(panel.locator("[data-tool=CSV]")).to_be_disabled()
        page.unroute("**/figure/**")
        expect(lost).to_have_count(0, timeout=driver.SETTLE)
        assert driver.settle(panel)["values"][control["name"]] == control["stops"][0]
        expect(panel.locator("[data-tool=CSV]")).to_be_enabled()


def upload(panel, content: bytes, name: str = "mine.csv") -> dict:
    file = {"name": name, "mimeType": "", "buffer": content}
    return taken(panel, lambda: panel.locator("input[type=file]").set_input_files(file))


def taken(panel, give) -> dict:
    """Give a panel a file, and return what it shows of it."""
    count = "(root) => root.panel.values.file.upload ?? 0"
    before = panel.evaluate(count)
    give()
    driver.wait_until(panel.page, f"([root, n]) => ({count})(root) > n", [panel.element_handle(), before])
    return driver.settle(panel)


def told(panel) -> str:
    return panel.locator(".mb-file-name").inner_text()


@pytest.fixture(scope="module")
def app(browser, apps):
    """A panel of an app, which is opened once: a new file asks nothing of the one before."""
    with ExitStack() as held:
        yield cache(lambda name: open_app(held.enter_context(driver.watched(browser, apps.url)), apps, name))


def test_scores_of_ones_own_are_read_shown_kept_and_taken_along(app, tmp_path):
    """Arrays of NumPy and JSON lists; a second attack is chosen; the report is saved."""
    rng, stream = np.random.default_rng(5), io.BytesIO()
    member = rng.random(800) < 0.5
    scores = np.round(rng.standard_normal(800) + 1.5 * member, 3)
    other = np.round(scores + rng.standard_normal(800), 3)
    np.savez(stream, fpr=[0.0, 1.0], tpr=[0.0, 1.0], scores=scores, memberships=member, loss=other)
    panel = app("audit-scores")
    start = driver.settle(panel)["values"]
    shown = upload(panel, stream.getvalue(), "attack_result_0.npz")
    columns = {"score": scores, "member": member}
    assert shown["sentence"] == figures.game.score_audit(columns).layout.meta["sentence"]
    assert "800 records, 3 columns (scores, memberships, loss), arrays of NumPy" in told(panel)
    panel.locator("[data-role='other'] select").select_option("loss")
    chosen = driver.settle(panel)["values"]["file"]
    # Another control keeps the file, and the address never names it.
    (confidence,) = (c for c in driver.spec_of(panel)["controls"] if c["name"] == "confidence")
    driver.move(panel, confidence, 0, "mouse")
    moved = driver.settle(panel)
    assert moved["values"]["file"] == chosen
    assert "attack_result" not in panel.page.url
    want = figures.game.score_audit({**columns, "other": other}, confidence=0.9).layout.meta
    table = [list(row) for row in want["table"]]
    assert moved["sentence"] == want["sentence"]
    cells = [row.locator("th, td").all_text_contents() for row in panel.locator(".mb-table tr").all()]
    assert cells == table
    assert "# file = attack_result_0.npz" in driver.save(panel, "CSV", tmp_path).read_text(encoding="utf-8")
    assert json.loads(driver.save(panel, "JSON", tmp_path).read_text(encoding="utf-8"))["table"] == table
    path = driver.save(panel, "Report", tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "<script" not in text
    assert "attack_result_0.npz" in text
    with driver.watched(panel.page.context.browser) as report:
        report.goto(path.as_uri())
        assert report.locator("tr").count() == len(table)
        assert report.locator("svg .main-svg, svg.main-svg").count() >= 1
        assert driver.axe_violations(report) == []
    panel.locator("[data-tool='Reset']").click()
    assert driver.settle(panel)["values"] == start
    lists = {"signal_values": scores.tolist(), "true_labels": member.astype(int).tolist()}
    again = upload(panel, json.dumps({**lists, "tpr": [0.5]}).encode(), "result.json")
    assert again["sentence"] == shown["sentence"]
    # What does not fit is refused before it is sent.
    big = {"name": "big.csv", "mimeType": "text/csv", "buffer": b"0" * 4_000_001}
    panel.locator("input[type=file]").set_input_files(big)
    said = "big.csv has 4,000,001 bytes, more than the 4,000,000 that fit"
    expect(panel.locator("[data-control='file'] .mb-invalid")).to_contain_text(said)
    assert driver.settle(panel)["values"] == again["values"]


def test_a_table_of_outputs_is_uploaded_or_pasted_and_saved(app, tmp_path):
    panel = app("translate")
    shown = upload(panel, b"in,out\n0.5,0.2\n0.5,0.8\n")
    assert "2.5% through your table (exact)" in shown["sentence"]
    broken = upload(panel, b"in,out\n0.5,0.2\nten,0.8\n")
    assert broken["failed"]
    assert "row 3, column 'in': 'ten' is not a number" in broken["error"]
    assert "could not be used" in told(panel)
    assert panel.locator(".mb-table").is_hidden()
    pasted = taken(panel, lambda: panel.page.evaluate(PASTE, "in\tout\n0.6\t0.1\n0.4\t0.9\n"))
    assert not pasted["failed"]
    assert "6% through your table (exact)" in pasted["sentence"]
    assert told(panel).startswith("pasted.csv. Read: 2 records")
    saved = json.loads(driver.save(panel, "JSON", tmp_path).read_text(encoding="utf-8"))
    assert "through your table (exact)" in json.dumps(saved, ensure_ascii=False)
