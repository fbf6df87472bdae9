// A ghost of the last state, faint, for comparison: where the curve was before the hand moved.
/** @import { Picture } from "./picture.js" */
/** @import { Figure, Trace } from "./types" */
import { tool } from "./dom.js";

// Moves that follow each other sooner are one: the ghost stays where they began.
const ONE_MOVE = 1000;
const FAINT = 0.4;
const NAMED = 0.6;

/** @param {Trace} trace */
const isLine = ({ type = "scatter", mode = "lines", fill = "none", line, meta }) =>
  type === "scatter" && mode.includes("lines") && fill === "none" && line?.width !== 0 && !meta;

/** @type {(a: Trace, b: Trace) => boolean} */
const sameShape = (a, b) =>
  ["x", "y"].every((side) => {
    const [one, other] = [a, b].map((t) => Array.from(t[/** @type {"x" | "y"} */ (side)] ?? []));
    return one.length === other.length && one.every((v, i) => Object.is(v, other[i]));
  });

/**
 * What a line left has a name, where it is first far from it, and on its outer side.
 * @type {(old: Trace, now: Trace) => Partial<Trace>}
 */
function leftName({ y: was = [] }, { y: now = [] }) {
  const inner = (/** @type {number} */ i) => Math.abs(2 * i + 1 - was.length) < 0.8 * was.length;
  const ways = Array.from(was, (v, i) => (inner(i) && v - now[i]) || 0);
  const far = Math.max(...ways.map(Math.abs)) / 2;
  const at = far ? ways.findIndex((way) => Math.abs(way) >= far) : -1;
  const text = ways.map((_, i) => (i === at ? "before" : ""));
  const [above, rises] = [ways[at] > 0, was[at + 1] > was[at - 1]];
  const textposition = `${above ? "top" : "bottom"} ${above === rises ? "left" : "right"}`;
  return { mode: "lines+text", text, textposition, opacity: NAMED };
}

/**
 * @param {Trace} old
 * @param {Trace} now
 * @returns {Trace}
 */
function faint(old, now) {
  const { x, y, xaxis, yaxis, line, marker } = old;
  const place = { type: "scatter", x, y, xaxis, yaxis, opacity: FAINT, meta: "ghost" };
  const quiet = { name: "the last state", showlegend: false, hoverinfo: "skip" };
  if (isLine(old)) {
    return { ...place, ...quiet, ...leftName(old, now), line: { ...line, width: 2 } };
  }
  // Of bars, and of points, a mark where each was.
  const color = marker?.color ?? line?.color;
  const symbol = old.type === "bar" ? "line-ew-open" : (marker?.symbol ?? "circle");
  const look = { color, symbol, size: old.type === "bar" ? 16 : 8, line: { width: 2 } };
  return { ...place, ...quiet, mode: "markers", marker: look };
}

export class Ghost {
  constructor() {
    /** @type {Figure | null} */
    this.old = null;
    this.moved = 0;
    this.wanted = true;
    this.afresh = false;
  }

  /**
   * A new figure takes the place of the old one.
   * @param {Figure | null} old
   * @param {number} now in milliseconds
   */
  turn(old, now) {
    const afresh = this.afresh;
    this.afresh = false;
    const anew = !this.old || now - this.moved > ONE_MOVE;
    if (old && !afresh && anew) this.old = old;
    this.moved = now;
  }

  /** The next figure leaves none. */
  forget() {
    this.old = null;
    this.afresh = true;
  }

  /**
   * What to draw of the last state with a figure.
   * @param {Figure} figure
   * @returns {Trace[]}
   */
  traces(figure) {
    const meta = figure.layout.meta ?? {};
    // A guessing game would give itself away.
    if (!this.old || !this.wanted || meta.answer) return [];
    const first = figure.data.find(isLine);
    const { ghost: names } = meta;
    const now = names ? figure.data.filter((t) => names.includes(t.name ?? "")) : [first];
    /** @type {Trace[]} */
    const ghosts = [];
    for (const trace of now) {
      const at = trace ? figure.data.indexOf(trace) : -1;
      const was = this.old.data[at];
      const alike = was && trace && (was.name === trace.name || isLine(was));
      if (alike && !sameShape(was, trace)) ghosts.push(faint(was, trace));
    }
    return ghosts;
  }
}

/**
 * The button that takes the ghost away and brings it back.
 * @param {Picture} picture
 */
export function ghostButton(picture) {
  const { ghost } = picture;
  const button = tool("Last state", () => {
    ghost.wanted = !ghost.wanted;
    button.setAttribute("aria-pressed", String(ghost.wanted));
    picture.draw();
  });
  button.setAttribute("aria-pressed", "true");
  button.title = "A faint line shows the last state";
  button.disabled = true;
  return button;
}
