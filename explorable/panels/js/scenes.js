// What a figure plays: steps in which some of its marks stand elsewhere, and what a game leaves out
// while it begins.
/** @import { Figure, Scene, Trace } from "./types" */
/** @import { Drawn } from "./motion.js" */
/** @import { Panel } from "./panel.js" */
/** @import { Picture } from "./picture.js" */
import { pause } from "./dom.js";
import { glide } from "./motion.js";

/** How long a step stays while a game begins, in milliseconds. */
const STAYS = 700;

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

/**
 * Move through what a figure plays, to where it stays.
 * @param {Picture} picture
 * @param {Scene[]} scenes
 * @param {(frame: Drawn) => Promise<unknown>} show
 * @param {() => boolean} isOn whether nothing else is to be shown meanwhile
 */
export async function play(picture, scenes, show, isOn) {
  const whole = scenes.map((_, i) => scenes.slice(0, i + 1));
  if (!picture.revealed || !whole.length) whole.push([]);
  // Who has seen it once waits no longer than it takes to see who is drawn, and what comes out.
  const steps = picture.played ? whole.filter((_, i) => i < 2 || i + 1 === whole.length) : whole;
  for (const [i, step] of steps.entries()) {
    const say = step.at(-1)?.say;
    if (say) picture.say(say);
    const { data, layout } = /** @type {any} */ (picture.plot);
    const { all } = picture.staged(step);
    await glide({ data, layout }, all, show, isOn);
    if (!isOn()) return;
    await show(all);
    if (picture.alone && !picture.played && say && i + 1 < steps.length) await pause(STAYS);
  }
  picture.played ||= !picture.revealed && scenes.length > 1;
}

/**
 * Show a game and nothing else, or all of its panel.
 * @param {Panel} panel
 * @param {boolean} alone
 * @param {number | null} come how many of the other controls have come, if not all
 */
export function setAlone({ picture, root, shownValues }, alone, come) {
  const body = /** @type {HTMLElement | null} */ (root.querySelector(".mb-body"));
  if (come === null) delete body?.dataset.come;
  else if (body) body.dataset.come = `${come}`;
  if (alone === picture.alone) return;
  picture.alone = alone;
  body?.toggleAttribute("data-alone", alone);
  if (shownValues) picture.refit();
}
