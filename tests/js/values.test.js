// What a typed text means, stops, and what stands for a value between them.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { accepted, labelOf, moved, named } from "../../explorable/panels/js/values.js";
import { nearest, position, readNumber } from "../../explorable/panels/js/values.js";
import { KERNEL, choice, slider } from "./controls.js";

/** Written by people; read in the same way where a whole number is asked for. */
const READ = {
  12: 12, " 12 ": 12, "+3": 3, "-3": -3, "\u22123": -3, "\u20130.5": -0.5, "0,5": 0.5, "0.5": 0.5,
  ",5": 0.5, ".5": 0.5, "5.": 5, "0,005": 0.005, "0.005": 0.005, "-0,125": -0.125, "12,5": 12.5,
  "1 000": 1000, "1\u00a0000": 1000, "1\u2009000": 1000, "1\u202f000": 1000, "1'000": 1000,
  "1\u2019000": 1000, "1_000_000": 1e6, "-1 000,5": -1000.5, "1,000.5": 1000.5, "1.000,5": 1000.5,
  "1,000,000": 1e6, "1.000.000": 1e6, "12,345,678.9": 12345678.9, "1000,5": 1000.5, "50%": 0.5,
  "50 %": 0.5, "12,5 %": 0.125, "1/2": 0.5, "1 / 4": 0.25, "1e-5": 1e-5, "1E5": 1e5, "1,5e3": 1500,
  "10^-5": 1e-5, "10⁻⁵": 1e-5, "10^4": 1e4, "2 × 10⁻⁵": 2e-5, "2.5*10^-7": 2.5e-7,
};
const NO_NUMBERS = [
  "", " ", "abc", "-", "%", "%%", "5%%", "5 % %", "1/0", "1/", "-1/2", "1 2", "1 00", "1,00,000",
  "1,000.000,5", "1..2", "1e", "1e999", "0x10", "Infinity", "NaN", "1;2", "one", "--1",
];

test("a text is the number that it says, or none, or asks which", () => {
  for (const whole of [false, true]) {
    for (const [text, value] of Object.entries(READ)) equal(readNumber(text, whole).value, value);
    for (const text of NO_NUMBERS) {
      const { value, readings } = readNumber(text, whole);
      deepEqual([value, readings], [undefined, undefined], text);
    }
  }
  // A comma before three digits is doubtful, a point only among whole numbers.
  deepEqual(readNumber("1,000", false), { readings: [1000, 1] });
  deepEqual(readNumber("-12,345", false), { readings: [-12345, -12.345] });
  deepEqual(readNumber("50,000", true), { value: 50000 });
  deepEqual(readNumber("1.000", false), { value: 1 });
  deepEqual(readNumber("1.000", true), { readings: [1000, 1] });
  deepEqual(readNumber("1,500%", true).readings, [15, 0.015]);
});

const LINEAR = slider("height", [0, 0.5, 1, 1.5, 2]);
const DECADES = slider("size", [0.01, 0.1, 1, 10, 100], { log: true });
const FROM_ZERO = slider("k", [0, 1, 10, 100], { log: true });
const COUNT = slider("n", [10, 20, 30], { whole: true, stepped: true });

/** On a page without a kernel. */
const PAGE = { settle: (control, value) => control.stops[nearest(control, value)] };

test("the nearest stop is the first at the least distance, or the least ratio", () => {
  for (const [control, pairs] of [
    [LINEAR, { 0: 0, 0.2: 0, 0.25: 0, 0.26: 1, 0.74: 1, 0.76: 2, 2: 4, 9: 4, "-9": 0 }],
    // By distance, 0.05 would go to 0.01 and 40 to 10.
    [DECADES, { 0: 0, 0.01: 0, 0.03: 0, 0.032: 1, 0.05: 1, 3: 2, 3.2: 3, 40: 4, 100: 4 }],
    [FROM_ZERO, { 0: 0, 0.4: 0, 5: 2 }],
  ]) {
    for (const [value, stop] of Object.entries(pairs)) equal(nearest(control, +value), stop, value);
  }
});

test("a stop that is no number is found by itself; the thumb stands in proportion", () => {
  const style = choice("style", ["solid", "dash", "dot"]);
  deepEqual([nearest(style, "dot"), nearest(style, "no such")], [2, 0]);
  equal(nearest(choice("on", [false, true]), true), 1);
  for (const [value, at] of [[0, 0], [0.75, 1.5], [-1, 0]]) equal(position(LINEAR, value), at);
  for (const [value, at] of [[1, 2], [55, 3.5]]) equal(position(DECADES, value), at);
});

test("a stop has its label, another number six digits, a file its name", () => {
  const labelled = slider("x", [1, 2], { labels: ["one", "two"] });
  const labels = [2, 1.23456789, 1.5].map((value) => labelOf(labelled, value));
  deepEqual(labels, ["two", "1.23457", "1.5"]);
  equal(labelOf(choice("f", ["a"], "file"), { upload: 1, name: "mine.csv" }), "mine.csv");
});

test("a typed value is taken, answered by the stop on the safe side, or refused in words", () => {
  const between = { ...COUNT, stepped: false };
  const listed = slider("x", [1, 4], { low: null, high: null });
  const note = "0.05 lies between two stops, 0.01 and 0.1.";
  const whole = { message: "n: type a whole number from 10 to 30." };
  for (const [control, typed, source, told] of [
    ...[undefined, 9, 31, 12.5, Infinity, NaN].map((bad) => [COUNT, bad, PAGE, whole]),
    [LINEAR, -0.1, KERNEL, { message: "height: type a number from 0 to 2." }],
    // A stop is taken without a word, and what is between two with a note.
    [COUNT, 20, PAGE, { value: 20 }],
    [LINEAR, 1.5, PAGE, { value: 1.5 }],
    [DECADES, 0.05, PAGE, { value: 0.1, note, wanted: 0.05 }],
    // A kernel draws any number, save where the stops are all there is.
    [DECADES, 0.05, KERNEL, { value: 0.05 }],
    [COUNT, 14, KERNEL, { value: 10, note: "14 lies between two stops, 10 and 20." }],
    [{ ...COUNT, safe: "up" }, 20, PAGE, { value: 20 }],
  ]) {
    deepEqual(accepted(control, typed, source), told);
  }
  for (const [control, typed, source, value] of [
    [listed, 3, KERNEL, 4],
    [between, 23, PAGE, 20],
    [{ ...between, safe: "up" }, 23, PAGE, 30],
    [{ ...between, safe: "down" }, 23, PAGE, 20],
    [{ ...COUNT, safe: "down" }, 29, PAGE, 20],
  ]) {
    equal(accepted(control, typed, source).value, value);
  }
});

test("a choice says what the stops of another control are, and where they start", () => {
  const along = { n: { labels: ["2", "6"], start: 1 }, C: { labels: ["1", "10", "50"], start: 2 } };
  const to = { ...slider("to", [0, 1, 2]), by: "vary", along };
  deepEqual(named(to, { vary: "n", to: 0 }).stops, [0, 1]);
  equal(labelOf(named(to, { vary: "C", to: 1 }), 1), "10");
  equal(named(COUNT, { vary: "n" }), COUNT);
  const values = moved([choice("vary", ["n", "C"]), to], { vary: "n", to: 0 }, "vary", "C");
  deepEqual(values, { vary: "C", to: 2 });
  deepEqual(moved([to], values, "to", 1), { vary: "C", to: 1 });
});
