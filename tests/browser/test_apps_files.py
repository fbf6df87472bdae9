"""A reader's own files and numbers in the apps, against the live server."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import driver
import numpy as np
import pytest
from playwright.sync_api import Locator
from test_apps import open_app

from explorable.panels import UploadedFile
from mipbook import figures, game


def upload(panel: Locator, content: str | bytes, name: str = "mine.csv") -> dict:
    data = content.encode() if isinstance(content, str) else content
    file = {"name": name, "mimeType": "", "buffer": data}
    return taken(panel, lambda: panel.locator("input[type=file]").set_input_files(file))


def taken(panel: Locator, give: Callable[[], object]) -> dict:
    """Give a panel a file, and return what it shows of it."""
    count = "document.getElementById(id).panel.values.file.upload"
    asked = panel.get_attribute("id")
    before = panel.page.evaluate(f"(id) => {count} ?? 0", asked)
    give()
    driver.wait_until(panel.page, f"([id, before]) => {count} > before", arg=[asked, before])
    return driver.settle(panel)


def scores_csv(rows: int, seed: int) -> tuple[str, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    member = rng.random(rows) < 0.5
    scores = np.round(rng.standard_normal(rows) + 1.5 * member, 3)
    lines = [f"{s},{int(m)}" for s, m in zip(scores, member, strict=True)]
    return "score,member\n" + "\n".join(lines) + "\n", scores, member


@pytest.fixture(scope="module")
def app(browser, apps) -> Iterator[Callable[..., Locator]]:
    """A panel of an app, which is opened once: a new file asks nothing of the one before."""
    with ExitStack() as held:

        @cache
        def opened(name: str) -> Locator:
            panel = open_app(held.enter_context(driver.watched(browser, apps.url)), apps, name)[0]
            driver.settle(panel)
            return panel

        yield opened


def test_a_file_of_ones_own_is_read_and_shown(app, tmp_path):
    text, scores, member = scores_csv(3000, 1)
    panel = app("attack")
    shown = upload(panel, text)
    want = figures.game.attack_scores(UploadedFile("mine.csv", text))
    drawn = next(t for t in shown["data"] if t["name"] == "the attack (estimate)")
    curve = game.roc(scores, member)
    np.testing.assert_allclose(drawn["y"], curve.tpr_at(drawn["x"]), rtol=1e-12)
    assert shown["sentence"] == want.layout.meta["sentence"]
    cells = panel.locator(".mb-table tr").all()
    rows = [[c.inner_text() for c in row.locator("th, td").all()] for row in cells]
    assert rows == [list(row) for row in want.layout.meta["table"]]
    said = panel.locator(".mb-file-name").inner_text()
    assert said.startswith("mine.csv. Read: 3,000 records, 2 columns (score, member)")
    # Other controls keep the file, and the address never names it.
    (axes,) = (c for c in driver.spec_of(panel)["controls"] if c["name"] == "axes")
    driver.move(panel, axes, 1, "mouse")
    moved = driver.settle(panel)
    assert moved["values"]["file"] == shown["values"]["file"]
    assert moved["sentence"] == shown["sentence"]
    assert "mine" not in panel.page.url
    saved = driver.save(panel, "CSV", tmp_path).read_text(encoding="utf-8")
    assert "# file = mine.csv" in saved
    assert '"area under the curve, AUC"' in saved
    panel.locator("[data-tool='Reset']").click()
    assert driver.settle(panel)["values"]["file"] == figures.game.EXAMPLE_SCORES[0]


def test_a_malformed_file_gets_a_message_with_its_row_and_can_be_mended(app):
    text, *_ = scores_csv(300, 2)
    broken = text.replace("\n", "\nseven,1\n", 1)
    panel = app("attack")
    shown = upload(panel, broken)
    assert shown["failed"]
    assert "row 2, column 'score': 'seven' is not a number" in shown["error"]
    assert "could not be used" in panel.locator(".mb-file-name").inner_text()
    assert panel.locator(".mb-table").is_hidden()
    mended = upload(panel, text)
    assert not mended["failed"]
    want = figures.game.attack_scores(UploadedFile("mine.csv", text))
    assert mended["sentence"] == want.layout.meta["sentence"]


def test_a_file_that_does_not_fit_is_refused_before_it_is_sent(app):
    panel = app("attack")
    before = driver.settle(panel)
    file = {"name": "big.csv", "mimeType": "text/csv", "buffer": b"0" * 4_000_001}
    panel.locator("input[type=file]").set_input_files(file)
    note = panel.locator("[data-control='file'] .mb-invalid")
    note.wait_for()
    assert "big.csv has 4,000,001 bytes, more than the 4,000,000 that fit" in note.inner_text()
    assert driver.settle(panel)["values"] == before["values"]


def test_scores_of_other_tools_are_read_and_taken_along(app, tmp_path):
    """Arrays of NumPy and JSON lists; a second attack is chosen; the report is saved."""
    _, scores, member = scores_csv(800, 5)
    other = np.round(scores + np.random.default_rng(6).standard_normal(800), 3)
    stream = io.BytesIO()
    np.savez(stream, fpr=[0.0, 1.0], tpr=[0.0, 1.0], scores=scores, memberships=member, loss=other)
    panel = app("audit-scores")
    shown = upload(panel, stream.getvalue(), "attack_result_0.npz")
    columns = {"score": scores, "member": member}
    want = figures.game.score_audit(columns).layout.meta
    assert shown["sentence"] == want["sentence"]
    said = panel.locator(".mb-file-name").inner_text()
    assert "800 records, 3 columns (scores, memberships, loss), arrays of NumPy" in said
    panel.locator("[data-role='other'] select").select_option("loss")
    both = driver.settle(panel)
    want = figures.game.score_audit({**columns, "other": other}).layout.meta
    assert both["sentence"] == want["sentence"]
    told = json.loads(driver.save(panel, "JSON", tmp_path).read_text(encoding="utf-8"))
    assert told["table"] == [list(row) for row in want["table"]]
    page = driver.save(panel, "Report", tmp_path).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "attack_result_0.npz" in page
    with driver.watched(panel.page.context.browser) as report:
        report.goto((tmp_path / "score-audit.html").as_uri())
        assert report.locator("tr").count() == len(want["table"])
        assert report.locator("svg .main-svg, svg.main-svg").count() >= 1
        assert driver.axe_violations(report) == []
    lists = {"signal_values": scores.tolist(), "true_labels": member.astype(int).tolist()}
    again = upload(panel, json.dumps({**lists, "tpr": [0.5]}), "result.json")
    assert again["sentence"] == shown["sentence"]


PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const settings = { clipboardData, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new ClipboardEvent("paste", settings));
}"""


def test_a_table_of_outputs_is_uploaded_or_pasted_and_saved(app, tmp_path):
    panel = app("translate")
    shown = upload(panel, "in,out\n0.5,0.2\n0.5,0.8\n")
    assert "2.5% by the table (exact)" in shown["sentence"]
    assert "the table your table." in shown["sentence"]
    broken = upload(panel, "in,out\n0.5,0.2\nten,0.8\n")
    assert "row 3, column 'in': 'ten' is not a number" in broken["error"]
    pasted = taken(panel, lambda: panel.page.evaluate(PASTE, "in\tout\n0.6\t0.1\n0.4\t0.9\n"))
    assert "6% by the table (exact)" in pasted["sentence"]
    assert panel.locator(".mb-file-name").inner_text().startswith("pasted.csv. Read: 2 records")
    saved = json.loads(driver.save(panel, "JSON", tmp_path).read_text(encoding="utf-8"))
    assert "the table your table." in json.dumps(saved, ensure_ascii=False)
