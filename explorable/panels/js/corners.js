// A table over several axes: what a reader typed is answered by the point on the safe side;
// `explorable/panels/corners.py` packs it.
/** @import { Figure, Values } from "./types" */
import { bytesOf, inflate } from "./pack.js";

/**
 * @typedef {object} Axis
 * @property {string[]} over
 * @property {string[]} under
 * @property {number[]} points
 * @property {string[]} texts
 * @property {boolean} up whether the larger point is on the safe side
 * @property {string} beyond
 * @property {boolean} whole
 */
/** @typedef {{ axes: string[], texts: string[], numbers: (number | null)[], at: number }} Told */
/**
 * @typedef {object} Table
 * @property {Record<string, Axis>} axes
 * @property {Record<string, Told>} told
 * @property {Figure} tree
 * @property {[(string | number)[], string][]} leaves
 * @property {Record<string, string>} exact
 * @property {Record<string, string>} between
 * @property {number[]} lengths
 */

/**
 * The points on both sides of what the values make, the safe one first; none is -1.
 * @param {Axis} axis
 * @param {Values} values
 */
function placesOf({ over, under, points, up, beyond, whole }, values) {
  const product = (/** @type {string[]} */ names) =>
    names.reduce((all, name) => all * Number(values[name]), 1);
  const quotient = product(over) / product(under);
  const number = whole ? Math.ceil(quotient) : quotient;
  const above = points.findIndex((point) => point >= number);
  const below = points.filter((point) => point <= number).length - 1;
  const [safe, other] = up ? [above, below] : [below, above];
  if (safe < 0) throw new Error(beyond);
  return [safe, other];
}

/** @param {Int16Array} twice second differences of rows @param {number} width of a row */
function summed(twice, width) {
  const found = new Int32Array(twice.length);
  for (let start = 0; start < twice.length; start += width) {
    for (let i = start, step = 0, value = 0; i < start + width; i++) {
      step += twice[i];
      value += step;
      found[i] = value;
    }
  }
  return found;
}

/**
 * What gives the figure of any values.
 * @param {string} blob
 * @returns {Promise<(values: Values) => Figure>}
 */
export async function cornersOf(blob) {
  const buffer = await inflate(bytesOf(blob));
  const [size] = new Uint32Array(buffer, 0, 1);
  /** @type {Table} */
  const table = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const widthOf = (/** @type {Told} */ { axes }) =>
    table.axes[axes[axes.length - 1]].points.length;
  const wide = Object.values(table.told).flatMap((each) => [widthOf(each), widthOf(each)]);
  let offset = 4 + size;
  const arrays = table.lengths.map((length, i) => {
    const twice = new Int16Array(buffer.slice(offset, offset + 2 * length));
    offset += 2 * length;
    return summed(twice, wide[i]);
  });

  return (values) => {
    const places = Object.fromEntries(
      Object.entries(table.axes).map(([name, axis]) => [name, placesOf(axis, values)]),
    );
    const same = Object.values(places).every(([safe, other]) => safe === other);
    const words = { ...(same ? table.exact : table.between) };
    /** @type {Record<string, number | null>} */
    const numbers = {};
    for (const [name, axis] of Object.entries(table.axes)) {
      words[name] = axis.texts[places[name][0]];
    }
    for (const [name, told] of Object.entries(table.told)) {
      const state = (/** @type {number} */ side) =>
        told.axes.reduce((all, axis) => {
          return all * table.axes[axis].points.length + places[axis][side];
        }, 0);
      const none = told.axes.some((axis) => places[axis][1] < 0);
      const [high, gap] = [arrays[told.at], arrays[told.at + 1]];
      const low = none ? 0 : high[state(1)] - gap[state(1)];
      words[name] = told.texts[high[state(0)]];
      words[`${name}.low`] = told.texts[low];
      numbers[name] = told.numbers[high[state(0)]] ?? null;
    }
    const tree = structuredClone(table.tree);
    for (const [path, text] of table.leaves) {
      /** @type {any} */
      let at = tree;
      for (const key of path.slice(0, -1)) at = at[key];
      at[path[path.length - 1]] = text.startsWith("#")
        ? numbers[text.slice(1)]
        : text.replace(/\{([\w.]+)\}/g, (_, name) => words[name]);
    }
    return tree;
  };
}
