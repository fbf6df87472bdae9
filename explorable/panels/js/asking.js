// A source that sends all that a figure depends on with each request, a reader's file too: behind
// it nothing needs to be remembered, neither by a server nor by an engine in the page.
/** @import { Ask, Found, Link, OwnFile, Source, Value, Values } from "./types" */
import { revive } from "./pack.js";
import { Cancelled } from "./sources.js";

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
