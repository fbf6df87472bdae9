"""Every guess, answer and button in the text of the built book: by mouse, by keyboard, by touch."""

import json
import re
from contextlib import closing
from itertools import cycle, pairwise, product

import driver
import pytest
from driver import press
from pages import LAPTOP, PAGES, PHONE, each, hold_storage, load_anew, load_page, soon
from playwright.sync_api import expect
from shared import ROOT

from explorable.panels import Answer, Guess

TEXTS = {page: path for page in PAGES for path in ROOT.glob(f"{page}.*") if path.suffix in (".md", ".ipynb")}
ASKS = re.compile(r"\b(?:Guess|Answer)\(|\{set\}`")
ASKING = [page for page, path in TEXTS.items() if ASKS.search(path.read_text(encoding="utf-8"))]
PUTTING = [page for page in ASKING if "mark=Mark(" in TEXTS[page].read_text(encoding="utf-8")]
WAYS = ("mouse", "keyboard", "touch")
# A panel that comes to life above moves what stands below it; a click that begins before and ends
# after would be lost.
CALM = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const busy = ({ begun, dataset }) => begun && (dataset.settled ?? "no") === "no";
  do { await frame(); await frame(); }
  while ([...document.querySelectorAll("section.mb-explorable")].some(busy));
}"""
# Whether what a guess asks for is missing: in a picture, all words too.
COVERED = """({ name, panels, hides }) => [
  ...panels.map((id) => document.querySelector(`section#${id}`).panel)
    .filter((panel) => panel?.shownValues).map(({ picture }) =>
      (!hides?.length || picture.shown.data.some((t) => t.opacity === 0 && t.hoverinfo === "skip"))
      && !picture.headline.node.textContent && !picture.sentence.node.textContent),
  ...[...document.querySelectorAll(`.mb-veiled[data-guess="${name}"]`)].map((n) => n.hidden)]"""
# Words that nobody sees and that a search on the page would find.
FOUND = """() => [...document.querySelectorAll(".mb-plot .trace")]
  .filter((n) => getComputedStyle(n).opacity === "0").flatMap((n) => [...n.querySelectorAll("text")])
  .filter((n) => n.checkVisibility({ visibilityProperty: true })).map((n) => n.textContent)"""
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
# How opaque each trace is, frame after frame from the guess until a second after something came.
COMING = """(section) => new Promise((done) => {
  const frames = [];
  const late = performance.now() + 10000;
  let until = 0;
  const look = () => {
    const traces = [...section.querySelectorAll("g.trace")];
    frames.push(traces.map((node) => Number(getComputedStyle(node).opacity)));
    if (!until && `${frames.at(-1)}` !== `${frames[0]}`) until = performance.now() + 1200;
    if (performance.now() < (until || late)) requestAnimationFrame(look);
    else done(frames);
  };
  look();
  section.querySelector("button.mb-guess").click();
})"""
# What stands in the fields.
HELD = """(asked) => [...asked.querySelectorAll("input, .mb-pick")].map((node) =>
  node.type === "checkbox" ? node.checked : node.ariaPressed ?? node.value)"""
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
ASKED = (
    Guess(92.0, unit="of 1,000", name="widget"),
    Answer("widget", 0.4, tolerance=0.01, mistakes={0.2: "Half."}, label="ε"),
    Answer("widget", {"x", "y"}, choices=["x", "y", "z", "w"], mistakes={"z": "No z."}, kind=""),
)


def tries(spec: dict) -> list[tuple]:
    """Return what to answer, the verdict, and what it says; the right answer last."""
    truth, mistakes = spec["truth"], spec["mistakes"]
    right = f"Right: {truth['text']}"
    if spec["input"] == "number":
        known = [((m["low"] + m["high"]) / 2, "wrong", m["why"]) for m in mistakes]
        # Neither right nor a mistake that the page knows.
        far = 2.0 * max(abs(each[end]) for each in (truth, *mistakes) for end in ("low", "high")) + 10.0
        return [(far, "wrong", "too large"), *known, ((truth["low"] + truth["high"]) / 2, "right", right)]
    picked = truth["picked"]
    known = [([m["pick"]], "wrong", m["why"]) for m in mistakes]
    others = [([c], "wrong", "Not yet") for c in spec["choices"] if c not in picked]
    part = [(picked[:1], "wrong", "something is missing")] if len(picked) > 1 else []
    return [*others, *known, *part, (picked, "right", right)]


def give(asked, spec: dict, given, by: str) -> None:
    """Answer as a reader would, once what stands there has come to rest."""
    asked.scroll_into_view_if_needed()
    asked.page.evaluate(CALM)
    if spec["input"] == "one":
        press(asked.locator(".mb-pick").nth(spec["choices"].index(given[0])), by)
        return
    if spec["input"] == "number":
        asked.locator("input").fill(repr(given))
        if by == "keyboard":
            asked.locator("input").press("Enter")
            return
    elif spec["input"] == "mark":
        put(asked, by)
    else:
        for i, choice in enumerate(spec["choices"]):
            box = asked.locator("input").nth(i)
            if box.is_checked() != (choice in given):
                box.press("Space") if by == "keyboard" else press(box, by)
    press(asked.locator("form button:not(.mb-pick)").first, by)


def put(asked, by: str) -> None:
    """Put the mark: in the picture by mouse or finger, by the slider where there is no picture."""
    dot = asked.page.locator(f"[data-mark={asked.get_attribute('id')}]:visible")
    if by == "keyboard" or not dot.count():
        own = dot if dot.count() else asked.locator("input[type=range]")
        own.press("ArrowUp")
        if asked.locator("output").inner_text() == "?":
            own.press("ArrowDown")  # It begins at its end.
    else:
        # A dot in the middle of its axis goes a little down or to the left.
        dot.scroll_into_view_if_needed()
        asked.page.evaluate(CALM)
        x, y = driver.middle(dot)
        driver.pull(asked.page, (x, y), (x - 20, y + 20))
    assert asked.locator("output").inner_text() != "?"


def asked_on(page, role: str) -> list[tuple]:
    found = page.locator(f"[data-asked={role}]").all()
    return [(asked, asked.evaluate("(n) => n.asked")) for asked in found]


def told(asked) -> str:
    return asked.locator(".mb-verdict[role=status]").inner_text()


def check_guess(page, asked, spec: dict, still=frozenset()) -> None:
    """Commit and take it back in each way; the last guess stays."""
    # What another guess asks for too stays away.
    own = {**spec, "panels": [panel for panel in spec["panels"] if panel not in still]}
    for by in WAYS:
        again = asked.locator("[data-tool='Guess again']")
        if again.is_visible():
            press(again, by)
            page.evaluate(CALM)
        assert all(page.evaluate(COVERED, spec)), f"{spec['name']} shows what it asks for"
        assert told(asked) == ""
        give(asked, spec, [spec["choices"][0]] if spec["input"] == "one" else 12345.5, by)
        page.evaluate(CALM)
        assert told(asked), f"{spec['name']} does not answer"
        assert spec.get("replies") or spec["truth"]["text"] in told(asked)
        assert not any(page.evaluate(COVERED, own))


def check_answer(asked, spec: dict, ways: tuple[str, ...] = WAYS) -> None:
    """Answer wrong, with each known mistake, and right in these ways; the right answer stays."""
    assert told(asked) == ""
    if spec["input"] == "number":
        assert spec["truth"]["text"] not in asked.inner_text().split(), "the truth is told before"
    *wrong, right = tries(spec)
    for (given, verdict, says), by in zip((*wrong, *[right] * len(ways)), cycle(ways), strict=False):
        if asked.locator("[data-tool=Clear]").is_visible():
            press(asked.locator("[data-tool=Clear]"), by)
            assert asked.get_attribute("data-verdict") == "none"
        give(asked, spec, given, by)
        assert asked.get_attribute("data-verdict") == verdict, f"{given}: {told(asked)}"
        assert says in told(asked), f"{given}: {told(asked)}"


@pytest.fixture(scope="module")
def one_load(browser, built_book):
    """A page that asks, loaded once for all that is tried on it."""

    def open_it(page, name):
        hold_storage(page, built_book)
        load_page(page, built_book, name)
        wait_for_panels(page)

    with closing(driver.OneLoad(browser, open_it, has_touch=True)) as load:
        yield load


def wait_for_panels(page) -> None:
    page.locator("section.mb-explorable, .mb-asked").first.wait_for(state="attached")
    page.locator(".mb-asked:not(:has(form))").first.wait_for(state="detached")
    # What is far below has its words, and its height, once it is laid out.
    page.evaluate("document.documentElement.dataset.aimed = ''")
    page.evaluate(CALM)


@pytest.mark.parametrize("visit", each("asked", ASKING), indirect=True)
def test_guesses_and_answers_are_taken_kept_and_forgotten(visit, request, tried):
    names = tried("asked", request.node.callspec.params["visit"])
    every, answers = asked_on(visit, "guess"), asked_on(visit, "answer")
    guesses, answers = ([each for each in found if each[1]["name"] in names] for found in (every, answers))
    # What a guess asks for that is not made stays away.
    left = {panel for each in every if each not in guesses for panel in each[1]["panels"]}
    alone = [{**spec, "panels": [p for p in spec["panels"] if p not in left]} for _, spec in guesses]
    for i, (asked, spec) in enumerate(guesses):
        later = {panel for _, other in guesses[i + 1 :] for panel in other["panels"]}
        check_guess(visit, asked, spec, later | left)
    for (asked, spec), way in zip(answers, cycle(WAYS), strict=False):
        check_answer(asked, spec, (way,))  # in all ways: as a widget

    def now():
        return [(told(asked), asked.evaluate(HELD)) for asked, _ in guesses + answers]

    def covers(specs):
        return [cover for spec in specs for cover in visit.evaluate(COVERED, spec)]

    kept, own = now(), [spec for _, spec in guesses]
    # What was kept is said when the page's script has come to it.
    load_anew(visit, wait_for_panels, now, kept)
    assert soon(visit, lambda: not any(covers(alone)))
    for asked, _ in guesses + answers:
        asked.scroll_into_view_if_needed()
        visit.evaluate(CALM)
        asked.locator("[data-tool='Guess again'], [data-tool='Clear']").click()
        assert told(asked) == ""
    load_anew(visit, wait_for_panels, lambda: [said for said, _ in now()], ["" for _ in kept])
    assert soon(visit, lambda: all(covers(own)))
    assert visit.evaluate(FOUND) == []
    driver.lift_veils(visit)
    assert soon(visit, lambda: not any(covers(own)))


@pytest.mark.parametrize("visit", ["book/mis/overfitting"], indirect=True)
def test_words_that_would_give_it_away_ask_for_the_guess(visit):
    visit.evaluate("localStorage.clear()")
    visit.reload()
    wait_for_panels(visit)
    panel = visit.locator("section#a-model-remembers")
    panel.evaluate("(root) => mipbook.mounted(root)")
    button = visit.locator("button.mb-set[data-panel=a-model-remembers]").nth(1)
    before = panel.evaluate("(root) => ({ ...root.panel.values })")
    button.focus()
    assert button.evaluate("(node) => getComputedStyle(node).outlineStyle") != "none"
    press(button, "keyboard")
    driver.wait_until(visit, "document.querySelector('.mb-asked[data-first]')")
    assert panel.evaluate("(root) => root.panel.values") == before


@pytest.mark.parametrize("visit", each("asked", ASKING), indirect=True)
def test_buttons_in_the_text_move_their_panels(visit):
    driver.lift_veils(visit)
    driver.play_games(visit)
    for button, by in zip(visit.locator("button.mb-set").all(), cycle(WAYS), strict=False):
        moves = button.evaluate("(b) => b.dataset")
        visit.evaluate(ELSEWHERE, moves["panel"])
        button.scroll_into_view_if_needed()
        visit.evaluate(CALM)
        press(button, by)
        driver.wait_until(visit, MOVED, [moves["panel"], json.loads(moves["values"])])
        panel = visit.locator(f"section#{moves['panel']}")
        expect(panel.locator(".mb-plot")).to_be_in_viewport()
        assert not driver.settle(panel)["failed"]


def test_without_a_script_nothing_is_missing_and_nothing_looks_like_a_button(built_book):
    for name in ASKING:
        text = (built_book / f"{name}.html").read_text(encoding="utf-8")
        assert not re.search(r"<div[^>]*mb-veiled[^>]*hidden|<button[^>]*mb-set", text), name


@pytest.mark.parametrize("name", each("mark", PUTTING))
def test_the_words_of_a_guess_lie_on_no_others(browser, built_book, name, tried):
    names = tried("mark", name)
    with driver.watched(browser) as page:
        load_page(page, built_book, name)
        wait_for_panels(page)
        own = [(asked, spec) for asked, spec in asked_on(page, "guess") if spec["name"] in names]
        for size, (asked, spec) in product((LAPTOP, PHONE), own):
            panel = spec["panels"][0]
            page.set_viewport_size(size)
            driver.still(page)
            asked.scroll_into_view_if_needed()
            assert asked.evaluate("(node) => node.scrollWidth <= node.clientWidth"), "wider than its place"
            page.evaluate("(id) => mipbook.mounted(document.getElementById(id))", panel)
            shown = page.locator(f"#{panel} .mb-mark-truth:not([hidden]) > .mb-said")
            for share in (0, 0.5, 1):
                page.evaluate(PUT, [spec["name"], share])
                page.evaluate(CALM)
                assert page.evaluate(LYING) == []
                press(asked.locator("form button").first, "keyboard")
                page.evaluate(CALM)
                # The truth is on its way to its place.
                driver.wait_until(page, f"(of) => ({ASTRAY})(of) < 1", [panel, spec])
                assert spec["truth"]["text"] in " ".join(shown.all_inner_texts())
                assert page.evaluate(LYING) == []
                # On a laptop the words stand beside the picture, where there is room for all of them.
                assert size == PHONE or page.locator(f"#{panel} .mb-folded").count() == 0
                press(asked.locator("[data-tool='Guess again']"), "keyboard")
                page.evaluate(CALM)


def test_what_was_missing_comes_once_and_a_phone_reads_the_answer_below_the_picture(browser, built_book):
    with driver.watched(browser, viewport=PHONE, reduced_motion="no-preference") as page:
        load_page(page, built_book, "book/together/many-releases")
        wait_for_panels(page)
        panel = page.locator("#votes")
        page.evaluate(CALM)
        panel.locator("form input[type=range]").press("PageUp")
        panel.locator("form").evaluate("(form) => scrollBy(0, form.getBoundingClientRect().top - 90)")
        page.evaluate(CALM)
        frames = panel.evaluate(COMING)
        assert frames[0] != frames[-1], "nothing came"
        assert all(now >= was for one, two in pairwise(frames) for was, now in zip(one, two, strict=True))
        picture, answer = (panel.locator(part).bounding_box() for part in (".mb-stage", ".mb-verdict"))
        assert picture["y"] + picture["height"] <= answer["y"] + 1


@pytest.mark.parametrize("asked", ASKED, ids=["guess", "number", "choices"])
def test_the_same_works_as_a_widget(browser, tmp_path, asked):
    path = tmp_path / "page.html"
    path.write_text('<!DOCTYPE html><html lang="en"><title>A widget</title><body></body></html>')
    with driver.watched(browser, has_touch=True) as page:
        page.goto(path.as_uri())
        widget = asked.widget()
        page.add_script_tag(content=str(widget._esm).replace("export default", "globalThis.widget ="))
        page.add_style_tag(content=str(widget._css))
        render = "(spec) => widget.render({ model: { get: () => spec }, el: document.body })"
        page.evaluate(render, widget.spec)
        assert driver.axe_violations_in(page, ".mb-asked") == []
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
