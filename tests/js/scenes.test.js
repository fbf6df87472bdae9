// What a figure plays, and what a game leaves out while it begins.
import assert from "node:assert/strict";
import test from "node:test";
import * as motion from "../../explorable/panels/js/motion.js";

const { beginning, between, countedTo, inScenes, scenesOf } = motion;

const figure = () => ({
  data: [
    { name: "one", x: [1], y: [2] },
    { name: "two", x: [3], y: [4] },
  ],
  layout: {
    meta: {
      before: [{ marks: { one: { x: [0] } } }, { marks: { one: { opacity: 0 } }, say: "Now." }],
      later: ["two"],
      grab: [{ control: "line", axis: "x" }],
    },
  },
});

test("a mark goes by equal factors where its axis does", () => {
  assert.deepEqual(between([1, 0], [100, 8], 0.5, true), [10, 4]);
  assert.equal(between(1, 100, 0.5), 50.5);
});

test("scenes add up, and leave what they do not name", () => {
  const { data } = inScenes(figure(), scenesOf(figure(), false));
  assert.deepEqual(data[0], { name: "one", x: [0], y: [2], opacity: 0 });
  assert.deepEqual(data[1], figure().data[1]);
  assert.deepEqual(inScenes(figure(), []), { data: figure().data, layout: figure().layout });
  assert.deepEqual(scenesOf(figure(), true), []);
});

test("a number counts, unless marks stand between its digits; a new word comes at the end", () => {
  const [from, to] = [
    ["≤ 50.0 of", "a 1"],
    ["≤ 60.5 of", "b"],
  ];
  assert.deepEqual(countedTo(from, to, 0.5), ["≤ 55.3 of", ""]);
  assert.equal(countedTo("900 people", "1,000 people", 0.5), "1,000 people");
  assert.equal(countedTo("1,000", "12", 0.5), "12");
  assert.equal(countedTo(undefined, "7", 0.5), "7");
});

test("a game begins without what is for later, nor can that be dragged", () => {
  const { data, layout } = beginning(figure());
  assert.equal(data[0].opacity, undefined);
  assert.equal(data[1].opacity, 0);
  assert.deepEqual(layout.meta.grab, []);
  assert.equal(figure().layout.meta.grab.length, 1);
});
