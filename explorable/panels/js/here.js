// The source of a published panel: the states that the page holds or, where a reader asks for it,
// Python in this page.
/** @import { Control, Here, Progress, Source, Spec } from "./types" */
import { messageOf } from "./dom.js";
import { engine, offered } from "./here-engine.js";
import { NO_LINK } from "./link.js";
import { Cancelled, askingSource } from "./sources.js";

/**
 * Whether a control takes numbers between its stops where they can be computed.
 * @param {Control} control
 */
export const typable = ({ low, stepped }) => low !== null && !stepped;

/** What a reader may ask of Python, and sees of it. @param {number} bytes */
function hereOf(bytes) {
  const changed = new EventTarget();
  /** @type {Here} */
  const here = {
    on: false,
    loading: false,
    answered: false,
    problem: "",
    bytes,
    async load() {
      if (engine.alive) return true;
      here.change({ loading: true, problem: "" });
      let problem = "";
      try {
        return await engine.start();
      } catch (error) {
        problem = messageOf(error);
        throw error;
      } finally {
        here.change({ loading: false, problem });
      }
    },
    stop: () => engine.stop(),
    turn: (on) => here.change({ on, answered: on && here.answered }),
    change(now) {
      Object.assign(here, now);
      changed.dispatchEvent(new Event("change"));
    },
    watch(heard, shown) {
      engine.listeners.add(heard);
      changed.addEventListener("change", shown);
    },
  };
  return here;
}

/**
 * `fixed` as it is where the site has no Python for its pages, or the panel no use of it.
 * @param {Source} fixed
 * @param {Spec} spec
 * @returns {Source}
 */
export function hereSource(fixed, spec) {
  const { call, controls } = spec;
  const told = offered();
  if (!told || !call || !controls.some((c) => c.kind === "file" || typable(c))) return fixed;
  const here = hereOf(told.bytes);
  /** @type {Set<(now: Progress) => void>} */
  const waiting = new Set();
  const asking = askingSource(async (values, signal) => {
    if (!(await here.load())) throw new Cancelled();
    const tell = (/** @type {import("./types").Loading} */ now) =>
      waiting.forEach((hear) => hear({ number: 0, ...now }));
    return engine.ask(call, values, signal, tell);
  });

  return {
    ...asking,
    here,
    // Who stops a computation stops Python with it: nothing else ends a step of compiled code.
    link: { ...NO_LINK, cancel: async () => engine.stop() },
    settle: (control, value) => (here.on ? asking : fixed).settle(control, value),
    found: () => (here.on ? (asking.found?.() ?? null) : null),
    progress(hear) {
      waiting.add(hear);
      return () => waiting.delete(hear);
    },
    upload(name, text) {
      here.turn(true);
      return /** @type {Required<Source>} */ (/** @type {unknown} */ (asking)).upload(name, text);
    },
    async figure(values) {
      if (!here.on) return fixed.figure(values);
      try {
        const figure = await asking.figure(values);
        here.change({ answered: true });
        return figure;
      } catch (problem) {
        // Stopped before there was anything to see: all is as it was.
        if (problem instanceof Cancelled && !here.answered && !here.loading) here.turn(false);
        throw problem;
      }
    },
  };
}
