// Dragging in the picture: a point of the plot becomes a value of a control.
/** @import { Control, Grab, Host, PlotNode, Value } from "./types" */
import { element } from "./dom.js";
import { spoken } from "./symbols.js";
import { labelOf, nearest, position } from "./values.js";

// Where several things can be held, a press farther from all of them holds none.
const REACH = 48;
// A key moves a handle by one stop, or by this share of them.
const LEAP = 0.1;

/** @typedef {{ clientX: number, clientY: number }} Pointer */
/** @typedef {{ x: number, y: number }} Pixel within the plot's node */

/**
 * The two axes of a grab: the one that it names, and the one across.
 * @param {PlotNode} plot
 * @param {string} side
 */
export function axesOf(plot, side) {
  const number = side.slice(1);
  const [x, y] = [plot._fullLayout[`xaxis${number}`], plot._fullLayout[`yaxis${number}`]];
  return { x, y, upright: side.startsWith("y") };
}

/** @type {(plot: PlotNode, pointer: Pointer) => Pixel} */
export function pixelOf(plot, { clientX, clientY }) {
  const box = plot.getBoundingClientRect();
  return { x: clientX - box.left, y: clientY - box.top };
}

/**
 * The coordinate of a pointer on one of the plot's axes.
 * @param {PlotNode} plot
 * @param {string} side
 * @param {Pointer} pointer
 */
export function coordinate(plot, side, pointer) {
  const { x, y, upright } = axesOf(plot, side);
  const at = pixelOf(plot, pointer);
  return upright ? y.p2d(at.y - y._offset) : x.p2d(at.x - x._offset);
}

/**
 * The value of a control where the pointer is: on this page a stop, with a kernel any number.
 * @param {Control} control
 * @param {number} at
 * @param {(control: Control, value: number) => number} settle
 */
export function valueAt(control, at, settle) {
  const stops = /** @type {number[]} */ (control.stops);
  const held = Math.min(Math.max(at, stops[0]), stops[stops.length - 1]);
  const fixed = control.low === null || control.stepped || control.whole;
  if (fixed) return stops[nearest(control, held)];
  return settle(control, Number(held.toPrecision(4)));
}

/**
 * The values of a control at the points of a track, or none where they do not match.
 * @param {Control} control
 * @param {Grab} grab
 */
export function valuesOnTrack(control, { track }) {
  const points = track?.x.length ?? 0;
  const all = [control.stops, control.coarse ?? []];
  return all.find((values) => points > 0 && values.length === points) ?? null;
}

/**
 * Where the handle of a grab stands, in pixels, or nothing where it has no place.
 * @param {PlotNode} plot
 * @param {Control} control
 * @param {Grab} grab
 * @param {Value} value
 * @returns {Pixel | null}
 */
export function placeOf(plot, control, grab, value) {
  const { x, y, upright } = axesOf(plot, grab.axis);
  const on = (/** @type {any} */ axis, /** @type {any} */ v) => axis._offset + axis.d2p(v);
  // Where no label of an axis is: at the top, or at the right.
  let at = { x: x._offset + x._length, y: y._offset };
  const values = valuesOnTrack(control, grab);
  if (values && grab.track) {
    const i = values.indexOf(/** @type {any} */ (value));
    // A typed number stands between two stops, and its handle on the nearer point.
    const there = i >= 0 ? i : Math.round(position({ ...control, stops: values }, Number(value)));
    at = { x: on(x, grab.track.x[there]), y: on(y, grab.track.y[there]) };
  } else if (upright) {
    at.y = on(y, Number(value));
    if (grab.at !== undefined) at.x = on(x, grab.at);
  } else {
    at.x = on(x, Number(value));
    if (grab.at !== undefined) at.y = on(y, grab.at);
  }
  const inside =
    at.x >= x._offset - 1 &&
    at.x <= x._offset + x._length + 1 &&
    at.y >= y._offset - 1 &&
    at.y <= y._offset + y._length + 1;
  return inside ? at : null;
}

/** @type {(a: Pixel, b: Pixel) => number} */
const apart = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/**
 * The value of a control for a pointer that holds a grab.
 * @param {PlotNode} plot
 * @param {Control} control
 * @param {Grab} grab
 * @param {Pointer} pointer
 * @param {(control: Control, value: number) => number} settle
 * @returns {Value | null}
 */
export function pulled(plot, control, grab, pointer, settle) {
  const values = valuesOnTrack(control, grab);
  if (values) {
    const here = pixelOf(plot, pointer);
    let [best, least] = [/** @type {Value | null} */ (null), Infinity];
    for (const value of values) {
      const place = placeOf(plot, control, grab, value);
      if (place && apart(place, here) < least) [best, least] = [value, apart(place, here)];
    }
    return best;
  }
  if (grab.track) return null;
  const at = coordinate(plot, grab.axis, pointer);
  return Number.isFinite(at) ? valueAt(control, at, settle) : null;
}

/** The things in a panel's plot that can be held, as the figure's `meta.grab` says. */
export class Grabs {
  /**
   * @param {Host} panel
   * @param {HTMLElement} node
   * @param {HTMLElement} overlay what lies over the plot
   */
  constructor(panel, node, overlay) {
    this.panel = panel;
    this.plot = /** @type {PlotNode} */ (node);
    this.overlay = overlay;
    /** @type {Grab | null} */
    this.held = null;
    /** @type {HTMLElement[]} one a grab, which stays while the figure changes */
    this.handles = [];
    node.addEventListener("pointerdown", (event) => this.press(event));
    this.follow(node);
  }

  get all() {
    return this.panel.shown?.layout.meta?.grab ?? [];
  }

  /** @param {Grab} grab */
  controlOf(grab) {
    return this.panel.spec.controls.find((c) => c.name === grab.control);
  }

  /** @param {HTMLElement} node what has the pointer while it moves */
  follow(node) {
    node.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      node.addEventListener(end, () => {
        this.held = null;
        this.overlay.classList.remove("mb-held");
      });
    }
  }

  /** @param {Grab} grab @param {HTMLElement} node @param {PointerEvent} event */
  hold(grab, node, event) {
    this.held = grab;
    this.overlay.classList.add("mb-held");
    node.setPointerCapture(event.pointerId);
  }

  /** A press in the plot holds what is nearest. @param {PointerEvent} event */
  press(event) {
    const inside = event.target instanceof Element && event.target.closest(".draglayer");
    if (!inside || event.button > 0) return;
    const here = pixelOf(this.plot, event);
    const far = this.all.map((grab) => {
      const control = this.controlOf(grab);
      if (!control) return Infinity;
      const place = placeOf(this.plot, control, grab, this.panel.values[grab.control]);
      if (!place) return Infinity;
      if (grab.track) return apart(place, here);
      return Math.abs(grab.axis.startsWith("y") ? place.y - here.y : place.x - here.x);
    });
    const least = Math.min(...far);
    // A curve that can be read is not pulled about by a tap elsewhere.
    const near = far.length > 1 || this.panel.shown?.layout.meta?.probe;
    if (!far.length || least > (near ? REACH : Infinity)) return;
    this.hold(this.all[far.indexOf(least)], this.plot, event);
    this.move(event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const control = this.held && this.controlOf(this.held);
    if (!this.held || !control) return;
    const value = pulled(this.plot, control, this.held, event, this.panel.source.settle);
    if (value !== null) this.panel.set(control.name, value);
  }

  /** @param {number} number */
  handle(number) {
    const grab = () => this.all[number];
    const node = element("div", {
      class: "mb-handle",
      role: "slider",
      tabindex: 0,
      "data-lm-suppress-shortcuts": "true",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(grab(), event),
      onpointerdown: (/** @type {PointerEvent} */ event) => {
        if (event.button > 0) return;
        event.preventDefault();
        node.focus({ preventScroll: true });
        this.hold(grab(), node, event);
      },
    });
    this.follow(node);
    this.overlay.append(node);
    return node;
  }

  /** @param {Grab} grab @param {KeyboardEvent} event */
  key(grab, event) {
    const control = this.controlOf(grab);
    if (!control) return;
    const last = control.stops.length - 1;
    const now = nearest(control, this.panel.values[control.name]);
    const leap = Math.max(1, Math.round(LEAP * last));
    /** @type {Record<string, number>} */
    const to = {
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      PageUp: now + leap,
      PageDown: now - leap,
      Home: 0,
      End: last,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    event.stopPropagation();
    this.panel.set(control.name, control.stops[Math.min(Math.max(to[event.key], 0), last)]);
  }

  /** Put each handle where its value is, and say what it holds. */
  drawn() {
    const axes = this.all.filter((g) => !g.track).map((g) => g.axis[0]);
    this.plot.classList.toggle("mb-grab-x", axes.includes("x"));
    this.plot.classList.toggle("mb-grab-y", axes.includes("y") && !axes.includes("x"));
    while (this.handles.length < this.all.length) {
      this.handles.push(this.handle(this.handles.length));
    }
    this.handles.forEach((node, i) => {
      const grab = this.all[i];
      const control = grab && this.controlOf(grab);
      const value = control && this.panel.values[control.name];
      const place = control && value !== undefined && placeOf(this.plot, control, grab, value);
      node.hidden = !place;
      if (!place || value === undefined) return;
      node.style.translate = `${place.x}px ${place.y}px`;
      node.dataset.grab = control.name;
      node.dataset.turn = grab.track ? "both" : grab.axis[0];
      node.toggleAttribute("data-ring", Boolean(grab.ring));
      const text = spoken(`${labelOf(control, value)} ${control.unit}`.trim());
      node.setAttribute("aria-label", `Drag in the picture: ${spoken(control.label)}`);
      node.setAttribute("aria-valuemin", "0");
      node.setAttribute("aria-valuemax", String(control.stops.length - 1));
      node.setAttribute("aria-valuenow", String(nearest(control, value)));
      node.setAttribute("aria-valuetext", text);
    });
  }
}
