// How a figure is dressed for a light or dark page.
import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.TONES = {
  light: { ink: "black", axis: "grey", grid: "silver", label: "white", ground: "white" },
  dark: { ink: "white", axis: "silver", grid: "grey", label: "navy", ground: "black" },
};
globalThis.SANS = "sans-serif";
const { dressed, ownHeight, recolour } = await import("../../explorable/panels/js/theme.js");

const SPEC = { dark: { blue: "aqua" } };
const HOW = { dark: false, width: 800, revealed: false };

const figure = () => ({
  data: [
    { y: Float32Array.of(1, 2), line: { color: "blue" }, text: ["blue", "red"] },
    { meta: "reveal", y: [1] },
  ],
  layout: { meta: { sentence: "blue" }, height: 300 },
});

test("colours are swapped wherever they stand, numbers are left as they are", () => {
  const before = figure();
  const { data } = recolour(before, SPEC.dark);
  assert.equal(data[0].line.color, "aqua");
  assert.deepEqual(data[0].text, ["aqua", "red"]);
  assert.equal(data[0].y, before.data[0].y);
  assert.deepEqual(before, figure(), "the figure itself must not change");
});

test("only a dark page swaps, and each has its own ink", () => {
  const light = dressed(figure(), SPEC, HOW);
  const dark = dressed(figure(), SPEC, { ...HOW, dark: true });
  assert.equal(light.data[0].line.color, "blue");
  assert.equal(dark.data[0].line.color, "aqua");
  assert.equal(light.layout.template.layout.font.color, "black");
  assert.equal(dark.layout.template.layout.font.color, "white");
});

test("the truth of a game is drawn once it is on show", () => {
  assert.equal(dressed(figure(), SPEC, HOW).data[1].visible, false);
  assert.equal(dressed(figure(), SPEC, { ...HOW, revealed: true }).data[1].visible, undefined);
});

test("height and margins follow the figure and the width", () => {
  const bare = { data: [], layout: {} };
  assert.equal(dressed(bare, SPEC, HOW).layout.height, 380);
  assert.equal(dressed(figure(), SPEC, HOW).layout.height, 300);
  const narrow = dressed(bare, SPEC, { ...HOW, width: 400 }).layout.template.layout;
  const wide = dressed(bare, SPEC, HOW).layout.template.layout;
  assert.ok(narrow.margin.l < wide.margin.l);
  assert.ok(narrow.font.size < wide.font.size);
});

test("things keep their shape, and an axis that is not drawn takes no room", () => {
  const xaxis = { visible: false, range: [0, 4] };
  const yaxis = { visible: false, range: [0, 1], scaleanchor: "x" };
  const layout = { xaxis, yaxis, height: 340 };
  const { margin } = dressed({ data: [], layout }, SPEC, HOW).layout.template.layout;
  assert.deepEqual([margin.l, margin.b], [margin.r, margin.t]);
  assert.equal(ownHeight(layout, 350), (350 - 2 * 10) / 4 + 0.5 + 2 * 16);
  assert.equal(ownHeight(layout, 3000), 340);
  for (const other of [{ yaxis: { range: [0, 1] } }, { xaxis2: {} }]) {
    assert.equal(ownHeight({ ...layout, ...other }, 350), 340);
  }
});

test("for a whole room letters and marks of a size of their own grow, and the figure stays", () => {
  const sized = () => ({
    data: [
      { marker: { size: Float32Array.of(4, 8) }, textfont: { size: 10 } },
      { marker: { size: 8 } },
    ],
    layout: { annotations: [{ font: { size: 12 } }, {}] },
  });
  const before = sized();
  const { data, layout } = dressed(before, SPEC, { ...HOW, large: true });
  assert.deepEqual([...data[0].marker.size, data[1].marker.size], [5, 10, 10]);
  assert.deepEqual([data[0].textfont.size, layout.annotations[0].font.size], [15, 18]);
  assert.deepEqual(before, sized());
});
