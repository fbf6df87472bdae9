// Unpacking the figures of all states; `explorable/panels/pack.py` packs them.
/** @import { Figure, Layout } from "./types" */

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
};

/** @typedef {keyof typeof ARRAYS} ArrayType */
/** @typedef {InstanceType<typeof ARRAYS[ArrayType]>} Flat */
/** @typedef {(string | number)[]} Path where a leaf stands in the tree */
/**
 * Type and shape of its arrays, how many these are, whether byte stands behind byte, whether steps
 * stand for values, and their decimals or -1.
 * @typedef {[ArrayType, number[], number, 0 | 1, 0 | 1, number]} Block
 */
/**
 * @typedef {object} Index
 * @property {number} states
 * @property {[Path, number][]} base leaves that are the same in every state
 * @property {Path[]} paths leaves that differ, one row of the table each
 * @property {any[]} values
 * @property {Block[]} blocks the arrays
 */

/** @param {string} base64 */
export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** @param {BlobPart} bytes */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/**
 * Rows of rows of numbers, without a copy.
 * @param {Flat} flat
 * @param {number[]} shape
 * @returns {any}
 */
export function shaped(flat, shape) {
  if (shape.length < 2) return flat;
  const size = shape.slice(1).reduce((a, b) => a * b, 1);
  return Array.from({ length: shape[0] }, (_, i) =>
    shaped(flat.subarray(i * size, (i + 1) * size), shape.slice(1)),
  );
}

/**
 * Put plotly's own binary arrays, as a kernel sends them, in their places.
 * @param {any} value
 * @returns {any}
 */
export function revive(value) {
  if (Array.isArray(value)) return value.map(revive);
  if (!value || typeof value !== "object") return value;
  if ("bdata" in value && "dtype" in value) {
    const flat = new ARRAYS[/** @type {ArrayType} */ (value.dtype)](bytesOf(value.bdata).buffer);
    return value.shape ? shaped(flat, String(value.shape).split(",").map(Number)) : flat;
  }
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v)]));
}

/**
 * Set a leaf, making the objects and lists on the way to it.
 * @param {any} tree
 * @param {Path} path
 * @param {any} value
 */
function put(tree, path, value) {
  for (let i = 0; i < path.length - 1; i++) {
    tree[path[i]] ??= typeof path[i + 1] === "number" ? [] : {};
    tree = tree[path[i]];
  }
  tree[path[path.length - 1]] = value;
}

const WORDS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

/**
 * An array of a block.
 * @param {Uint8Array} bytes
 * @param {number} at where the block starts
 * @param {Block} block
 * @param {number} number
 */
function arrayOf(bytes, at, [type, shape, count, planes, summed, decimals], number) {
  const size = shape.reduce((a, b) => a * b, 1);
  const wide = ARRAYS[type].BYTES_PER_ELEMENT;
  const own = new Uint8Array(size * wide);
  const [step, plane] = planes ? [1, count * size] : [wide, 1];
  const first = at + number * size * step;
  for (let b = 0; b < wide; b++) {
    for (let i = 0; i < size; i++) own[i * wide + b] = bytes[first + b * plane + i * step];
  }
  if (summed) {
    const words = new WORDS[/** @type {1 | 2 | 4} */ (wide)](own.buffer);
    for (let i = 1; i < size; i++) words[i] += words[i - 1];
  }
  const flat = new ARRAYS[type](own.buffer);
  return shaped(decimals < 0 ? flat : Float64Array.from(flat, (v) => v / 10 ** decimals), shape);
}

/**
 * What gives the tree of each state: a figure, or the error in its place.
 * @param {string} blob
 * @returns {Promise<(state: number) => Figure & { error?: string }>}
 */
export async function unpacked(blob) {
  const buffer = await inflate(bytesOf(blob));
  const [jsonSize, rowsSize] = new Uint32Array(buffer, 0, 2);
  /** @type {Index} */
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, jsonSize)));
  const table = new Uint32Array(buffer, 8 + jsonSize, index.states * index.paths.length);
  const bytes = new Uint8Array(buffer);
  let [first, start] = [0, 8 + jsonSize + rowsSize];
  const places = index.blocks.map((block) => {
    const [type, shape, count] = block;
    const here = { block, from: first, at: start };
    first += count;
    start += shape.reduce((a, b) => a * b, count) * ARRAYS[type].BYTES_PER_ELEMENT;
    return here;
  });
  const made = new Map();

  /** @param {number} number */
  function valueOf(number) {
    const value = index.values[number];
    if (value === null || typeof value !== "object" || !("$array" in value)) return value;
    if (!made.has(number)) {
      let i = places.length - 1;
      while (places[i].from > value.$array) i -= 1;
      const { block, from, at } = places[i];
      made.set(number, arrayOf(bytes, at, block, value.$array - from));
    }
    return made.get(number);
  }

  return (state) => {
    /** @type {any} */
    const tree = {};
    for (const [path, number] of index.base) put(tree, path, valueOf(number));
    index.paths.forEach((path, row) => {
      const number = table[row * index.states + state];
      if (number) put(tree, path, valueOf(number - 1));
    });
    return tree;
  };
}

// Laying the layers of a figure over each other; `explorable/panels/protocol.py` does the same.

// Each layer adds its own of these.
const LISTS = ["annotations", "shapes", "grab", "probe", "table"];
/** @type {("headline" | "sentence" | "alt")[]} */
const FILLED = ["headline", "sentence", "alt"];

/** @type {(value: unknown) => boolean} */
const isTree = (value) =>
  value !== null &&
  typeof value === "object" &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value);

/**
 * @param {any} old
 * @param {any} given
 * @returns {any}
 */
function merged(old, given) {
  const result = { ...old };
  for (const [key, value] of Object.entries(given)) {
    if (isTree(value) && isTree(result[key])) result[key] = merged(result[key], value);
    else if (LISTS.includes(key) && result[key]) result[key] = [...result[key], ...value];
    else result[key] = value;
  }
  return result;
}

/**
 * @param {Figure[]} trees the lowest layer first
 * @returns {Figure}
 */
export function composed(trees) {
  const data = trees.flatMap((tree) => tree.data ?? []);
  /** @type {Layout} */
  const layout = trees.reduce((all, tree) => merged(all, tree.layout ?? {}), {});
  const { words, ...meta } = layout.meta ?? {};
  /** @type {(text: string) => string} */
  const filled = (text) => text.replace(/\{(\w+)\}/g, (all, key) => words?.[key] ?? all);
  for (const name of FILLED) {
    if (meta[name]) meta[name] = filled(meta[name]);
  }
  for (const [name, text] of Object.entries(meta.replies ?? {})) {
    meta.replies = { ...meta.replies, [name]: filled(text) };
  }
  return { data, layout: { ...layout, meta } };
}
