// Laying the layers of a figure over each other; `explorable/panels/layers.py` does the same.
/** @import { Figure, Layout } from "./types" */

// Each layer adds its own of these.
const LISTS = ["annotations", "shapes", "grab", "probe", "table"];
/** @type {("headline" | "sentence" | "alt")[]} */
const FILLED = ["headline", "sentence", "alt"];

/** @type {(value: unknown) => boolean} */
const isTree = (value) =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);

/**
 * @param {any} old
 * @param {any} given
 * @returns {any}
 */
function merged(old, given) {
  const result = { ...old };
  for (const [key, value] of Object.entries(given)) {
    if (isTree(value) && isTree(result[key])) result[key] = merged(result[key], value);
    else if (LISTS.includes(key) && result[key]) result[key] = [...result[key], ...value];
    else result[key] = value;
  }
  return result;
}

/**
 * @param {Figure[]} trees the lowest layer first
 * @returns {Figure}
 */
export function composed(trees) {
  const data = trees.flatMap((tree) => tree.data ?? []);
  /** @type {Layout} */
  const layout = trees.reduce((all, tree) => merged(all, tree.layout ?? {}), {});
  const { words, ...meta } = layout.meta ?? {};
  /** @type {(text: string) => string} */
  const filled = (text) => text.replace(/\{(\w+)\}/g, (all, key) => words?.[key] ?? all);
  for (const name of FILLED) {
    if (meta[name]) meta[name] = filled(meta[name]);
  }
  for (const [name, text] of Object.entries(meta.replies ?? {})) {
    meta.replies = { ...meta.replies, [name]: filled(text) };
  }
  return { data, layout: { ...layout, meta } };
}
