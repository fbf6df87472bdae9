"""Every Voila app, against its live server."""

from __future__ import annotations

import json
import re
import time
import urllib.request
from collections.abc import Iterator

import driver
import numpy as np
import pytest
from pages import panels_of
from playwright.sync_api import Locator, Page
from shared import ROOT
from test_book_pages import check_csv

from mipbook import figures, game
from mipbook.explore import UploadedFile

APPS = sorted(path.name for path in (ROOT / "book" / "apps").glob("*.ipynb"))


def open_app(page: Page, apps, name: str, query: str = "") -> list[Locator]:
    page.goto(f"{apps.url}/voila/render/{name}{query}")
    page.wait_for_selector(".mb-explorable[data-settled]", timeout=driver.SETTLE)
    return panels_of(page)


def test_front_page_lists_every_app(browser, apps):
    assert APPS
    with driver.watched(browser, apps.url) as page:
        page.goto(apps.url)
        links = [a.get_attribute("href") for a in page.locator("li a").all()]
        assert links == [f"voila/render/{name}" for name in APPS]
        assert driver.axe_violations(page) == []


@pytest.fixture(scope="module")
def visit(request, browser, apps) -> Iterator[Page]:
    """An app, opened once for all that is looked at in it."""
    with driver.watched(browser, apps.url, color_scheme="light") as page:
        open_app(page, apps, request.param)
        yield page


@pytest.mark.parametrize("visit", APPS, indirect=True)
def test_controls_move_the_picture_and_the_app_is_accessible(visit, tmp_path):
    """By keyboard every control, by mouse one of each kind; then the page as people meet it."""
    kinds: set[str] = set()
    for panel in panels_of(visit):
        driver.move_everything(panel, "keyboard", rtol=1e-12)
        driver.move_each_kind(panel, kinds, rtol=1e-12)
        type_between_stops(panel)
        shown = driver.settle(panel)
        check_csv(driver.save(panel, "CSV", tmp_path), shown)
        assert "<svg" in driver.save(panel, "SVG", tmp_path).read_text(encoding="utf-8")
    wide = visit.viewport_size
    visit.set_viewport_size({"width": 360, "height": 740})
    # Only colours differ between the schemes.
    for scheme, rules in (("light", ()), ("dark", ("color-contrast",))):
        visit.emulate_media(color_scheme=scheme)
        visit.wait_for_timeout(500)
        assert visit.evaluate("document.documentElement.dataset.theme") == scheme
        assert driver.axe_violations(visit, *rules) == [], scheme
        assert visit.evaluate("document.documentElement.scrollWidth") <= 360
    visit.set_viewport_size(wide)


def type_between_stops(panel: Locator) -> None:
    """Typed values that no stop holds are computed as they were typed."""
    spec = driver.spec_of(panel)
    for control in spec["controls"]:
        if control["kind"] != "slider" or control["low"] is None or control["stepped"]:
            continue
        low, high = control["stops"][-2], control["stops"][-1]
        value = float(f"{low + 0.37 * (high - low):.6g}")
        value = round(value) if control["whole"] else value
        assert value not in control["stops"]
        box = panel.locator(f"[data-control='{control['name']}'] .mb-typed")
        box.fill(repr(value))
        box.press("Enter")
        shown = driver.settle(panel)
        assert shown["values"][control["name"]] == value
        driver.compare(spec, shown, rtol=1e-12)


@pytest.mark.parametrize("name", APPS)
def test_app_links_its_chapter(browser, apps, name):
    cells = json.loads((ROOT / "book" / "apps" / name).read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(cell["source"]) for cell in cells)
    (chapter,) = set(re.findall(r"\]\(\.\./([a-z]+/[a-z0-9-]+)\.md\)", text))
    with urllib.request.urlopen(f"{apps.url}/voila/{chapter}.md") as reply:
        assert reply.url.endswith(f"/book/book/{chapter}.html")
        assert reply.status == 200


@pytest.mark.parametrize("visit", APPS, indirect=True)
def test_addresses_restore_and_visitors_do_not_see_each_other(visit, request, browser, apps):
    """One visitor moves what can be moved, while another comes with nonsense in the address."""
    name = request.node.callspec.params["visit"]
    wanted = []
    for panel in panels_of(visit):
        for control in driver.spec_of(panel)["controls"]:
            if control["kind"] != "rounds":
                driver.move(panel, control, 0, "keyboard")
                driver.settle(panel)
        wanted.append(driver.settle(panel)["values"])
    query = visit.evaluate("location.search")
    with driver.watched(browser, apps.url) as other:
        for panel in open_app(other, apps, name, re.sub(r"=[^&]*", "=nonsense", query)):
            spec = driver.spec_of(panel)
            start = {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}
            assert driver.settle(panel)["values"] == start
        mine, theirs = panels_of(visit)[0], panels_of(other)[0]
        before = driver.settle(theirs)
        control = next(c for c in driver.spec_of(mine)["controls"] if c["kind"] == "slider")
        driver.move(mine, control, len(control["stops"]) - 1, "keyboard")
        assert driver.settle(mine)["values"][control["name"]] == control["stops"][-1]
        assert driver.settle(theirs)["values"] == before["values"]
        gone = apps.log.read_text().count("Kernel shutdown")
        visit.goto(apps.url)
        deadline = time.monotonic() + 20
        while apps.log.read_text().count("Kernel shutdown") == gone:
            assert time.monotonic() < deadline, "the kernel of a visitor who left runs on"
            visit.wait_for_timeout(100)
        for panel, values in zip(open_app(other, apps, name, query), wanted, strict=True):
            assert driver.settle(panel)["values"] == values


UPLOAD = "attack.ipynb"


def upload(panel: Locator, text: str, name: str = "mine.csv") -> dict:
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    before = panel.evaluate("(root) => root.panel.values.file.upload ?? 0")
    panel.locator("input[type=file]").set_input_files(file)
    driver.wait_until(
        panel.page,
        "([id, before]) => document.getElementById(id).panel.values.file.upload > before",
        arg=[panel.get_attribute("id"), before],
    )
    return driver.settle(panel)


def scores_csv(rows: int, seed: int) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    member = rng.random(rows) < 0.5
    scores = np.round(rng.standard_normal(rows) + 1.5 * member, 3)
    lines = [f"{s},{int(m)}" for s, m in zip(scores, member, strict=True)]
    return "score,member\n" + "\n".join(lines) + "\n", scores, member


@pytest.fixture(scope="module")
def attack(browser, apps) -> Iterator[Page]:
    """The app that takes scores, opened once: a new file asks nothing of the one before."""
    with driver.watched(browser, apps.url) as page:
        open_app(page, apps, UPLOAD)
        yield page


@pytest.fixture(scope="module")
def release(browser, apps) -> Iterator[Page]:
    with driver.watched(browser, apps.url) as page:
        open_app(page, apps, "release.ipynb")
        yield page


def test_a_file_of_ones_own_is_read_and_shown(attack, tmp_path):
    text, scores, member = scores_csv(3000, 1)
    panel = panels_of(attack)[0]
    driver.settle(panel)
    shown = upload(panel, text)
    want = figures.game.attack_scores(UploadedFile("mine.csv", text))
    drawn = next(t for t in shown["data"] if t["name"] == "the attack (estimate)")
    curve = game.roc(scores, member)
    np.testing.assert_allclose(drawn["y"], curve.tpr_at(drawn["x"]), rtol=1e-12)
    assert shown["sentence"] == want.layout.meta["sentence"]
    assert f"{int(member.sum()):,} members" in shown["sentence"]
    cells = panel.locator(".mb-table tr").all()
    rows = [[c.inner_text() for c in row.locator("th, td").all()] for row in cells]
    assert rows == [list(row) for row in want.layout.meta["table"]]
    said = panel.locator(".mb-file-name").inner_text()
    assert said.startswith("mine.csv. Read: 3,000 records, 2 columns (score, member)")
    # Other controls keep the file, and the address never names it.
    driver.move(panel, control_of(panel, "axes"), 1, "mouse")
    moved = driver.settle(panel)
    assert moved["values"]["file"] == shown["values"]["file"]
    assert f"{int(member.sum()):,} members" in moved["sentence"]
    assert "mine" not in attack.url
    saved = driver.save(panel, "CSV", tmp_path).read_text(encoding="utf-8")
    assert "# file = mine.csv" in saved
    assert '"area under the curve, AUC"' in saved
    panel.locator("[data-tool='Reset']").click()
    assert driver.settle(panel)["values"]["file"] == figures.game.EXAMPLE_SCORES[0]


def control_of(panel: Locator, name: str) -> dict:
    return next(c for c in driver.spec_of(panel)["controls"] if c["name"] == name)


def test_a_malformed_file_gets_a_message_with_its_row_and_can_be_mended(attack):
    text, _, member = scores_csv(300, 2)
    broken = text.replace("\n", "\nseven,1\n", 1)
    panel = panels_of(attack)[0]
    driver.settle(panel)
    shown = upload(panel, broken)
    assert shown["failed"]
    assert "row 2, column 'score': 'seven' is not a number" in shown["error"]
    assert "could not be used" in panel.locator(".mb-file-name").inner_text()
    assert panel.locator(".mb-table").is_hidden()
    mended = upload(panel, text)
    assert not mended["failed"]
    assert f"{int(member.sum()):,} members" in mended["sentence"]


def test_a_file_that_does_not_fit_is_refused_before_it_is_sent(attack):
    panel = panels_of(attack)[0]
    before = driver.settle(panel)
    file = {"name": "big.csv", "mimeType": "text/csv", "buffer": b"0" * 4_000_001}
    panel.locator("input[type=file]").set_input_files(file)
    note = panel.locator("[data-control='file'] .mb-invalid")
    note.wait_for()
    assert "big.csv has 4,000,001 bytes, more than the 4,000,000 that fit" in note.inner_text()
    assert driver.settle(panel)["values"] == before["values"]


def test_a_large_file_is_answered_soon(attack):
    text, _, member = scores_csv(200_000, 3)
    assert 1_000_000 < len(text) < 4_000_000
    panel = panels_of(attack)[0]
    driver.settle(panel)
    start = time.monotonic()
    shown = upload(panel, text)
    assert f"{int(member.sum()):,} members" in shown["sentence"]
    assert time.monotonic() - start < 15


def test_counts_take_any_whole_number(attack):
    panel = panels_of(attack)[1]
    panel.scroll_into_view_if_needed()
    driver.settle(panel)
    for name, value in (("tp", "45"), ("fn", "5"), ("fp", "1"), ("tn", "49")):
        box = panel.locator(f"[data-control='{name}'] .mb-typed")
        box.fill(value)
        box.press("Enter")
        driver.settle(panel)
    assert "an epsilon of at least 1.99" in driver.settle(panel)["sentence"]
    box.fill("49.5")
    box.press("Enter")
    note = panel.locator("[data-control='tn'] .mb-notice")
    assert "type a whole number" in note.inner_text()
    assert driver.settle(panel)["values"]["tn"] == 49


def test_a_table_of_ones_own_is_released(release):
    rng = np.random.default_rng(4)
    rows = np.round(rng.normal(50, 5, (60, 2)), 2)
    text = "age,weight\n" + "".join(f"{a},{b}\n" for a, b in rows)
    panel = panels_of(release)[0]
    driver.settle(panel)
    upload(panel, text)
    panel.locator("[data-role='value'] select").select_option("age")
    shown = driver.settle(panel)
    want = figures.mip.release_lab(UploadedFile("mine.csv", text, {"value": ["age"]}))
    assert shown["sentence"] == want.layout.meta["sentence"]
    assert "half of 60 records" in shown["sentence"]
    broken = upload(panel, "age\nten\n" + "50\n" * 60)
    assert "row 2, column 'age': 'ten' is not a number" in broken["error"]


def test_columns_are_chosen_by_name(release):
    rows = [f"{i},{20 + i % 50},{1000 + i * 7 % 311}" for i in range(60)]
    text = "\n".join(["id,age,income", *rows, ""])
    panel = panels_of(release)[0]
    driver.settle(panel)
    asked = upload(panel, text)
    assert asked["failed"]
    assert "Choose which one to release" in asked["error"]
    panel.locator("[data-role='value'] select").select_option("income")
    shown = driver.settle(panel)
    want = figures.mip.release_lab(UploadedFile("mine.csv", text, {"value": ["income"]}))
    assert shown["sentence"] == want.layout.meta["sentence"]
    said = panel.locator(".mb-file-name").inner_text()
    assert "column 'income' is released" in said
    assert "not used: id, age" in said


def test_what_is_no_table_is_refused_in_words(attack):
    panel = panels_of(attack)[0]
    driver.settle(panel)
    for start, word in (
        (b"PK\x03\x04", "Excel"),
        (b"%PDF-1.7", "PDF"),
        (b"\x89PNG\r\n", "PNG"),
    ):
        file = {"name": "x.csv", "mimeType": "", "buffer": start + bytes(range(256)) * 9}
        before = panel.evaluate("(root) => root.panel.values.file.upload ?? 0")
        panel.locator("input[type=file]").set_input_files(file)
        driver.wait_until(
            attack,
            "([id, before]) => document.getElementById(id).panel.values.file.upload > before",
            arg=[panel.get_attribute("id"), before],
        )
        shown = driver.settle(panel)
        assert word in shown["error"]
        assert len(shown["error"]) < 340
