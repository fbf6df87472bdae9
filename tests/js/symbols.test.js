// What is read aloud.
import assert from "node:assert/strict";
import { test } from "node:test";

import { spoken } from "../../mipbook/explore/js/symbols.js";

test("symbols are read as words", () => {
  assert.equal(spoken("no symbol, 2 of 10."), "no symbol, 2 of 10.");
  assert.equal(spoken("ε̃ = 2ε."), "epsilon tilde = 2 epsilon.");
  assert.equal(spoken("δ = 10⁻⁵"), "delta = 10 to the power minus 5");
  assert.equal(spoken("Δ ≤ 0.5"), "capital delta at most 0.5");
});
