// Figures from a server: one request a move, cancelling, a busy server, a lost line, files.
import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { test } from "node:test";

import { httpSource } from "../../explorable/panels/js/http.js";
import { Cancelled, askingSource } from "../../explorable/panels/js/sources.js";

const FIGURE = { data: [], layout: {} };
const DRAWN = { figure: FIGURE };

/** Answers in turn what it is given: a status, a body, or nobody there. */
function server(...replies) {
  const seen = [];
  globalThis.fetch = (address, options) => {
    seen.push({ address, ...options });
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener("abort", () => reject(signal.reason));
      if (reply === "never") return;
      if (reply === null) reject(new TypeError("Failed to fetch"));
      else if (typeof reply === "number") resolve(new Response("<p>", { status: reply }));
      else resolve(Response.json(reply));
    });
  };
  return seen;
}

test("a move is one request with the values and the page's own number", async () => {
  const seen = server(DRAWN);
  deepEqual(await httpSource("../figure/app/panel").figure({ n: 3 }), FIGURE);
  const told = seen.map(({ address, body }) => [address, body]);
  deepEqual(told, [["../figure/app/panel", '{"n":3}']]);
  await httpSource("../figure/app/other").figure({ n: 3 });
  const [visit, again] = seen.map(({ headers }) => headers["X-Mipbook-Visit"]);
  equal(visit, again);
  match(visit, /^\w{8,24}$/);
});

test("a newer move, or the reader, ends the one before", async () => {
  for (const between of [() => {}, (source) => source.link.cancel()]) {
    server("never", DRAWN);
    const source = httpSource("x");
    const ended = rejects(source.figure({ n: 1 }), Cancelled);
    await between(source);
    deepEqual(await source.figure({ n: 2 }), FIGURE);
    await ended;
  }
});

test("a busy server is asked again, and a lost line is told and mended", async () => {
  const seen = server(503, 503, DRAWN);
  deepEqual(await httpSource("x").figure({}), FIGURE);
  equal(seen.length, 3);
  server(null, DRAWN);
  const source = httpSource("x");
  const states = [];
  source.link.watch((state) => states.push(state));
  deepEqual(await source.figure({}), FIGURE);
  deepEqual(states, ["away", "here"]);
});

test("words come through, also beside a file that was read", async () => {
  server({ error: "n = 3: too small", file: { read: "4 rows" } });
  const source = httpSource("x");
  await rejects(source.figure({}), /n = 3: too small/);
  equal(source.found().read, "4 rows");
  server(404);
  await rejects(source.figure({}), /load this page again/);
});

test("a file goes along with each request, and only the one that was sent last", async () => {
  const asked = [];
  const source = askingSource(async (values) => {
    asked.push(values.file);
    return DRAWN;
  });
  const [old, own] = [source.upload("a.csv", "1,2"), source.upload("b.csv", "3,4")];
  await source.figure({ file: own, n: 1 });
  await source.figure({ file: { ...own, columns: { x: ["b"] } }, n: 2 });
  deepEqual(asked, [
    { name: "b.csv", text: "3,4", columns: {} },
    { name: "b.csv", text: "3,4", columns: { x: ["b"] } },
  ]);
  await rejects(source.figure({ file: old, n: 1 }), /choose it again/);
  deepEqual([source.textOf(own), source.textOf(old)], ["3,4", null]);
});
