// The line below a panel's controls that brings Python into the page, and sends it away again.
/** @import { Host, Taken, Values } from "./types" */
/** @import { Said } from "./worker/here.d.ts" */
import { element, tool } from "./dom.js";
import { typable } from "./here.js";
import { accepted, isScale } from "./values.js";

const OFFER = "Compute exactly here";
const STORED = "Back to the stored states";
const STOP = "Stop loading";
const DONE = "Computed in this browser; nothing was sent.";

/** @param {number} bytes */
const megabytes = (bytes) => Math.max(1, Math.round(bytes / 1e6));

/**
 * What the page holds in the place of values that only Python draws, with notes on both.
 * @param {Host} panel
 */
function stored(panel) {
  /** @type {Values} */
  const values = {};
  /** @type {Record<string, Taken>} */
  const notes = {};
  for (const control of panel.spec.controls) {
    const { name, stops } = control;
    const value = panel.values[name];
    const known = stops.includes(/** @type {any} */ (value));
    if (!known && isScale(control) && typeof value === "number") {
      const found = accepted(control, value, panel.source);
      values[name] = found.value ?? stops[control.start];
      notes[name] = found;
    } else values[name] = known ? value : stops[control.start];
  }
  return { values, notes };
}

/**
 * Nothing where a panel cannot have it.
 * @param {Host} panel
 */
export function hereBar(panel) {
  const { here } = panel.source;
  if (!here) return null;
  const numbers = panel.spec.controls.some(typable);
  const price = `Loads Python, ${megabytes(here.bytes)} MB, into this page; nothing is sent.`;
  const text = element("span", {});
  const far = element("span", { "aria-hidden": "true" });
  const words = element("span", { role: "status" }, text, far);
  const button = tool(OFFER, async () => {
    if (here.loading) here.stop();
    else if (here.on) {
      here.turn(false);
      const { values, notes } = stored(panel);
      panel.retake(values, notes);
    } else if (await here.load().catch(() => false)) {
      here.turn(true);
      panel.retake(panel.values, {});
    }
  });

  // A word that stays is not said again; how far it is, is not for the ears.
  const show = () => {
    const { loading, on, answered, problem, bytes } = here;
    const rests = on ? "" : price;
    const said = loading ? "Loading Python" : problem || (answered ? DONE : rests);
    if (text.textContent !== said) text.textContent = said;
    far.textContent = loading ? `, 0 of ${megabytes(bytes)} MB` : "";
    button.textContent = loading ? STOP : on ? STORED : OFFER;
    button.hidden = !(numbers || loading || on);
    words.className = answered ? "mb-badge" : problem ? "mb-invalid" : "mb-note";
  };
  here.watch((/** @type {Said} */ { loading: now }) => {
    if (!now || !here.loading) return;
    far.textContent = `, ${Math.round(now.done / 1e6)} of ${megabytes(now.total)} MB`;
  }, show);
  show();
  return element("div", { class: "mb-here" }, button, words);
}

/**
 * The button in a notice: the value that the page does not hold, computed.
 * @param {Host} panel
 * @param {string} name
 * @param {number} wanted
 */
export function hereButton(panel, name, wanted) {
  const { here } = panel.source;
  if (!here) return null;
  const button = tool("Compute it here", async () => {
    const row = button.closest("[data-control]");
    button.disabled = true;
    const there = await here.load().catch(() => false);
    button.disabled = false;
    if (!there) return;
    here.turn(true);
    panel.retake({ ...panel.values, [name]: wanted }, {});
    /** @type {HTMLElement | null | undefined} */ (row?.querySelector(".mb-typed"))?.focus();
  });
  return button;
}
