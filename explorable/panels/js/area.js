// What a guess in the picture covers: from its first place to the mark.
/** @import { PlotNode } from "./types" */
/** @import { Question } from "./veil.js" */
import { axesOf } from "./grab.js";

/**
 * @param {HTMLElement} area
 * @param {PlotNode} plot
 * @param {NonNullable<Question["spec"]["mark"]>} mark
 * @param {number} value where the mark is
 */
export function cover(area, plot, { axis, across, places }, value) {
  area.hidden = !across;
  if (!across) return;
  const { x, y, upright } = axesOf(plot, axis);
  const ends = (/** @type {any} */ side, /** @type {number[]} */ values) =>
    values.map((v) => side._offset + side.d2p(v)).sort((a, b) => a - b);
  const along = [places[0].value, value];
  const [left, right] = ends(x, upright ? across : along);
  const [top, bottom] = ends(y, upright ? along : across);
  area.style.translate = `${left}px ${top}px`;
  area.style.width = `${right - left}px`;
  area.style.height = `${bottom - top}px`;
}
