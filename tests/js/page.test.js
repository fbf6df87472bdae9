// Arrays, layers, sentences, and what stands beside the panels: cards, citations, lines to copy.
// Python compares more of layers and sentences, in tests/explore/test_javascript.py.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";

import { lineOfPython } from "../../explorable/panels/js/notice.js";
import { composed, revive, shaped } from "../../explorable/panels/js/pack.js";
import { spoken, written } from "../../explorable/panels/js/symbols.js";
import { pieces } from "../../explorable/panels/js/words.js";
import { slider } from "./controls.js";

globalThis.document = { currentScript: null };
globalThis.HTMLScriptElement = class {};
const { embedCode } = await import("../../explorable/panels/js/body.js");
const { citedAs, placeOfCard } = await import("../../explorable/panels/js/cards.js");

test("a card stands below its link, or above it at the lower edge, within the window", () => {
  const view = { width: 400, height: 600 };
  const place = (left, top, height = 100) =>
    placeOfCard({ left, top, bottom: top + 20 }, { width: 300, height }, view);
  deepEqual(place(20, 100), { left: 20, top: 124 });
  deepEqual(place(20, 550), { left: 20, top: 446 });
  equal(place(350, 100).left, 92);
  equal(place(-5, 100).left, 8);
  equal(place(20, 300, 590).top, 324);
});

test("a page with an address is cited with it, and an address that the book knows stands", () => {
  const lines = "@misc{a,\n  title   = {A}\n}";
  const at = { protocol: "https:", origin: "https://example.org", pathname: "/book/a.html" };
  const link = /,\n {2}url {5}= \{https:\/\/example.org\/book\/a.html#thm\}\n\}$/;
  match(citedAs(lines, at, "thm"), link);
  equal(citedAs(lines, { ...at, protocol: "file:", origin: "null" }, "thm"), lines);
  const known = "@misc{a,\n  url     = {https://b.org}\n}";
  equal(citedAs(known, { ...at, origin: "null" }, "thm"), known);
});

test("the lines that embed a panel name its own page, with its state", () => {
  const spec = { id: "noise", title: 'Noise "here"', controls: [slider("n", [1, 2])] };
  const code = embedCode({ spec, values: { n: 2 } }, "https://a.org/b/_static/explorable.js", 500);
  match(code, /src="https:\/\/a\.org\/b\/embed\/noise\.html\?noise\.n=2"/);
  match(code, /title="Noise &quot;here&quot;" width="100%" height="500"/);
});

test("a line of Python draws the figure, unless it cannot be imported or sent", () => {
  const controls = [slider("eta", [1]), { name: "both" }];
  const line = (eta, both, call = "mipbook.figures.mip:noise") =>
    lineOfPython({ call, controls }, { eta, both });
  const told = "from mipbook.figures.mip import noise; noise(eta=1e-7, both=True)";
  equal(line(1e-7, true), told);
  match(line(1, 'a "b"'), /both="a \\"b\\""\)$/);
  equal(line(1, true, ""), "");
  equal(line(1, { upload: 1, name: "mine.csv" }), "");
});

test("a flat array takes its shape without a copy", () => {
  const flat = Float32Array.of(1, 2, 3, 4, 5, 6);
  equal(shaped(flat, [6]), flat);
  equal(shaped(flat, [2, 3])[1].buffer, flat.buffer);
  deepEqual([...shaped(flat, [3, 1, 2])[2][0]], [5, 6]);
});

test("the arrays of plotly's own JSON are revived wherever they stand", () => {
  const kinds = {
    i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array,
    u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array,
  };
  for (const [dtype, Kind] of Object.entries(kinds)) {
    const array = Kind.of(1, 2, 3, 4);
    const bdata = Buffer.from(array.buffer).toString("base64");
    const tree = { data: [{ y: { dtype, bdata }, name: "a", x: null }] };
    deepEqual(revive(tree).data[0], { y: array, name: "a", x: null });
    const grid = revive({ dtype, bdata, shape: "2, 2" });
    deepEqual(grid.map((row) => [...row]), [[1, 2], [3, 4]]);
  }
});

test("laying layers changes nothing that was unpacked", () => {
  const layers = [1, 2].map((end) => ({ data: [], layout: { xaxis: { range: [0, end] } } }));
  const before = structuredClone(layers);
  composed(layers);
  deepEqual(layers, before);
});

test("numbers are found as prose writes them, and the pieces are the sentence", () => {
  for (const [text, ...numbers] of [
    [""], ["no number"], ["12", "12"], ["At 0.5 it is 1.5.", "0.5", "1.5"],
    ["(1, 10⁻⁵)-DP", "1", "10⁻⁵"], ["Or 2.44 × 10⁻¹⁰.", "2.44 × 10⁻¹⁰"],
    ["92 of 1,000, 8.08% to −0.5.", "92", "1,000", "8.08%", "−0.5"],
  ]) {
    deepEqual(pieces(text).filter((_, i) => i % 2), numbers);
    equal(pieces(text).join(""), text);
  }
});

test("symbols are read as words, and a number is written as in a text", () => {
  equal(spoken("no symbol, 2 of 10."), "no symbol, 2 of 10.");
  equal(spoken("ε̃ = 2ε."), "epsilon tilde = 2 epsilon.");
  equal(spoken("δ = 10⁻⁵"), "delta = 10 to the power minus 5");
  equal(spoken("Δ ≤ 0.5"), "capital delta at most 0.5");
  for (const [text, told] of [
    ["1e-05", "10⁻⁵"], ["2.5e-07", "2.5 × 10⁻⁷"], ["1e+16", "10¹⁶"], ["100000", "100,000"],
    ["400", "400"], ["0.05", "0.05"], ["remainder 1e-05 of it", "remainder 1e-05 of it"],
  ]) {
    equal(written(text), told);
  }
});
