// The saved numbers and pictures: quoting, and nothing that a spreadsheet would compute.
import assert from "node:assert/strict";
import { test } from "node:test";

import { csvOf, oneLine, quoted, settings, titledSvg } from "../../explorable/panels/js/files.js";
import { choice, slider } from "./controls.js";

const SPEC = {
  id: "panel",
  title: "A title",
  controls: [slider("n", [1, 2, 3]), choice("file", ["first"], "file")],
};
const VALUES = { n: 2, file: "first" };
const HEAD = "# A title\n# n = 2\n# file = first\n";

const csv = (data, meta = {}, revealed = false) =>
  csvOf(SPEC, VALUES, { data, layout: { meta } }, revealed);

test("a cell is quoted where it must be", () => {
  const pairs = [
    ["plain", "plain"],
    ["a,b", '"a,b"'],
    ['say "a"', '"say ""a"""'],
    ["two\nlines", '"two\nlines"'],
    ["two\r", '"two\r"'],
    [1.5, "1.5"],
    [-2, "-2"],
    ["-2e-7", "-2e-7"],
    [0, "0"],
    [null, ""],
    [undefined, ""],
    [NaN, "NaN"],
  ];
  for (const [cell, text] of pairs) assert.equal(quoted(cell), text);
});

test("a cell that starts like a formula is text", () => {
  for (const start of ["=1+1", "+a", "-a", "@SUM(A1)", "\tx", "\rx"]) {
    assert.match(quoted(start), /^"?'/, JSON.stringify(start));
  }
  assert.equal(quoted("=A1,B1"), `"'=A1,B1"`);
  assert.equal(quoted("-Infinity"), "'-Infinity");
});

test("a comment stays on its line, and none of its cells is a formula", () => {
  assert.equal(oneLine("a\r\nb\u2028c\u0000d"), "a b c d");
  assert.equal(oneLine("a,=1+1"), "a,'=1+1");
  assert.equal(oneLine('a; "@x"'), `a; "'@x"`);
  assert.equal(oneLine("from -1, -2 to +3"), "from -1, -2 to +3");
});

test("a stranger's file name is held to more", () => {
  const values = { n: 2, file: { upload: 1, name: "a,-1+1,=2*3.csv\n" } };
  assert.deepEqual(settings(SPEC, values), ["n = 2", "file = a,'-1+1,'=2*3.csv "]);
});

test("a slider whose stops another control names is told by its value", () => {
  const along = { n: { labels: ["2", "6"], start: 1 }, d: { labels: ["1", "5"], start: 0 } };
  const to = { ...slider("to", [0, 1]), by: "vary", along };
  const spec = { ...SPEC, controls: [choice("vary", ["n", "d"]), to] };
  const told = settings(spec, { vary: "d", to: 1 });
  assert.deepEqual(told, ["vary = d", "to = 5"]);
});

test("points become rows, under what they are", () => {
  const data = [
    { name: "one, two", x: Float32Array.of(0, 0.5), y: [1, 2], text: ["a", "=b"] },
    { y: [7] },
  ];
  const rows = `trace,x,y,z,text\n"one, two",0,1,,a\n"one, two",0.5,2,,'=b\n,0,7,,\n`;
  assert.equal(csv(data), HEAD + rows);
});

test("the shorter of x and y leaves its cells empty", () => {
  assert.match(csv([{ x: [1, 2], y: [3] }]), /\n,1,3,,\n,2,,,\n$/);
});

test("a grid becomes one row a cell", () => {
  const z = [Float32Array.of(1, 2), Float32Array.of(3, 4)];
  const rows = "g,0,0,1,\ng,1,0,2,\ng,0,1,3,\ng,1,1,4,\n";
  assert.equal(csv([{ name: "g", z }]), `${HEAD}trace,x,y,z,text\n${rows}`);
  assert.match(csv([{ z, x: ["a", "b"], y: [5, 6] }]), /\n,b,6,4,\n$/);
});

test("the truth of a game is saved once it is on show", () => {
  const data = [{ name: "truth", meta: "reveal", y: [1] }];
  assert.equal(csv(data), `${HEAD}trace,x,y,z,text\n`);
  assert.equal(csv(data, {}, true), `${HEAD}trace,x,y,z,text\ntruth,0,1,,\n`);
});

test("the sentence and the table stand above the numbers", () => {
  const table = [
    ["", "a, b"],
    ["row", "=1"],
  ];
  const text = csv([], { sentence: "All is\nwell.", table });
  assert.equal(text, `${HEAD}# All is well.\n# ,"a, b"\n# row,'=1\ntrace,x,y,z,text\n`);
});

test("a saved picture says what it shows, and closes no tag", () => {
  const svg = titledSvg('<svg width="1"><g/></svg>', "a < b", `"&" </desc>`);
  const title = "<title>a &lt; b</title>";
  const words = "<desc>&quot;&amp;&quot; &lt;/desc&gt;</desc>";
  assert.equal(svg, `<svg width="1">${title}${words}<g/></svg>`);
});
