// The line of Python that a notice offers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { lineOfPython } from "../../explorable/panels/js/notice.js";
import { slider } from "./controls.js";

const controls = [slider("eta", [1]), { name: "both" }];
const spec = { call: "mipbook.figures.mip:noise", controls };

test("a line of Python draws the figure that the page does not hold", () => {
  assert.equal(
    lineOfPython(spec, { eta: 1e-7, both: true }),
    "from mipbook.figures.mip import noise; noise(eta=1e-7, both=True)",
  );
  assert.match(lineOfPython(spec, { eta: 1, both: 'a "b"' }), /both="a \\"b\\""\)$/);
});

test("of what cannot be imported or sent there is none", () => {
  assert.equal(lineOfPython({ ...spec, call: "" }, { eta: 1, both: true }), "");
  assert.equal(lineOfPython(spec, { eta: 1, both: { upload: 1, name: "mine.csv" } }), "");
});
