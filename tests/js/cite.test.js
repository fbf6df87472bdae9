// What is cited of a statement, by where its page stands.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { currentScript: null };
const { citedAs } = await import("../../explorable/panels/js/cards.js");

const lines = "@misc{a,\n  title   = {A}\n}";

test("a page that has an address is cited with it", () => {
  const at = { protocol: "https:", origin: "https://example.org", pathname: "/book/a.html" };
  const told = citedAs(lines, at, "thm");
  assert.match(told, /,\n {2}url {5}= \{https:\/\/example.org\/book\/a.html#thm\}\n\}$/);
});

test("a file is cited without, and an address that the book knows stands", () => {
  const file = { protocol: "file:", origin: "null", pathname: "/book/a.html" };
  assert.equal(citedAs(lines, file, "thm"), lines);
  const known = "@misc{a,\n  url     = {https://b.org}\n}";
  assert.equal(citedAs(known, { ...file, protocol: "https:" }, "thm"), known);
});
