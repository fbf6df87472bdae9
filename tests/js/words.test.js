// A sentence: cut at its numbers and read aloud; tests/explore/test_javascript.py cuts at its end.
import { deepEqual, equal } from "node:assert/strict";
import { test } from "node:test";

import { spoken, written } from "../../explorable/panels/js/symbols.js";
import { pieces } from "../../explorable/panels/js/words.js";

test("numbers are found as prose writes them, and the pieces are the sentence", () => {
  for (const [text, ...numbers] of [
    [""], ["no number"], ["12", "12"], ["At 0.5 it is 1.5.", "0.5", "1.5"],
    ["(1, 10⁻⁵)-DP", "1", "10⁻⁵"], ["Or 2.44 × 10⁻¹⁰.", "2.44 × 10⁻¹⁰"],
    ["92 of 1,000, 8.08% to −0.5.", "92", "1,000", "8.08%", "−0.5"],
  ]) {
    deepEqual(pieces(text).filter((_, i) => i % 2), numbers);
    equal(pieces(text).join(""), text);
  }
});

test("symbols are read as words, and a number is written as in a text", () => {
  equal(spoken("no symbol, 2 of 10."), "no symbol, 2 of 10.");
  equal(spoken("ε̃ = 2ε."), "epsilon tilde = 2 epsilon.");
  equal(spoken("δ = 10⁻⁵"), "delta = 10 to the power minus 5");
  equal(spoken("Δ ≤ 0.5"), "capital delta at most 0.5");
  for (const [text, told] of [
    ["1e-05", "10⁻⁵"], ["2.5e-07", "2.5 × 10⁻⁷"], ["1e+16", "10¹⁶"], ["100000", "100,000"],
    ["400", "400"], ["0.05", "0.05"], ["remainder 1e-05 of it", "remainder 1e-05 of it"],
  ]) {
    equal(written(text), told);
  }
});
