// Light and dark: which one the page has, and how a picture is dressed for it.
/** @import { DressedFigure, Figure, Layout, Spec } from "./types" */

/** Below this width, in pixels, a picture has smaller print and margins. */
export const NARROW = 520;
/** The height of a picture whose figure asks for none. */
const HEIGHT = 380;
const TIGHT = { l: 58, r: 10, t: 16, b: 46 };
const USUAL = { l: 74, r: 18, t: 20, b: 52 };
const ROOMY = { l: 96, r: 24, t: 24, b: 70 };
const NOTHING = "rgba(0,0,0,0)";
// What lies between two pictures beside each other: the second one's axis, in pixels.
const BETWEEN = 74;
// A power of ten beside another, in pixels.
const DECADE = 44;

export function isDark() {
  const root = document.documentElement;
  if (root.dataset.theme) return root.dataset.theme === "dark";
  const jupyter = document.body.dataset.jpThemeLight;
  if (jupyter) return jupyter === "false";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @type {Set<() => void>} */
const themeWatchers = new Set();

/**
 * Call back at every change of theme, until what is returned is called.
 * @param {() => void} callback
 */
export function watchTheme(callback) {
  if (!themeWatchers.size) {
    const notify = () => themeWatchers.forEach((f) => f());
    const observer = new MutationObserver(notify);
    const watch = (/** @type {Node} */ node, /** @type {string} */ name) =>
      observer.observe(node, { attributes: true, attributeFilter: [name] });
    watch(document.documentElement, "data-theme");
    watch(document.body, "data-jp-theme-light");
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", notify);
  }
  themeWatchers.add(callback);
  return () => themeWatchers.delete(callback);
}

/**
 * The room around a picture: an axis that is not drawn needs none.
 * @param {Layout} layout
 * @param {number} width
 * @param {boolean} [large]
 */
function around(layout, width, large = false) {
  const margin = large ? ROOMY : width < NARROW ? TIGHT : USUAL;
  /** @param {string} side */
  const bare = (side) => {
    const axes = Object.entries(layout).filter(([name]) => name.startsWith(`${side}axis`));
    return axes.length && axes.every(([, axis]) => /** @type {any} */ (axis)?.visible === false);
  };
  return { ...margin, ...(bare("y") && { l: margin.r }), ...(bare("x") && { b: margin.t }) };
}

/**
 * How high a picture asks to be; one of things that keep their shape, no higher than they fill.
 * @param {Layout} layout
 * @param {number} width
 */
export function ownHeight(layout, width) {
  const { height = HEIGHT, xaxis, yaxis } = /** @type {any} */ (layout);
  if (yaxis?.scaleanchor !== "x" || !yaxis.range || !xaxis.range || layout.xaxis2) return height;
  const { l, r, t, b } = around(layout, width);
  const shape = (yaxis.range[1] - yaxis.range[0]) / (xaxis.range[1] - xaxis.range[0]);
  return Math.min(height, Math.ceil((width - l - r) * Math.abs(shape)) + t + b);
}

/**
 * Plotly's template for a theme and a size.
 * @param {boolean} dark
 * @param {number} size of its letters
 * @param {number} height
 * @param {object} margin
 */
function template(dark, size, height, margin) {
  const { ink, axis: line, grid, label } = dark ? TONES.dark : TONES.light;
  const axis = {
    gridcolor: grid,
    linecolor: line,
    tickcolor: line,
    zerolinecolor: line,
    zeroline: false,
    showline: true,
    ticks: "outside",
    ticklen: 4,
    fixedrange: true,
    title: { standoff: 8, font: { size } },
  };
  return {
    // A curve that is thinned has corners.
    data: { scatter: [{ line: { simplify: false } }] },
    layout: {
      font: { family: SANS, size, color: ink },
      paper_bgcolor: NOTHING,
      plot_bgcolor: NOTHING,
      // A label that leans runs into the axis' title.
      xaxis: { ...axis, tickangle: 0 },
      yaxis: axis,
      dragmode: false,
      hovermode: "closest",
      // Fixed margins: measuring the labels anew would double the time of a redraw.
      margin,
      hoverlabel: { bgcolor: label, bordercolor: line, font: { color: ink } },
      // Below the axis title at any height: plotly counts in heights of the plot's inside.
      legend: {
        orientation: "h",
        x: 0,
        xanchor: "left",
        y: -64 / (height - 130),
        yanchor: "top",
        bgcolor: NOTHING,
      },
      annotationdefaults: { font: { color: ink }, arrowcolor: line },
    },
  };
}

/**
 * Swap each palette colour for its twin; arrays of numbers are passed through untouched.
 * @param {any} value
 * @param {Record<string, string>} twins
 * @returns {any}
 */
export function recolour(value, twins) {
  if (typeof value === "string") return twins[value] ?? value;
  if (Array.isArray(value)) return value.map((v) => recolour(v, twins));
  if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, recolour(v, twins)]));
  }
  return value;
}

/**
 * The layout of two pictures that the figure stacks, and that stand beside each other where the
 * width allows it; `meta.beside` is the first one's share of the width.
 * @param {Layout} layout
 * @param {number} width
 * @returns {Layout}
 */
function sideBySide(layout, width) {
  const share = layout.meta?.beside;
  if (!share || width < NARROW) return layout;
  const half = BETWEEN / (2 * (width - USUAL.l - USUAL.r));
  /** @param {string} name @param {number[]} domain */
  const at = (name, domain) => ({ .../** @type {object} */ (layout[name] ?? {}), domain });
  return {
    ...layout,
    xaxis: at("xaxis", [0, share - half]),
    xaxis2: at("xaxis2", [share + half, 1]),
    yaxis: at("yaxis", [0, 1]),
    yaxis2: at("yaxis2", [0, 1]),
  };
}

/**
 * The layout with so few decades named along a narrow picture that they have room, in letters as
 * large as all others: plotly makes those of a power larger.
 * @param {Layout} layout
 * @param {number} width
 * @param {number} size
 */
function decades(layout, width, size) {
  for (const [name, found] of Object.entries(layout)) {
    const axis = /** @type {any} */ (found) ?? {};
    const { type, dtick, range, domain = [0, 1], exponentformat } = axis;
    if (type !== "log" || dtick !== 1 || !range) continue;
    const room = ((width - USUAL.l - USUAL.r) * (domain[1] - domain[0])) / DECADE;
    const each = name.startsWith("x") ? Math.ceil(Math.abs(range[1] - range[0]) / room) : 1;
    const tickfont = exponentformat === "power" ? { size: 0.8 * size } : undefined;
    layout = { ...layout, [name]: { ...axis, dtick: each, tickfont } };
  }
  return layout;
}

/**
 * How a figure is drawn: without a height it is its own; large is for a whole room.
 * @typedef {{ dark: boolean, width: number, revealed: boolean, height?: number, large?: boolean }}
 *   How
 */

/**
 * For a whole room what has a size of its own grows, too: words as all others, marks by less.
 * @param {any} figure a copy
 */
function grow({ data, layout }) {
  /** @param {any} look @param {number} by */
  const larger = (look, by) => {
    const { size } = look ?? {};
    if (size) look.size = size.length ? Array.from(size, (each) => each * by) : size * by;
  };
  for (const { marker, textfont } of data) {
    larger(marker, 1.25);
    larger(textfont, 1.5);
  }
  for (const { font } of layout.annotations ?? []) larger(font, 1.5);
}

/**
 * A figure as it is drawn here. Plotly writes into what it draws, so it gets a copy; recolouring
 * makes one as it goes.
 * @param {Figure} figure
 * @param {Spec} spec
 * @param {How} how
 * @returns {DressedFigure}
 */
export function dressed(figure, spec, { dark, width, revealed, height: given, large }) {
  /** @type {Figure} */
  const painted = recolour(figure, dark ? spec.dark : {});
  const data = (painted.data ?? []).map((trace) =>
    trace.meta === "reveal" && !revealed ? { ...trace, visible: false } : trace,
  );
  if (large) grow(painted);
  const height = given ?? painted.layout.height ?? HEIGHT;
  const size = large ? 22 : width < NARROW ? 13 : 14;
  const look = template(dark, size, height, around(painted.layout, width, large));
  const own = { height, template: look, width: undefined, autosize: true };
  return { data, layout: { ...decades(sideBySide(painted.layout, width), width, size), ...own } };
}
