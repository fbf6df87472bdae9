// Where a card stands.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { currentScript: null };
const { placeOfCard } = await import("../../explorable/panels/js/cards.js");

const view = { width: 400, height: 600 };
const card = { width: 300, height: 100 };

test("a card stands below its link", () => {
  assert.deepEqual(placeOfCard({ left: 20, top: 100, bottom: 120 }, card, view), {
    left: 20,
    top: 124,
  });
});

test("a card stands above a link at the lower edge", () => {
  assert.deepEqual(placeOfCard({ left: 20, top: 550, bottom: 570 }, card, view), {
    left: 20,
    top: 446,
  });
});

test("a card stays within the window", () => {
  assert.equal(placeOfCard({ left: 350, top: 100, bottom: 120 }, card, view).left, 92);
  assert.equal(placeOfCard({ left: -5, top: 100, bottom: 120 }, card, view).left, 8);
  const high = { width: 300, height: 590 };
  assert.equal(placeOfCard({ left: 20, top: 300, bottom: 320 }, high, view).top, 324);
});
