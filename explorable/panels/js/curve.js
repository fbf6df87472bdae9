// A curve that a reader draws over empty axes: by mouse, by finger, or point by point with arrows.
/** @import { Asked, Field } from "./types" */
import { element } from "./dom.js";
import { spoken, withSymbols } from "./symbols.js";

const VIEW = { width: 340, height: 240 };
const BOX = { left: 44, right: 328, top: 12, bottom: 190 };
const SPACE = "http://www.w3.org/2000/svg";
/** How many levels a key moves a point. @type {Record<string, number>} */
const KEYS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5 };
const HOW = "Drag across the axes, or move each point with the arrow keys.";
const NOT_DRAWN = "Draw the curve first: drag across the axes, or move the points with the arrows.";

/**
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {string} [text]
 */
function shape(tag, attributes, text = "") {
  const node = document.createElementNS(SPACE, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.textContent = text;
  return /** @type {SVGElement} */ (node);
}

const acrossAt = (/** @type {number} */ share) => BOX.left + share * (BOX.right - BOX.left);
const upAt = (/** @type {number} */ share) => BOX.bottom - share * (BOX.bottom - BOX.top);

/** @param {[number, number][]} points shares of the two axes */
function path(points) {
  return points.map(([x, y]) => `${acrossAt(x).toFixed(1)},${upAt(y).toFixed(1)}`).join(" ");
}

/** The axes with their names and labels. @param {Asked} spec */
function frame(spec) {
  const { left, right, top, bottom } = BOX;
  const { levels, handles, axes } = spec;
  const last = levels.length - 1;
  const lines = [0, last / 2, last].flatMap((i) => {
    const y = upAt(i / last);
    return [
      shape("line", { x1: left, x2: right, y1: y, y2: y, class: "mb-drawn-grid" }),
      shape("text", { x: left - 12, y: y + 4, "text-anchor": "end" }, levels[i]),
    ];
  });
  const ticks = handles.map(({ at, label }) =>
    shape("text", { x: acrossAt(at), y: bottom + 18, "text-anchor": "middle" }, label),
  );
  const names = [
    shape("text", { x: right, y: VIEW.height - 10, "text-anchor": "end" }, axes[0]),
    shape("text", { x: left + 6, y: top + 10 }, axes[1]),
  ];
  const edge = `${left},${top} ${left},${bottom} ${right},${bottom}`;
  const axis = shape("polyline", { points: edge, class: "mb-drawn-axis" });
  return [...lines, axis, ...ticks, ...names];
}

/**
 * The number of the handle that is nearest to a place across, and the level at a height.
 * @param {Asked} spec
 * @param {number} across
 * @param {number} up
 */
export function pointed(spec, across, up) {
  const last = spec.levels.length - 1;
  const far = (/** @type {number} */ i) => Math.abs(spec.handles[i].at - across);
  let handle = 0;
  spec.handles.forEach((_, i) => {
    if (far(i) < far(handle)) handle = i;
  });
  return { handle, level: Math.min(Math.max(Math.round(up * last), 0), last) };
}

/**
 * @param {Asked} spec
 * @returns {Field}
 */
export function curveField(spec) {
  const { levels, handles, axes } = spec;
  const last = levels.length - 1;
  const start = handles.map(() => Math.round(last / 2));
  let drawn = [...start];
  let moved = false;
  const own = shape("polyline", { class: "mb-drawn-own" });
  const truth = shape("polyline", { class: "mb-drawn-truth" });
  const dots = handles.map(({ at, label }, i) => {
    const named = spoken(`${axes[1]} at ${axes[0]} = ${label}`);
    const focused = { tabindex: 0, "data-lm-suppress-shortcuts": true };
    const slider = { ...focused, role: "slider", "aria-orientation": "vertical" };
    const range = { "aria-valuemin": 0, "aria-valuemax": last, "aria-label": named };
    const dot = shape("circle", { r: 8, cx: acrossAt(at), ...slider, ...range });
    dot.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      put(i, drawn[i] + step);
    });
    return dot;
  });
  const viewBox = `0 0 ${VIEW.width} ${VIEW.height}`;
  const view = { viewBox, role: "group", "aria-label": spoken(spec.label) };
  const svg = shape("svg", { class: "mb-drawn", ...view });
  svg.append(...frame(spec), truth, own, ...dots);

  function redraw() {
    const points = handles.map(({ at }, i) => [at, drawn[i] / last]);
    own.setAttribute("points", path(/** @type {[number, number][]} */ (points)));
    dots.forEach((dot, i) => {
      dot.setAttribute("cy", String(upAt(drawn[i] / last)));
      dot.setAttribute("aria-valuenow", String(drawn[i]));
      dot.setAttribute("aria-valuetext", levels[drawn[i]]);
    });
  }

  /**
   * @param {number} i
   * @param {number} level
   */
  function put(i, level) {
    moved = true;
    drawn[i] = Math.min(Math.max(level, 0), last);
    redraw();
  }

  /** @param {PointerEvent} event */
  function follow(event) {
    if (!(event.buttons & 1) || svg.classList.contains("mb-done")) return;
    const seen = svg.getBoundingClientRect();
    const x = ((event.clientX - seen.left) / seen.width) * VIEW.width;
    const y = ((event.clientY - seen.top) / seen.height) * VIEW.height;
    const across = (x - BOX.left) / (BOX.right - BOX.left);
    const { handle, level } = pointed(spec, across, (BOX.bottom - y) / (BOX.bottom - BOX.top));
    put(handle, level);
  }

  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    follow(event);
  });
  svg.addEventListener("pointermove", follow);
  redraw();

  /** Lay the true curve over the drawn one, or take it away. @param {boolean} shown */
  function reveal(shown) {
    svg.classList.toggle("mb-done", shown);
    truth.setAttribute("points", shown ? path(spec.truth.points ?? []) : "");
    dots.forEach((dot) => dot.setAttribute("tabindex", shown ? "-1" : "0"));
  }

  const title = element("p", {}, ...withSymbols(spec.label));
  const how = element("p", { class: "mb-note" }, HOW);
  return {
    node: element("div", { class: "mb-field" }, title, svg, how),
    focus: () => dots[0].focus(),
    read: () => (moved ? { given: [...drawn], text: "a curve" } : { problem: NOT_DRAWN }),
    show({ given }) {
      drawn = handles.map((_, i) => given[i] ?? start[i]);
      moved = true;
      redraw();
    },
    clear() {
      drawn = [...start];
      moved = false;
      redraw();
    },
    reveal,
  };
}
