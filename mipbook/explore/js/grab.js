// Dragging in the picture: a point of the plot becomes a value of a control.
/** @import { Control, Grab, Host, PlotNode } from "./types" */
import { nearest } from "./values.js";

// From the pointer to the handle, in pixels, where several can be grabbed.
const FAR = 1e9;

/**
 * The coordinate of a pointer on one of the plot's axes.
 * @param {PlotNode} plot
 * @param {"x" | "y"} side
 * @param {{ clientX: number, clientY: number }} pointer
 */
export function coordinate(plot, side, { clientX, clientY }) {
  const box = plot.getBoundingClientRect();
  const axis = plot._fullLayout[side === "x" ? "xaxis" : "yaxis"];
  const pixel = side === "x" ? clientX - box.left : clientY - box.top;
  return axis.p2d(pixel - axis._offset);
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
 * Let the pointer move a panel's controls in its plot, as the figure's `meta.grab` says.
 * @param {Host} panel
 * @param {HTMLElement} node
 */
export function listenForGrabs(panel, node) {
  /** @type {Grab | null} */
  let held = null;
  const plot = /** @type {PlotNode} */ (node);
  const grabs = () => panel.shown?.layout.meta?.grab ?? [];

  /** @param {PointerEvent} event */
  function move(event) {
    if (!held) return;
    const name = held.control;
    const control = panel.spec.controls.find((c) => c.name === name);
    if (!control) return;
    const at = coordinate(plot, held.axis, event);
    if (Number.isFinite(at)) panel.set(name, valueAt(control, at, panel.source.settle));
  }

  /** The grab whose value is nearest to the pointer. @param {PointerEvent} event */
  function grabbed(event) {
    const far = (/** @type {Grab} */ { control, axis }) => {
      const value = Number(panel.values[control]);
      const scale = plot._fullLayout[axis === "x" ? "xaxis" : "yaxis"];
      const box = plot.getBoundingClientRect();
      const pixel = axis === "x" ? event.clientX - box.left : event.clientY - box.top;
      const away = Math.abs(scale.d2p(value) + scale._offset - pixel);
      return Number.isFinite(away) ? away : FAR;
    };
    return [...grabs()].sort((a, b) => far(a) - far(b))[0] ?? null;
  }

  node.addEventListener("pointerdown", (event) => {
    const inside = event.target instanceof Element && event.target.closest(".draglayer");
    if (!inside || !grabs().length || event.button > 0) return;
    held = grabbed(event);
    node.setPointerCapture(event.pointerId);
    move(event);
  });
  node.addEventListener("pointermove", move);
  for (const end of ["pointerup", "pointercancel"]) {
    node.addEventListener(end, () => {
      held = null;
    });
  }
  return {
    /** Show by the pointer's shape, and to touch, what can be dragged. */
    drawn() {
      const axes = grabs().map((g) => g.axis);
      node.classList.toggle("mb-grab-x", axes.includes("x"));
      node.classList.toggle("mb-grab-y", axes.includes("y") && !axes.includes("x"));
    },
  };
}
