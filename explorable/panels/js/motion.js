// Moving from one picture to the next: marks of one name and length keep their identity.
/** @import { Layout, Trace } from "./types" */
import { pause } from "./dom.js";

/** How long a move takes, in milliseconds. */
const LASTS = 400;
// Where the window draws nothing, time goes on.
const LATE = 100;

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @typedef {{ data: Trace[], layout: Layout }} Drawn */

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
export function onTheWay(from, to, u) {
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
    return { ...trace, x, y, opacity };
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
