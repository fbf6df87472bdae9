// Where a figure comes from: a table packed into the page, or a kernel.
/** @import { Answer, Ask, Control, Figure, Found, Link, Model } from "./types" */
/** @import { OwnFile, Request, Source, Spec, Value, Values } from "./types" */
import { cornersOf } from "./corners.js";
import { composed, revive, unpacked } from "./pack.js";
import { nearest } from "./values.js";

/** What a cancelled computation throws. */
export class Cancelled extends Error {
  constructor() {
    super("cancelled");
  }
}

/**
 * A static source looks each layer's state up in its packed table.
 * @param {Spec} spec
 * @param {string[]} blobs one a layer
 * @returns {Promise<Source>}
 */
export async function staticSource(spec, blobs) {
  const layers = await Promise.all(
    (spec.layers ?? []).map(async (names, i) => {
      if (spec.corners?.includes(i)) return cornersOf(blobs[i]);
      const table = await unpacked(blobs[i]);
      const controls = spec.controls.filter((control) => names.includes(control.name));
      return (/** @type {Values} */ values) => {
        let state = 0;
        for (const { name, stops } of controls) {
          state = state * stops.length + stops.indexOf(/** @type {any} */ (values[name]));
        }
        return table(state);
      };
    }),
  );
  const stop = (/** @type {Control} */ control, /** @type {number} */ value) =>
    /** @type {number} */ (control.stops[nearest(control, value)]);
  return {
    settle: (control, value) => (control.typed ? value : stop(control, value)),
    async figure(values) {
      /** @type {(Figure & { error?: string })[]} */
      const trees = layers.map((layer) => layer(values));
      const failed = trees.find((tree) => tree.error);
      if (failed) throw new Error(failed.error);
      return composed(trees);
    },
  };
}

/** @type {(a: unknown, b: unknown) => boolean} */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * A live source asks the kernel; only the reply to the newest request counts.
 * @param {Model} model
 * @param {Link} link
 * @returns {Source}
 */
export function liveSource(model, link) {
  /** @returns {Answer} */
  const answer = () => JSON.parse(model.get("answer"));

  /**
   * @param {number} number
   * @returns {Promise<Answer>}
   */
  function reply(number) {
    return new Promise((resolve) => {
      const look = () => {
        const now = answer();
        if (now.number < number) return false;
        model.off("change:answer", look);
        resolve(now);
        return true;
      };
      if (!look()) model.on("change:answer", look);
    });
  }

  // What was asked on a connection that broke may never have arrived.
  link.onReturn(() => {
    const request = model.get("request");
    if (answer().number < request.number) model.send({ again: request });
  });

  return {
    link,
    settle: (_, value) => value,
    // The file goes out with the next request, and only with that one.
    upload(name, text) {
      const number = (model.get("upload").number ?? 0) + 1;
      model.set("upload", { number, name, text });
      link.sending = true;
      return { upload: number, name };
    },
    // What the kernel says of the reader's file, also when no figure came of it.
    found: () => answer().file ?? null,
    textOf(value) {
      const { number, text } = model.get("upload");
      return number === value.upload ? (text ?? null) : null;
    },
    progress(callback) {
      const tell = () => {
        const now = model.get("progress");
        if (now.number === model.get("request").number) callback(now);
      };
      model.on("change:progress", tell);
      return () => model.off("change:progress", tell);
    },
    async figure(values) {
      // Two views of one model share their values, so a request may already be under way; one
      // that was cancelled or failed is asked anew.
      const last = answer();
      /** @type {Request} */
      let { number, values: asked } = model.get("request");
      if (!same(values, asked) || (last.number === number && !last.figure)) {
        number += 1;
        model.set("request", { number, values: { ...values } });
        model.save_changes();
      }
      const result = await reply(number);
      link.sending = false;
      if (result.cancelled) throw new Cancelled();
      if (result.error) throw new Error(result.error);
      return revive(result.figure);
    },
  };
}

// A source that sends all that a figure depends on with each request, a reader's file too: behind
// it nothing needs to be remembered, neither by a server nor by an engine in the page.

/**
 * A newer request ends the one before: only its answer counts.
 * @param {Ask} ask
 * @param {Link} [link]
 * @returns {Source & { cancel(): void }}
 */
export function askingSource(ask, link) {
  /** @type {{ number: number, name: string, text: string } | null} */
  let file = null;
  /** @type {Found | null} */
  let found = null;
  let current = new AbortController();

  /** @param {OwnFile} value */
  const textOf = (value) => (file && value.upload === file.number ? file.text : null);

  /** @param {Value} value */
  function sent(value) {
    if (typeof value !== "object") return value;
    const text = textOf(value);
    if (text === null) throw new Error("This file is no longer here; choose it again.");
    return { name: value.name, text, columns: value.columns ?? {} };
  }

  return {
    link,
    settle: (_, value) => value,
    upload(name, text) {
      file = { number: (file?.number ?? 0) + 1, name, text };
      return { upload: file.number, name };
    },
    found: () => found,
    textOf,
    cancel: () => current.abort(new Cancelled()),
    /** @param {Values} values */
    async figure(values) {
      current.abort(new Cancelled());
      const own = new AbortController();
      current = own;
      const all = Object.fromEntries(Object.entries(values).map(([k, v]) => [k, sent(v)]));
      const result = await ask(all, own.signal);
      if (own.signal.aborted) throw own.signal.reason;
      found = result.file ?? null;
      if (result.error) throw new Error(result.error);
      return revive(result.figure);
    },
  };
}
