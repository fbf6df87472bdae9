// The worker of a page: Python, which answers panels as a kernel does. It reads one folder of the
// site itself, and no other address.
/** @import { Ask, Said, Start } from "./here.d.ts" */

const say = (/** @type {Said} */ said) => postMessage(said);
const QUIET = { messageCallback: () => {}, errorCallback: () => {} };
const CUT = "Python stopped in this page";

/** @type {any} */
let python = null;
/** @type {(...values: unknown[]) => string} */
let answer;
/** @type {Promise<unknown>} what it does now */
let last = Promise.resolve();

/**
 * Let the worker read below one folder only, and count what comes.
 * @param {Start} start
 */
function confine({ folder, bytes }) {
  const outside = globalThis.fetch.bind(globalThis);
  let done = 0;
  let told = -1;
  /** @param {number} size */
  function count(size) {
    done += size;
    const now = Math.floor(done / 1e6);
    if (now !== told) say({ loading: { what: "Python", done, total: Math.max(bytes, done) } });
    told = now;
  }
  globalThis.fetch = async (input, options) => {
    const url = new URL(input instanceof Request ? input.url : input, folder);
    if (!url.href.startsWith(folder)) throw new TypeError(`${url.href} is not read from here`);
    const found = await outside(url, options).catch(() => Response.error());
    if (!found.ok) {
      const problem = new Error(`${url.pathname} could not be read (${found.status})`);
      // Who loads Python does not always tell.
      if (!answer) say({ failed: `${CUT}: ${problem.message}` });
      throw problem;
    }
    const counted = new TransformStream({
      transform(chunk, sink) {
        count(chunk.length);
        sink.enqueue(chunk);
      },
    });
    const { status, headers } = found;
    return new Response(found.body?.pipeThrough(counted), { status, headers });
  };
  // What else could carry a file away is not there.
  for (const name of ["XMLHttpRequest", "WebSocket", "EventSource", "WebTransport"]) {
    Reflect.deleteProperty(globalThis, name);
  }
}

/** Whether the server's rules allow it; who loads Python would wait for ever. */
function mayRun() {
  try {
    return Boolean(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
  } catch {
    return false;
  }
}

/** @param {Start} start */
async function load(start) {
  if (!mayRun()) throw new Error("the server does not let its pages run it.");
  confine(start);
  const { folder, packages } = start;
  const { loadPyodide } = await import(`${folder}pyodide.mjs`);
  const lock = await (await fetch(`${folder}pyodide-lock.json`)).json();
  // Figures need little of what our package may need; the rest comes when it is imported.
  lock.packages.mipbook.depends = [];
  const quiet = { stdout: () => {}, stderr: () => {} };
  const from = { indexURL: folder, packageBaseUrl: folder, lockFileContents: lock };
  python = await loadPyodide({ ...from, ...quiet });
  await python.loadPackage(packages, QUIET);
  answer = python.pyimport("explorable.panels.reply").answer;
  say({ ready: true });
}

/** @param {Ask} ask */
async function reply({ call, values }) {
  const tell = (/** @type {[string, number, number]} */ ...[what, done, total]) =>
    say({ progress: { what, done, total } });
  let absent = "";
  for (;;) {
    const text = answer(call, values, tell, absent);
    const missing = /^\{"missing": "([\w.]+)"\}$/.exec(text)?.[1];
    if (!missing) {
      say({ answer: text });
      return;
    }
    // A figure may need a package that few figures need; what the site does not have, Python says.
    await python.loadPackagesFromImports(`import ${missing}`, QUIET);
    absent = missing;
  }
}

/**
 * Of a traceback its last line.
 * @param {unknown} problem
 */
function wordsOf(problem) {
  const said = problem instanceof Error ? problem.message : String(problem);
  return said.trim().split("\n").pop();
}

globalThis.onmessage = ({ data }) => {
  const job = data.start ? load(data.start) : last.then(() => reply(data.ask));
  last = job.catch((problem) => say({ failed: `${CUT}: ${wordsOf(problem)}` }));
};
