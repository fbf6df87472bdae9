// A slider with a box for typed numbers, or with a button that deals the next draw.
/** @import { Control, Host, Row, Taken, Value } from "./types" */
import { element, newId, tool } from "./dom.js";
import { noticeOf } from "./notice.js";
import { powered, spoken, withSymbols } from "./symbols.js";
import { accepted, labelOf, named, nearest, position, readNumber } from "./values.js";

// So few stops have a mark each.
const TICKS = 16;

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function sliderRow(control, panel) {
  const id = newId();
  const own = () => named(control, panel.values);
  const max = control.stops.length - 1;
  const range = element("input", { type: "range", id, min: 0, max, step: 1, class: "mb-range" });
  const typed = element("input", {
    type: "text",
    inputmode: "decimal",
    class: "mb-typed",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `${spoken(control.label)}, type a value`,
  });
  const notice = noticeOf(control, panel);
  range.addEventListener("input", () => {
    // A typed value may stand between two stops; a drag or a key goes back to the stops.
    const index = Math.round(Number(range.value));
    range.step = "1";
    player?.stop();
    panel.set(control.name, control.stops[index]);
  });

  /** @param {...(string | Node)} parts */
  function refuse(...parts) {
    typed.setAttribute("aria-invalid", "true");
    notice.say(parts, undefined, true);
  }

  /** @param {Taken} found */
  function take(found) {
    if (found.value === undefined) {
      refuse(found.message ?? "");
      return;
    }
    notice.hide();
    panel.set(control.name, found.value);
    if (found.note) notice.say([found.note], found.wanted);
  }

  // Thousands or decimals? Only the reader knows.
  /** @param {number} value */
  function readingButton(value) {
    const onclick = () => {
      typed.focus();
      take(accepted(control, value, panel.source));
    };
    const attributes = { type: "button", class: "mb-tool", "data-reading": value, onclick };
    return element("button", attributes, String(value));
  }

  // JupyterLab takes the Enter key for itself, so the box hears it first, and each text once.
  /** @type {string | null} */
  let heard = null;
  typed.addEventListener("input", () => {
    heard = null;
  });
  typed.addEventListener("change", () => {
    if (typed.value !== heard) read();
  });
  typed.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.stopPropagation();
    read();
    heard = typed.value;
  });

  // What is typed is a value of what another control chose; the panel holds its place.
  /** @param {number | undefined} value */
  function takePlace(value) {
    const { labels, start } = own();
    const shown = { ...control, stops: labels.map(Number), labels, start, log: true };
    const found = accepted(shown, value, panel.source);
    if (found.value !== undefined) found.value = nearest(shown, found.value);
    take(found);
  }

  function read() {
    const { value, readings } = readNumber(typed.value, control.whole);
    if (control.along) {
      takePlace(value ?? Number(typed.value));
      return;
    }
    if (!readings) {
      take(accepted(control, value, panel.source));
      return;
    }
    const [first, second] = readings.map(readingButton);
    refuse(`Does ${typed.value.trim()} mean `, first, " or ", second, "?");
  }

  /** @param {Value} value */
  function show(value) {
    if (control.along) showAlong();
    const index = control.stops.indexOf(/** @type {any} */ (value));
    range.step = index >= 0 ? "1" : "any";
    range.value = String(index >= 0 ? index : position(control, Number(value)));
    const { labels } = own();
    const text = powered(labels[Math.min(index, labels.length - 1)] ?? labelOf(control, value));
    dealt.textContent = `${index + 1} of ${max + 1}`;
    range.setAttribute("aria-valuetext", spoken(`${text} ${control.unit}`.trim()));
    typed.value = text;
    // What was refused is no longer written there.
    if (typed.getAttribute("aria-invalid")) notice.hide();
    typed.removeAttribute("aria-invalid");
    notice.show(value);
  }

  // The stops are others, and the one where the choice starts is marked.
  function showAlong() {
    const { labels, start } = own();
    range.max = String(labels.length - 1);
    ticks.replaceChildren(
      ...labels.map((_, i) => element("i", { class: i === start ? "mb-start" : null })),
    );
  }

  function deal() {
    const now = nearest(control, panel.values[control.name]);
    player?.stop();
    panel.glide();
    panel.set(control.name, control.stops[(now + 1) % control.stops.length]);
  }

  const player = control.play ? playButton(control, panel) : null;
  const marks = max < TICKS ? control.stops.map(() => element("i", {})) : [];
  const ticks = element("span", { class: "mb-ticks", "aria-hidden": "true" }, ...marks);
  const unit = control.unit ? element("span", { class: "mb-unit" }, control.unit) : null;
  const { again } = control;
  const words = withSymbols(control.label);
  // Which of the draws it is.
  const dealt = element("span", { class: "mb-unit", "aria-hidden": "true" });
  if (again) range.setAttribute("aria-label", spoken(control.label));
  const row = element(
    "div",
    { class: `mb-row mb-control${again ? " mb-again" : ""}`, "data-control": control.name },
    again ? tool(control.label, deal) : element("label", { for: id }, ...words),
    element("span", { class: "mb-track" }, range, ticks),
    element("span", { class: "mb-value" }, player?.button, again ? dealt : typed, unit),
    notice.node,
  );
  const remark = (/** @type {Taken} */ found) =>
    notice.say([found.note ?? found.message ?? ""], found.wanted, !found.note);
  return { row, show, remark, reset: () => player?.stop() };
}

// Playing a control: it goes from stop to stop by itself until the end, or until it is stopped. All
// of a state comes before the next one; whole numbers, if few, are cases, each to be looked at.

const [NEXT_IN, LOOKED_AT, CASES] = [100, 1100, 20];

/**
 * A button that plays; with reduced motion each press is one step.
 * @param {Control} control
 * @param {Host} panel
 */
function playButton(control, panel) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = control.stops.length - 1;
  const stays = control.stepped && last < CASES ? LOOKED_AT : NEXT_IN;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Value | undefined} where it went last */
  let went;
  const attributes = { type: "button", class: "mb-play", onclick: press };
  const button = element("button", attributes);

  function say() {
    const word = timer !== undefined ? "Pause" : still.matches ? "Step" : "Play";
    button.textContent = timer !== undefined ? "\u275a\u275a" : "\u25b6\ufe0e";
    button.setAttribute("aria-label", `${word} ${spoken(control.label)}`);
  }

  function stop() {
    clearTimeout(timer);
    timer = undefined;
    went = undefined;
    say();
  }

  async function step() {
    const [at, begun] = [panel.values[control.name], timer];
    const now = nearest(control, at);
    // A link in the text has moved it.
    if (went !== undefined && went !== at) {
      stop();
      return;
    }
    panel.glide(true);
    went = control.stops[Math.min(now + 1, last)];
    await panel.set(control.name, went);
    if (now + 1 >= last) stop();
    else if (begun !== undefined && timer === begun) timer = setTimeout(step, stays);
  }

  function press() {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (nearest(control, panel.values[control.name]) >= last) {
      panel.set(control.name, control.stops[0]);
    }
    if (still.matches) void step();
    else timer = setTimeout(step, NEXT_IN);
    say();
  }

  say();
  return { button, stop };
}
