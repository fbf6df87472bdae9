// Moving from one picture to the next: marks of one name and length keep their identity.
/** @import { Panel } from "./panel.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Figure, Layout, Scene, Told, Trace } from "./types" */
import { pause } from "./dom.js";

/** How long a move takes, in milliseconds. */
const LASTS = 400;
// Where the window draws nothing, time goes on.
const LATE = 100;

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @typedef {{ data: Trace[], layout: Layout }} Drawn */

const FIRST = /\d(?:[\d.,]*\d)?/;
const isNumber = (/** @type {unknown} */ v) => typeof v === "number" && Number.isFinite(v);
/** @param {any} v @returns {any[] | false} */
const row = (v) => (Array.isArray(v) || ArrayBuffer.isView(v)) && /** @type {any} */ (v);

/**
 * A value on the way; on a logarithmic axis by equal factors.
 * @param {any} from
 * @param {any} to
 * @param {number} u
 * @param {boolean} [log]
 * @returns {any}
 */
export function between(from, to, u, log = false) {
  const [was, now] = [row(from), row(to)];
  if (was && now && was.length === now.length) {
    return Array.from(now, (v, i) => between(was[i], v, u, log));
  }
  if (!isNumber(from) || !isNumber(to)) return to;
  if (log && from > 0 && to > 0) return from * (to / from) ** u;
  return from + (to - from) * u;
}

/**
 * A text on the way: its first number counts, unless it is written with marks between its digits;
 * other words come when what they are said of is there.
 * @param {any} from
 * @param {any} to
 * @param {number} u
 * @returns {any}
 */
export function countedTo(from, to, u) {
  if (row(to)) return Array.from(to, (text, i) => countedTo(from?.[i], text, u));
  if (typeof from !== "string" || typeof to !== "string") return to;
  const [old, now] = [from, to].map((text) => Number(text.match(FIRST)?.[0]));
  if (Number.isNaN(old - now)) return from === to || FIRST.test(to) ? to : "";
  return to.replace(FIRST, (own) => between(old, now, u).toFixed(own.split(".")[1]?.length ?? 0));
}

/**
 * Where an axis turns logarithmic, or back: what stands now where a value stood before.
 * @param {any} value
 * @param {any} was
 * @param {any} now
 * @returns {any}
 */
function stretched(value, was, now) {
  if (!was?.range || !now?.range || (was.type === "log") === (now.type === "log")) return value;
  if (row(value)) return Array.from(value, (v) => stretched(v, was, now));
  if (!isNumber(value)) return value;
  const [[low, high], [start, end]] = [was.range, now.range];
  const at = was.type === "log" ? Math.log10(Math.max(value, 1e-300)) : value;
  const share = Math.min(1.1, Math.max(-0.1, (at - low) / (high - low)));
  const there = start + share * (end - start);
  return now.type === "log" ? 10 ** there : there;
}

/** Of several traces of one name the first goes to the first. @param {Trace[]} data */
function byName(data) {
  /** @type {Map<string, Trace>} */
  const found = new Map();
  for (const trace of data) {
    let key = `${trace.type} ${trace.name}`;
    while (found.has(key)) key += " again";
    found.set(key, trace);
  }
  return found;
}

/**
 * The picture at a share of the way. What is new comes, what is gone is gone.
 * @param {Drawn} from
 * @param {Drawn} to
 * @param {number} u
 * @returns {Drawn}
 */
function onTheWay(from, to, u) {
  const old = byName(from.data);
  const data = [...byName(to.data)].map(([key, trace]) => {
    const same = old.get(key);
    const was = same?.visible === false ? undefined : same;
    const opacity = between(was ? (was.opacity ?? 1) : 0, trace.opacity ?? 1, u);
    if (!was || trace.visible === false) return { ...trace, opacity };
    const [x, y] = /** @type {const} */ (["x", "y"]).map((way) => {
      const name = (trace[`${way}axis`] ?? way).replace(/^[xy]/, "$&axis");
      const [before, now] = [from, to].map(({ layout }) => /** @type {any} */ (layout)[name]);
      return between(stretched(was[way], before, now), trace[way], u, now?.type === "log");
    });
    const [then, next] = /** @type {any[]} */ ([was, trace]);
    const text = countedTo(then.text, next.text, u);
    return { ...trace, x, y, opacity, text, base: between(then.base, next.base, u) };
  });
  return { data, layout: { ...to.layout, ...frames(from.layout, to.layout, u) } };
}

/** Axes that move, and shapes. @param {Layout} from @param {Layout} to @param {number} u */
function frames(from, to, u) {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const [name, axis] of Object.entries(to)) {
    const [was, now] = [/** @type {any} */ (from[name]), /** @type {any} */ (axis)];
    if (/^[xy]axis/.test(name) && was?.range && now?.range && was.type === now.type) {
      found[name] = { ...now, range: between(was.range, now.range, u) };
    } else if (name === "shapes" && was?.length === now.length) {
      found.shapes = now.map((/** @type {any} */ shape, /** @type {number} */ i) => ({
        ...shape,
        ...Object.fromEntries(
          ["x0", "x1", "y0", "y1"].map((side) => [side, between(was[i][side], shape[side], u)]),
        ),
      }));
    }
  }
  return found;
}

/**
 * Go from one picture to another; the last frame is left to who asked.
 * @param {Drawn} from
 * @param {Drawn} to
 * @param {(frame: Drawn) => Promise<unknown>} show
 * @param {() => boolean} isOn whether nothing else is to be shown meanwhile
 */
export async function glide(from, to, show, isOn) {
  const begun = performance.now();
  while (isOn() && !document.hidden) {
    await Promise.race([new Promise(requestAnimationFrame), pause(LATE)]);
    const u = (performance.now() - begun) / LASTS;
    if (u >= 1 || !isOn()) return;
    await show(onTheWay(from, to, u * u * (3 - 2 * u)));
  }
}

// What a figure plays: steps in which some of its marks stand elsewhere, and what a game leaves out
// while it begins.

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
  const { played } = picture;
  const steps = played ? whole.filter((_, i) => i < 2 || i + 1 === whole.length) : whole;
  for (const [i, step] of steps.entries()) {
    const say = step.at(-1)?.say;
    if (say) picture.say(say);
    const { data, layout } = /** @type {any} */ (picture.plot);
    const { all } = picture.staged(step);
    await glide({ data, layout }, all, show, isOn);
    if (!isOn()) return;
    await show(all);
    if (picture.alone && !played && say && i + 1 < steps.length) await pause(STAYS);
    if (!isOn()) return;
  }
  picture.played ||= !picture.revealed && scenes.length > 1;
}

/**
 * What stays for a moment only is said, and its handles move, as soon as it is gone to.
 * @param {Picture} picture
 * @param {Told} meta
 */
export function sayFirst(picture, meta) {
  picture.tell(picture.staged([]), meta);
  picture.onDrawn(true);
}

/**
 * Until what is returned is called, a press in a panel, or Escape, shows the end of what it plays.
 * @param {Picture} picture
 */
export function skippable(picture) {
  const [began, over] = [performance.now(), new AbortController()];
  const { signal } = over;
  const skip = () => {
    picture.played ||= !picture.revealed;
    picture.draw();
  };
  // A control draws for itself, and the press that began it may still be on its way.
  const pressed = (/** @type {any} */ { target, timeStamp }) =>
    timeStamp > began && !target.closest("a, button, input, label, select, summary") && skip();
  picture.plot.closest(".mb-body")?.addEventListener("click", pressed, { signal });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && skip(), { signal });
  return () => over.abort();
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
