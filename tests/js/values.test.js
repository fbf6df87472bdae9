// Stops, and what stands for a value between them.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  accepted,
  labelOf,
  moved,
  named,
  nearest,
  position,
} from "../../explorable/panels/js/values.js";
import { KERNEL, choice, slider } from "./controls.js";

const LINEAR = slider("height", [0, 0.5, 1, 1.5, 2]);
const DECADES = slider("size", [0.01, 0.1, 1, 10, 100], { log: true });
const COUNT = slider("n", [10, 20, 30], { whole: true, stepped: true });

/** On a page without a kernel. */
const PAGE = { settle: (control, value) => control.stops[nearest(control, value)] };

test("on a linear scale the nearest stop is the one at the least distance", () => {
  const pairs = { 0: 0, 0.2: 0, 0.26: 1, 0.74: 1, 0.76: 2, 2: 4, 9: 4, "-9": 0 };
  for (const [value, stop] of Object.entries(pairs)) {
    assert.equal(nearest(LINEAR, Number(value)), stop, value);
  }
});

test("a typed value is answered by the stop on the safe side, where the control has one", () => {
  for (const [safe, taken] of [
    ["up", 30],
    ["down", 20],
    [undefined, 20],
  ]) {
    assert.equal(accepted({ ...COUNT, stepped: false, safe }, 23, PAGE).value, taken);
  }
  assert.equal(accepted({ ...COUNT, safe: "down" }, 29, PAGE).value, 20);
  assert.equal(accepted({ ...COUNT, safe: "up" }, 20, PAGE).note, undefined);
});

test("on a logarithmic scale the nearest stop is the one at the least ratio", () => {
  // By distance, 0.05 would go to 0.01 and 40 to 10.
  const pairs = { 0.01: 0, 0.03: 0, 0.032: 1, 0.05: 1, 3: 2, 3.2: 3, 40: 4, 100: 4 };
  for (const [value, stop] of Object.entries(pairs)) {
    assert.equal(nearest(DECADES, Number(value)), stop, value);
  }
});

test("where ratios mean nothing, a logarithmic scale goes by distance", () => {
  const fromZero = slider("k", [0, 1, 10, 100], { log: true });
  assert.equal(nearest(fromZero, 0), 0);
  assert.equal(nearest(fromZero, 0.4), 0);
  assert.equal(nearest(fromZero, 5), 2);
  assert.equal(nearest(DECADES, 0), 0);
});

test("of two stops at the same distance the first is taken", () => {
  assert.equal(nearest(LINEAR, 0.25), 0);
});

test("a stop that is no number is found by itself, and an unknown one is the first", () => {
  const style = choice("style", ["solid", "dash", "dot"]);
  assert.equal(nearest(style, "dot"), 2);
  assert.equal(nearest(style, "no such"), 0);
  assert.equal(nearest(choice("on", [false, true]), true), 1);
});

test("the thumb stands between the stops in proportion", () => {
  assert.equal(position(LINEAR, 0), 0);
  assert.equal(position(LINEAR, 0.75), 1.5);
  assert.equal(position(DECADES, 1), 2);
  assert.equal(position(DECADES, 55), 3.5);
  assert.equal(position(LINEAR, -1), 0);
});

test("a stop has its label, another number six digits, a file its name", () => {
  const labelled = slider("x", [1, 2], { labels: ["one", "two"] });
  assert.equal(labelOf(labelled, 2), "two");
  assert.equal(labelOf(labelled, 1.23456789), "1.23457");
  assert.equal(labelOf(labelled, 1.5), "1.5");
  assert.equal(labelOf(choice("f", ["a"], "file"), { upload: 1, name: "mine.csv" }), "mine.csv");
});

test("what is out of range, broken or no number is refused in words", () => {
  const message = "n: type a whole number from 10 to 30.";
  for (const value of [undefined, 9, 31, 12.5, Infinity, NaN]) {
    assert.deepEqual(accepted(COUNT, value, PAGE), { message }, String(value));
  }
  const ends = "height: type a number from 0 to 2.";
  assert.deepEqual(accepted(LINEAR, -0.1, KERNEL), { message: ends });
});

test("a stop is taken without a word", () => {
  assert.deepEqual(accepted(COUNT, 20, PAGE), { value: 20 });
  assert.deepEqual(accepted(LINEAR, 1.5, PAGE), { value: 1.5 });
});

test("another value than the typed one comes with a note", () => {
  assert.deepEqual(accepted(DECADES, 0.05, PAGE), {
    value: 0.1,
    note: "0.05 lies between two stops, 0.01 and 0.1.",
    wanted: 0.05,
  });
});

test("a kernel draws any number, save where the stops are all there is", () => {
  assert.deepEqual(accepted(DECADES, 0.05, KERNEL), { value: 0.05 });
  assert.deepEqual(accepted(COUNT, 14, KERNEL), {
    value: 10,
    note: "14 lies between two stops, 10 and 20.",
  });
  const listed = slider("x", [1, 4], { low: null, high: null });
  assert.equal(accepted(listed, 3, KERNEL).value, 4);
});

test("a choice says what the stops of another control are, and where they start", () => {
  const along = { n: { labels: ["2", "6"], start: 1 }, C: { labels: ["1", "10", "50"], start: 2 } };
  const to = { ...slider("to", [0, 1, 2]), by: "vary", along };
  assert.deepEqual(named(to, { vary: "n", to: 0 }).stops, [0, 1]);
  assert.equal(labelOf(named(to, { vary: "C", to: 1 }), 1), "10");
  assert.equal(named(COUNT, { vary: "n" }), COUNT);
  const values = moved([choice("vary", ["n", "C"]), to], { vary: "n", to: 0 }, "vary", "C");
  assert.deepEqual(values, { vary: "C", to: 2 });
  assert.deepEqual(moved([to], values, "to", 1), { vary: "C", to: 1 });
});
