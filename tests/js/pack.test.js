// Arrays, and layers laid over each other; what tests/explore/test_javascript.py does not compare.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { composed, revive, shaped } from "../../explorable/panels/js/pack.js";

test("a flat array takes its shape without a copy", () => {
  const flat = Float32Array.of(1, 2, 3, 4, 5, 6);
  equal(shaped(flat, [6]), flat);
  equal(shaped(flat, [2, 3])[1].buffer, flat.buffer);
  deepEqual([...shaped(flat, [3, 1, 2])[2][0]], [5, 6]);
});

test("the arrays of plotly's own JSON are revived wherever they stand", () => {
  const floats = { f4: Float32Array, f8: Float64Array };
  const wholes = { i1: Int8Array, i2: Int16Array, i4: Int32Array };
  const counts = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
  for (const [dtype, Kind] of Object.entries({ ...floats, ...wholes, ...counts })) {
    const array = Kind.of(1, 2, 3, 4);
    const bdata = Buffer.from(array.buffer).toString("base64");
    const tree = { data: [{ y: { dtype, bdata }, name: "a", x: null }] };
    deepEqual(revive(tree).data[0], { y: array, name: "a", x: null });
    const grid = revive({ dtype, bdata, shape: "2, 2" });
    deepEqual(grid.map((row) => [...row]), [[1, 2], [3, 4]]);
  }
});

test("laying layers changes nothing that was unpacked, and keeps a brace that is no word", () => {
  const meta = { sentence: "At {n} of {x}" };
  const layers = [
    { data: [], layout: { meta, xaxis: { range: [0, 1] } } },
    { data: [], layout: { meta: { words: { n: "3" } }, xaxis: { range: [0, 2] } } },
  ];
  const before = structuredClone(layers);
  equal(composed(layers).layout.meta.sentence, "At 3 of {x}");
  deepEqual(layers, before);
});
