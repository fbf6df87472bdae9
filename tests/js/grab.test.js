// From a place in the picture to the value of a control, and back.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  coordinate,
  placeOf,
  pulled,
  valueAt,
  valuesOnTrack,
} from "../../explorable/panels/js/grab.js";
import { slider } from "./controls.js";

const axis = (offset, scale) => ({
  _offset: offset,
  _length: 20 * scale,
  p2d: (pixel) => pixel / scale,
  d2p: (value) => value * scale,
});
const plot = {
  getBoundingClientRect: () => ({ left: 100, top: 50 }),
  _fullLayout: { xaxis: axis(20, 10), yaxis: axis(5, 2), xaxis2: axis(20, 1), yaxis2: axis(60, 2) },
};
const pointer = { clientX: 150, clientY: 75 };
const refuse = () => assert.fail("nothing to settle");

test("a pointer has a coordinate on each axis", () => {
  assert.equal(coordinate(plot, "x", pointer), 3);
  assert.equal(coordinate(plot, "y", pointer), 10);
  assert.equal(coordinate(plot, "x2", pointer), 30);
});

test("fixed stops are snapped to, and the ends hold", () => {
  const control = { ...slider("n", [1, 2, 4]), low: null, high: null };
  assert.deepEqual([0, 1.4, 2.9, 9].map((at) => valueAt(control, at, refuse)), [1, 1, 2, 4]);
});

test("between the stops the source decides, on four digits", () => {
  const control = { ...slider("n", [0, 1, 2]), low: 0, high: 2 };
  assert.equal(valueAt(control, 1.234567, (_, value) => value), 1.235);
  assert.equal(valueAt(control, 7, (_, value) => value), 2);
});

test("a handle stands at its value, where no label is", () => {
  const control = slider("n", [1, 2, 4]);
  assert.deepEqual(placeOf(plot, control, { axis: "x" }, 2), { x: 40, y: 5 });
  assert.deepEqual(placeOf(plot, control, { axis: "y" }, 2), { x: 220, y: 9 });
  assert.deepEqual(placeOf(plot, control, { axis: "y", at: 3 }, 2), { x: 50, y: 9 });
  assert.deepEqual(placeOf(plot, control, { axis: "y2" }, 4), { x: 40, y: 68 });
  assert.equal(placeOf(plot, control, { axis: "x" }, 99), null);
});

test("on a track the nearest point is pulled, whatever its order", () => {
  const control = { ...slider("n", [1, 2, 4]), low: null, high: null };
  const grab = { axis: "x", track: { x: [9, 3, 1], y: [10, 10, 0] } };
  assert.deepEqual(placeOf(plot, control, grab, 2), { x: 50, y: 25 });
  assert.equal(pulled(plot, control, grab, pointer, refuse), 2);
  assert.equal(pulled(plot, control, grab, { clientX: 205, clientY: 70 }, refuse), 1);
});

test("a track belongs to the stops that it has as many points as", () => {
  const fine = { ...slider("n", [1, 1.5, 2]), coarse: [1, 2] };
  const track = { x: [0, 5], y: [0, 5] };
  assert.deepEqual(valuesOnTrack(fine, { track }), [1, 2]);
  assert.deepEqual(placeOf(plot, fine, { axis: "x", track }, 1.9), { x: 70, y: 15 });
  const odd = { axis: "x", track: { x: [0], y: [0] } };
  assert.equal(valuesOnTrack(fine, odd), null);
  assert.equal(pulled(plot, fine, odd, pointer, refuse), null);
});
