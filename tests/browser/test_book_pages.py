"""Every page of the built book, offline, in a real browser."""

import csv
import html
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import driver
import numpy as np
import pytest
from asking import asked_on, covered, soon
from pages import PAGES, WITH_PANELS, each, load_page, panels_of
from playwright.sync_api import Locator, Page
from samples import text_of

HEAD = re.compile(
    r'<link rel="(?:icon|apple-touch-icon)"[^>]* href="([^"]+)"'
    r'|<meta property="og:image" content="([^"]+)"'
    r'|<img src="([^"]+)" class="logo__image'
)
ABOUT = re.compile(r'<meta name="description" content="([^"]{20,160})">')
NO_LABEL = re.compile(r'<\w+(?=[^>]* role="img")(?![^>]* aria-label="[^"])[^>]*>')
LINK = re.compile(r'<(a|link|script|img|iframe)\b[^>]*? (?:href|src)="([^"]*)"')


def test_every_page_of_the_book_is_known(built_book):
    html = {str(p.relative_to(built_book).with_suffix("")) for p in (built_book / "book").rglob("*.html")}
    assert html == set(PAGES)
    assert len(WITH_PANELS) >= 3


@cache
def places(path: Path) -> set[str]:
    return set(re.findall(r' (?:id|name)="([^"]+)"', text_of(path)))


def link_faults(path: Path) -> Iterator[str]:
    """Say which files and places of the book a page names in vain, and what it asks of other hosts."""
    for tag, link in sorted(set(LINK.findall(text_of(path)))):
        name, _, place = unquote(html.unescape(link)).partition("#")
        if re.match(r"\w+:|//", name):
            if tag != "a" and not name.startswith("data:"):
                yield f"asks {link}"
        elif "/lite/" not in name:  # which is offered where it is
            to = (path.parent / name.partition("?")[0]).resolve() if name else path
            if not to.is_file() or (place and to.suffix == ".html" and place not in places(to)):
                yield f"leads to no {link}"


def html_faults(path: Path) -> list[str]:
    """Say what a page lacks that can be read: mark, icons, picture to share, description, title, alts."""
    text = text_of(path)
    article = text.partition("<article")[2].partition("</article>")[0]
    ids = re.findall(r'<[^>]*\bid="([^"]+)"', re.sub(r"<(script|svg).*?</\1>", "", article, flags=re.DOTALL))
    # What exercises and proofs without a label are named is not linked.
    wrong = [
        f"{n} stands twice" for n in set(ids) if ids.count(n) > 1 and not re.search("^proof|-content$", n)
    ]
    wrong += ["a message of the builder"] if "system-message" in article else []
    wrong += ["not one title"] if article.count("<h1") != 1 and article else []
    wrong += ["a fold is open"] if re.search(r"<details[^>]*mb-fold[^>]* open\b", article) else []
    for image in re.findall(r"<img\b[^>]*>", article):
        alt = re.search(r'\balt="([^"]*)"', image)
        if not alt or len(alt[1]) <= 10 or "/" in alt[1][:40]:
            wrong.append(image)
    wrong += NO_LABEL.findall(article)
    labelled = set(re.findall(r'<label[^>]* for="([^"]+)"', article))
    for field in re.findall(r"<(?:input|select)\b[^>]*>", article):
        name = re.search(r' id="([^"]+)"', field)
        if " aria-label=" not in field and not (name and name[1] in labelled):
            wrong.append(field)
    files = ["".join(found) for found in HEAD.findall(text)]
    gone = [name for name in files if not (path.parent / name).is_file()]
    few = [] if len(files) == 6 else [f"{len(files)} of 6 pictures"]
    wrong += link_faults(path)
    return wrong + gone + few + ([] if ABOUT.search(text) else ["no description"])


def test_what_can_be_read_of_every_page_is_right(built_book, tmp_path):
    found = {page: html_faults(built_book / f"{page}.html") for page in [*PAGES, "search", "genindex"]}
    assert not {page: faults for page, faults in found.items() if faults}
    bare = tmp_path / "x.html"
    parts = '<h1 id="a">A</h1><p id="a"><details class="mb-fold" open><img src="x.html"><b role="img"><input>'
    links = '<a href="x.html#a"><a href="#b"><a class="c" href="https://c.org"><script src="//d.org/e.js">'
    bare.write_text(
        f'<link rel="icon" type="image/png" href="gone.png"><article>{parts}</article>{links}',
        encoding="utf-8",
    )
    wrong = ["a stands twice", "a fold is open", '<img src="x.html">', '<b role="img">', "<input>"]
    wrong += ["leads to no #b", "leads to no gone.png", "asks //d.org/e.js"]
    assert html_faults(bare) == [*wrong, "gone.png", "1 of 6 pictures", "no description"]


def check_files(panel: Locator, folder: Path) -> None:
    """Both files say what is shown; how rows are written is tested under node."""
    shown = driver.settle(panel)
    lines = driver.save(panel, "CSV", folder).read_text(encoding="utf-8").splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert any(shown["sentence"] in line for line in comments)
    rows = Counter(row["trace"] for row in csv.DictReader(lines[len(comments) :]))
    for trace in shown["data"]:
        if trace.get("visible") is not False:
            points = np.size(trace["z"]) if "z" in trace else max(len(trace["x"]), len(trace["y"]))
            assert rows[trace["name"]] == points, trace["name"]
    picture = ET.parse(driver.save(panel, "SVG", folder)).getroot()
    assert picture.tag.endswith("svg")
    assert len(list(picture.iter())) > 50


@pytest.mark.parametrize("visit", each("controls", WITH_PANELS), indirect=True)
def test_every_control_moves_the_picture_and_the_files_say_it(visit, request, tried, tmp_path):
    names = tried("controls", request.node.callspec.params["visit"])
    assert names
    for panel in panels_of(visit):
        if own := driver.own_of(panel, names):
            driver.move_everything(panel, rtol=2e-7, only=own)
            if not driver.only_a_game(panel):  # its menu comes when it is over
                check_files(panel, tmp_path)


TO_THEIR_ENDS = """async (root) => {
  for (const { name, kind, stops, start } of root.panel.spec.controls) {
    const end = start === stops.length - 1 ? 0 : stops.length - 1;
    // Where a guess moved it nobody chose to be, and no address says it: a hand goes there.
    if (kind !== "rounds") [start, end].forEach((stop) => root.panel.set(name, stops[stop]));
  }
}"""


@pytest.mark.parametrize("visit", each("address", WITH_PANELS), indirect=True)
def test_address_restores_the_state_and_uncovers_it(visit, request, browser, built_book):
    wanted = []
    for panel in panels_of(visit):
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
        panel.evaluate(TO_THEIR_ENDS)
        wanted.append(driver.settle(panel))
    query = driver.query(visit)
    assert query
    with driver.watched(browser) as other:
        load_page(other, built_book, request.node.callspec.params["visit"], query)
        check_uncovered(other, query)
        driver.lift_veils(other)
        for panel, state in zip(panels_of(other), wanted, strict=True):
            panel.scroll_into_view_if_needed()
            shown = driver.settle(panel)
            if driver.only_a_game(panel):  # begins anew
                continue
            assert shown["values"] == state["values"]
            # A table refuses what lies beyond it, and draws nothing of it.
            assert shown["failed"] == state["failed"]
            assert shown["failed"] or shown["data"] == state["data"]
            start_anew(panel)
        assert driver.query(other) == "" or any(map(driver.only_a_game, panels_of(other)))
    for panel in panels_of(visit):
        start_anew(panel)


def check_uncovered(page: Page, query: str) -> None:
    """Who follows a link to a panel sees it, though a guess veils it."""
    for asked, spec in asked_on(page, "guess"):
        if spec["panels"]:
            asked.locator("form").wait_for(state="attached")
            assert any(f"{panel}." in query for panel in spec["panels"])
            # The panel comes to life first.
            soon(page, lambda spec=spec: not any(covered(page, spec)))


def start_anew(panel: Locator) -> None:
    reset = panel.locator("[data-tool='Reset']")
    if not reset.is_visible() and panel.locator(".mb-all").count():  # a game that nobody has played
        panel.locator(".mb-all").click()
    if reset.is_visible():
        reset.click()
    start = driver.settle(panel)["values"]
    spec = driver.spec_of(panel)
    assert driver.only_a_game(panel) or start == {c["name"]: c["stops"][c["start"]] for c in spec["controls"]}
