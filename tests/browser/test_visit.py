"""One visit to every page of the built book: what each look finds wrong with it is told at once."""

from contextlib import closing
from functools import cache

import driver
import pytest
from pages import LAPTOP, PAGES, PHONE, each, open_page
from samples import SAMPLE
from shared import ROOT

from explorable.outputs.new_chapter import all_chapters

# All pages of the reference are made by one directive; a browser visits the words and one room.
ROOMS = ("words", "accounting-implications")
VISITED = [page for page in PAGES if "/api/" not in page or page.endswith(ROOMS)]
SMALL = {"width": 360, "height": 740}
# What a panel may need of each screen.
ROOM = {"laptop": 720, "phone": 760}
# From the first control, or the picture, to the end of the sentence beside it.
EXTENT = """(root) => {
  const boxes = [".mb-controls", ".mb-plot", ".mb-headline", ".mb-sentence"]
    .map((name) => root.querySelector(name)).filter((node) => node && node.offsetParent)
    .filter((node) => getComputedStyle(node).order < 4) // the rest follows all controls
    .map((node) => node.getBoundingClientRect());
  return Math.max(...boxes.map((b) => b.bottom)) - Math.min(...boxes.map((b) => b.top));
}"""
# Words that the edge of the picture cuts: more than two pixels of a letter are missed.
CUT_WORDS = """(root) => [...root.querySelectorAll(".mb-plot .main-svg")].flatMap((picture) => {
  const edge = picture.getBoundingClientRect();
  const cut = (node) => {
    const { left, right, top, bottom, width } = node.getBoundingClientRect();
    return width && (left < edge.left - 2 || right > edge.right + 2
      || top < edge.top - 2 || bottom > edge.bottom + 2);
  };
  return [...picture.querySelectorAll("text")].filter(cut).map((node) => node.textContent);
}).filter((text) => text.trim())"""
# How high it is with each slider at its ends and its middle, the others at their start.
HEIGHTS = """async (root) => {
  const settled = (done) => root.dataset.settled !== "no" ? requestAnimationFrame(done)
    : setTimeout(settled, 5, done);
  const found = {};
  for (const { name, kind, stops, labels, start } of root.panel.spec.controls) {
    const last = stops.length - 1;
    for (const stop of kind === "slider" ? [0, last, Math.round(last / 2), start] : []) {
      root.panel.set(name, stops[stop]);
      await new Promise(settled);
      // What is refused says why, in place of nothing.
      if (!root.classList.contains("mb-failed")) found[`${name} = ${labels[stop]}`] = root.offsetHeight;
    }
  }
  return found;
}"""
# The faces in which the words of the page itself are set, as the browser found them.
FACES = """async () => [...await document.fonts.ready].filter((face) => face.status === "loaded")
  .map((face) => face.family.replaceAll('"', ""))"""
# A link in code looks like code.
UNLIKE_THEIR_CODE = """() => [...document.querySelectorAll("pre a")].filter((link) =>
  getComputedStyle(link).fontSize !== getComputedStyle(link.closest("pre")).fontSize)
  .map((link) => link.outerHTML)"""
# Code is read downwards, on a phone too.
SIDEWAYS = """() => [...document.querySelectorAll(".bd-article pre")]
  .filter((node) => node.scrollWidth > node.clientWidth + 1).map((node) => `sideways: ${node.innerText}`)"""
PLOT_INKS = "[...document.querySelectorAll('.mb-plot')].map((p) => p._fullLayout.font.color)"
# On the screen of a laptop: where the first panel begins, and how much of the text is code.
LATEST, MOST_CODE = 750, 0.03
FIRST = "document.querySelector('.mb-explorable').getBoundingClientRect().top + scrollY"
CODE = """() => {
  const asked = { visibilityProperty: true, opacityProperty: true };
  const seen = (node) => node.checkVisibility(asked) ? node.getBoundingClientRect().height : 0;
  const code = [...document.querySelectorAll('article .highlight pre')]
    .filter((node) => !node.closest('.cell_output'));
  const height = document.querySelector('article').getBoundingClientRect().height;
  return code.reduce((sum, node) => sum + seen(node), 0) / height;
}"""
THEME = """(t) => { localStorage.setItem('mode', t); localStorage.setItem('theme', t);
  document.documentElement.dataset.mode = t; document.documentElement.dataset.theme = t; }"""
# What A4 leaves between its margins; `print.css` lays out for it.
SHEET = {"width": 680, "height": 960}
LAY, PUT_BACK = "(choice) => mipbook.paper.lay(choice)", "mipbook.paper.putBack()"
EVERYTHING = {"solutions": True, "code": True, "pictures": True}
BEYOND = """(width) => {
  const range = document.createRange();
  const found = [];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const unseen = node.parentElement.closest(".katex-mathml, script, style");
    if (!node.data.trim() || unseen) continue;
    range.selectNodeContents(node);
    const { right, height } = range.getBoundingClientRect();
    const seen = getComputedStyle(node.parentElement).visibility === "visible";
    if (seen && height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.data}`);
  }
  for (const node of document.querySelectorAll("img, svg, table, .katex, pre")) {
    const { right, height } = node.getBoundingClientRect();
    if (height > 1 && right > width + 1) found.push(`${Math.round(right)}: ${node.outerHTML}`);
  }
  return found.map((text) => text.slice(0, 160));
}"""
# What scrolls or is cut on paper is lost, even within the margin.
CUT = """() => [...document.querySelectorAll(".bd-article *")]
  .filter((n) => n.clientWidth && n.scrollWidth > n.clientWidth + 1)
  .filter((n) => getComputedStyle(n).overflowX !== "visible")
  .filter((n) => !n.closest(".katex, svg, .mb-typed"))
  .map((n) => `${n.scrollWidth} in ${n.clientWidth}: ${n.outerHTML.slice(0, 160)}`)"""
PICTURES = """() => [...document.querySelectorAll(".mb-explorable")].filter((panel) => {
  const plot = panel.querySelector(".mb-plot .main-svg");
  const words = panel.querySelector(".mb-sentence");
  return plot && plot.getBoundingClientRect().height > 100 && words.offsetHeight > 10;
}).length"""
OFF = (
    ".mb-fold:not(.mb-check), .cell_input, .mb-check > :not(summary), .solution, .mb-controls, .mb-range, "
    ".mb-tools, .bd-header, .mb-contents, .mb-handle, .mb-more, .bd-sidebar, .prev-next-footer, .headerlink"
)
# What must not be cut in two by the end of a sheet.
TORN = """() => [...document.querySelectorAll(".mb-explorable, .exercise, .admonition:not(.solution)")]
  .filter((node) => node.checkVisibility() && getComputedStyle(node).breakInside !== "avoid")
  .map((node) => `${node.id || node.className} may be torn`)"""


@cache
def of_notions() -> frozenset[str]:
    notions = {chapter.notion for chapter in all_chapters(ROOT)}
    return frozenset(page for page in PAGES if page.split("/")[1] in notions)


def visible(page, names: str) -> int:
    return page.locator(names).locator("visible=true").count()


def head(page, name, panels):
    """Faces, one title, links in code, pictures, whose alt text is read without a browser."""
    # The page of the search has no text until somebody searches.
    wanted = {"Source Sans 3"} if name == "search" else {"Source Serif 4", "Source Sans 3"}
    missing = (wanted | {"Font Awesome 6 Free"}) - set(page.evaluate(FACES))
    if missing:
        yield f"not set in {missing}"
    # The theme keeps a second heading for print, which no reader of the screen meets.
    if (titles := page.locator("h1:visible").count()) != 1:
        yield f"{titles} titles"
    yield from page.evaluate(UNLIKE_THEIR_CODE)
    source = ROOT / f"{name}.md"
    promised = source.read_text(encoding="utf-8").count("\n    alt: ") if source.is_file() else 0
    if page.locator("article img").count() < promised:
        yield "a printed picture is missing"


def folds(page, name, panels):
    """The panel of a chapter early, and code folded, which `test_book_pages` reads off the page."""
    if name in of_notions():
        if panels and not name.endswith("-record") and (top := page.evaluate(FIRST)) > LATEST:
            yield f"the first panel begins at {top:.0f} px"
        if (share := page.evaluate(CODE)) > MOST_CODE:
            yield f"{share:.0%} of the text is code"


def fit(page, panels, screen: str):
    """What each panel needs of a screen, cuts, and whether it hops."""
    for panel in panels:
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
        label = panel.get_attribute("id")
        page.evaluate("scrollTo(0, 0)")  # a picture that sticks would seem elsewhere
        if (needs := panel.evaluate(EXTENT)) > ROOM[screen]:
            yield f"{label} needs {needs:.0f} px of {ROOM[screen]}"
        yield from (f"{label} cuts {words!r}" for words in panel.evaluate(CUT_WORDS))
        if screen == "phone":  # where lines break most
            start = panel.evaluate("(root) => root.offsetHeight")
            for at, height in panel.evaluate(HEIGHTS).items():
                if abs(height - start) > 1:  # which is what rounding makes of the same height
                    yield f"{label} hops from {start} to {height} px at {at}"


def dark(page, name, panels):
    """Every plot takes the other colours, and they can be read."""
    light = page.evaluate(PLOT_INKS)
    page.evaluate(THEME, "dark")
    driver.still(page)
    if any(a == b for a, b in zip(light, page.evaluate(PLOT_INKS), strict=True)):
        yield "a plot kept its theme"
    yield from driver.axe_violations(page, colours_only=True)


def phone(page, name, panels):
    """All fits two narrow screens."""
    page.set_viewport_size(PHONE)
    driver.still(page)
    yield from fit(page, panels, "phone")
    yield from narrow(page, name, panels)


def narrow(page, name, panels):
    """Nothing is wider than a small phone."""
    page.set_viewport_size(SMALL)
    driver.still(page)
    if (wide := page.evaluate("document.documentElement.scrollWidth")) > SMALL["width"]:
        yield f"{wide} px wide on {SMALL['width']}"
    yield from page.evaluate(SIDEWAYS)


def printed(page, name, panels):
    """On A4, from the dark page: every picture, nothing beyond the margin or cut, off what is off."""
    if name not in VISITED:
        return
    page.emulate_media(media="print")
    page.set_viewport_size(SHEET)
    page.evaluate(LAY, EVERYTHING)
    if (drawn := page.evaluate(PICTURES)) != len(panels):
        yield f"{drawn} pictures of {len(panels)}"
    yield from page.evaluate(BEYOND, SHEET["width"])
    yield from page.evaluate(CUT)
    yield from page.evaluate(TORN)
    if page.locator("html").get_attribute("data-theme") != "light":
        yield "dark paper"
    if visible(page, ".solution") != page.locator(".solution").count():
        yield "a solution is not printed"
    page.evaluate(PUT_BACK)
    if page.locator("html").get_attribute("data-theme") != "dark":
        yield "the theme does not come back"
    if name in SAMPLE["visit"]:
        page.evaluate(LAY, {})
        if shown := visible(page, OFF):
            yield f"{shown} things that nobody asked for"
        if (titles := page.locator("h1:visible").count()) != 1:
            yield f"{titles} titles"
        page.evaluate(PUT_BACK)


def laptop(page, name, panels):
    """All panels fit a laptop, and the page is accessible."""
    yield from fit(page, panels, "laptop")
    yield from driver.axe_violations(page)


LOOKS = (head, folds, laptop, dark, phone, printed)
# By day, at a page that wears one thing more than the others: its words, colours and width.
FEW, FEW_OF = (head, dark, narrow), SAMPLE["visit"][-4:]


@pytest.fixture(scope="module")
def windows(browser):
    with closing(driver.OneLoad(browser, lambda page, name: None, viewport=LAPTOP)) as held:
        yield held


@pytest.fixture
def window(windows):
    """One window for all visits, which forgets each: what pages share is read and compiled once."""
    page = windows.page("all")
    yield page
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")  # which is laid out at once
    page.emulate_media(media="null")
    page.set_viewport_size(LAPTOP)
    driver.check(page)


def visited(page, book, name):
    """Open a page, and draw all its panels."""
    panels = open_page(page, book, name)
    for panel in panels:
        panel.scroll_into_view_if_needed()
        driver.settle(panel)
    return panels


@pytest.mark.parametrize("name", each("visit", [*VISITED, "search", "genindex"]))
def test_a_visit(window, built_book, name, in_all_ways):
    looks = FEW if name in FEW_OF and not in_all_ways(name) else LOOKS
    panels = visited(window, built_book, name)
    faults = [f"{look.__name__}: {fault}" for look in looks for fault in look(window, name, panels)]
    assert not faults, "\n".join(faults)


ADD = "document.querySelector('article section').insertAdjacentHTML('beforeend', `{}`)"
# Two words of each look are looked at: a faint one is found wherever it stands.
FAINT = (
    "<pre class='highlight'><span>+</span> <span style='color: #aaa; background: #fff'>def</span> + x</pre>",
    "<details><summary>more</summary><p style='color: #aaa; background: #fff'>faint</p></details>",
    "<div style='background: #000c'><p style='color: #222'>dark on thin dark</p></div>",
)
PLANTED = [
    (head, ADD.format("<h1>Twice</h1><img>")),
    (
        folds,
        "document.querySelectorAll('.toggle-hidden').forEach((box) => box.classList.remove('toggle-hidden'));"
        "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })",
    ),
    (laptop, "document.querySelector('.mb-controls').style.marginBottom = '700px'"),
    (laptop, "document.querySelector('.mb-plot text').style.transform = 'translateX(900px)'"),
    *((dark, ADD.format(words)) for words in FAINT),
    (phone, "document.querySelector('article').style.width = '500px'"),
    (printed, "document.querySelector('.mb-plot').replaceChildren()"),
    (printed, ADD.format(f"<p style='white-space: nowrap'>{'word ' * 60}</p>")),
    (printed, ADD.format("<div style='overflow: auto'><p style='width: 900px'>x</p></div>")),
]


@pytest.mark.nightly
def test_what_a_visit_looks_for_is_found(browser, built_book):
    for look, planted in PLANTED:
        with driver.watched(browser, viewport=LAPTOP) as page:
            panels = visited(page, built_book, "book/pmp/gaussian")
            for plant, wrong in (("", False), (planted, True)):
                page.set_viewport_size(LAPTOP)
                page.evaluate(THEME, "dark" if look is printed else "light")
                page.evaluate(f"() => {{ {plant}; }}")
                driver.still(page)
                found = list(look(page, "book/pmp/gaussian", panels))
                assert bool(found) == wrong, f"{look.__name__} of {planted}: {found}"
