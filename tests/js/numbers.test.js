// What a typed text means.
import assert from "node:assert/strict";
import { test } from "node:test";

import { readNumber } from "../../explorable/panels/js/values.js";

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

for (const [text, value] of Object.entries(READ)) {
  test(`${text} is ${value}`, () => {
    for (const whole of [false, true]) assert.equal(readNumber(text, whole).value, value);
  });
}

test("a comma before three digits is a thousand or a fraction, and groups whole numbers", () => {
  assert.deepEqual(readNumber("1,000", false), { readings: [1000, 1] });
  assert.deepEqual(readNumber("-12,345", false), { readings: [-12345, -12.345] });
  assert.deepEqual(readNumber("50,000", true), { value: 50000 });
});

test("a point before three digits is doubtful only among whole numbers", () => {
  assert.deepEqual(readNumber("1.000", false), { value: 1 });
  assert.deepEqual(readNumber("1.000", true), { readings: [1000, 1] });
});

test("a doubtful share keeps both readings", () => {
  assert.deepEqual(readNumber("1,500%", true).readings, [15, 0.015]);
});

const NO_NUMBERS = [
  "", " ", "abc", "-", "%", "%%", "5%%", "5 % %", "1/0", "1/", "-1/2", "1 2", "1 00", "1,00,000",
  "1,000.000,5", "1..2", "1e", "1e999", "0x10", "Infinity", "NaN", "1;2", "one", "--1",
];

for (const text of NO_NUMBERS) {
  test(`${JSON.stringify(text)} is no number`, () => {
    for (const whole of [false, true]) {
      const { value, readings } = readNumber(text, whole);
      assert.equal(value, undefined);
      assert.equal(readings, undefined);
    }
  });
}
