// Cutting a sentence at its numbers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { firstEnd, pieces } from "../../explorable/panels/js/words.js";

const numbers = (text) => pieces(text).filter((_, i) => i % 2);

test("the pieces are the sentence", () => {
  for (const text of ["", "no number", "12", "At 0.5 it is 1.5.", "(1, 10⁻⁵)-DP"]) {
    assert.equal(pieces(text).join(""), text);
  }
});

test("numbers are found as prose writes them", () => {
  assert.deepEqual(numbers("92 of 1,000, 8.08% to −0.5, or 2.44 × 10⁻¹⁰."), [
    "92",
    "1,000",
    "8.08%",
    "−0.5",
    "2.44 × 10⁻¹⁰",
  ]);
  assert.deepEqual(numbers("(1, 10⁻⁵)-DP"), ["1", "10⁻⁵"]);
});

test("the first sentence ends before the next one begins", () => {
  const first = (text) => text.slice(0, firstEnd(text));
  assert.equal(first("One 0.5 is (exact). Two."), "One 0.5 is (exact).");
  assert.equal(first("Only one, e.g. this."), "Only one, e.g. this.");
  assert.equal(first(""), "");
});
