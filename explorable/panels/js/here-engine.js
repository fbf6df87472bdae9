// Python in this page: one worker for all panels, loaded when a reader asks for it.
/** @import { Loading, Reply, Sent } from "./types" */
/** @import { Said } from "./worker/here.d.ts" */
import { own } from "./plotly.js";
import { Cancelled } from "./sources.js";

/** What the site keeps for its pages, if it does; a file's address can load none of it. */
export const offered = () =>
  own && location.protocol.startsWith("http") ? (globalThis.mipbookHere ?? null) : null;

const BROKEN = "Python could not be loaded into this page.";

export class Engine {
  constructor() {
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Promise<boolean> | null} whether it came to life, or was stopped before */
    this.ready = null;
    this.alive = false;
    /** @type {Set<(said: Said) => void>} */
    this.listeners = new Set();
    /** How who waits for the worker is told of its end. @type {Set<(why: Error) => void>} */
    this.ends = new Set();
    /** @type {Promise<unknown>} the question before the next one */
    this.turn = Promise.resolve();
  }

  /** Load it, once; false if somebody stopped that. */
  start() {
    this.ready ??= this.begun().catch((problem) => {
      if (problem instanceof Cancelled) return false;
      throw problem;
    });
    return this.ready;
  }

  async begun() {
    const worker = new Worker(new URL("mipbook-here-worker.js", own), { type: "module" });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.hear({ failed: BROKEN });
    };
    const told = offered();
    worker.postMessage({ start: { ...told, folder: new URL(told?.folder ?? "", own).href } });
    await this.heard((said) => said.ready);
    this.alive = true;
    return true;
  }

  /**
   * Wait for a message of the worker, or for its end.
   * @template T
   * @param {(said: Said) => T | undefined} wanted
   * @returns {Promise<T>}
   */
  async heard(wanted) {
    /** @type {(said: Said) => void} */
    let listener = () => {};
    /** @type {(why: Error) => void} */
    let end = () => {};
    try {
      return await new Promise((resolve, reject) => {
        end = reject;
        listener = (said) => {
          const found = wanted(said);
          if (found !== undefined) resolve(found);
        };
        this.listeners.add(listener);
        this.ends.add(end);
      });
    } finally {
      this.listeners.delete(listener);
      this.ends.delete(end);
    }
  }

  /** @param {Said} said */
  hear(said) {
    if (said.failed !== undefined) this.stop(new Error(said.failed));
    this.listeners.forEach((listener) => listener(said));
  }

  /**
   * End it at once, whatever it does; the next question starts another.
   * @param {Error} why
   */
  stop(why = new Cancelled()) {
    this.worker?.terminate();
    this.worker = null;
    this.ready = null;
    this.alive = false;
    this.ends.forEach((end) => end(why));
  }

  /**
   * One question at a time; one that is no longer wanted when its turn comes is not asked.
   * @param {string} call the figure function
   * @param {Sent} values
   * @param {AbortSignal} signal
   * @param {(now: Loading) => void} tell
   * @returns {Promise<Reply>}
   */
  ask(call, values, signal, tell) {
    const mine = this.turn.then(async () => {
      signal.throwIfAborted();
      if (!(await this.start())) throw new Cancelled();
      this.worker?.postMessage({ ask: { call, values: JSON.stringify(values) } });
      return this.heard(({ answer, progress }) => {
        if (progress) tell(progress);
        return answer;
      });
    });
    this.turn = mine.catch(() => {});
    return mine.then(JSON.parse);
  }
}

/** The one of this page. */
export const engine = new Engine();
