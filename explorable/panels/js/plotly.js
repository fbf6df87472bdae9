// The plotting script, loaded once and only where a panel is drawn.
/** @import { PlotlyScript } from "./types" */
import { inflate } from "./pack.js";

/** @typedef {() => Promise<BlobPart>} LoadSource gives it, deflated, where it has no address */

// Only known while this script runs for the first time.
const current = globalThis.document?.currentScript;
/** The address of this script; none where it stands in the page itself. */
export const own = current && "src" in current ? current.src : "";

/** @type {Promise<PlotlyScript> | null} */
let ready = null;

/**
 * @callback SetUp
 * @param {HTMLScriptElement} script
 * @param {() => void} done
 * @param {(error: Error) => void} fail
 */

/** @param {SetUp} setUp */
function runScript(setUp) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    setUp(script, () => resolve(null), reject);
    document.head.append(script);
  });
}

/** @param {LoadSource | null} loadSource */
async function load(loadSource) {
  if (loadSource) {
    const text = new TextDecoder().decode(await inflate(await loadSource()));
    await runScript((script, done) => {
      script.textContent = text;
      queueMicrotask(done);
    });
  } else {
    const url = globalThis.mipbookPlotly ?? new URL("vendor/plotly-cartesian.min.js", own).href;
    await runScript((script, done, fail) => {
      script.src = url;
      script.onload = done;
      script.onerror = () =>
        fail(new Error("the plotting script vendor/plotly-cartesian.min.js is missing"));
    });
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
