// Start the page again: its address holds the settings, the tab's own store a reader's file.
/** @import { Columns, Control, Host, Link } from "./types" */
import { noteAddress, writeAddress } from "./address.js";
import { pause, tool } from "./dom.js";
import { LOST, POLL } from "./link.js";

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
