// From a place in the picture to the value of a control.
import assert from "node:assert/strict";
import { test } from "node:test";

import { coordinate, valueAt } from "../../mipbook/explore/js/grab.js";
import { slider } from "./controls.js";

const axis = (offset, scale) => ({ _offset: offset, p2d: (pixel) => pixel / scale });
const plot = {
  getBoundingClientRect: () => ({ left: 100, top: 50 }),
  _fullLayout: { xaxis: axis(20, 10), yaxis: axis(5, 2) },
};

test("a pointer has a coordinate on each axis", () => {
  const pointer = { clientX: 150, clientY: 75 };
  assert.equal(coordinate(plot, "x", pointer), 3);
  assert.equal(coordinate(plot, "y", pointer), 10);
});

test("fixed stops are snapped to, and the ends hold", () => {
  const control = { ...slider("n", [1, 2, 4]), low: null, high: null };
  const settle = () => assert.fail("nothing to settle");
  assert.deepEqual([0, 1.4, 2.9, 9].map((at) => valueAt(control, at, settle)), [1, 1, 2, 4]);
});

test("between the stops the source decides, on four digits", () => {
  const control = { ...slider("n", [0, 1, 2]), low: 0, high: 2 };
  assert.equal(valueAt(control, 1.234567, (_, value) => value), 1.235);
  assert.equal(valueAt(control, 7, (_, value) => value), 2);
});
