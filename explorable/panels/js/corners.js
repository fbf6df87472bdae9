// A table over several axes: what a reader typed is answered by the point on the safe side;
// `explorable/panels/corners.py` packs it.
/** @import { Figure, Values } from "./types" */
import { bytesOf, inflate } from "./pack.js";

// Two lines that say the same are one.
const TWICE = /^(.+)\n\1$/;

/**
 * @typedef {object} Axis
 * @property {string[]} over
 * @property {string[]} under
 * @property {number[]} points
 * @property {string[]} texts
 * @property {boolean} up whether the larger point is on the safe side
 * @property {string} beyond
 * @property {boolean} whole
 * @property {boolean} elsewhere whether a terminal answers beyond the points
 */
/**
 * @typedef {object} Told
 * @property {string[]} axes
 * @property {string[]} texts
 * @property {(number | null)[]} numbers
 * @property {string} beyond what to say instead of the last text
 * @property {number} at
 */
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

/** @param {string} beyond @param {boolean} [elsewhere] */
function refusal(beyond, elsewhere = true) {
  return Object.assign(new Error(beyond), { elsewhere });
}

/**
 * The points on both sides of what the values make, the safe one first; none is -1.
 * @param {Axis} axis
 * @param {Values} values
 */
function placesOf({ over, under, points, up, beyond, whole, elsewhere }, values) {
  const product = (/** @type {string[]} */ names) =>
    names.reduce((all, name) => all * Number(values[name]), 1);
  const quotient = product(over) / product(under);
  const number = whole ? Math.ceil(quotient) : quotient;
  const above = points.findIndex((point) => point >= number);
  const below = points.filter((point) => point <= number).length - 1;
  const [safe, other] = up ? [above, below] : [below, above];
  if (safe < 0) throw refusal(beyond, elsewhere);
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
      const around = told.axes.map((axis) => places[axis]);
      const [safe, other] = [0, 1].map((side) =>
        told.axes.reduce((all, axis, i) => {
          return all * table.axes[axis].points.length + around[i][side];
        }, 0),
      );
      const [high, gap] = [arrays[told.at], arrays[told.at + 1]];
      const most = high[safe];
      const least = around.some(([, below]) => below < 0) ? 0 : high[other] - gap[other];
      if (told.beyond && most === told.texts.length - 1) throw refusal(told.beyond);
      words[name] = told.texts[most];
      words[`${name}.low`] = told.texts[least];
      numbers[name] = told.numbers[most] ?? null;
    }
    const tree = structuredClone(table.tree);
    for (const [path, text] of table.leaves) {
      /** @type {any} */
      let at = tree;
      for (const key of path.slice(0, -1)) at = at[key];
      at[path[path.length - 1]] = text.startsWith("#")
        ? numbers[text.slice(1)]
        : text.replace(/\{([\w.]+)\}/g, (_, name) => words[name]).replace(TWICE, "$1");
    }
    return tree;
  };
}
