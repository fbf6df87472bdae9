// Where the name of a mark stands; how it looks is seen in tests/browser/test_asked_pages.py.
import assert from "node:assert/strict";
import { test } from "node:test";
import { putLabel } from "../../explorable/panels/js/labels.js";

const ROOM = { width: 400, height: 300 };

function placed(spot, taken) {
  const style = { setProperty: (name, value) => (style[name] = value) };
  const label = { offsetWidth: 100, offsetHeight: 20, dataset: {}, style };
  putLabel(label, spot, [], [...taken], ROOM, [spot]);
  const [right, down] = style.translate.match(/-?[\d.]+/g).map(Number);
  return { x: spot.x + right, y: spot.y + down, far: parseFloat(style["--far"]) };
}

test("a name stands right of its mark, or where no words stand", () => {
  assert.deepEqual(placed({ x: 100, y: 150 }, []), { x: 115, y: 140, far: 0 });
  const words = { x: 120, y: 145, w: 50, h: 10, cost: 1e5 };
  assert.deepEqual(placed({ x: 100, y: 150 }, [words]), { x: 50, y: 115, far: 0 });
});

test("at the edge it keeps off a crowd as far as there is room", () => {
  const crowd = Array.from({ length: 300 }, (_, i) => {
    return { x: 10 * (i % 30), y: 30 * Math.floor(i / 30), w: 8, h: 25, cost: 5 };
  });
  assert.equal(placed({ x: 380, y: 150 }, crowd).x, 300);
});

test("its line to the mark crosses no other words", () => {
  const spot = { x: 200, y: 150 };
  const around = { x: 130, y: 120, w: 200, h: 60, cost: 500 };
  const free = placed(spot, [around]);
  assert.ok(free.far > 0);
  const between = { x: free.x, y: free.y + (free.y < 150 ? 22 : -8), w: 100, h: 5, cost: 1e5 };
  const other = placed(spot, [around, between]);
  assert.notEqual(Math.sign(other.y + 10 - 150), Math.sign(free.y + 10 - 150));
});
