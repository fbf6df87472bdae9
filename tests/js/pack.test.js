// Binary arrays; that the whole unpacks what Python packed is for tests/explore/test_javascript.py.
import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesOf, revive, shaped } from "../../explorable/panels/js/pack.js";

const base64 = (array) => Buffer.from(array.buffer).toString("base64");

test("base64 gives its bytes", () => {
  assert.deepEqual([...bytesOf("AP8Q")], [0, 255, 16]);
  assert.equal(bytesOf("").length, 0);
});

test("a flat array takes its shape without a copy", () => {
  const flat = Float32Array.of(1, 2, 3, 4, 5, 6);
  assert.equal(shaped(flat, [6]), flat);
  const rows = shaped(flat, [2, 3]);
  assert.deepEqual(rows.map((row) => [...row]), [[1, 2, 3], [4, 5, 6]]);
  assert.equal(rows[1].buffer, flat.buffer);
  assert.deepEqual([...shaped(flat, [3, 1, 2])[2][0]], [5, 6]);
});

test("the arrays of plotly's own JSON are revived wherever they stand", () => {
  const kinds = {
    f4: Float32Array,
    f8: Float64Array,
    i1: Int8Array,
    u1: Uint8Array,
    i2: Int16Array,
    u2: Uint16Array,
    i4: Int32Array,
    u4: Uint32Array,
  };
  for (const [dtype, Kind] of Object.entries(kinds)) {
    const array = Kind.of(1, 2, 3, 4);
    const tree = { data: [{ y: { dtype, bdata: base64(array) }, name: "a", x: null }] };
    assert.deepEqual(revive(tree).data[0], { y: array, name: "a", x: null });
    const grid = revive({ dtype, bdata: base64(array), shape: "2, 2" });
    assert.deepEqual(grid.map((row) => [...row]), [[1, 2], [3, 4]]);
  }
});
