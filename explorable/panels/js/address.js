// The state of a panel in the page's address.
/** @import { Columns, Control, Host, Link, Source, Spec, Taken, Values } from "./types" */
import { copied, pause, tool } from "./dom.js";
import { LOST, POLL } from "./link.js";
import { accepted, isScale, readNumber } from "./values.js";

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
  const done = await copied(link.href);
  button.textContent = done ? "Link copied" : "Link is in the address bar";
  setTimeout(() => {
    button.textContent = "Copy link";
  }, 2000);
}

// Start the page again: its address holds the settings, the tab's own store a reader's file.

const RESTARTS = "mipbook-restarts";
const KEPT = "mipbook-kept-file";

function mayRestart() {
  /** @type {number[]} */
  const all = JSON.parse(sessionStorage.getItem(RESTARTS) ?? "[]");
  const recent = all.filter((at) => Date.now() - at < 120_000);
  if (recent.length >= 3) return false;
  sessionStorage.setItem(RESTARTS, JSON.stringify([...recent, Date.now()]));
  return true;
}

/** The address is what stays of the settings. */
function reload() {
  writeAddress();
  location.reload();
}

let restarting = false;

/**
 * A page that is loaded while its server is down is lost for good, so that is asked first. There
 * is time to read why, and a page that nobody looks at waits until somebody does.
 * @param {Link} link
 */
async function restart(link) {
  if (restarting || !mayRestart()) return;
  restarting = true;
  do await pause(POLL);
  while (document.hidden || !(await link.reachable()));
  reload();
}

/**
 * @param {Host} panel
 * @param {Control} control
 */
const keyOf = (panel, control) => `${KEPT}.${panel.spec.id}.${control.name}`;

/** For a page that starts again. @param {Host} panel */
export function keepAll(panel) {
  noteAddress(panel.spec, panel.values);
  for (const control of panel.spec.controls.filter((c) => c.kind === "file")) {
    const value = panel.values[control.name];
    if (typeof value !== "object") continue;
    const text = panel.source.textOf?.(value);
    if (text === null || text === undefined) continue;
    try {
      const kept = { name: value.name, columns: value.columns, text };
      sessionStorage.setItem(keyOf(panel, control), JSON.stringify(kept));
    } catch {
      // A file too large for the tab's store has to be chosen again.
    }
  }
}

/**
 * The file that was kept, once.
 * @param {Host} panel
 * @param {Control} control
 * @returns {{ name: string, text: string, columns?: Columns } | null}
 */
export function keptFile(panel, control) {
  const key = keyOf(panel, control);
  const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
  sessionStorage.removeItem(key);
  return kept;
}

/**
 * Say that the server forgot the panel, and start the page again when it may be.
 * @param {Host & { lost: HTMLElement, source: { link?: Link } }} panel
 */
export function startAgain(panel) {
  const again = tool("Start again", () => {
    keepAll(panel);
    reload();
  });
  panel.lost.replaceChildren(LOST.gone, " ", again);
  keepAll(panel);
  if (panel.source.link) restart(panel.source.link);
}
