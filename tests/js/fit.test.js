// How high a picture is, and when the sentence is folded for it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { fitted, wantedHeight } from "../../explorable/panels/js/fit.js";

test("a picture is as high as it asks, but for the window", () => {
  assert.equal(wantedHeight(600, 700, 800), 460);
  assert.equal(wantedHeight(300, 700, 800), 300);
  assert.equal(wantedHeight(600, 360, 844), 320);
  assert.equal(wantedHeight(600, 360, 640), 269);
  assert.equal(wantedHeight(600, 360, 320), 240);
});

const laptop = { own: 420, width: 640, screen: 800 };
const phone = { own: 420, width: 350, screen: 844 };

test("what has room is whole", () => {
  assert.deepEqual(fitted(laptop, 200, 80), { height: 420, folded: false });
  assert.deepEqual(fitted(phone, 400, 80), { height: 320, folded: false });
});

test("a little room is taken from the picture, more from the sentence", () => {
  assert.deepEqual(fitted(laptop, 306, 80), { height: 410, folded: false });
  assert.deepEqual(fitted(laptop, 346, 80), { height: 420, folded: true });
  assert.deepEqual(fitted(phone, 500, 60), { height: 304, folded: true });
});

test("a sentence that folding does not shorten stays whole", () => {
  assert.deepEqual(fitted(laptop, 400, 0), { height: 316, folded: false });
});

test("no picture is too low to be read", () => {
  assert.deepEqual(fitted(laptop, 700, 10), { height: 240, folded: true });
  assert.deepEqual(fitted(phone, 900, 10), { height: 180, folded: true });
});
