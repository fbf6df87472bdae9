"""Every guess, answer and button in the text of the built book, found on its pages."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle, product
from pathlib import Path

import driver
import pytest
from asking import CALM, SETTLED, WAYS, asked_on, check_answer, check_guess, covered, soon, told
from driver import press
from pages import LAPTOP, PAGES, each, hold_storage, load_anew, load_page
from playwright.sync_api import Browser, Page
from shared import ROOT

from explorable.panels import Answer, Guess

ASKS = re.compile(r"\b(?:Guess|Answer)\(|\{set\}`")
ASKING = [
    page
    for page in PAGES
    for source in (ROOT / f"{page}.md", ROOT / f"{page}.ipynb")
    if source.is_file() and ASKS.search(source.read_text(encoding="utf-8"))
]
PUTTING = [page for page in ASKING if "mark=Mark(" in (ROOT / f"{page}.md").read_text("utf-8")]
MOVED = """([id, wanted]) => {
  const { panel, dataset } = document.querySelector(`section#${id}`);
  if (!panel || dataset.settled === "no") return false;
  const goesOn = panel.spec.controls.filter(({ kind }) => kind === "file" || kind === "rounds");
  const whole = { ...panel.values, ...panel.start, ...wanted };
  for (const { name } of goesOn) whole[name] = panel.values[name];
  return JSON.stringify(panel.values) === JSON.stringify(whole);
}"""
# Every control of a panel elsewhere than at its start, as a reader leaves it.
ELSEWHERE = """(id) => {
  const { panel } = document.querySelector(`section#${id}`);
  const moved = panel?.spec.controls.filter(({ kind }) => kind !== "file" && kind !== "rounds") ?? [];
  for (const { name, stops } of moved) panel.set(name, stops.find((stop) => stop !== panel.start[name]));
}"""
SIZES = {"laptop": LAPTOP, "phone": {"width": 390, "height": 844}}
# What stands in the fields.
HELD = """(asked) => [...asked.querySelectorAll("input, .mb-pick")].map((node) =>
  node.type === "checkbox" ? node.checked : node.ariaPressed ?? node.value)"""
NAMELESS = """(asked) => asked.flatMap((one) => [...one.querySelectorAll("input")])
  .filter((field) => !field.labels.length && !field.ariaLabel).map((field) => field.outerHTML)"""
IN_SIGHT = """(id) => {
  const seen = document.querySelector(`#${id} .mb-plot`).getBoundingClientRect();
  return seen.top < innerHeight && seen.bottom > 0;
}"""


@pytest.fixture(scope="module")
def one_load(browser: Browser, built_book: Path) -> Iterator[driver.OneLoad]:
    """A page that asks, loaded once for all that is tried on it."""

    def open_it(page: Page, name: str) -> None:
        hold_storage(page, built_book)
        load_page(page, built_book, name)
        wait_for_panels(page)

    with closing(driver.OneLoad(browser, open_it, has_touch=True)) as load:
        yield load


def wait_for_panels(page: Page) -> None:
    page.locator("section.mb-explorable, .mb-asked").first.wait_for(state="attached")
    page.locator(".mb-asked:not(:has(form))").first.wait_for(state="detached")
    # What is far below has its words, and its height, once it is laid out.
    page.evaluate("document.documentElement.dataset.aimed = ''")
    page.evaluate(CALM)


@pytest.mark.parametrize("visit", each("asked", ASKING), indirect=True)
def test_guesses_and_answers_are_taken_kept_and_forgotten(visit, request, tried):
    assert visit.locator(".mb-asked").evaluate_all(NAMELESS) == []
    names = tried("asked", request.node.callspec.params["visit"])
    guesses, answers = (
        [(asked, spec) for asked, spec in asked_on(visit, role) if spec["name"] in names]
        for role in ("guess", "answer")
    )
    # What a guess asks for that is not made stays away.
    left = {p for _, s in asked_on(visit, "guess") if s["name"] not in names for p in s["panels"]}
    alone = [{**spec, "panels": [p for p in spec["panels"] if p not in left]} for _, spec in guesses]
    for i, (asked, spec) in enumerate(guesses):
        later = {panel for _, other in guesses[i + 1 :] for panel in other["panels"]}
        check_guess(visit, asked, spec, frozenset(later | left))
    for (asked, spec), way in zip(answers, cycle(WAYS), strict=False):
        check_answer(asked, spec, (way,))  # in all ways: as a widget

    def now():
        return [(told(asked), asked.evaluate(HELD)) for asked, _ in guesses + answers]

    kept = now()
    # What was kept is said when the page's script has come to it.
    load_anew(visit, wait_for_panels, lambda: now() == kept)
    soon(visit, lambda: not any(cover for spec in alone for cover in covered(visit, spec)))
    for asked, _ in guesses:
        asked.locator("[data-tool='Guess again']").click()
    for asked, _ in answers:
        asked.locator("[data-tool=Clear]").click()
    load_anew(visit, wait_for_panels, lambda: not any(told(asked) for asked, _ in guesses + answers))
    soon(visit, lambda: all(cover for _, spec in guesses for cover in covered(visit, spec)))
    driver.lift_veils(visit)
    soon(visit, lambda: not any(cover for _, spec in guesses for cover in covered(visit, spec)))


@pytest.mark.parametrize("visit", ["book/mip/noise"], indirect=True)
def test_words_that_would_give_it_away_ask_for_the_guess(visit):
    visit.evaluate("localStorage.clear()")
    load_anew(visit, wait_for_panels, lambda: True)
    visit.evaluate("mipbook.mounted(document.getElementById('noise-over-spread'))")
    button = visit.locator("button.mb-set[data-panel=noise-over-spread]").nth(1)
    before = visit.locator("section#noise-over-spread").evaluate("(root) => ({ ...root.panel.values })")
    button.focus()
    assert button.evaluate("(node) => getComputedStyle(node).outlineStyle") != "none"
    press(button, "keyboard")
    driver.wait_until(visit, "document.querySelector('.mb-asked[data-first]')")
    assert visit.locator("section#noise-over-spread").evaluate("(root) => root.panel.values") == before


@pytest.mark.parametrize("visit", each("asked", ASKING), indirect=True)
def test_buttons_in_the_text_move_their_panels(visit):
    driver.lift_veils(visit)
    buttons = visit.locator("button.mb-set")
    for i, by in zip(range(buttons.count()), cycle(WAYS), strict=False):
        moves = buttons.nth(i).evaluate("(b) => b.dataset")
        wanted = json.loads(moves["values"])
        visit.evaluate(ELSEWHERE, moves["panel"])
        buttons.nth(i).scroll_into_view_if_needed()
        visit.evaluate(CALM)
        press(buttons.nth(i), by)
        driver.wait_until(visit, MOVED, [moves["panel"], wanted])
        driver.wait_until(visit, IN_SIGHT, moves["panel"])
        assert not driver.settle(visit.locator(f"section#{moves['panel']}"))["failed"]


def test_without_a_script_nothing_is_missing_and_nothing_looks_like_a_button(built_book):
    for name in ASKING:
        text = (built_book / f"{name}.html").read_text(encoding="utf-8")
        assert not re.search(r"<div[^>]*mb-veiled[^>]*hidden|<button[^>]*mb-set", text), name


# Which words of a guess lie on a label of an axis, on other words, or beyond the picture.
LYING = """() => [...document.querySelectorAll(".mb-overlay > :not([hidden]) > .mb-said")].filter((said) => {
  const box = (node) => node.getBoundingClientRect();
  const [own, stage] = [box(said), box(said.closest(".mb-overlay"))];
  const meets = (node) => {
    const { left, right, top, bottom } = box(node);
    return own.left < right && left < own.right && own.top < bottom && top < own.bottom;
  };
  const words = said.closest(".mb-stage").querySelectorAll(".mb-plot text, .mb-said");
  const within = own.left >= stage.left - 1 && own.right <= stage.right + 1
    && own.top >= stage.top - 1 && own.bottom <= stage.bottom + 1;
  return !within || [...words].some((node) => node !== said && node.getClientRects().length
    && !node.closest("[hidden]") && meets(node));
}).map((said) => said.textContent)"""
# How far the truth stands from its place on the axis.
ASTRAY = """([id, { name, mark }]) => {
  const [side, number] = [mark.axis[0], mark.axis.slice(1)];
  const axis = document.querySelector(`#${id} .mb-plot`)._fullLayout[`${side}axis${number}`];
  const { translate } = document.getElementById(id).panel.marks.truths.get(name).style;
  const at = translate.split(" ").map(parseFloat)[side === "y" ? 1 : 0] ?? 0;
  return Math.abs(at - axis._offset - axis.d2p(mark.truth));
}"""
PUT = """([name, share]) => {
  const range = document.querySelector(`#${name} input[type=range]`);
  range.value = Math.round(share * range.max);
  range.dispatchEvent(new Event("input"));
}"""


@pytest.mark.parametrize("name", each("mark", PUTTING))
def test_the_words_of_a_guess_lie_on_no_others(browser, built_book, name, tried):
    names = tried("mark", name)
    with driver.watched(browser) as page:
        load_page(page, built_book, name)
        wait_for_panels(page)
        own = [(asked, spec) for asked, spec in asked_on(page, "guess") if spec["name"] in names]
        for device, (asked, spec) in product(SIZES, own):
            page.set_viewport_size(SIZES[device])
            driver.still(page)
            asked.scroll_into_view_if_needed()
            page.evaluate("(id) => mipbook.mounted(document.getElementById(id))", spec["panels"][0])
            for share in (0, 0.5, 1):
                page.evaluate(PUT, [spec["name"], share])
                driver.wait_until(page, SETTLED, spec["panels"])
                assert page.evaluate(LYING) == []
                press(asked.locator("form button").first, "keyboard")
                driver.wait_until(page, SETTLED, spec["panels"])
                # The truth is on its way to its place.
                driver.wait_until(page, f"(of) => ({ASTRAY})(of) < 1", [spec["panels"][0], spec])
                shown = asked.page.locator(f"#{spec['panels'][0]} .mb-mark-truth:not([hidden]) > .mb-said")
                assert spec["truth"]["text"] in " ".join(shown.all_inner_texts())
                assert page.evaluate(LYING) == []
                if device == "laptop":
                    # The words stand beside the picture, where there is room for all of them.
                    assert page.locator(f"#{spec['panels'][0]} .mb-folded").count() == 0
                press(asked.locator("[data-tool='Guess again']"), "keyboard")
                driver.wait_until(page, SETTLED, spec["panels"])


WIDGET = """({ text, spec }) => new Promise((done) => {
  const source = text.replace("export default", "globalThis.widget =") + "\\nglobalThis.begin();";
  globalThis.begin = () => {
    globalThis.widget.render({ model: { get: () => spec }, el: document.body });
    done();
  };
  const script = document.createElement("script");
  script.textContent = source;
  document.body.append(script);
})"""


@pytest.mark.parametrize(
    "asked",
    [
        Guess(92.0, unit="of 1,000", name="widget"),
        Answer("widget", 0.4, tolerance=0.01, mistakes={0.2: "Half."}, label="ε"),
        Answer("widget", {"x", "y"}, choices=["x", "y", "z"], kind=""),
    ],
    ids=lambda asked: f"{type(asked).__name__}-{asked.describe()['input']}",
)
def test_the_same_works_as_a_widget(browser, tmp_path, asked):
    (tmp_path / "page.html").write_text(
        '<!DOCTYPE html><html lang="en"><title>A widget</title><body></body></html>'
    )
    with driver.watched(browser, has_touch=True) as page:
        page.goto((tmp_path / "page.html").as_uri())
        widget = asked.widget()
        page.evaluate(WIDGET, {"text": widget._esm, "spec": widget.spec})
        page.add_style_tag(content=str(widget._css))
        for each, spec in asked_on(page, "guess"):
            check_guess(page, each, spec)
        for each, spec in asked_on(page, "answer"):
            check_answer(each, spec)
        assert page.locator(".mb-asked .mb-verdict:not(:empty)").count() == 1


def test_a_room_reads_the_question_and_finds_the_way_out(browser, built_book):
    with driver.watched(browser, viewport=LAPTOP) as page:
        load_page(page, built_book, "book/together/audit-your-model")
        wait_for_panels(page)
        panel = page.locator("#one-run-proof")
        driver.settle(panel)
        driver.tool(panel, "Present").click()
        assert panel.locator(".mb-posed:visible").inner_text().startswith("All thousand are right")
        panel.locator(".mb-side > .mb-tools > [data-tool=Present]").click()
        assert not page.locator(".mb-posed").count()
