// What stays of the last state.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Ghost } from "../../explorable/panels/js/ghost.js";

const figure = (y, meta = {}) => ({
  data: [
    { type: "bar", name: "bars", x: [0, 1], y: [1, y] },
    { type: "scatter", mode: "lines", name: "line", x: [0, 1], y: [0, y] },
  ],
  layout: { meta },
});

/** The ghost's traces after figures came at these times. */
function after(...turns) {
  const ghost = new Ghost();
  let shown = null;
  for (const [next, now] of turns) {
    ghost.turn(shown, now);
    shown = next;
  }
  return [ghost, shown];
}

test("the first figure has no ghost, the second that of the first", () => {
  assert.deepEqual(after([figure(1), 0])[0].traces(figure(1)), []);
  const [ghost, shown] = after([figure(1), 0], [figure(2), 10]);
  const [trace, ...others] = ghost.traces(shown);
  assert.deepEqual(others, []);
  assert.deepEqual([trace.y, trace.meta, trace.showlegend], [[0, 1], "ghost", false]);
});

test("during one move the ghost stays where it began", () => {
  const [ghost, shown] = after([figure(1), 0], [figure(2), 5000], [figure(3), 5400]);
  assert.deepEqual(ghost.traces(shown)[0].y, [0, 1]);
  const [later, last] = after([figure(1), 0], [figure(2), 5000], [figure(3), 9000]);
  assert.deepEqual(later.traces(last)[0].y, [0, 2]);
});

test("what did not move, a game, and an unwanted ghost leave none", () => {
  const [ghost] = after([figure(1), 0], [figure(1), 5000]);
  assert.deepEqual(ghost.traces(figure(1)), []);
  assert.deepEqual(ghost.traces(figure(2, { answer: "in" })), []);
  assert.equal(ghost.traces(figure(2)).length, 1);
  ghost.wanted = false;
  assert.deepEqual(ghost.traces(figure(2)), []);
});

test("a figure may name what leaves a ghost", () => {
  const [ghost] = after([figure(1), 0], [figure(2), 5000]);
  const traces = ghost.traces(figure(2, { ghost: ["bars"] }));
  assert.deepEqual(traces.map((t) => [t.mode, t.y]), [["markers", [1, 1]]]);
});
