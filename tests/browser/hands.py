"""What a hand finds on a panel: whether it fits, stays still, can be held and can be read."""

from driver import middle, pull, settle, spec_of, wait_until

EXTENT = """(root) => {
  const boxes = [".mb-controls", ".mb-plot", ".mb-headline", ".mb-sentence"]
    .map((name) => root.querySelector(name)).filter((node) => node && node.offsetParent)
    .filter((node) => getComputedStyle(node).order < 4) // the rest follows all controls
    .map((node) => node.getBoundingClientRect());
  return Math.max(...boxes.map((b) => b.bottom)) - Math.min(...boxes.map((b) => b.top));
}"""

# More than two pixels of a letter are missed.
BEYOND = """(root) => [...root.querySelectorAll(".mb-plot .main-svg")].flatMap((picture) => {
  const edge = picture.getBoundingClientRect();
  const cut = (node) => {
    const { left, right, top, bottom, width } = node.getBoundingClientRect();
    return width && (left < edge.left - 2 || right > edge.right + 2
      || top < edge.top - 2 || bottom > edge.bottom + 2);
  };
  return [...picture.querySelectorAll("text")].filter(cut).map((node) => node.textContent);
}).filter((text) => text.trim())"""

# Each slider to its ends and its middle, the others at their start.
HEIGHTS = """async (root) => {
  const settled = () => new Promise((done) => {
    const look = () => root.dataset.settled !== "no" ? requestAnimationFrame(done)
      : setTimeout(look, 5);
    look();
  });
  const found = {};
  for (const control of root.panel.spec.controls.filter((c) => c.kind === "slider")) {
    const last = control.stops.length - 1;
    for (const stop of [0, last, Math.round(last / 2), control.start]) {
      root.panel.set(control.name, control.stops[stop]);
      await settled();
      // What is refused says why, in place of nothing.
      if (root.classList.contains("mb-failed")) continue;
      found[`${control.name} = ${control.labels[stop]}`] = root.offsetHeight;
    }
  }
  return found;
}"""


def extent(panel) -> float:
    """Return the pixels from the first control, or the picture, to the end of the sentence beside it."""
    panel.page.evaluate("scrollTo(0, 0)")  # a picture that sticks would seem elsewhere
    return float(panel.evaluate(EXTENT))


def beyond(panel) -> list[str]:
    """Return the words that the edge of the picture cuts."""
    return list(dict.fromkeys(panel.evaluate(BEYOND)))


def hops(panel) -> list[str]:
    """Return the stops of sliders that change the height of the panel."""
    start = panel.evaluate("(root) => root.offsetHeight")
    found = panel.evaluate(HEIGHTS).items()
    # One pixel is what rounding makes of the same height.
    return [f"{stop}: {h} px, not {start}" for stop, h in found if abs(h - start) > 1]


def hold_handles(panel) -> int:
    """Move what each handle in the picture holds, by keys and by mouse; return how many."""
    panel.scroll_into_view_if_needed()
    for door in panel.get_by_role("button", name="Show all controls").all():
        door.click()
    handles = panel.locator(".mb-handle:visible").all()
    for handle in handles:
        name = handle.get_attribute("data-grab")
        (stops,) = (c["stops"] for c in spec_of(panel)["controls"] if c["name"] == name)
        assert handle.get_attribute("aria-label"), f"{name}: a handle without a name"
        handle.focus()
        for key, stop in (("Home", stops[0]), ("ArrowRight", stops[1]), ("End", stops[-1])):
            panel.page.keyboard.press(key)
            assert settle(panel)["values"][name] == stop, f"{name} by {key}"
        assert handle.is_visible(), f"{name}: its handle is gone at its end"
        far = middle(handle)
        panel.page.keyboard.press("Home")
        settle(panel)
        pull(panel.page, middle(handle), far)
        assert settle(panel)["values"][name] != stops[0], f"{name} by mouse stays"
        panel.locator("[data-tool='Reset']").click()
        settle(panel)
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
        wait_until(panel.page, "!!document.querySelector('.hoverlayer .hovertext')", seconds=10)
        panel.page.wait_for_timeout(150)
        told.append(probe.get_attribute("aria-valuetext"))
    panel.page.keyboard.press("Escape")
    return told
