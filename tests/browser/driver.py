"""What all browser tests share: a watched page, and a hand that moves a panel."""

import importlib
import json
import time
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache

import numpy as np
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Error

from explorable.panels.pack import plain

# Voila ships an older JupyterLab core than its extensions ask for, and says so itself.
VOILA_CHATTER = ("Unsatisfied version", "No satisfying version")
SETTLE = 60_000
# What open pages asked of other hosts, and what they complained about.
COMPLAINTS: dict[BrowserContext, list[str]] = {}


class StoppedDrawing(Exception):
    """The browser draws a window no more, though it can be seen and its scripts run."""


DRAWS = """() => document.visibilityState !== "visible" || Promise.race([
  new Promise((done) => requestAnimationFrame(() => done(true))),
  new Promise((done) => setTimeout(() => done(false), 5000)),
])"""


def must_draw(pages) -> None:
    """Say if a window is drawn no more, as happens to a busy browser, and close it."""
    for page in pages:
        with suppress(Error):  # closed, or away: that is something else
            if not page.evaluate(DRAWS):
                page.close()
                raise StoppedDrawing(page.url)


@contextmanager
def watched(browser, host: str = "", **options):
    """Open a page whose every request and complaint is recorded, and judged at the end."""
    # Nothing moves by itself: what flashes is painted sixty times a second, at every step.
    options = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce"} | options
    context = browser.new_context(offline=not host, **options)
    complaints = COMPLAINTS[context] = []
    own = ("file:", "data:", "blob:", *filter(None, [host]))

    def asked(request):
        if not request.url.startswith(own):
            complaints.append(f"asked another host: {request.url}")

    def said(message):
        chatter = host and message.text.startswith(VOILA_CHATTER)
        if message.type in ("error", "warning") and not chatter:
            complaints.append(f"{message.type}: {message.text}")

    context.on("request", asked)
    context.on("console", said)
    context.on("weberror", lambda error: complaints.append(f"page error: {error.error}"))
    context.set_default_navigation_timeout(SETTLE)
    try:
        page = context.new_page()
        yield page
        check(page)
    except Exception:
        if options.get("java_script_enabled", True):  # else no page can be asked
            must_draw(context.pages)
        raise
    finally:
        del COMPLAINTS[context]
        context.close()


def check(page) -> None:
    """Judge what a page asked of others and said since the last time, and leave it open."""
    found = COMPLAINTS[page.context][:]
    COMPLAINTS[page.context].clear()
    assert not found, found


@contextmanager
def shown(browser, url: str, name: str, **options):
    """Open a page, watched, and return its panel of this name as soon as it is drawn."""
    with watched(browser, **options) as page:
        page.goto(url)
        panel = page.locator(f"#{name}")
        settle(panel)
        yield panel


class OneLoad:
    """A page that is open for all tests that ask it, and opened anew if it is drawn no more."""

    def __init__(self, browser, open_it, **options) -> None:
        self.browser, self.open_it, self.options = browser, open_it, options
        self.name, self.held = "", ExitStack()

    def page(self, name: str):
        if name != self.name or self.shown.is_closed():
            self.close()
            self.shown = self.held.enter_context(watched(self.browser, **self.options))
            self.open_it(self.shown, name=name)
            self.name = name
        return self.shown

    def close(self) -> None:
        self.name = ""
        self.held.close()


# The insides of formulas and plots, thousands of nodes, are told by a label, which is looked at.
BESIDE = {"exclude": [[".katex > *"], [".mb-plot > *"]]}
# Whether a word can be read follows from its look: a few of each are enough, also of those in
# folded lines, and of the words of code, thousands on a page.
MARK_LOOKS = """() => {
  const closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((node) => node.setAttribute("open", ""));
  const ground = (node) => {
    if (!node) return "";
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(node);
    const through = !backgroundColor.startsWith("rgb(") || opacity !== "1";
    return [backgroundColor, backgroundImage, opacity, through ? ground(node.parentElement) : ""].join();
  };
  const looks = new Map();
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let word = words.nextNode(); word; word = words.nextNode()) {
    const node = word.parentElement;
    // Of a single letter axe says nothing, and of what is covered neither: so two words of each.
    const seen = node.checkVisibility({ visibilityProperty: true });
    if (!seen || word.data.trim().length < 2 || node.closest(".katex, .mb-plot")) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(node);
    const look = [color, fontSize, fontWeight, textShadow, ground(node)].join();
    looks.set(look, (looks.get(look) ?? 0) + 1);
    if (looks.get(look) <= 2) node.setAttribute("data-look", "");
  }
  window.opened = closed;
}"""
UNMARK = """() => {
  document.querySelectorAll("[data-look]").forEach((node) => node.removeAttribute("data-look"));
  window.opened.forEach((node) => node.removeAttribute("open"));
}"""
# axe would fetch the style sheets again, which a page from a file may not.
AXE_OPTIONS = {"preload": False, "resultTypes": ["violations"]}
BUT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


def axe_violations(page, *, colours_only: bool = False) -> list[str]:
    """Return axe-core's serious and critical findings, of all its rules or of that on colours."""
    found = [] if colours_only else axe_violations_in(page, BESIDE, **BUT_COLOURS)
    page.evaluate(MARK_LOOKS)
    found += axe_violations_in(page, {"include": [["[data-look]"]], **BESIDE}, **COLOURS)
    page.evaluate(UNMARK)
    return found


def axe_violations_in(page, context, **options) -> list[str]:
    """Return what axe-core finds in a part of the page, with all that stands in it."""
    # To read axe itself takes as long as many a run of it.
    axe = Axe("") if page.evaluate("typeof axe === 'object'") else Axe()
    found = axe.run(page, context, AXE_OPTIONS | options).response["violations"]
    return [
        f"{v['id']}: {v['help']}: {[n['html'][:160] for n in v['nodes'][:3]]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]


def lift_veils(page) -> None:
    """Show what the guesses of the page ask for, as a reader may."""
    anyway = page.locator("[data-veil=show]:visible")
    for _ in range(30):
        if not anyway.count():
            return
        # A panel that just comes moves its button: look for it again.
        with suppress(Error):
            anyway.first.click(timeout=3_000)
    raise AssertionError(f"{anyway.count()} guesses still ask")


def play_games(page) -> None:
    """Play the games that keep words of the page back, until they say them."""
    for game in page.locator(".mb-veiled").evaluate_all("(veils) => veils.map((v) => v.dataset.guess)"):
        panel = page.locator(f"section.mb-explorable#{game}")
        kept = page.locator(f".mb-veiled[data-guess='{game}'][hidden]")
        if not panel.count():
            continue
        panel.evaluate("(root) => mipbook.mounted(root)")
        for _ in range(16):
            if kept.count():
                panel.locator(".mb-rounds .mb-guess:enabled").first.click()
        assert not kept.count(), f"{game} keeps back what its rounds are to tell"


# What the panel shows: values, drawn traces, texts. As one text, for playwright looks at every
# number of a list on its own.
READ = """(root) => {
  const list = (a) => ArrayBuffer.isView(a) || Array.isArray(a) ? Array.from(a, list)
    : (typeof a === "number" && !Number.isFinite(a) ? null : a);
  const plot = root.querySelector(".mb-plot");
  const keys = ["x", "y", "z", "text", "customdata", "name", "visible"];
  return JSON.stringify({
    values: JSON.parse(root.dataset.settled),
    spec: { id: root.panel.spec.id, function: root.panel.spec.function, corners: root.panel.spec.corners },
    failed: !root.querySelector(".mb-error").hidden,
    error: root.querySelector(".mb-error").textContent,
    sentence: root.querySelector(".mb-sentence").textContent,
    alt: plot.dataset.alt,
    data: (plot.data ?? []).filter((t) => t.meta !== "ghost").map((t) => Object.fromEntries(
      keys.filter((k) => k in t).map((k) => [k, list(t[k])]))),
  });
}"""
# A window that is drawn no more, or a panel that never settles, is told and not waited for.
SETTLED = f"""(root) => new Promise((done) => {{
  setTimeout(() => done("late"), {SETTLE});
  const look = () => root.dataset.settled && root.dataset.settled !== "no"
    ? requestAnimationFrame(done) : setTimeout(look, 5);
  look();
}}).then((how) => typeof how === "string" ? how : ({READ})(root))"""
# Which stop a control shows, and what is said of it to who listens.
STANDS = """(row) => {
  const [range, menu] = [row.querySelector("input[type=range]"), row.querySelector("select.mb-menu")];
  if (range) return [range.valueAsNumber, range.ariaValueText ?? ""];
  const [box] = row.querySelectorAll("[role=switch]");
  const at = [...row.querySelectorAll("input[type=radio]")].findIndex((radio) => radio.checked);
  return [menu ? menu.selectedIndex : box ? Number(box.checked) : at < 0 ? null : at, null];
}"""


def wait_until(page, expression: str, arg=None, seconds: float = SETTLE / 1000) -> None:
    """Wait until an expression of the page holds, also where the page forbids to evaluate text."""
    end = time.monotonic() + seconds
    while True:
        # A page that is being loaded anew has nothing to ask.
        with suppress(Error):
            if page.evaluate(expression, arg):
                return
        assert time.monotonic() < end, f"in vain for {seconds:g} s: {expression}"
        page.wait_for_timeout(50)


def query(page) -> str:
    """Return what the address asks for, once it was written for the hand that rests."""
    # A timer that begins after the page's own ends after it.
    return page.evaluate("() => new Promise((done) => setTimeout(() => done(location.search), 450))")


def settle(panel) -> dict:
    """Wait until the panel shows its values, and return what it shows."""
    told = panel.evaluate(SETTLED, timeout=SETTLE)
    assert told != "late", f"it has not settled in {SETTLE / 1000:g} s: {panel.page.url}"
    return json.loads(told)


# Of what is folded away no animation ever says that it has finished, so each is asked.
STILL = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const ends = (a) => Number.isFinite(a.effect.getComputedTiming().endTime);
  const moving = (a) => a.playState === "running" && ends(a);
  const all = async () => {
    for (let i = 0; i < 3; i += 1) await frame();
    while (document.getAnimations().some(moving)) await frame();
    await frame();
    return true;
  };
  return Promise.race([all(), new Promise((done) => setTimeout(() => done(false), 20000))]);
}"""


def still(page) -> None:
    """Wait until a change of size or of colours has reached all that follows it."""
    assert page.evaluate(STILL), f"it is not still: {page.url}"


def spec_of(panel) -> dict:
    return json.loads(panel.evaluate("(root) => JSON.stringify(root.panel.spec)"))


@lru_cache(maxsize=200)
def expected_figure(function: str, values: str):
    """Return what a figure function draws for values, written as JSON, or why it refuses them."""
    module, name = function.split(":")
    try:
        return getattr(importlib.import_module(module), name)(**json.loads(values))
    except ValueError as refusal:
        return refusal


def compare(spec: dict, shown: dict, rtol: float) -> None:
    """Check that the picture shows what the figure function returns for its values."""
    if spec.get("corners"):  # shows a bound, which the tests of tables hold against the run
        assert shown["data"] or shown["failed"], spec["id"]
        return
    where = f"{spec['id']} at {shown['values']}"
    figure = expected_figure(spec["function"], json.dumps(shown["values"]))
    if isinstance(figure, ValueError):
        assert str(figure) in shown["error"], where
        return
    tree = plain(figure.to_dict()["data"])
    assert not shown["failed"], f"{where}: {shown['error']}"
    assert [trace.get("name") for trace in shown["data"]] == [trace.get("name") for trace in tree], where
    for drawn, wanted in zip(shown["data"], tree, strict=True):
        assert drawn.get("visible", True) is not (wanted.get("meta") == "reveal"), where
        keys = {"x", "y", "z", "text", "customdata"}
        assert keys & set(drawn) == keys & set(wanted), f"{where}: {wanted.get('name')}"
        for key in keys & set(wanted):
            here, expect, got = f"{where}: {wanted.get('name')}.{key}", wanted[key], drawn[key]
            if np.asarray(expect).dtype.kind in "iuf":
                got, expect = np.array(got, dtype=float), np.asarray(expect, dtype=float)
                np.testing.assert_allclose(got, expect, rtol=rtol, strict=True, err_msg=here)
            else:
                assert got == list(expect), here
    for key in ("sentence", "alt"):
        assert shown[key] == figure.layout.meta[key], where


def stops_to_visit(control: dict, by: str) -> list[int]:
    """Both ends, and what a key reaches from there or the mouse half-way."""
    last = len(control["stops"]) - 1
    return list(dict.fromkeys([last, 0, min(1, last) if by == "keyboard" else last // 2]))


def move(panel, control: dict, stop: int, by: str) -> None:
    """Move one control to one of its stops, by mouse or by keyboard, as a reader would."""
    row, last = panel.locator(f"[data-control='{control['name']}']"), len(control["stops"]) - 1
    radios, menu = row.locator("input[type=radio]"), row.locator("select.mb-menu")

    def keys(node, first: str, more: str, times: int) -> None:
        node.press(first)
        for _ in range(times):
            panel.page.keyboard.press(more)

    if control["kind"] == "slider" and by == "mouse":
        drag(row.locator("input[type=range]"), stop, last)
    elif control["kind"] == "slider":  # from the nearer end
        ways = ("Home", "ArrowRight", stop) if 2 * stop <= last else ("End", "ArrowLeft", last - stop)
        keys(row.locator("input[type=range]"), *ways)
    elif control["kind"] == "switch":
        if row.locator("input").is_checked() != bool(stop):
            row.locator("input").click() if by == "mouse" else row.locator("input").press("Space")
    elif menu.count():
        menu.select_option(index=stop) if by == "mouse" else keys(menu, "Home", "ArrowDown", stop)
    elif by == "mouse":
        row.locator("label").nth(stop).click()
    else:
        picked = int(radios.evaluate_all("(all) => all.findIndex((one) => one.checked)"))
        radios.nth(picked).focus()
        for _ in range((stop - picked) % radios.count()):
            panel.page.keyboard.press("ArrowDown")


def drag(range_, stop: int, last: int) -> None:
    """Take the thumb of a slider from where it stands to a stop."""
    range_.scroll_into_view_if_needed()
    box = range_.bounding_box()
    # The thumb's centre travels the track less one thumb width.
    thumb, y = 16, box["y"] + box["height"] / 2
    at = (float(range_.input_value()) / last, stop / last)
    start, end = (box["x"] + thumb / 2 + share * (box["width"] - thumb) for share in at)
    pull(range_.page, (start, y), (end, y))


def pull(page, start: tuple, end: tuple) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=4)
    page.mouse.up()


def middle(node) -> tuple[float, float]:
    box = node.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def move_and_compare(panel, control: dict, stop: int, by: str, rtol: float) -> dict:
    move(panel, control, stop, by)
    return compare_at(panel, control, control["stops"][stop], rtol)


def compare_at(panel, control: dict, value, rtol: float) -> dict:
    """Check that a control went to a value and says so, and that the picture followed."""
    shown = settle(panel)
    assert shown["values"][control["name"]] == value, f"{control['name']} did not move to {value}"
    stands, told = panel.locator(f"[data-control='{control['name']}']").evaluate(STANDS)
    assert stands in (None, control["stops"].index(value)), f"{control['name']} shows {stands} at {value}"
    assert told is None or (told and control["unit"].strip() in told), (
        f"{control['name']} is spoken as {told!r}"
    )
    compare(shown["spec"], shown, rtol)
    return shown


def type_into(panel, name: str, text: str):
    """Type a value, press Enter, and return the row of the control."""
    row = panel.locator(f"[data-control='{name}']")
    row.locator(".mb-typed").fill(text)
    row.locator(".mb-typed").press("Enter")
    return row


def play(panel, by: str) -> None:
    """Play two rounds of a guessing game and check the score against the answers."""
    row, spec = panel.locator(".mb-rounds"), spec_of(panel)
    (rounds,) = (control for control in spec["controls"] if control["kind"] == "rounds")
    score = json.loads(row.get_attribute("data-score") or "{}") or {"played": 0, "reader": 0, "optimal": 0}
    keys = panel.locator("[data-guess]").evaluate_all("(all) => all.map((each) => each.dataset.guess)")
    for key in keys[:2]:
        before = settle(panel)["values"]
        meta = expected_figure(spec["function"], json.dumps(before)).layout.meta
        press(panel.locator(f"[data-guess='{key}']"), by)
        score["played"] += 1
        score["reader"] += key == meta["answer"]
        score["optimal"] += meta.get("optimal") == meta["answer"]
        panel.locator("[data-guess='next']").wait_for()
        assert panel.locator("[data-guess]").count() == 1, "it can be answered twice"
        assert json.loads(row.get_attribute("data-score")) == score
        reply = meta["replies"]["/".join(filter(None, (key, meta["answer"], meta.get("optimal"))))]
        assert row.locator(".mb-verdict:not(.mb-room)").inner_text() == reply
        visible = panel.evaluate("(r) => r.querySelector('.mb-plot').data.map((t) => t.visible)")
        assert False not in visible, "the truth stays hidden after the guess"
        assert settle(panel)["values"] == before
        press(panel.locator("[data-guess='next']"), by)
        panel.locator(f"[data-guess='{key}']").wait_for()
        following = rounds["stops"][rounds["stops"].index(before[rounds["name"]]) + 1]
        assert settle(panel)["values"] == {**before, rounds["name"]: following}


def press(button, by: str) -> None:
    if by == "touch":
        button.scroll_into_view_if_needed()
    {"mouse": button.click, "touch": button.tap, "keyboard": lambda: button.press("Enter")}[by]()


def only_a_game(panel) -> bool:
    """Whether there is nothing to move or to reset, but rounds to play on."""
    return [control["kind"] for control in spec_of(panel)["controls"]] == ["rounds"]


def move_everything(panel, rtol: float, only=None) -> None:
    """Move every control, or only some, by keyboard, and the first of each kind by mouse as well."""
    panel.scroll_into_view_if_needed()
    settle(panel)
    if only_a_game(panel):
        play(panel, "keyboard")
        return
    if panel.locator(".mb-all").is_visible():
        panel.locator(".mb-all").press("Enter")
    # A guess that was answered left its own case.
    panel.locator("[data-tool='Reset']").press("Enter")
    start, kinds = settle(panel), set()
    spec = spec_of(panel)
    compare(spec, start, rtol)
    for control in spec["controls"]:
        if only is not None and control["name"] not in only:
            continue
        # Another control may choose the stops that it has now.
        own = control.get("along", {}).get(str(start["values"].get(control.get("by"))))
        if own:
            control |= {**own, "stops": control["stops"][: len(own["labels"])]}
        # The track beside *Draw again* is too short to aim at each stop.
        aimed = control["kind"] not in kinds and not control.get("again")
        for by in ("keyboard", *["mouse"] * aimed):
            if control["kind"] == "rounds":
                play(panel, by)
            else:
                for stop in stops_to_visit(control, by):
                    move_and_compare(panel, control, stop, by, rtol)
        kinds.add(control["kind"])
        half = len(control["stops"]) // 2
        stop = control["stops"][half]
        if panel.locator(f"[data-control='{control['name']}'] .mb-typed").count():
            # Along what another control chose, the stops are places, and what is typed is their label.
            type_into(panel, control["name"], control["labels"][half] if "along" in control else repr(stop))
            compare_at(panel, control, stop, rtol)
        panel.locator("[data-tool='Reset']").click()
        assert settle(panel)["values"] == start["values"]


def own_of(panel, names) -> set[str]:
    start = f"{panel.get_attribute('id')}."
    return {name.removeprefix(start) for name in names if name.startswith(start)}


def tool(panel, name: str):
    """Open the menu of a panel and return one of its tools."""
    if panel.locator(".mb-toolbox:not([open])").count():
        panel.locator(".mb-toolbox > summary").click()
    return panel.locator(f"[data-tool='{name}']")


def save(panel, name: str, folder):
    """Press CSV or SVG and return the file that the browser saved."""
    with panel.page.expect_download() as caught:
        tool(panel, name).click()
    path = folder / caught.value.suggested_filename
    caught.value.save_as(path)
    return path
