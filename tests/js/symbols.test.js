// What is read aloud.
import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken, written } from "../../explorable/panels/js/symbols.js";

test("symbols are read as words", () => {
  assert.equal(spoken("no symbol, 2 of 10."), "no symbol, 2 of 10.");
  assert.equal(spoken("ε̃ = 2ε."), "epsilon tilde = 2 epsilon.");
  assert.equal(spoken("δ = 10⁻⁵"), "delta = 10 to the power minus 5");
  assert.equal(spoken("Δ ≤ 0.5"), "capital delta at most 0.5");
});

test("a number is written as in a text", () => {
  assert.equal(written("1e-05"), "10⁻⁵");
  assert.equal(written("2.5e-07"), "2.5 × 10⁻⁷");
  assert.equal(written("1e+16"), "10¹⁶");
  assert.equal(written("100000"), "100,000");
  assert.equal(written("400"), "400");
  assert.equal(written("0.05"), "0.05");
  assert.equal(written("remainder 1e-05 of it"), "remainder 1e-05 of it");
});
