// Which traces have an entry; how it looks is seen in tests/browser/test_panel.py.
import assert from "node:assert/strict";
import { test } from "node:test";

function made() {
  const append = (...more) => node.children.push(...more);
  const said = {};
  const node = { children: [], said, setAttribute: (key, value) => (said[key] = value), append };
  return node;
}
globalThis.document = { createElement: made, createElementNS: made };
const { legendOf } = await import("../../explorable/panels/js/legend.js");

const names = (data, layout = {}) =>
  legendOf(data, layout).map((entry) => entry.children[1].children[0]);
const line = (name, more = {}) => ({ type: "scatter", name, line: {}, ...more });

test("every named trace that is seen has an entry, in its order", () => {
  const data = [line("b"), line("a", { fill: "toself" }), line("bars", { type: "bar" })];
  assert.deepEqual(names(data), ["b", "a", "bars"]);
  const hidden = [line("x", { showlegend: false }), line("y", { visible: false }), { line: {} }];
  assert.deepEqual(names([...data, ...hidden]), ["b", "a", "bars"]);
});

test("a line is dashed beside its name as it is in the picture", () => {
  const dashed = line("b", { line: { dash: "dash" } });
  const swatches = legendOf([line("a"), dashed], {}).map((entry) => entry.children[0]);
  const strokes = swatches.map(({ children }) => children[0].said["stroke-dasharray"]);
  assert.deepEqual(strokes, [undefined, "6 4"]);
});

test("one line alone needs no legend, unless the figure asks", () => {
  assert.deepEqual(names([line("a")]), []);
  assert.deepEqual(names([line("a")], { showlegend: true }), ["a"]);
  assert.deepEqual(names([line("a"), line("b")], { showlegend: false }), []);
});
