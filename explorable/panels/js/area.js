// Where a guess in the picture goes, and what it covers: from its first place to the mark.
/** @import { Pixel } from "./grab.js" */
/** @import { PlotNode } from "./types" */
/** @import { Question } from "./veil.js" */
import { axesOf } from "./grab.js";

/**
 * Where a value of the asked axis stands, in pixels.
 * @param {PlotNode} plot
 * @param {NonNullable<Question["spec"]["mark"]>} mark
 * @param {number} value
 * @returns {Pixel}
 */
export function spotOf(plot, { axis, at }, value) {
  const { x, y, upright } = axesOf(plot, axis);
  const on = (/** @type {any} */ side, /** @type {any} */ v) => side._offset + side.d2p(v);
  const [own, across] = upright ? [y, x] : [x, y];
  const along = on(own, value);
  const beside = at === null ? across._offset + across._length / 2 : on(across, at);
  return upright ? { x: beside, y: along } : { x: along, y: beside };
}

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

/**
 * The line along which the dot may go, or the level that it stands for; a cover tells its own way.
 * @param {HTMLElement} rail
 * @param {PlotNode} plot
 * @param {NonNullable<Question["spec"]["mark"]>} mark
 * @param {Pixel} spot
 */
export function layWay(rail, plot, mark, spot) {
  const { x, y, upright } = axesOf(plot, mark.axis);
  const level = mark.at === null;
  const lies = upright === level;
  const { _offset, _length } = lies ? x : y;
  const way = [mark.places[0], ...mark.places.slice(-1)].map(
    ({ value }) => spotOf(plot, mark, value)[lies ? "x" : "y"],
  );
  const [from, to] = level ? [_offset, _offset + _length] : way.sort((a, b) => a - b);
  rail.style.translate = lies ? `${from}px ${spot.y}px` : `${spot.x}px ${from}px`;
  rail.style.width = lies ? `${to - from}px` : "0";
  rail.style.height = lies ? "0" : `${to - from}px`;
  rail.hidden = !!mark.across;
}
