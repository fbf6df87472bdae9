// The plotting script, loaded once and only where a panel is drawn.
/** @import { PlotlyScript } from "./types" */
import { element } from "./dom.js";
import { inflate } from "./pack.js";

/** @typedef {() => Promise<BlobPart>} LoadSource gives it, deflated, where it has no address */

// Only known while this script runs for the first time.
const current = globalThis.document?.currentScript;
/** The address of this script; none where it stands in the page itself. */
export const own = current && "src" in current ? current.src : "";

/** @type {Promise<PlotlyScript> | null} */
let ready = null;

/**
 * Run a script; with its element, in which it may have put something.
 * @param {string} src
 * @param {string} what it has
 * @returns {Promise<HTMLScriptElement & { layers?: string[] }>}
 */
export function scriptAt(src, what) {
  return new Promise((resolve, reject) => {
    const onload = () => resolve(script);
    const onerror = () => reject(new Error(`${what} is missing: ${src}`));
    const script = element("script", { src, onload, onerror });
    document.head.append(script);
  });
}

/** @param {LoadSource | null} loadSource */
async function load(loadSource) {
  if (loadSource) {
    const text = new TextDecoder().decode(await inflate(await loadSource()));
    document.head.append(element("script", {}, text));
  } else {
    const src = globalThis.mipbookPlotly ?? new URL("vendor/plotly.min.js", own).href;
    await scriptAt(src, "the plotting script");
  }
  return /** @type {PlotlyScript} */ (globalThis.Plotly);
}

/** Words are measured in the face that they will have; a page may have none of its own. */
async function face() {
  await document.fonts?.load(`1rem ${SANS}`, "aε").catch(() => []);
}

/** @param {LoadSource | null} loadSource */
export function plotly(loadSource) {
  const script = () => globalThis.Plotly ?? load(loadSource);
  ready ??= Promise.all([script(), face()]).then(([found]) => found);
  return ready;
}
