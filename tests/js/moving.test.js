// What moves: the last state's ghost, scenes that a figure plays, and handles that are pulled.
import { deepEqual, equal, fail } from "node:assert/strict";
import { test } from "node:test";

import { Ghost } from "../../explorable/panels/js/ghost.js";
import { coordinate, placeOf, pulled } from "../../explorable/panels/js/grab.js";
import { valueAt, valuesOnTrack } from "../../explorable/panels/js/grab.js";
import { beginning, between, countedTo } from "../../explorable/panels/js/motion.js";
import { inScenes, scenesOf } from "../../explorable/panels/js/motion.js";
import { slider } from "./controls.js";

const drawn = (y, meta = {}) => ({
  data: [
    { type: "bar", name: "bars", x: [0, 1], y: [1, y] },
    { type: "scatter", mode: "lines", name: "line", x: [0, 1], y: [0, y] },
  ],
  layout: { meta },
});

/** The ghost after figures came at these times, and the last of them. */
function after(...turns) {
  const ghost = new Ghost();
  let shown = null;
  for (const [next, now] of turns) {
    ghost.turn(shown, now);
    shown = next;
  }
  return [ghost, shown];
}

test("during one move the ghost stays where it began", () => {
  for (const [time, y] of [[5400, 1], [9000, 2]]) {
    const [ghost, shown] = after([drawn(1), 0], [drawn(2), 5000], [drawn(3), time]);
    deepEqual(ghost.traces(shown)[0].y, [0, y]);
  }
});

test("what did not move, a game, and an unwanted ghost leave none; a figure may name one", () => {
  const [ghost] = after([drawn(1), 0], [drawn(2), 5000]);
  deepEqual(ghost.traces(drawn(1)), []);
  deepEqual(ghost.traces(drawn(2, { answer: "in" })), []);
  equal(ghost.traces(drawn(2)).length, 1);
  const named = ghost.traces(drawn(2, { ghost: ["bars"] }));
  deepEqual(named.map((trace) => [trace.mode, trace.y]), [["markers", [1, 1]]]);
  ghost.wanted = false;
  deepEqual(ghost.traces(drawn(2)), []);
});

const figure = () => ({
  data: [{ name: "one", x: [1], y: [2] }, { name: "two", x: [3], y: [4] }],
  layout: {
    meta: {
      before: [{ marks: { one: { x: [0] } } }, { marks: { one: { opacity: 0 } }, say: "Now." }],
      later: ["two"],
      grab: [{ control: "line", axis: "x" }],
    },
  },
});

test("scenes add up, and leave what they do not name; a mark goes as its axis does", () => {
  deepEqual(between([1, 0], [100, 8], 0.5, true), [10, 4]);
  equal(between(1, 100, 0.5), 50.5);
  const { data } = inScenes(figure(), scenesOf(figure(), false));
  deepEqual(data, [{ name: "one", x: [0], y: [2], opacity: 0 }, figure().data[1]]);
  deepEqual(inScenes(figure(), []), figure());
  deepEqual(scenesOf(figure(), true), []);
});

test("a number counts, unless marks stand between its digits; a new word comes at the end", () => {
  const between50and60 = countedTo(["≤ 50.0 of", "a 1"], ["≤ 60.5 of", "b"], 0.5);
  deepEqual(between50and60, ["≤ 55.3 of", ""]);
  equal(countedTo("900 people", "1,000 people", 0.5), "1,000 people");
  equal(countedTo("1,000", "12", 0.5), "12");
  equal(countedTo(undefined, "7", 0.5), "7");
});

test("a game begins without what is for later, nor can that be dragged", () => {
  const { data, layout } = beginning(figure());
  deepEqual([...data.map((trace) => trace.opacity), layout.meta.grab], [undefined, 0, []]);
});

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
const refuse = () => fail("nothing to settle");
const own = slider("n", [1, 2, 4], { low: null, high: null });

test("a handle stands at its value, and a pointer has a coordinate on each axis", () => {
  deepEqual(["x", "y", "x2"].map((name) => coordinate(plot, name, pointer)), [3, 10, 30]);
  for (const [grab, value, place] of [
    [{ axis: "x" }, 2, { x: 40, y: 5 }],
    [{ axis: "y" }, 2, { x: 220, y: 9 }],
    [{ axis: "y", at: 3 }, 2, { x: 50, y: 9 }],
    [{ axis: "y2" }, 4, { x: 40, y: 68 }],
    [{ axis: "x" }, 99, null],
  ]) {
    deepEqual(placeOf(plot, slider("n", [1, 2, 4]), grab, value), place);
  }
});

test("fixed stops are snapped to; between others the source decides, on four digits", () => {
  deepEqual([0, 1.4, 2.9, 9].map((at) => valueAt(own, at, refuse)), [1, 1, 2, 4]);
  const control = slider("n", [0, 1, 2]);
  deepEqual([1.234567, 7].map((at) => valueAt(control, at, (_, value) => value)), [1.235, 2]);
});

test("on a track the nearest point is pulled, if it has as many points as there are stops", () => {
  // In whatever order.
  const grab = { axis: "x", track: { x: [9, 3, 1], y: [10, 10, 0] } };
  deepEqual(placeOf(plot, own, grab, 2), { x: 50, y: 25 });
  equal(pulled(plot, own, grab, pointer, refuse), 2);
  equal(pulled(plot, own, grab, { clientX: 205, clientY: 70 }, refuse), 1);
  const fine = { ...slider("n", [1, 1.5, 2]), coarse: [1, 2] };
  const track = { x: [0, 5], y: [0, 5] };
  deepEqual(valuesOnTrack(fine, { track }), [1, 2]);
  deepEqual(placeOf(plot, fine, { axis: "x", track }, 1.9), { x: 70, y: 15 });
  const odd = { axis: "x", track: { x: [0], y: [0] } };
  deepEqual([valuesOnTrack(fine, odd), pulled(plot, fine, odd, pointer, refuse)], [null, null]);
});
