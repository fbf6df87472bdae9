// Dragging in the picture: a point of the plot becomes a value of a control.
/** @import { Control, Grab, Host, PlotNode } from "./types" */
import { nearest } from "./values.js";

// Farther than any handle: what has no place on its axis.
const FAR = 1e9;

/** @typedef {{ clientX: number, clientY: number }} Pointer */

/**
 * One of the plot's axes, and how far along it the pointer is, in pixels.
 * @param {PlotNode} plot
 * @param {"x" | "y"} side
 * @param {Pointer} pointer
 */
function along(plot, side, { clientX, clientY }) {
  const box = plot.getBoundingClientRect();
  const axis = plot._fullLayout[side === "x" ? "xaxis" : "yaxis"];
  const pixel = side === "x" ? clientX - box.left : clientY - box.top;
  return { axis, pixel: pixel - axis._offset };
}

/**
 * The coordinate of a pointer on one of the plot's axes.
 * @param {PlotNode} plot
 * @param {"x" | "y"} side
 * @param {Pointer} pointer
 */
export function coordinate(plot, side, pointer) {
  const { axis, pixel } = along(plot, side, pointer);
  return axis.p2d(pixel);
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
    const far = (/** @type {Grab} */ grab) => {
      const { axis, pixel } = along(plot, grab.axis, event);
      const away = Math.abs(axis.d2p(Number(panel.values[grab.control])) - pixel);
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
