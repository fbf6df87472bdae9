// What the page says of a guess and of an answer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { judged } from "../../explorable/panels/js/answer.js";
import { typedNumber } from "../../explorable/panels/js/fields.js";
import { compared } from "../../explorable/panels/js/guess.js";
import { addVeil, askedOn, boundOn, isCase, isLinked } from "../../explorable/panels/js/veil.js";
import { isUnseen, withheld } from "../../explorable/panels/js/veil.js";
import { slider } from "./controls.js";

const asked = { tag: "exact", because: "", unit: "", mistakes: [] };
const number = {
  ...asked,
  input: "number",
  truth: { text: "0.4", low: 0.395, high: 0.405 },
  mistakes: [{ low: 0.199, high: 0.201, why: "Half." }],
};
const many = {
  ...asked,
  input: "many",
  tag: "",
  truth: { text: "x, z", picked: ["x", "z"] },
  mistakes: [{ pick: "y", why: "No y." }],
};

test("a number is right, a known mistake, too small or too large", () => {
  assert.deepEqual(judged(number, 0.405), { right: true, words: "Right: 0.4 (exact)." });
  assert.deepEqual(judged(number, 0.2), { right: false, words: "Not yet. Half." });
  assert.equal(judged(number, 0.3).words, "Not yet: too small.");
  assert.equal(judged(number, 0.406).words, "Not yet: too large.");
});

test("choices are right together only", () => {
  assert.deepEqual(judged(many, ["z", "x"]), { right: true, words: "Right: x, z." });
  assert.equal(judged(many, ["x", "y"]).words, "Not yet. No y.");
  assert.match(judged(many, ["x"]).words, /something is missing/);
  assert.equal(judged(many, ["x", "w"]).words, "Not yet. Try again.");
});

test("a guess is told beside the truth and its tag", () => {
  const truth = { text: "92" };
  const spec = { ...asked, input: "number", unit: "%", truth, because: "So." };
  const words = compared(spec, { given: 500, text: "500" });
  assert.equal(words, "You said 500. It is 92% (exact). So.");
  assert.equal(compared(spec, { text: "92" }), "Right: 92% (exact). So.");
});

test("a reply that was written for a guess is what is said", () => {
  const replies = { low: "{guess}? {told}.", near: "Yes.", high: "No." };
  const spec = { ...asked, input: "mark", replies };
  assert.equal(compared(spec, { text: "5", reply: "low", told: "More" }), "5? More.");
  const choice = { ...asked, input: "one", replies: { x: "Not x.", y: "Yes, y." } };
  assert.equal(compared(choice, { text: "y" }), "Yes, y.");
});

test("what is asked for is missing, and all else stays", () => {
  const figure = {
    data: [{ name: "the truth", y: [1] }, { name: "context", y: [2] }],
    layout: { title: "T", meta: { headline: "1", sentence: "It is 1.", grab: [{}] } },
  };
  const of = (hides) => withheld(figure, [{ spec: { hides } }]);
  assert.equal(withheld(figure, []), figure);
  assert.deepEqual(of(["the"]).data.map(isUnseen), [true, false]);
  assert.deepEqual(of([]).data.map(isUnseen), [true, true]);
  const { headline, sentence, grab } = of(["the"]).layout.meta;
  assert.deepEqual([headline, sentence, grab], ["", "", []]);
  assert.equal(of(["the"]).layout.title, "T");
});

test("a percent sign repeats the unit, or divides", () => {
  assert.equal(typedNumber("52.5 %", "%").value, 52.5);
  assert.equal(typedNumber("52.5 %", "").value, 0.525);
  assert.match(typedNumber("much", "").problem, /Type a number/);
  assert.match(typedNumber("1,234", "").problem, /1234 or 1.234/);
});

test("an address that asks for a panel is a link to it", () => {
  assert.ok(isLinked("lab", { search: "?lab.clip=5", hash: "" }));
  assert.ok(isLinked("lab", { search: "", hash: "#lab" }));
  assert.ok(!isLinked("lab", { search: "?lab-two.clip=5", hash: "#other" }));
});

test("what was said of one case is not said of another", () => {
  const spec = { state: { n: 5 }, then: { m: 1 } };
  const controls = ["n", "m"].map((name) => slider(name, [1, 5]));
  assert.ok(isCase(spec, controls, { n: 5, m: 1 }));
  assert.ok(!isCase(spec, controls, { n: 1, m: 1 }));
  assert.ok(isCase(spec, controls, { n: 1, m: 1 }, "n"));
});

test("a panel stays at what is asked of it, until then", () => {
  globalThis.location = /** @type {any} */ ({ search: "", hash: "" });
  const spec = { name: "g", panels: ["lab"], state: { n: 5 }, mark: { bind: "off" } };
  const question = addVeil(/** @type {any} */ ({ spec }));
  assert.deepEqual([askedOn("lab"), boundOn("lab")], [{ n: 5 }, ["off", "n"]]);
  question.lifted = true;
  assert.deepEqual([askedOn("lab"), boundOn("lab")], [{}, []]);
});
