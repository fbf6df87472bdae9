// The legend of a picture: a swatch and a name for each line, point and bar that has one.
/** @import { Layout, Trace } from "./types" */
import { element } from "./dom.js";
import { isUnseen } from "./veil.js";
import { withTags } from "./words.js";

const DASHES = {
  dash: "6 4",
  dot: "2 3",
  dashdot: "7 3 2 3",
  longdash: "10 4",
  longdashdot: "10 3 2 3",
};
const SHAPES = {
  circle: "M14 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
  square: "M10 2h8v8h-8z",
  diamond: "M14 1l5 5l-5 5l-5-5z",
  "triangle-up": "M14 1l5 9h-10z",
  "triangle-down": "M14 11l5-9h-10z",
  star: "M14 0l1.5 4.3h4.5l-3.6 2.7l1.4 4.4l-3.8-2.7l-3.8 2.7l1.4-4.4l-3.6-2.7h4.5z",
  "star-diamond": "M14 0l1.6 4.4l4.4 1.6l-4.4 1.6l-1.6 4.4l-1.6-4.4l-4.4-1.6l4.4-1.6z",
  x: "M11 2l3 3l3-3l1 1l-3 3l3 3l-1 1l-3-3l-3 3l-1-1l3-3l-3-3z",
  line: "M13 1h2v10h-2z",
  "line-ew": "M7 5h14v2h-14z",
};

/**
 * @param {string} tag
 * @param {Record<string, string | number | undefined>} attributes
 * @param {...Node} children
 */
function drawing(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}

/** @type {(colour: unknown) => string} one colour, where each point has its own */
const single = (colour) => String(Array.isArray(colour) ? colour[0] : (colour ?? "currentColor"));

/** @param {Trace} trace */
function swatch(trace) {
  const { line = {}, marker = {}, mode = "lines", type } = trace;
  const parts = [];
  if (trace.fill && trace.fill !== "none") {
    parts.push(drawing("path", { d: "M1 1h26v10h-26z", fill: single(trace.fillcolor) }));
  }
  if (type === "bar" || type === "histogram") {
    parts.push(drawing("path", { d: "M4 1h20v10h-20z", fill: single(marker.color) }));
    if (marker.pattern?.shape) {
      const stroke = single(marker.pattern.fgcolor);
      parts.push(drawing("path", { d: "M6 11l6-10M12 11l6-10M18 11l6-10", stroke }));
    }
  } else {
    if (mode.includes("lines") && line.width !== 0) {
      const dashes = DASHES[/** @type {keyof typeof DASHES} */ (line.dash)];
      const look = { stroke: single(line.color), "stroke-width": Math.min(line.width ?? 2, 3) };
      parts.push(drawing("path", { d: "M0 6h28", ...look, "stroke-dasharray": dashes }));
    }
    if (mode.includes("markers")) {
      const symbol = single(marker.symbol ?? "circle");
      const open = symbol.endsWith("-open");
      const shape = symbol.replace(/-(open|thin|ns|dot)/g, "");
      const name = /** @type {keyof typeof SHAPES} */ (shape);
      const colour = single(marker.color ?? line.color);
      const edge = open ? colour : shape === symbol ? marker.line?.color : undefined;
      const look = { fill: open ? "none" : colour, stroke: edge, "stroke-width": edge && 1.5 };
      parts.push(drawing("path", { d: SHAPES[name] ?? SHAPES.circle, ...look }));
    }
  }
  const box = { viewBox: "0 0 28 12", width: 28, height: 12, "aria-hidden": "true" };
  return drawing("svg", box, ...parts);
}

/**
 * The entries for what is drawn, in its order.
 * @param {Trace[]} data
 * @param {Layout} layout
 */
export function legendOf(data, layout) {
  if (layout.showlegend === false) return [];
  const named = data.filter((t) => t.name && t.showlegend !== false && t.visible !== false);
  if (named.length < 2 && !layout.showlegend) return [];
  const words = (/** @type {Trace} */ trace) => withTags(trace.name ?? "");
  return named.map((t) => {
    const told = { class: isUnseen(t) ? "mb-missing" : null };
    return element("li", told, swatch(t), element("span", {}, ...words(t)));
  });
}
