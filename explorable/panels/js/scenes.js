// What a figure plays: steps in which some of its marks stand elsewhere, and what a game leaves out
// while it begins.
/** @import { Figure, Scene, Trace } from "./types" */

/** How long a step stays while a game begins, in milliseconds. */
export const STAYS = 700;

/**
 * What is played before a figure is seen, or after the reader has answered.
 * @param {Figure} figure
 * @param {boolean} revealed
 */
export const scenesOf = ({ layout: { meta = {} } }, revealed) =>
  (revealed ? meta.after : meta.before) ?? [];

/**
 * A figure whose marks stand as some scenes leave them.
 * @param {Figure} figure
 * @param {Scene[]} scenes
 */
export function inScenes({ data, layout }, scenes) {
  const at = (/** @type {Trace} */ { name = "" }) => scenes.map(({ marks }) => marks[name] ?? {});
  return { data: data.map((trace) => Object.assign({}, trace, ...at(trace))), layout };
}

/**
 * A figure as a game begins: without what it says is for later.
 * @param {Figure} figure
 */
export function beginning({ data, layout }) {
  const later = layout.meta?.later ?? [];
  const unseen = { opacity: 0, hoverinfo: "skip", hovertemplate: undefined };
  const seen = data.map((t) => (later.includes(t.name ?? "") ? { ...t, ...unseen } : t));
  return { data: seen, layout: { ...layout, meta: { ...layout.meta, grab: [] } } };
}
