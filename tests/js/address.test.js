// The state of a panel in the page's address.
import { deepEqual, equal, match } from "node:assert/strict";
import { test } from "node:test";

import { addressOf, askedFor, copyLink } from "../../explorable/panels/js/address.js";
import { noteAddress, writeAddress } from "../../explorable/panels/js/address.js";
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

test("labels and typed numbers are read as what they stand for, nothing as nothing", () => {
  const all = "?panel.n=2&panel.x=1%2F3&panel.style=dash&panel.dots=on&panel.round=2";
  for (const [search, values] of [
    ["", {}], ["?", {}], ["?n=2", {}], ["?other.n=2", {}],
    [all, { n: 2, x: 0.3333, style: "dash", dots: true, round: 2 }],
    ["?panel.style=solid", { style: "solid" }], ["?panel.n=1,000", { n: 1000 }],
    ["?panel.x=0,25", { x: 0.25 }], ["?panel.x=50%25", { x: 0.5 }],
  ]) {
    deepEqual(read(search), { values, notes: {} });
  }
});

test("what cannot be had leaves the start, or the nearest stop, and says why", () => {
  const { values, notes } = read(`?panel.n=${"9".repeat(60)}&panel.style=dotted&panel.round=77`);
  deepEqual(values, {});
  const said = `The address asks for ${"9".repeat(40)}. n: type a whole number from 1 to 1000.`;
  deepEqual([notes.n.message, notes.round], [said, undefined]);
  equal(notes.style.message, "The address asks for dotted, which is no choice here.");
  match(read("?panel.n=1.000").notes.n.message, /^The address asks for 1\.000\. n: type a whole/);
  const near = read("?panel.n=7");
  deepEqual(near.values, { n: 3 });
  equal(near.notes.n.note, "7 lies between two stops, 3 and 1000.");
});

test("what is written is read back, but for the start and a reader's file", () => {
  equal(addressOf(SPEC, START, HOME.replace("?", "?panel.n=2&")), HOME);
  equal(addressOf(SPEC, { ...START, file: { upload: 3, name: "mine.csv" } }, HOME), HOME);
  const values = { n: 1000, x: 0.3333, style: "dash", dots: true, file: "second", round: 1 };
  const url = new URL(addressOf(SPEC, values, HOME));
  deepEqual(read(url.search), { values, notes: {} });
  deepEqual([url.searchParams.get("other"), url.hash], ["1", "#place"]);
  for (const x of [0, 0.1, 1e-7, 0.123456789]) {
    deepEqual(read(new URL(addressOf(SPEC, { ...START, x }, HOME)).search).values, { x });
  }
});

/** A page at HOME; return what is written into its history. */
function onPage(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const written = [];
  const replaceState = (state, title, href) => {
    written.push([state, href]);
    globalThis.location.href = href;
  };
  globalThis.document = { body: { dataset: {} }, getElementById: () => null };
  globalThis.location = { href: HOME };
  globalThis.history = { state: "kept", replaceState };
  return written;
}

test("the address is written once, when the hand rests, and says it of all panels", (t) => {
  const written = onPage(t);
  for (let n = 0; n < 9; n += 1) {
    noteAddress(SPEC, { ...START, x: n / 10 });
    t.mock.timers.tick(300);
  }
  noteAddress({ ...SPEC, id: "second" }, { ...START, dots: true });
  deepEqual(written, []);
  t.mock.timers.tick(1000);
  const both = HOME.replace("#", "&panel.x=0.8&second.dots=on#");
  deepEqual(written, [["kept", both]]);
  noteAddress(SPEC, { ...START, x: 0.8 });
  writeAddress();
  noteAddress(SPEC, START);
  writeAddress();
  t.mock.timers.tick(1000);
  deepEqual(written.slice(1), [["kept", both.replace("&panel.x=0.8", "")]]);
});

test("a copied link leads to the panel, at what it shows", async (t) => {
  onPage(t);
  const copied = [];
  const clipboard = { writeText: async (text) => copied.push(text) };
  Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
  const button = {};
  await copyLink(SPEC, { ...START, x: 0 }, button);
  deepEqual(copied, [HOME.replace("#place", "&panel.x=0#panel")]);
  equal(button.textContent, "Link copied");
});
