// What the page says of a guess and of an answer, what it hides until then, and polls of a class.
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";

import { judged } from "../../explorable/panels/js/answer.js";
import { typedNumber } from "../../explorable/panels/js/fields.js";
import { compared } from "../../explorable/panels/js/guess.js";
import { codeOf, codesIn, counted, markOf } from "../../explorable/panels/js/poll.js";
import { addVeil, askedOn, boundOn, isCase, isLinked } from "../../explorable/panels/js/veil.js";
import { isUnseen, withheld } from "../../explorable/panels/js/veil.js";
import { slider } from "./controls.js";

const asked = { tag: "exact", because: "", unit: "", choices: [], mistakes: [] };

test("a number is right, a known mistake, too small or too large", () => {
  const truth = { text: "0.4", low: 0.395, high: 0.405 };
  const mistakes = [{ low: 0.199, high: 0.201, why: "Half." }];
  const said = (value) => judged({ ...asked, input: "number", truth, mistakes }, value);
  deepEqual(said(0.405), { right: true, words: "Right: 0.4 (exact)." });
  deepEqual(said(0.2), { right: false, words: "Not yet. Half." });
  equal(said(0.3).words, "Not yet: too small.");
  equal(said(0.406).words, "Not yet: too large.");
});

test("a guess is told beside the truth and its tag, or a reply that was written for it", () => {
  const spec = { ...asked, input: "number", unit: "%", truth: { text: "92" }, because: "So." };
  equal(compared(spec, { given: 500, text: "500" }), "You said 500. It is 92% (exact). So.");
  equal(compared(spec, { text: "92" }), "Right: 92% (exact). So.");
  const mark = { ...asked, input: "mark", replies: { low: "{guess}? {told}.", near: "Yes." } };
  equal(compared(mark, { text: "5", reply: "low", told: "More" }), "5? More.");
  const choice = { ...asked, input: "one", replies: { x: "Not x.", y: "Yes, y." } };
  equal(compared(choice, { text: "y" }), "Yes, y.");
});

test("what is asked for is missing, and all else stays", () => {
  const figure = {
    data: [{ name: "the truth", y: [1] }, { name: "context", y: [2] }],
    layout: { title: "T", meta: { headline: "1", sentence: "It is 1.", grab: [{}] } },
  };
  const of = (hides) => withheld(figure, [{ spec: { hides } }]);
  equal(withheld(figure, []), figure);
  deepEqual(of(["the"]).data.map(isUnseen), [true, false]);
  deepEqual(of([]).data.map(isUnseen), [true, true]);
  const { title, meta } = of(["the"]).layout;
  deepEqual([title, meta.headline, meta.sentence, meta.grab], ["T", "", "", []]);
});

test("a percent sign repeats the unit, or divides", () => {
  deepEqual(["%", ""].map((unit) => typedNumber("52.5 %", unit).value), [52.5, 0.525]);
  match(typedNumber("much", "").problem, /Type a number/);
  match(typedNumber("1,234", "").problem, /1234 or 1.234/);
});

test("an address may ask for a panel, and what was said of one case is not said of another", () => {
  ok(isLinked("lab", { search: "?lab.clip=5", hash: "" }));
  ok(isLinked("lab", { search: "", hash: "#lab" }));
  ok(!isLinked("lab", { search: "?lab-two.clip=5", hash: "#other" }));
  const spec = { state: { n: 5 }, then: { m: 1 } };
  const controls = ["n", "m"].map((name) => slider(name, [1, 5]));
  ok(isCase(spec, controls, { n: 5, m: 1 }));
  ok(!isCase(spec, controls, { n: 1, m: 1 }));
  ok(isCase(spec, controls, { n: 1, m: 1 }, "n"));
});

test("a panel stays at what is asked of it, until then", () => {
  globalThis.location = { search: "", hash: "" };
  const spec = { name: "g", panels: ["lab"], state: { n: 5 }, mark: { bind: "off" } };
  const question = addVeil({ spec });
  deepEqual([askedOn("lab"), boundOn("lab")], [{ n: 5 }, ["off", "n"]]);
  question.lifted = true;
  deepEqual([askedOn("lab"), boundOn("lab")], [{}, []]);
});

// A poll without a server: codes that are read out, and what the teacher's page makes of them.
const polled = { ...asked, name: "guess", label: "Found", truth: { text: "92" } };
const number = { ...polled, input: "number" };
const places = ["low", "near", "near", "high", "high"].map((reply) => ({ reply }));
const placed = { ...polled, label: "Found of 1,000", input: "mark", mark: { places } };
const one = {
  ...polled,
  label: "ε with half the clip",
  input: "one",
  choices: ["it halves", "it stays", "it doubles"],
  truth: { text: "it stays" },
};

test("a code comes back as the answer that it was made of", () => {
  for (const given of [500, 0.25, -3, 1e-9, 1e21]) {
    const code = codeOf(number, { given, text: String(given) });
    match(code, /^[A-HJ-NP-Z]{2}-\S+$/);
    deepEqual(codesIn(number, code), { found: [given], lost: 0 });
  }
  for (const text of one.choices) {
    deepEqual(codesIn(one, codeOf(one, { text })), { found: [text], lost: 0 });
  }
  const codes = [0, 1, 3, 4].map((given) => codeOf(placed, { given, text: "92" }));
  const sent = [...codes, `${codes[0]}9`, codes[0].slice(0, 3)].join(" ");
  deepEqual(codesIn(placed, sent), { found: [0, 1, 3, 4], lost: 2 });
  // In any order and spelling, if they are of this question.
  const mark = markOf("guess Found");
  const said = `${mark}-92, ${mark.toLowerCase()}-500;\n${mark}-10  hello ${mark}-x ${mark}-`;
  deepEqual(codesIn(number, said), { found: [92, 500, 10], lost: 3 });
  deepEqual(codesIn(number, "  \n"), { found: [], lost: 0 });
  deepEqual(codesIn(number, codeOf(one, { text: "it halves" })), { found: [], lost: 1 });
  notEqual(mark, markOf("guess Right"));
});

test("answers are counted beside the truth, a mark by its side of it", () => {
  const told = (spec, found) => counted(spec, found).map(({ count, right }) => [count, right]);
  deepEqual(told(placed, [0, 1, 3, 4]), [[1, false], [1, true], [2, false]]);
  const sides = [[1, false], [1, false], [2, true], [0, false], [2, false]];
  deepEqual(told(number, [92, 95, 500, 10, 60, 184]), sides);
  deepEqual(counted(one, ["it stays", "it halves", "it stays"]), [
    { label: "it halves", count: 1, right: false },
    { label: "it stays", count: 2, right: true },
    { label: "it doubles", count: 0, right: false },
  ]);
  deepEqual(counted({ ...number, truth: { text: "0" } }, [3, 0, 3]), [
    { label: "0", count: 1, right: true },
    { label: "3", count: 2, right: false },
  ]);
});
