import assert from "node:assert/strict";
import { test } from "node:test";
import { askingSource } from "../../explorable/panels/js/sources.js";
import { httpSource } from "../../explorable/panels/js/http.js";
import { Cancelled } from "../../explorable/panels/js/sources.js";

const FIGURE = { data: [], layout: {} };

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
  const seen = server({ figure: FIGURE });
  const source = httpSource("../figure/app/panel");
  assert.deepEqual(await source.figure({ n: 3 }), FIGURE);
  assert.equal(seen.length, 1);
  assert.equal(seen[0].address, "../figure/app/panel");
  assert.equal(seen[0].body, '{"n":3}');
  await httpSource("../figure/app/other").figure({ n: 3 });
  assert.equal(seen[0].headers["X-Mipbook-Visit"], seen[1].headers["X-Mipbook-Visit"]);
  assert.match(seen[0].headers["X-Mipbook-Visit"], /^\w{8,24}$/);
});

test("a newer move ends the one before", async () => {
  server("never", { figure: FIGURE });
  const source = httpSource("x");
  const first = source.figure({ n: 1 });
  const refused = assert.rejects(first, Cancelled);
  assert.deepEqual(await source.figure({ n: 2 }), FIGURE);
  await refused;
});

test("a reader may cancel, and ask again", async () => {
  server("never", { figure: FIGURE });
  const source = httpSource("x");
  const first = assert.rejects(source.figure({ n: 1 }), Cancelled);
  await source.link.cancel();
  await first;
  assert.deepEqual(await source.figure({ n: 1 }), FIGURE);
});

test("a busy server is asked again, then the reader is told", async () => {
  const seen = server(503, 503, { figure: FIGURE });
  assert.deepEqual(await httpSource("x").figure({}), FIGURE);
  assert.equal(seen.length, 3);
});

test("a lost line is told and mended", async () => {
  server(null, { figure: FIGURE });
  const source = httpSource("x");
  const states = [];
  source.link.watch((state) => states.push(state));
  assert.deepEqual(await source.figure({}), FIGURE);
  assert.deepEqual(states, ["away", "here"]);
});

test("words come through, also beside a file that was read", async () => {
  server({ error: "n = 3: too small", file: { read: "4 rows" } });
  const source = httpSource("x");
  await assert.rejects(source.figure({}), /n = 3: too small/);
  assert.equal(source.found().read, "4 rows");
  server(404);
  await assert.rejects(source.figure({}), /load this page again/);
});

test("a file goes along with each request, and only the one that was sent last", async () => {
  const asked = [];
  const source = askingSource(async (values) => {
    asked.push(values);
    return { figure: FIGURE };
  });
  const old = source.upload("a.csv", "1,2");
  const own = source.upload("b.csv", "3,4");
  await source.figure({ file: own, n: 1 });
  await source.figure({ file: { ...own, columns: { x: ["b"] } }, n: 2 });
  assert.deepEqual(
    asked.map((values) => values.file),
    [
      { name: "b.csv", text: "3,4", columns: {} },
      { name: "b.csv", text: "3,4", columns: { x: ["b"] } },
    ],
  );
  await assert.rejects(source.figure({ file: old, n: 1 }), /choose it again/);
  assert.equal(source.textOf(own), "3,4");
  assert.equal(source.textOf(old), null);
});
