// Names of marks: beside them, on the side where a label lies on nothing.
/** @import { Pixel } from "./grab.js" */
/** @import { PlotNode } from "./types" */
import { isUnseen } from "./veil.js";

/** How far from a mark, and what it costs there: near is better. */
const RINGS = [15, 34, 56, 80];
/** Right, left, above, below, and between them; the first are liked best. */
const SIDES = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
];
// Words on words cannot be read, however many dots lie elsewhere; in a crowd a dot counts less.
const COSTS = { text: 1e5, handle: 500, mark: 40, line: 8 };
const CROWD = 50;
// A label that is farther off than this is led to its mark by a line.
const NEAR = 20;
// The radius of what a mark looks like, and what lies between points of a line, in pixels; what a
// label's own line crosses counts less than what its words do.
const KNOB = 11;
const CROSSED = 0.3;
const APART = 5;
/** @type {(at: number, most: number) => number} */
const clamp = (at, most) => Math.min(Math.max(at, 0), most);
// A label that stood well stays.
const LIKED = 3;
// A label nearer to another mark than to its own names that one.
const MISLEADS = 300;

/** @typedef {{ x: number, y: number, w: number, h: number, cost: number }} Box */

/** @type {(a: Omit<Box, "cost">, b: Box) => boolean} */
const meet = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/**
 * What lies in a picture, in its pixels: texts, marks, and lines point by point.
 * @param {PlotNode} plot
 * @returns {Box[]}
 */
export function boxesIn(plot) {
  const home = plot.getBoundingClientRect();
  const of = (/** @type {string} */ what, /** @type {number} */ cost, grow = 0) =>
    Array.from((plot.parentElement ?? plot).querySelectorAll(what), (node) => {
      const { left, top, width, height } = node.getBoundingClientRect();
      const [x, y] = [left - home.left - grow, top - home.top - grow];
      return { x, y, w: width + 2 * grow, h: height + 2 * grow, cost };
    }).filter(({ w, h }) => w > 0 || h > 0);
  const marks = of(".scatterlayer .point", COSTS.mark, 1);
  const areas = of(".barlayer .point path, .shapelayer path", COSTS.mark, 1);
  return [
    ...of(".mb-overlay > .mb-handle:not(.mb-mark, [hidden])", COSTS.handle),
    ...of("text", COSTS.text, 1),
    ...thinned(marks),
    ...thinned(areas),
    ...linesIn(plot),
  ];
}

/** @param {Box[]} marks */
const thinned = (marks) =>
  marks.map((box) => ({ ...box, cost: box.cost / Math.max(1, marks.length / CROWD) }));

/** @param {PlotNode} plot @returns {Box[]} */
function linesIn(plot) {
  const { calcdata = [], _fullLayout: layout } = /** @type {any} */ (plot);
  return calcdata.flatMap((/** @type {any} */ points) => {
    const { trace } = points[0] ?? {};
    const drawn = trace?.mode?.includes("lines") && trace.line?.width && !isUnseen(trace);
    if (!drawn) return [];
    const [x, y] = [trace.xaxis, trace.yaxis].map(
      (name) => layout[name.replace(/^([xy])/, "$1axis")],
    );
    const spots = points.map((/** @type {any} */ { x: right, y: up }) => [
      x._offset + x.c2p(right),
      y._offset + y.c2p(up),
    ]);
    return spots.slice(1).flatMap((/** @type {number[]} */ [x1, y1], /** @type {number} */ i) => {
      const [x0, y0] = spots[i];
      const steps = Math.min(Math.ceil(Math.hypot(x1 - x0, y1 - y0) / APART), 200) || 1;
      return Array.from({ length: steps }, (_, k) => ({
        x: x0 + ((x1 - x0) * k) / steps - 1,
        y: y0 + ((y1 - y0) * k) / steps - 1,
        w: 2,
        h: 2,
        cost: COSTS.line,
      }));
    });
  });
}

/** @typedef {{ width: number, height: number }} Size */

/** How far a point is from a box. @type {(at: Pixel, box: Omit<Box, "cost">) => number} */
function gapTo(at, { x, y, w, h }) {
  const [right, down] = [at.x - x, at.y - y];
  return Math.hypot(right - clamp(right, w), down - clamp(down, h));
}

/**
 * From the nearest point of a label to its mark, both from the label's corner.
 * @param {Pixel} mark
 * @param {Size} label
 */
function leadOf({ x, y }, { width, height }) {
  const [fromX, fromY] = [clamp(x, width), clamp(y, height)];
  return { fromX, fromY, right: x - fromX, down: y - fromY, far: Math.hypot(x - fromX, y - fromY) };
}

/**
 * What the line from a label to its mark crosses.
 * @param {Pixel} spot
 * @param {Omit<Box, "cost">} label
 * @param {Box[]} taken
 */
function crossed(spot, { x, y, w, h }, taken) {
  const mark = { x: spot.x - x, y: spot.y - y };
  const { fromX, fromY, right, down, far } = leadOf(mark, { width: w, height: h });
  if (far <= NEAR) return 0;
  const steps = Math.floor((far - KNOB) / APART);
  const on = Array.from({ length: steps }, (_, i) => ({
    x: x + fromX + ((i + 0.5) * APART * right) / far,
    y: y + fromY + ((i + 0.5) * APART * down) / far,
  }));
  // What lies on the mark itself is reached, not crossed.
  const met = taken.filter((box) => gapTo(spot, box) && on.some((at) => gapTo(at, box) < 2));
  return CROSSED * met.reduce((sum, { cost }) => sum + cost, 0);
}

/**
 * Where a label meets least.
 * @param {Size} label
 * @param {string} before where it stood
 * @param {Pixel} spot of its mark
 * @param {Pixel[]} others where it may stand as well: elsewhere on the mark's line
 * @param {Box[]} taken
 * @param {Size} room
 * @param {Pixel[]} rivals the marks with labels
 */
function free({ width: w, height: h }, before, spot, others, taken, { width, height }, rivals) {
  const out = (/** @type {number} */ at, /** @type {number} */ long, /** @type {number} */ most) =>
    Math.max(0, -at) + Math.max(0, at + long - most);
  const near = others.map((at) => ({ at, far: 6 }));
  const from = [...RINGS.map((far) => ({ at: spot, far })), ...near];
  const tried = from.flatMap(({ at, far }, ring) =>
    SIDES.map(([right, down], side) => {
      // Beside a mark in a corner it may be nearer.
      const reach = right && down ? 0.7 * far : far;
      const [left, top] = [at.x + right * reach, at.y + down * reach];
      // Above a mark at the edge, or beside it, there is room towards the middle.
      const x = right ? left + ((right - 1) * w) / 2 : clamp(left - w / 2, width - w);
      const y = down ? top + ((down - 1) * h) / 2 : clamp(top - h / 2, height - h);
      const met = taken.filter((box) => meet({ x, y, w, h }, box));
      const lies =
        met.reduce((sum, { cost }) => sum + cost, 0) + crossed(spot, { x, y, w, h }, taken);
      const beyond = 1e6 * Math.sign(out(x, w, width) + out(y, h, height));
      const own = gapTo(spot, { x, y, w, h });
      const lost = rivals.some((rival) => rival !== spot && gapTo(rival, { x, y, w, h }) < own);
      const misleads = lost ? MISLEADS : 0;
      const stays = before === `${ring} ${side}` ? LIKED : 0;
      const cost = lies + beyond + misleads + 6 * ring + side / 4 - stays;
      return { x, y, name: `${ring} ${side}`, cost };
    }),
  );
  return tried.reduce((a, b) => (b.cost < a.cost ? b : a));
}

/**
 * Put a label beside its mark; the place that it takes is no longer free.
 * @param {HTMLElement} label
 * @param {Pixel} spot
 * @param {Pixel[]} others
 * @param {Box[]} taken
 * @param {Size} room
 * @param {Pixel[]} rivals the marks with labels
 */
export function putLabel(label, spot, others, taken, room, rivals) {
  const { offsetWidth: width, offsetHeight: height, dataset } = label;
  const best = free({ width, height }, dataset.side ?? "", spot, others, taken, room, rivals);
  dataset.side = best.name;
  const [x, y] = [spot.x - best.x, spot.y - best.y];
  label.style.translate = `${-x}px ${-y}px`;
  const { fromX, fromY, right, down, far } = leadOf({ x, y }, { width, height });
  const lead = { x: fromX, y: fromY, far: far > NEAR ? far - KNOB : 0 };
  for (const [name, at] of Object.entries(lead)) label.style.setProperty(`--${name}`, `${at}px`);
  label.style.setProperty("--turn", `${Math.atan2(down, right)}rad`);
  taken.push({ x: best.x, y: best.y, w: width, h: height, cost: COSTS.text });
}

/** Where many dots are, that the build made one line of. @param {SVGGraphicsElement} path */
function beadsOf(path) {
  const [{ a, d, e, f }, r] = [path.getScreenCTM() ?? new DOMMatrix(), KNOB / 3];
  let [x, y] = [0, 0];
  return Array.from(path.outerHTML.matchAll(/m(-?\d+) (-?\d+)h0/g), ([, right, down]) => {
    [x, y] = [x + Number(right), y + Number(down)];
    return new DOMRect(a * x + e - r, d * y + f - r, 2 * r, 2 * r);
  });
}

/** The same for the words that the build drew into its picture. @param {HTMLElement} plot */
export function putFirstLabels(plot) {
  const home = plot.getBoundingClientRect();
  for (const text of plot.querySelectorAll(".mb-put-here > text")) {
    const own = text.getBoundingClientRect();
    const ring = text.parentNode?.querySelector(".mb-knob")?.getBoundingClientRect();
    if (!own.width || !ring) continue;
    const box = (/** @type {DOMRect} */ { left, top, width, height }, cost = COSTS.text) =>
      ({ x: left - home.left, y: top - home.top, w: width, h: height, cost });
    const all = (/** @type {string} */ what, /** @type {number} */ cost) =>
      Array.from(plot.querySelectorAll(what))
        .filter((node) => node !== text)
        .map((node) => box(node.getBoundingClientRect(), cost));
    // A path that bends takes less than its box.
    const isStraight = (/** @type {Box} */ { w, h }) => w > 0 !== h > 0 || Math.min(w, h) < 4;
    const straight = all("path", COSTS.line).filter(isStraight);
    const beads = Array.from(plot.querySelectorAll("path"), beadsOf).flat();
    const dots = all("circle:not(.mb-ring)", COSTS.mark);
    dots.push(...beads.map((at) => box(at, COSTS.mark)));
    const marks = [...all("text", COSTS.text), ...thinned(dots.filter(({ w }) => w > 0))];
    const boxes = [...marks.filter(({ w }) => w > 0), ...straight];
    const dot = box(ring);
    const spot = { x: dot.x + dot.w / 2, y: dot.y + dot.h / 2 };
    const best = free(own, "", spot, [], boxes, home, []);
    text.setAttribute("text-anchor", "start");
    text.setAttribute("dx", `${best.x - spot.x}`);
    text.setAttribute("dy", `${best.y - spot.y + 0.75 * own.height}`);
  }
}
