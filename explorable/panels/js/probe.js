// Reading a curve: by hover, by tap and by arrow keys its points say what they mean.
/** @import { DressedFigure, Figure, PlotNode } from "./types" */
import { element } from "./dom.js";
import { spoken } from "./symbols.js";

// So many key presses lead from end to end of a curve, at the most; with Shift each point counts.
const STEPS = 60;
// Plotly hovers at most every 50 ms.
const LABEL = 80;
// A mouse that rests elsewhere is met again after a tap, and takes its label away.
const TAP = 300;

/** @typedef {{ number: number, points: number[] }} Curve a trace, and its points but for gaps */

/**
 * The curves that can be read.
 * @param {Figure} figure
 * @returns {Curve[]}
 */
export function curvesOf({ data, layout }) {
  const names = layout.meta?.probe ?? [];
  const curves = names.flatMap((name) => {
    const number = data.findIndex((trace) => trace.name === name && trace.visible !== false);
    if (number < 0) return [];
    const [x, y] = [data[number].x ?? [], data[number].y ?? []];
    const points = Array.from(x, (_, i) => i).filter((i) => isThere(x[i]) && isThere(y[i]));
    return points.length ? [{ number, points }] : [];
  });
  return curves;
}

/** @type {(value: unknown) => boolean} */
const isThere = (value) =>
  value !== null && value !== undefined && !(typeof value === "number" && !Number.isFinite(value));

/**
 * A drawn figure in which the pointer meets what can be read, and nothing that says nothing.
 * @param {DressedFigure} figure
 * @returns {DressedFigure}
 */
export function readable({ data, layout }) {
  const names = layout.meta?.probe;
  if (!names) return { data, layout };
  const met = data.map((trace) =>
    names.includes(trace.name ?? "") || trace.hovertemplate
      ? trace
      : { ...trace, hoverinfo: "skip" },
  );
  return { data: met, layout: { ...layout, hoverdistance: -1 } };
}

export class Probe {
  /**
   * @param {HTMLElement} plot
   * @param {HTMLElement} overlay what lies over the plot
   */
  constructor(plot, overlay) {
    this.plot = /** @type {PlotNode} */ (plot);
    /** @type {Curve[]} */
    this.curves = [];
    /** Which curve, and which of its points. */
    this.curve = 0;
    this.at = 0;
    this.listening = false;
    this.tap = -Infinity;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
    this.node = element("div", {
      class: "mb-probe",
      role: "slider",
      tabindex: 0,
      hidden: true,
      "data-lm-suppress-shortcuts": "true",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      onfocus: () => this.read(),
      onblur: () => this.leave(),
    });
    overlay.append(this.node);
    plot.addEventListener("pointerup", (event) => {
      if (event.pointerType === "touch" && this.curves.length) this.tapped(event);
    });
  }

  /** @param {Figure} figure as it is drawn */
  drawn(figure) {
    this.curves = curvesOf(figure);
    this.node.hidden = this.curves.length === 0;
    if (!this.curves.length) return;
    if (!this.listening) {
      this.plot.on("plotly_hover", (hit) => this.met(hit.points[0]));
      this.plot.on("plotly_unhover", () => {
        if (performance.now() - this.tap < TAP) this.read();
        else this.node.classList.remove("mb-reading");
      });
      this.listening = true;
    }
    this.curve = Math.min(this.curve, this.curves.length - 1);
    if (this.node === document.activeElement) this.read();
    else this.tell();
  }

  get here() {
    const { number, points } = this.curves[this.curve];
    this.at = Math.min(this.at, points.length - 1);
    return { number, point: points[this.at], last: points.length - 1 };
  }

  /** Show what is at a point, and say it. */
  read() {
    if (!this.curves.length) return;
    const { number, point } = this.here;
    const trace = this.plot.data[number];
    const subplot = `${trace.xaxis ?? "x"}${trace.yaxis ?? "y"}`;
    globalThis.Plotly?.Fx.hover(this.plot, [{ curveNumber: number, pointNumber: point }], subplot);
    this.place();
    // Plotly writes its label a little later, and tells nobody of one that it was asked for.
    clearTimeout(this.later);
    this.later = setTimeout(() => this.tell(), LABEL);
  }

  /** @param {{ curveNumber: number, pointNumber: number }} point */
  met({ curveNumber, pointNumber }) {
    const curve = this.curves.findIndex(({ number }) => number === curveNumber);
    const at = this.curves[curve]?.points.indexOf(pointNumber) ?? -1;
    if (at < 0) return;
    this.curve = curve;
    this.at = at;
    this.tell();
    this.node.classList.add("mb-reading");
  }

  /**
   * Where a point is, in pixels.
   * @param {number} number of the trace
   * @param {number} point
   */
  pixels(number, point) {
    const trace = this.plot.data[number];
    const [x, y] = [trace.xaxis ?? "x", trace.yaxis ?? "y"].map(
      (name) => this.plot._fullLayout[`${name[0]}axis${name.slice(1)}`],
    );
    // A bar may begin elsewhere than at 0.
    const top = trace.base ? trace.base + Number(trace.y?.[point]) : trace.y?.[point];
    return [x._offset + x.d2p(trace.x?.[point]), y._offset + y.d2p(top)];
  }

  place() {
    const { number, point } = this.here;
    this.node.style.translate = this.pixels(number, point)
      .map((v) => `${v}px`)
      .join(" ");
  }

  /** The marker's place and words. */
  tell() {
    this.place();
    const { number, point, last } = this.here;
    const trace = this.plot.data[number];
    // A label of several lines is several pieces.
    const lines = [...this.plot.querySelectorAll(".hoverlayer .hovertext .nums")].flatMap((text) =>
      text.querySelector("tspan.line")
        ? Array.from(text.querySelectorAll("tspan.line"), (line) => line.textContent)
        : [text.textContent],
    );
    const told = lines.join(" ") || `${trace.x?.[point]}, ${trace.y?.[point]}`;
    this.node.setAttribute("aria-label", `Read the curve: ${spoken(trace.name ?? "")}`);
    this.node.setAttribute("aria-valuemin", "0");
    this.node.setAttribute("aria-valuemax", String(last));
    this.node.setAttribute("aria-valuenow", String(this.at));
    this.node.setAttribute("aria-valuetext", spoken(told));
  }

  leave() {
    this.node.classList.remove("mb-reading");
    if (globalThis.Plotly && this.listening) globalThis.Plotly.Fx.unhover(this.plot);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!this.curves.length) return;
    if (event.key === "Escape") {
      this.leave();
      this.node.blur();
      return;
    }
    const { last } = this.here;
    const step = event.shiftKey ? 1 : Math.ceil((last + 1) / STEPS);
    const other = (/** @type {number} */ by) => {
      this.curve = (this.curve + by + this.curves.length) % this.curves.length;
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowRight: () => (this.at += step),
      ArrowLeft: () => (this.at -= step),
      PageUp: () => (this.at += 10 * step),
      PageDown: () => (this.at -= 10 * step),
      Home: () => (this.at = 0),
      End: () => (this.at = last),
      ArrowUp: () => other(-1),
      ArrowDown: () => other(1),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
    this.at = Math.max(this.at, 0);
    this.read();
  }

  /** The point of a curve nearest to a finger. @param {PointerEvent} event */
  tapped(event) {
    const box = this.plot.getBoundingClientRect();
    let least = Infinity;
    this.curves.forEach(({ number, points }, curve) => {
      points.forEach((point, at) => {
        const [x, y] = this.pixels(number, point);
        const far = Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
        if (far < least) [least, this.curve, this.at] = [far, curve, at];
      });
    });
    this.tap = performance.now();
    this.read();
  }
}
