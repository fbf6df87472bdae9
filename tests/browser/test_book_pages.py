"""Every page of the built book, offline: what can be read of it, moved, linked to and held in the hand."""

import csv
import html
import re
import xml.etree.ElementTree as ET
from collections import Counter
from functools import cache
from urllib.parse import unquote

import driver
import numpy as np
import pytest
import samples
from pages import PAGES, PHONE, WITH_PANELS, each, load_page, panels_of, soon
from samples import text_of
from test_asked_pages import COVERED, asked_on

HEAD = re.compile(
    r'<link rel="(?:icon|apple-touch-icon)"[^>]* href="([^"]+)"'
    r'|<meta property="og:image" content="([^"]+)"'
    r'|<img src="([^"]+)" class="logo__image'
)
ABOUT = re.compile(r'<meta name="description" content="([^"]{20,160})">')
NO_LABEL = re.compile(r'<\w+(?=[^>]* role="img")(?![^>]* aria-label="[^"])[^>]*>')
LINK = re.compile(r'<(a|link|script|img|iframe)\b[^>]*? (?:href|src)="([^"]*)"')
TO_THEIR_ENDS = """async (root) => {
  for (const { name, kind, stops, start } of root.panel.spec.controls) {
    const end = start === stops.length - 1 ? 0 : stops.length - 1;
    // Where a guess moved it nobody chose to be, and no address says it: a hand goes there.
    if (kind !== "rounds") [start, end].forEach((stop) => root.panel.set(name, stops[stop]));
  }
}"""
# What lies over a control that is in sight: nothing but itself.
COVERED_BY = """(row) => [...row.querySelectorAll("input, button, label")].filter((node) => {
  const { left, top, width, height } = node.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return height && !row.contains(seen);
}).map((node) => node.outerHTML)"""


@cache
def places(path):
    return set(re.findall(r' (?:id|name)="([^"]+)"', text_of(path)))


def link_faults(path):
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


def html_faults(path):
    """Say what a page lacks that can be read: mark, icons, picture to share, description, title, alts."""
    text = text_of(path)
    article = text.partition("<article")[2].partition("</article>")[0]
    ids = re.findall(r'<[^>]*\bid="([^"]+)"', re.sub(r"<(script|svg).*?</\1>", "", article, flags=re.DOTALL))
    # What exercises and proofs without a label are named is not linked.
    twice = [name for name in set(ids) if ids.count(name) > 1 and not re.search("^proof|-content$", name)]
    yield from (f"{name} stands twice" for name in twice)
    if "system-message" in article:
        yield "a message of the builder"
    if article.count("<h1") != (path.stem != "search"):  # which is written when somebody searches
        yield "not one title"
    if re.search(r"<details[^>]*mb-fold[^>]* open\b", article):
        yield "a fold is open"
    for image in re.findall(r"<img\b[^>]*>", article):
        alt = re.search(r'\balt="([^"]*)"', image)
        if not alt or len(alt[1]) <= 10 or "/" in alt[1][:40]:
            yield image
    yield from NO_LABEL.findall(article)
    labelled = set(re.findall(r'<label[^>]* for="([^"]+)"', article))
    for field in re.findall(r"<(?:input|select)\b[^>]*>", article):
        name = re.search(r' id="([^"]+)"', field)
        if " aria-label=" not in field and not (name and name[1] in labelled):
            yield field
    yield from link_faults(path)
    files = ["".join(found) for found in HEAD.findall(text)]
    yield from (name for name in files if not (path.parent / name).is_file())
    if len(files) != 6:
        yield f"{len(files)} of 6 pictures"
    if not ABOUT.search(text):
        yield "no description"


def test_what_can_be_read_of_every_page_is_right(built_book):
    built = {str(p.relative_to(built_book).with_suffix("")) for p in (built_book / "book").rglob("*.html")}
    assert built == set(PAGES)
    found = {page: list(html_faults(built_book / f"{page}.html")) for page in [*PAGES, "search", "genindex"]}
    assert not {page: faults for page, faults in found.items() if faults}


def check_files(panel, folder) -> None:
    """Both files say what is shown; how rows are written is tested under node."""
    shown = driver.settle(panel)
    lines = driver.save(panel, "CSV", folder).read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    assert shown["sentence"] in "\n".join(head)
    rows = Counter(row["trace"] for row in csv.DictReader(lines[len(head) :]))
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


def settled_panels(page, names=None):
    for panel in panels_of(page):
        if names is None or panel.get_attribute("id") in names:
            panel.scroll_into_view_if_needed()
            driver.settle(panel)
            yield panel


@pytest.mark.parametrize("visit", each("address", WITH_PANELS), indirect=True)
def test_address_restores_the_state_and_uncovers_it(visit, request, browser, built_book):
    wanted = []
    for panel in settled_panels(visit):
        panel.evaluate(TO_THEIR_ENDS)
        wanted.append(driver.settle(panel))
    query = driver.query(visit)
    assert query
    with driver.watched(browser) as other:
        load_page(other, built_book, request.node.callspec.params["visit"], query)
        # Who follows a link to a panel sees it, though a guess veils it, once the panel comes to life.
        for asked, spec in asked_on(other, "guess"):
            if spec["panels"]:
                asked.locator("form").wait_for(state="attached")
                assert any(f"{panel}." in query for panel in spec["panels"])
                assert soon(other, lambda spec=spec: not any(other.evaluate(COVERED, spec)))
        driver.lift_veils(other)
        for panel, state in zip(settled_panels(other), wanted, strict=True):
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


def start_anew(panel) -> None:
    if panel.locator(".mb-all").is_visible():  # a game that nobody has played
        panel.locator(".mb-all").click()
    if not driver.only_a_game(panel):
        panel.locator("[data-tool='Reset']").click()
        start = {c["name"]: c["stops"][c["start"]] for c in driver.spec_of(panel)["controls"]}
        assert driver.settle(panel)["values"] == start


def hold_handles(panel) -> int:
    """Move what each handle holds, by keys and by mouse; return how many."""
    panel.scroll_into_view_if_needed()
    for door in panel.get_by_role("button", name="Show all controls").all():
        door.click()
    for handle in (handles := panel.locator(".mb-handle:visible").all()):
        name = handle.get_attribute("data-grab")
        (stops,) = (c["stops"] for c in driver.spec_of(panel)["controls"] if c["name"] == name)
        assert handle.get_attribute("aria-label"), f"{name}: a handle without a name"
        for key, stop in (("Home", stops[0]), ("ArrowRight", stops[1]), ("End", stops[-1])):
            handle.press(key)
            assert driver.settle(panel)["values"][name] == stop, f"{name} by {key}"
        assert handle.is_visible(), f"{name}: its handle is gone at its end"
        far = driver.middle(handle)
        handle.press("Home")
        driver.settle(panel)
        driver.pull(panel.page, driver.middle(handle), far)
        assert driver.settle(panel)["values"][name] != stops[0], f"{name} by mouse stays"
        panel.locator("[data-tool='Reset']").click()
        driver.settle(panel)
    return len(handles)


def read_curves(panel) -> list[str]:
    """Walk along the curve that can be read, and return what its points say."""
    probe = panel.locator(".mb-probe")
    if probe.is_hidden():
        return []
    probe.focus()
    told = []
    for key in ("Home", "End"):
        panel.page.keyboard.press(key)
        driver.wait_until(panel.page, "!!document.querySelector('.hoverlayer .hovertext')", seconds=10)
        panel.page.wait_for_timeout(150)
        told.append(probe.get_attribute("aria-valuetext"))
        end = "0" if key == "Home" else probe.get_attribute("aria-valuemax")
        assert probe.get_attribute("aria-valuenow") == end, key
    panel.page.keyboard.press("Escape")
    return told


@pytest.mark.parametrize("visit", each("hands", WITH_PANELS), indirect=True)
def test_what_can_be_held_and_read_obeys(visit, request, tried, built_book):
    name = request.node.callspec.params["visit"]
    # What finds nothing would judge nothing.
    kinds = samples.hands(built_book / f"{name}.html")
    for panel in settled_panels(visit, tried("hands", name)):
        own = kinds[panel.get_attribute("id")]
        assert bool(hold_handles(panel)) == any(kind.startswith("grab") for kind in own)
        told = read_curves(panel)
        assert bool(told) == ("probe" in own)
        assert all(len(re.findall(r"[a-z]{2,}", text)) >= 2 for text in told), f"no sentence: {told}"


@pytest.mark.parametrize("name", [pytest.param("book/jobs", marks=pytest.mark.nightly), "book/index"])
def test_beside_any_of_many_controls_a_phone_shows_picture_and_headline_and_covers_none(book_page, name):
    with book_page(name, viewport=PHONE) as page:
        panels = [p for p in settled_panels(page) if p.locator(".mb-many:not(.mb-game)").count()]
        assert panels
        for panel in panels:
            parts = [panel.locator(f".mb-{part}") for part in ("plot", "headline", "sentence")]
            for row in panel.locator(".mb-controls > .mb-control").all():
                row.evaluate("(node) => node.scrollIntoView({ block: 'end' })")
                plot, headline, sentence, box = (one.bounding_box() for one in (*parts, row))
                assert 0 < plot["y"] < plot["y"] + plot["height"] <= headline["y"] + 1
                assert headline["y"] + headline["height"] <= box["y"] + 1
                assert not row.evaluate(COVERED_BY)
                assert box["y"] < sentence["y"], "words between the controls"
