// A poll without a server: codes that are read out, and what the teacher's page makes of them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { codeOf, codesIn, counted, markOf } from "../../explorable/panels/js/poll.js";

const asked = { name: "guess", tag: "exact", unit: "", choices: [], because: "" };
const number = { ...asked, label: "Found", input: "number", truth: { text: "92" } };
const one = {
  ...asked,
  label: "ε with half the clip",
  input: "one",
  choices: ["it halves", "it stays", "it doubles"],
  truth: { text: "it stays" },
};

const placed = {
  ...asked,
  label: "Found of 1,000",
  input: "mark",
  mark: { places: ["low", "near", "near", "high", "high"].map((reply) => ({ reply })) },
  truth: { text: "92" },
};

test("a mark's place comes back, and is counted by its side of the truth", () => {
  const codes = [0, 1, 3, 4].map((given) => codeOf(placed, { given, text: "92" }));
  const text = [...codes, `${codes[0]}9`, codes[0].slice(0, 3)].join(" ");
  const { found, lost } = codesIn(placed, text);
  assert.deepEqual([found, lost], [[0, 1, 3, 4], 2]);
  const said = counted(placed, found).map(({ count, right }) => [count, right]);
  assert.deepEqual(said, [[1, false], [1, true], [2, false]]);
});

test("a code comes back as the answer that it was made of", () => {
  for (const given of [500, 0.25, -3, 1e-9, 1e21]) {
    const code = codeOf(number, { given, text: String(given) });
    assert.match(code, /^[A-HJ-NP-Z]{2}-\S+$/);
    assert.deepEqual(codesIn(number, code), { found: [given], lost: 0 });
  }
  for (const text of one.choices) {
    assert.deepEqual(codesIn(one, codeOf(one, { text })), { found: [text], lost: 0 });
  }
});

test("codes are found in what a class sends, in any order and spelling", () => {
  const mark = markOf("guess Found");
  const text = `${mark}-92, ${mark.toLowerCase()}-500;\n${mark}-10  hello ${mark}-x ${mark}-`;
  assert.deepEqual(codesIn(number, text), { found: [92, 500, 10], lost: 3 });
  assert.deepEqual(codesIn(number, "  \n"), { found: [], lost: 0 });
});

test("codes of another question are not counted", () => {
  const other = codeOf(one, { text: "it halves" });
  assert.deepEqual(codesIn(number, other), { found: [], lost: 1 });
  assert.notEqual(markOf("guess Found"), markOf("guess Right"));
});

test("answers are counted beside the truth", () => {
  const said = counted(number, [92, 95, 500, 10, 60, 184]);
  assert.deepEqual(
    said.map(({ count }) => count),
    [1, 1, 2, 0, 2],
  );
  assert.deepEqual(
    said.map(({ right }) => right),
    [false, false, true, false, false],
  );
  const choices = counted(one, ["it stays", "it halves", "it stays"]);
  assert.deepEqual(choices, [
    { label: "it halves", count: 1, right: false },
    { label: "it stays", count: 2, right: true },
    { label: "it doubles", count: 0, right: false },
  ]);
  const zero = counted({ ...number, truth: { text: "0" } }, [3, 0, 3]);
  assert.deepEqual(zero, [
    { label: "0", count: 1, right: true },
    { label: "3", count: 2, right: false },
  ]);
});
