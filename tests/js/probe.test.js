// Which curves can be read, and at which points.
import assert from "node:assert/strict";
import { test } from "node:test";

import { curvesOf, readable } from "../../explorable/panels/js/probe.js";

const figure = {
  data: [
    { name: "silent", x: [1], y: [1] },
    { name: "curve", x: [1, 2, 3], y: [0.5, null, Infinity] },
    { name: "told", x: [1], y: [1], hovertemplate: "here" },
  ],
  layout: { meta: { probe: ["curve", "gone"] } },
};

test("the named curves are read, but for their gaps", () => {
  assert.deepEqual(curvesOf(figure), [{ number: 1, points: [0] }]);
});

test("what says nothing is passed over", () => {
  const { data, layout } = readable(figure);
  assert.deepEqual(data.map((trace) => trace.hoverinfo), ["skip", undefined, undefined]);
  assert.equal(layout.hoverdistance, -1);
  const plain = { data: [figure.data[0]], layout: {} };
  assert.deepEqual(readable(plain), plain);
});
