// The report of a reader's file: a page that holds nothing live, and JSON of the same.
import assert from "node:assert/strict";
import { test } from "node:test";

import { jsonOf, reportOf } from "../../explorable/panels/js/files.js";
import { choice, slider } from "./controls.js";

const SPEC = {
  id: "panel",
  title: "Scores & <b>",
  controls: [slider("n", [1, 2, 3]), choice("file", ["first"], "file")],
};
const VALUES = { n: 2, file: { upload: 1, name: "<script>x</script>.csv" } };
const FIGURE = {
  data: [
    { name: "curve", x: Float32Array.of(0, 0.5), y: [1, 2] },
    { name: "bars", z: [[1]] },
  ],
  layout: {
    meta: {
      headline: "2 < 3",
      sentence: "It is 2.",
      alt: 'A "picture"',
      read: "Read: <i>.",
      table: [
        ["quantity", "value"],
        ["<u>", "1"],
      ],
    },
  },
};

test("the page says all that the panel says, and runs nothing", () => {
  const page = reportOf(SPEC, VALUES, FIGURE, "<svg width='1'><path/></svg>");
  for (const part of [
    "<h1>Scores &amp; &lt;b&gt;</h1>",
    "n = 2<br>file = &lt;script&gt;x&lt;/script&gt;.csv",
    "<p>Read: &lt;i&gt;.</p>",
    "<desc>A &quot;picture&quot;</desc>",
    "<h2>2 &lt; 3</h2><p>It is 2.</p>",
    "<tr><th>quantity</th><th>value</th></tr>",
    "<tr><td>&lt;u&gt;</td><td>1</td></tr>",
  ]) {
    assert.ok(page.includes(part), part);
  }
  assert.ok(!/<script|<i>|<u>| on\w+=|https?:/.test(page));
});

test("a panel without words has a page too", () => {
  const page = reportOf(SPEC, VALUES, { data: [], layout: {} }, "");
  assert.ok(!page.includes("<table>"));
  assert.ok(!page.includes("undefined"));
});

test("the numbers come back from JSON", () => {
  const told = JSON.parse(jsonOf(SPEC, VALUES, FIGURE));
  assert.deepEqual(told.curves, [{ name: "curve", x: [0, 0.5], y: [1, 2] }]);
  assert.deepEqual(told.table, FIGURE.layout.meta.table);
  assert.equal(told.sentence, "It is 2.");
  assert.deepEqual(told.settings[0], "n = 2");
});
