// Laying layers over each other; tests/explore/test_javascript.py compares with Python.
import assert from "node:assert/strict";
import { test } from "node:test";

import { composed } from "../../explorable/panels/js/pack.js";

const layer = (name, layout = {}) => ({ data: [{ name }], layout });

test("traces keep the order of their layers", () => {
  const names = composed([layer("a"), layer("b"), layer("c")]).data.map((trace) => trace.name);
  assert.deepEqual(names, ["a", "b", "c"]);
});

test("a later layout goes over an earlier one, setting by setting", () => {
  const one = layer("a", { xaxis: { range: [0, 1], type: "log" }, height: 3 });
  const other = layer("b", { xaxis: { range: [0, 2] } });
  assert.deepEqual(composed([one, other]).layout, {
    xaxis: { range: [0, 2], type: "log" },
    height: 3,
    meta: {},
  });
});

test("annotations and shapes of all layers stay", () => {
  const some = [layer("a", { shapes: [1] }), layer("b", { shapes: [2], annotations: [3] })];
  const { shapes, annotations } = composed(some).layout;
  assert.deepEqual([shapes, annotations], [[1, 2], [3]]);
});

test("each layer brings what can be held and read on it", () => {
  const parts = ["n", "at"].map((name) => layer("a", { meta: { grab: [name], probe: [name] } }));
  assert.deepEqual(composed(parts).layout.meta, { grab: ["n", "at"], probe: ["n", "at"] });
});

test("the sentence takes the words of any layer, and keeps a brace that is none", () => {
  const told = layer("a", { meta: { sentence: "At {n}, {n} of {x}", alt: "no" } });
  const words = layer("b", { meta: { words: { n: "3" } } });
  assert.deepEqual(composed([told, words]).layout.meta, { sentence: "At 3, 3 of {x}", alt: "no" });
});

test("nothing that was unpacked is changed", () => {
  const one = layer("a", { meta: { sentence: "{n}" }, xaxis: { range: [0, 1] } });
  const other = layer("b", { meta: { words: { n: "3" } }, xaxis: { range: [0, 2] } });
  const before = JSON.stringify([one, other]);
  composed([one, other]);
  assert.equal(JSON.stringify([one, other]), before);
});
