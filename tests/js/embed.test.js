// The lines that put a panel into another page.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { currentScript: null };
globalThis.HTMLScriptElement = class {};
const { embedCode } = await import("../../explorable/panels/js/body.js");

test("the lines name the panel's own page, with its state", () => {
  const control = { name: "n", stops: [1, 2], labels: ["1", "2"], start: 0 };
  const spec = { id: "noise", title: 'Noise "here"', controls: [control] };
  const code = embedCode({ spec, values: { n: 2 } }, "https://a.org/b/_static/explorable.js", 500);
  assert.match(code, /src="https:\/\/a\.org\/b\/embed\/noise\.html\?noise\.n=2"/);
  assert.match(code, /title="Noise &quot;here&quot;" width="100%" height="500"/);
});
