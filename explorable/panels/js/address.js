// The state of a panel in the page's address.
/** @import { Source, Spec, Taken, Values } from "./types" */
import { readNumber } from "./numbers.js";
import { accepted, isScale } from "./values.js";

/** Whether the address is the book's or an app's; a notebook's own belongs to JupyterLab. */
export function addressIsOurs() {
  const d = document.body.dataset;
  const jupyter = "jpThemeLight" in d || document.getElementById("jupyter-config-data") !== null;
  return d.voila === "voila" || !jupyter;
}

/**
 * The values that an address asks for, and notes on those that it cannot have.
 * @param {Spec} spec
 * @param {Pick<Source, "settle">} source
 * @param {string} search the address from its question mark on
 */
export function askedFor(spec, source, search) {
  /** @type {Values} */
  const values = {};
  /** @type {Record<string, Taken>} */
  const notes = {};
  const query = new URLSearchParams(search);
  for (const control of spec.controls) {
    const text = query.get(`${spec.id}.${control.name}`);
    if (text === null) continue;
    const i = control.labels.indexOf(text);
    const said = `The address asks for ${text.slice(0, 40)}`;
    if (i >= 0) values[control.name] = control.stops[i];
    else if (isScale(control)) {
      const found = accepted(control, readNumber(text, control.whole).value, source);
      if (found.value !== undefined) values[control.name] = found.value;
      if (found.message) notes[control.name] = { message: `${said}. ${found.message}` };
      else if (found.note) notes[control.name] = found;
    } else if (control.kind !== "rounds") {
      notes[control.name] = { message: `${said}, which is no choice here.` };
    }
  }
  return { values, notes };
}

/**
 * The address that asks for these values; what stands at its start is left out.
 * @param {Spec} spec
 * @param {Values} values
 * @param {string} href
 */
export function addressOf(spec, values, href) {
  const url = new URL(href);
  for (const control of spec.controls) {
    const key = `${spec.id}.${control.name}`;
    const value = values[control.name];
    // A reader's file is nobody else's: the address leaves it out.
    if (value === control.stops[control.start] || typeof value === "object") {
      url.searchParams.delete(key);
    } else {
      const i = control.stops.indexOf(value);
      url.searchParams.set(key, i >= 0 ? control.labels[i] : String(value));
    }
  }
  return url.href;
}

/**
 * @param {Spec} spec
 * @param {Source} source
 */
export function readAddress(spec, source) {
  return askedFor(spec, source, addressIsOurs() ? location.search : "");
}

// A browser allows a hundred changes in half a minute, and looks for the page's icon at each: what
// panels show is written when the hand rests.
const REST = 400;
/** @type {Map<string, { spec: Spec, values: Values }>} */
const unwritten = new Map();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting;

/** Let the address say at once what all panels show. */
export function writeAddress() {
  clearTimeout(resting);
  let { href } = location;
  for (const { spec, values } of unwritten.values()) href = addressOf(spec, values, href);
  unwritten.clear();
  if (href !== location.href) history.replaceState(history.state, "", href);
}

/**
 * @param {Spec} spec
 * @param {Values} values
 */
export function noteAddress(spec, values) {
  if (!addressIsOurs()) return;
  unwritten.set(spec.id, { spec, values });
  clearTimeout(resting);
  resting = setTimeout(writeAddress, REST);
}

/**
 * @param {Spec} spec
 * @param {Values} values
 * @param {HTMLElement} button the one that was pressed; it says how it went
 */
export async function copyLink(spec, values, button) {
  noteAddress(spec, values);
  writeAddress();
  const link = new URL(location.href);
  link.hash = spec.id;
  try {
    await navigator.clipboard.writeText(link.href);
    button.textContent = "Link copied";
  } catch {
    button.textContent = "Link is in the address bar";
  }
  setTimeout(() => {
    button.textContent = "Copy link";
  }, 2000);
}
