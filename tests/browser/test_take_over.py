"""The first picture comes soon, and the script takes it over, and nothing moves or is lost."""

import statistics
from contextlib import contextmanager

import driver
import first_picture as clock
import pytest
from pages import LAPTOP, load_page

# Where a screen is lower, the script makes a picture lower than the page does, to fit it in.
SIZES = {"laptop": LAPTOP, "phone": {"width": 390, "height": 932}}
# Where the parts of each panel stand, and the labels of its axes, as far from the panel's corner.
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".mb-explorable")].map((root) => {
  const { x, y, height } = root.getBoundingClientRect();
  const places = { all: [0, 0, height] };
  const note = (name, node) => {
    const box = node.getBoundingClientRect();
    const seen = node.checkVisibility({ visibilityProperty: true });
    if (box.height && seen) places[name] = [box.x - x, box.y - y, box.height];
  };
  for (const part of ["title", "controls", "seat", "plot", "headline", "sentence", "legend", "tools"]) {
    root.querySelectorAll(`.mb-${part}`).forEach((node) => note(part, node));
  }
  const texts = [...root.querySelectorAll(".mb-plot text")].filter((node) => node.getClientRects().length);
  texts.forEach((node, i) => {
    const before = texts.slice(0, i).filter(({ textContent }) => textContent === node.textContent);
    note(`text ${node.textContent} ${before.length}`, node);
  });
  return [root.id, places];
}))"""
DRAWN = "(root) => root.dataset.settled?.startsWith('{')"
DRAW_ALL = """async () => {
  for (const root of document.querySelectorAll(".mb-explorable")) await mipbook.mounted(root);
}"""
# The axes' labels are as plotly sets them at a width near this one.
MOST = 2.5
# Squares stay squares at every width, so the digits of this picture may lie so far from there.
SQUARES = {"mnist-table": 6}
MORE = ("index", "game/membership-game", "mip/definition", "mis/mnist")


@contextmanager
def without_script(browser, book, name, **options):
    """Open a page whose script does not come before it is let."""
    with driver.watched(browser, **options) as page:
        held = []
        page.route("**/explorable.js*", lambda route: held.append(route))
        page.goto((book / f"{name}.html").as_uri(), wait_until="commit")
        page.wait_for_selector("footer", state="attached")
        page.evaluate("document.fonts.ready")

        def come():
            page.wait_for_timeout(50)
            for route in held:
                route.continue_()
            page.wait_for_function("globalThis.mipbook")

        yield page, come


@pytest.mark.parametrize("device", SIZES)
@pytest.mark.parametrize(
    "name", ["book/mip/noise", *(pytest.param(f"book/{page}", marks=pytest.mark.nightly) for page in MORE)]
)
def test_the_script_takes_over_without_a_move(browser, built_book, name, device):
    with without_script(browser, built_book, name, viewport=SIZES[device]) as (page, come):
        # What is far below the screen has its own height once it is laid out.
        page.evaluate("document.documentElement.dataset.aimed = ''")
        before = page.evaluate(PLACES)
        texts = [sum(part.startswith("text") for part in places) for places in before.values()]
        assert min(texts) > 2
        come()
        page.evaluate(DRAW_ALL)
        assert page.locator(".mb-first").count() == 0
        after = page.evaluate(PLACES)
        for panel, places in before.items():
            for part, place in places.items():
                most = SQUARES.get(panel, MOST)
                assert after[panel].get(part, place) == pytest.approx(place, abs=most), f"{panel} {part}"


def test_what_a_guess_asks_for_is_unseen_until_it_is_made(browser, built_book):
    name = "book/mip/less-noise-than-dp"
    with without_script(browser, built_book, name, viewport=SIZES["phone"]) as (page, come):
        panel = page.locator("#fatal-subset")
        told = panel.locator(".mb-narrow .mb-told")
        panel.locator(".mb-seat").scroll_into_view_if_needed()
        # Neither read, nor selected, nor told by its name.
        panel.evaluate("(root) => getSelection().selectAllChildren(root)")
        seen = panel.evaluate("(root) => `${getSelection()} ${root.querySelector('.mb-plot').ariaLabel}`")
        assert panel.locator(".mb-title").inner_text() in seen
        assert "missing from this picture" in seen
        assert panel.locator(".mb-sentence").text_content()[:30] not in seen
        assert [node.is_visible() for node in told.all()] == [False] * told.count() != []
        come()
        page.wait_for_function(DRAWN, arg=panel.element_handle())
        assert not panel.locator(".mb-sentence").inner_text()
        panel.get_by_text("Show anyway").click()
        panel.locator(".mb-sentence:not(:empty)").wait_for()
        assert panel.locator(".mb-told").count() == 0


def test_a_move_before_the_script_is_answered_when_it_comes(browser, built_book):
    with without_script(browser, built_book, "book/game/attacks-as-lower-bounds-record") as (page, come):
        first = page.locator(".mb-explorable:not([data-waits])", has=page.locator(".mb-range")).first
        panel = page.locator(f"#{first.get_attribute('id')}")
        slider = panel.locator(".mb-range").first
        stop = int(slider.input_value())
        for _ in range(2):
            slider.press("ArrowRight")
        come()
        page.wait_for_function(DRAWN, arg=panel.element_handle())
        control = next(c for c in driver.spec_of(panel)["controls"] if c["kind"] == "slider")
        assert driver.settle(panel)["values"][control["name"]] == control["stops"][stop + 2]
        assert not panel.evaluate("(root) => root.panel.picture.still")
        assert slider.evaluate("(node) => node === document.activeElement")


def test_who_has_no_script_sees_the_picture_and_no_controls(browser, built_book):
    with driver.watched(browser, java_script_enabled=False) as page:
        for name in ("book/mip/noise-record", "book/index"):
            load_page(page, built_book, name)
            panel = page.locator("section.mb-explorable").first
            assert panel.locator(".mb-wide").is_visible()
            assert panel.locator(".mb-sentence").inner_text()
            assert not panel.locator(".mb-controls, button").locator("visible=true").count()
            assert "need JavaScript" in panel.locator(".mb-fallback").inner_text()
        load_page(page, built_book, "book/mip/less-noise-than-dp")
        assert page.locator("#fatal-subset .mb-wide .mb-told").first.is_visible()


@pytest.mark.parametrize("device", [pytest.param("laptop", marks=pytest.mark.nightly), "phone"])
def test_who_comes_for_a_part_of_the_page_stays_there(browser, built_book, device):
    part = "what-it-means-in-practice"
    where = f"document.getElementById('{part}').getBoundingClientRect().top"
    with driver.watched(browser, viewport=SIZES[device]) as page:
        load_page(page, built_book, "book/mip/noise", f"#{part}")
        page.wait_for_load_state()
        before = page.evaluate(where)
        page.wait_for_timeout(1500)
        assert abs(page.evaluate(where) - before) < MOST
        assert before < SIZES[device]["height"] / 4


# --- By night, against a small page that works for a fixed time: seconds tell how busy the machine is,
# --- and two pages measured in turns are slowed alike

# The heaviest page, and the page that all come to.
PAGES = ("book/mis/discrete-data-record", "book/index")
# So many times as long as the small page, on a phone; measured were at most 1.5, 1.5 and 2.8, and
# beside other tests a picture at 2.2.
AS_LONG = {"picture": 2.5, "blocked": 2.5, "move": 4.5}
# What does not depend on the machine.
AT_MOST = {"shift": 0.02, "kilobytes": 600, "requests": 25}
SMALL = """<!doctype html><html lang="en"><meta charset="utf-8"><title>small</title><p>Small.</p>
<div class="mb-first"><svg width="9" height="9"></svg></div>
<section id="small" data-settled="no"><div class="mb-controls"><input class="mb-range" type="range"></div>
</section>
<script>
const work = () => Array.from({ length: 2e5 }, (_, i) => Math.sin(i)).sort();
setTimeout(() => { work(); const small = document.getElementById("small"); small.panel = {};
  small.querySelector("input").onkeydown = () => { work(); small.dataset.settled = "{}"; }; }, 50);
</script>"""


def measured(running, folder, page, panel):
    with clock.hosted(folder) as host:
        address = f"{host}/{page}.html"
        return clock.looked(running, "phone", address) | clock.answered(running, "phone", address, panel)


@pytest.mark.nightly
@pytest.mark.parametrize("page", PAGES)
def test_a_first_picture_takes_no_longer_than_it_did(browser, built_book, tmp_path, page):
    (tmp_path / "small.html").write_text(SMALL, encoding="utf-8")
    both = (built_book, page, clock.with_panels(built_book)[f"{page}.html"]), (tmp_path, "small", "small")
    turns = [[measured(browser, *each) for each in both] for _ in range(3)]
    found = {name: statistics.median(own[name] / by[name] for own, by in turns) for name in AS_LONG}
    found |= {name: max(own[name] for own, _ in turns) for name in AT_MOST}
    assert not {name: value for name, value in found.items() if value > (AS_LONG | AT_MOST)[name]}, found
