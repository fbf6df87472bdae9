// What stands beside the panels: cards, citations, lines that embed a panel or draw it in Python.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";

import { lineOfPython } from "../../explorable/panels/js/notice.js";
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
