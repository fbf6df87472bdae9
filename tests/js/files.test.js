// What is saved: quoting, nothing that a spreadsheet would compute, and a report that runs nothing.
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { test } from "node:test";

import { csvOf, jsonOf, oneLine, quoted } from "../../explorable/panels/js/files.js";
import { reportOf, settings, titledSvg } from "../../explorable/panels/js/files.js";
import { choice, slider } from "./controls.js";

const SPEC = {
  id: "panel",
  title: "Scores & <b>",
  controls: [slider("n", [1, 2, 3]), choice("file", ["first"], "file")],
};
const HEAD = "# Scores & <b>\n# n = 2\n# file = first\n";
const ROWS = "trace,x,y,z,text\n";

const csv = (data, meta = {}, revealed = false) =>
  csvOf(SPEC, { n: 2, file: "first" }, { data, layout: { meta } }, revealed);

test("a cell is quoted where it must be, and one that starts like a formula is text", () => {
  for (const [cell, text] of [
    ["plain", "plain"], ["a,b", '"a,b"'], ['say "a"', '"say ""a"""'], ["two\r", '"two\r"'],
    ["two\nlines", '"two\nlines"'], [1.5, "1.5"], [-2, "-2"], ["-2e-7", "-2e-7"], [0, "0"],
    [null, ""], [undefined, ""], [NaN, "NaN"], ["=A1,B1", `"'=A1,B1"`], ["-Infinity", "'-Infinity"],
  ]) {
    equal(quoted(cell), text);
  }
  for (const start of ["=1+1", "+a", "-a", "@SUM(A1)", "\tx", "\rx"]) match(quoted(start), /^"?'/);
  // A comment stays on its line, and none of its cells is a formula.
  equal(oneLine("a\r\nb\u2028c\u0000d"), "a b c d");
  equal(oneLine("a,=1+1"), "a,'=1+1");
  equal(oneLine('a; "@x"'), `a; "'@x"`);
  equal(oneLine("from -1, -2 to +3"), "from -1, -2 to +3");
  // A stranger's file name is held to more.
  const values = { n: 2, file: { upload: 1, name: "a,-1+1,=2*3.csv\n" } };
  deepEqual(settings(SPEC, values), ["n = 2", "file = a,'-1+1,'=2*3.csv "]);
});

test("a slider whose stops another control names is told by its value", () => {
  const along = { n: { labels: ["2", "6"], start: 1 }, d: { labels: ["1", "5"], start: 0 } };
  const to = { ...slider("to", [0, 1]), by: "vary", along };
  const spec = { ...SPEC, controls: [choice("vary", ["n", "d"]), to] };
  deepEqual(settings(spec, { vary: "d", to: 1 }), ["vary = d", "to = 5"]);
});

test("points become rows, under what they are", () => {
  const data = [
    { name: "one, two", x: Float32Array.of(0, 0.5), y: [1, 2], text: ["a", "=b"] },
    { y: [7] },
  ];
  equal(csv(data), `${HEAD}${ROWS}"one, two",0,1,,a\n"one, two",0.5,2,,'=b\n,0,7,,\n`);
  // The shorter of x and y leaves its cells empty.
  match(csv([{ x: [1, 2], y: [3] }]), /\n,1,3,,\n,2,,,\n$/);
  // A grid has a row for each cell.
  const z = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
  equal(csv([{ name: "g", z }]), `${HEAD}${ROWS}g,0,0,1,\ng,1,0,2,\ng,0,1,3,\ng,1,1,4,\n`);
  match(csv([{ z, x: ["a", "b"], y: [5, 6] }]), /\n,b,6,4,\n$/);
});

test("the truth of a game is saved once it is on show", () => {
  const data = [{ name: "truth", meta: "reveal", y: [1] }];
  equal(csv(data), HEAD + ROWS);
  equal(csv(data, {}, true), `${HEAD}${ROWS}truth,0,1,,\n`);
  // The sentence and the table stand above the numbers.
  const told = { sentence: "All is\nwell.", table: [["", "a, b"], ["row", "=1"]] };
  equal(csv([], told), `${HEAD}# All is well.\n# ,"a, b"\n# row,'=1\n${ROWS}`);
});

test("a saved picture says what it shows, and closes no tag", () => {
  const svg = titledSvg('<svg width="1"><g/></svg>', "a < b", `"&" </desc>`);
  const words = "<desc>&quot;&amp;&quot; &lt;/desc&gt;</desc>";
  equal(svg, `<svg width="1"><title>a &lt; b</title>${words}<g/></svg>`);
});

const MINE = { n: 2, file: { upload: 1, name: "<script>x</script>.csv" } };
const FIGURE = {
  data: [{ name: "curve", x: Float32Array.of(0, 0.5), y: [1, 2] }, { name: "bars", z: [[1]] }],
  layout: {
    meta: {
      headline: "2 < 3", sentence: "It is 2.", alt: 'A "picture"', read: "Read: <i>.",
      table: [["quantity", "value"], ["<u>", "1"]],
    },
  },
};

test("a report says all that the panel says, and runs nothing", () => {
  const page = reportOf(SPEC, MINE, FIGURE, "<svg width='1'><path/></svg>");
  for (const part of [
    "<h1>Scores &amp; &lt;b&gt;</h1>",
    "n = 2<br>file = &lt;script&gt;x&lt;/script&gt;.csv",
    "<p>Read: &lt;i&gt;.</p>",
    "<desc>A &quot;picture&quot;</desc>",
    "<h2>2 &lt; 3</h2><p>It is 2.</p>",
    "<tr><th>quantity</th><th>value</th></tr>",
    "<tr><td>&lt;u&gt;</td><td>1</td></tr>",
  ]) {
    ok(page.includes(part), part);
  }
  ok(!/<script|<i>|<u>| on\w+=|https?:/.test(page));
  ok(!/<table>|undefined/.test(reportOf(SPEC, MINE, { data: [], layout: {} }, "")));
  // The numbers come back from JSON.
  const told = JSON.parse(jsonOf(SPEC, MINE, FIGURE));
  deepEqual(told.curves, [{ name: "curve", x: [0, 0.5], y: [1, 2] }]);
  deepEqual([told.table, told.sentence], [FIGURE.layout.meta.table, "It is 2."]);
  equal(told.settings[0], "n = 2");
});
