// The state of a panel in the page's address.
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  addressOf,
  askedFor,
  copyLink,
  noteAddress,
  writeAddress,
} from "../../explorable/panels/js/address.js";
import { KERNEL, choice, slider } from "./controls.js";

const SPEC = {
  id: "panel",
  controls: [
    slider("n", [1, 2, 3, 1000], { whole: true, stepped: true }),
    slider("x", [0, 0.3333, 1], { labels: ["0", "1/3", "1"], start: 2 }),
    choice("style", ["solid", "dash"]),
    choice("dots", [false, true], "switch"),
    choice("file", ["first", "second"], "file"),
    choice("round", [0, 1, 2], "rounds"),
  ],
};
const START = Object.fromEntries(SPEC.controls.map((c) => [c.name, c.stops[c.start]]));
const HOME = "https://example.org/book/page.html?other=1#place";

const read = (search) => askedFor(SPEC, KERNEL, search);

test("an address that asks for nothing gives nothing", () => {
  for (const search of ["", "?", "?n=2", "?other.n=2"]) {
    assert.deepEqual(read(search), { values: {}, notes: {} });
  }
});

test("labels are read as what they stand for", () => {
  const search = "?panel.n=2&panel.x=1%2F3&panel.style=dash&panel.dots=on&panel.round=2";
  const values = { n: 2, x: 0.3333, style: "dash", dots: true, round: 2 };
  assert.deepEqual(read(search), { values, notes: {} });
  assert.deepEqual(read("?panel.style=solid"), { values: { style: "solid" }, notes: {} });
});

test("a typed number is read as in the box", () => {
  assert.deepEqual(read("?panel.n=1,000").values, { n: 1000 });
  assert.deepEqual(read("?panel.x=0,25"), { values: { x: 0.25 }, notes: {} });
  assert.deepEqual(read("?panel.x=50%25"), { values: { x: 0.5 }, notes: {} });
  const { values, notes } = read("?panel.n=7");
  assert.deepEqual(values, { n: 3 });
  assert.equal(notes.n.note, "7 lies between two stops, 3 and 1000.");
});

test("what cannot be had leaves the start and says why", () => {
  const { values, notes } = read(`?panel.n=${"9".repeat(60)}&panel.style=dotted&panel.round=77`);
  assert.deepEqual(values, {});
  const said = `The address asks for ${"9".repeat(40)}. n: type a whole number from 1 to 1000.`;
  assert.equal(notes.n.message, said);
  assert.equal(notes.style.message, "The address asks for dotted, which is no choice here.");
  assert.equal(notes.round, undefined);
  const { message } = read("?panel.n=1.000").notes.n;
  assert.match(message, /^The address asks for 1\.000\. n: type a whole/);
});

test("the start is left out, and what is not ours stays", () => {
  assert.equal(addressOf(SPEC, START, HOME), HOME);
  const old = HOME.replace("?", "?panel.n=2&");
  assert.equal(addressOf(SPEC, START, old), HOME);
});

test("a reader's file is left out", () => {
  const values = { ...START, file: { upload: 3, name: "mine.csv" } };
  assert.equal(addressOf(SPEC, values, HOME), HOME);
});

test("what is written is read back", () => {
  const values = { n: 1000, x: 0.3333, style: "dash", dots: true, file: "second", round: 1 };
  const url = new URL(addressOf(SPEC, values, HOME));
  assert.deepEqual(read(url.search), { values, notes: {} });
  assert.equal(url.searchParams.get("other"), "1");
  assert.equal(url.hash, "#place");
  for (const x of [0, 0.1, 1e-7, 0.123456789]) {
    const { search } = new URL(addressOf(SPEC, { ...START, x }, HOME));
    assert.deepEqual(read(search).values, { x });
  }
});

test("the address is written once, when the hand rests, and says it of all panels", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written = [];
  const replaceState = (state, title, href) => {
    written.push([state, href]);
    globalThis.location.href = href;
  };
  globalThis.document = { body: { dataset: {} }, getElementById: () => null };
  globalThis.location = { href: HOME };
  globalThis.history = { state: "kept", replaceState };
  for (let n = 0; n < 9; n += 1) {
    noteAddress(SPEC, { ...START, x: n / 10 });
    t.mock.timers.tick(300);
  }
  noteAddress({ ...SPEC, id: "second" }, { ...START, dots: true });
  assert.deepEqual(written, []);
  t.mock.timers.tick(1000);
  const both = HOME.replace("#", "&panel.x=0.8&second.dots=on#");
  assert.deepEqual(written, [["kept", both]]);
  noteAddress(SPEC, { ...START, x: 0.8 });
  writeAddress();
  noteAddress(SPEC, START);
  writeAddress();
  t.mock.timers.tick(1000);
  assert.deepEqual(written.slice(1), [["kept", both.replace("&panel.x=0.8", "")]]);
  for (const name of ["document", "location", "history"]) delete globalThis[name];
});

test("a copied link leads to the panel, at what it shows", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const copied = [];
  const clipboard = { writeText: async (text) => copied.push(text) };
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
  globalThis.document = { body: { dataset: {} }, getElementById: () => null };
  globalThis.location = { href: HOME };
  globalThis.history = { replaceState: (_, __, href) => (globalThis.location.href = href) };
  const button = {};
  await copyLink(SPEC, { ...START, x: 0 }, button);
  assert.deepEqual(copied, [HOME.replace("#place", "&panel.x=0#panel")]);
  assert.equal(button.textContent, "Link copied");
  for (const name of ["document", "location", "history"]) delete globalThis[name];
});
