// How a figure is dressed: its colours, height, legend and labels, and where its curves are read.
import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { test } from "node:test";

import { fitted, wantedHeight } from "../../explorable/panels/js/fit.js";
import { putLabel } from "../../explorable/panels/js/labels.js";
import { legendOf } from "../../explorable/panels/js/legend.js";
import { curvesOf, readable } from "../../explorable/panels/js/probe.js";

globalThis.TONES = {
  light: { ink: "black", axis: "grey", grid: "silver", label: "white", ground: "white" },
  dark: { ink: "white", axis: "silver", grid: "grey", label: "navy", ground: "black" },
};
globalThis.SANS = "sans-serif";
const { dressed, ownHeight, recolour } = await import("../../explorable/panels/js/theme.js");

const SPEC = { dark: { blue: "aqua" } };
const dress = (figure, how = {}) =>
  dressed(figure, SPEC, { dark: false, width: 800, revealed: false, ...how });
const template = (figure, how = {}) => dress(figure, how).layout.template.layout;

const coloured = () => ({
  data: [
    { y: Float32Array.of(1, 2), line: { color: "blue" }, text: ["blue", "red"] },
    { meta: "reveal", y: [1] },
  ],
  layout: { meta: { sentence: "blue" }, height: 300 },
});
const BARE = { data: [], layout: {} };

test("a dark page swaps colours wherever they stand, and a truth is drawn once on show", () => {
  const before = coloured();
  const { data } = recolour(before, SPEC.dark);
  deepEqual([data[0].line.color, data[0].text], ["aqua", ["aqua", "red"]]);
  equal(data[0].y, before.data[0].y);
  deepEqual(before, coloured(), "the figure itself must not change");
  for (const [dark, blue, ink] of [[false, "blue", "black"], [true, "aqua", "white"]]) {
    equal(dress(coloured(), { dark }).data[0].line.color, blue);
    equal(template(coloured(), { dark }).font.color, ink);
  }
  equal(dress(coloured()).data[1].visible, false);
  equal(dress(coloured(), { revealed: true }).data[1].visible, undefined);
});

test("height and margins follow the figure and the width", () => {
  deepEqual([dress(BARE).layout.height, dress(coloured()).layout.height], [380, 300]);
  const [narrow, wide] = [template(BARE, { width: 400 }), template(BARE)];
  ok(narrow.margin.l < wide.margin.l && narrow.font.size < wide.font.size);
});

test("things keep their shape, and an axis that is not drawn takes no room", () => {
  const xaxis = { visible: false, range: [0, 4] };
  const yaxis = { visible: false, range: [0, 1], scaleanchor: "x" };
  const layout = { xaxis, yaxis, height: 340 };
  const { margin } = template({ data: [], layout });
  deepEqual([margin.l, margin.b], [margin.r, margin.t]);
  equal(ownHeight(layout, 350), (350 - 2 * 10) / 4 + 0.5 + 2 * 16);
  equal(ownHeight(layout, 3000), 340);
  equal(ownHeight({ ...layout, yaxis: { range: [0, 1] } }, 350), 340);
  equal(ownHeight({ ...layout, xaxis2: {} }, 350), 340);
});

test("for a whole room letters and marks of a size of their own grow, and the figure stays", () => {
  const sized = () => ({
    data: [
      { marker: { size: Float32Array.of(4, 8) }, textfont: { size: 10 } }, { marker: { size: 8 } },
    ],
    layout: { annotations: [{ font: { size: 12 } }, {}] },
  });
  const before = sized();
  const { data, layout } = dress(before, { large: true });
  deepEqual([...data[0].marker.size, data[1].marker.size], [5, 10, 10]);
  deepEqual([data[0].textfont.size, layout.annotations[0].font.size], [15, 18]);
  deepEqual(before, sized());
});

test("a picture is as high as it asks, and much is taken from the words", () => {
  for (const [own, width, screen, height] of [
    [600, 700, 800, 460], [300, 700, 800, 300],
    [600, 360, 844, 320], [600, 360, 640, 269], [600, 360, 320, 240],
  ]) {
    equal(wantedHeight(own, width, screen), height);
  }
  const laptop = { own: 420, width: 640, screen: 800 };
  const phone = { own: 420, width: 350, screen: 844 };
  for (const [view, around, sentence, height, folded] of [
    [laptop, 200, 80, 420, false], [laptop, 306, 80, 410, false], [laptop, 346, 80, 420, true],
    [phone, 400, 80, 320, false], [phone, 500, 60, 304, true],
    // Where folding shortens nothing, and where no picture could be read.
    [laptop, 400, 0, 316, false], [laptop, 700, 10, 240, true], [phone, 900, 10, 180, true],
  ]) {
    deepEqual(fitted(view, around, sentence), { height, folded });
  }
});

/** An element with what it was told; how it looks is seen in the browser. */
function made() {
  const [children, said] = [[], {}];
  const append = (...more) => children.push(...more);
  return { children, said, append, setAttribute: (key, value) => (said[key] = value) };
}

test("each named trace that is seen is in the legend, unless it is one line alone", () => {
  globalThis.document = { createElement: made, createElementNS: made };
  const names = (data, layout = {}) =>
    legendOf(data, layout).map((entry) => entry.children[1].children[0]);
  const line = (name, more = {}) => ({ type: "scatter", name, line: {}, ...more });
  const data = [line("b"), line("a", { fill: "toself" }), line("bars", { type: "bar" })];
  const hidden = [line("x", { showlegend: false }), line("y", { visible: false }), { line: {} }];
  deepEqual(names([...data, ...hidden]), ["b", "a", "bars"]);
  deepEqual(names([line("a")]), []);
  deepEqual(names([line("a")], { showlegend: true }), ["a"]);
  deepEqual(names([line("a"), line("b")], { showlegend: false }), []);
  // A line is dashed beside its name as it is in the picture.
  const swatches = legendOf([line("a"), line("b", { line: { dash: "dash" } })], {});
  const strokes = swatches.map((entry) => entry.children[0].children[0].said["stroke-dasharray"]);
  deepEqual(strokes, [undefined, "6 4"]);
  delete globalThis.document;
});

function placed(spot, taken) {
  const style = { setProperty: (name, value) => (style[name] = value) };
  const label = { offsetWidth: 100, offsetHeight: 20, dataset: {}, style };
  putLabel(label, spot, [], [...taken], { width: 400, height: 300 }, [spot]);
  const [right, down] = style.translate.match(/-?[\d.]+/g).map(Number);
  return { x: spot.x + right, y: spot.y + down, far: parseFloat(style["--far"]) };
}

test("a name stands right of its mark, or where neither it nor its line meets words", () => {
  const spot = { x: 100, y: 150 };
  deepEqual(placed(spot, []), { x: 115, y: 140, far: 0 });
  const words = { x: 120, y: 145, w: 50, h: 10, cost: 1e5 };
  deepEqual(placed(spot, [words]), { x: 50, y: 115, far: 0 });
  // At the edge it keeps off a crowd as far as there is room.
  const crowd = Array.from({ length: 300 }, (_, i) =>
    ({ x: 10 * (i % 30), y: 30 * Math.floor(i / 30), w: 8, h: 25, cost: 5 }));
  equal(placed({ x: 380, y: 150 }, crowd).x, 300);
  const middle = { x: 200, y: 150 };
  const around = { x: 130, y: 120, w: 200, h: 60, cost: 500 };
  const free = placed(middle, [around]);
  ok(free.far > 0);
  const between = { x: free.x, y: free.y + (free.y < 150 ? 22 : -8), w: 100, h: 5, cost: 1e5 };
  const other = placed(middle, [around, between]);
  notEqual(Math.sign(other.y + 10 - 150), Math.sign(free.y + 10 - 150));
});

test("the named curves are read, but for their gaps, and what says nothing is passed over", () => {
  const figure = {
    data: [
      { name: "silent", x: [1], y: [1] },
      { name: "curve", x: [1, 2, 3], y: [0.5, null, Infinity] },
      { name: "told", x: [1], y: [1], hovertemplate: "here" },
    ],
    layout: { meta: { probe: ["curve", "gone"] } },
  };
  deepEqual(curvesOf(figure), [{ number: 1, points: [0] }]);
  const { data, layout } = readable(figure);
  deepEqual(data.map((trace) => trace.hoverinfo), ["skip", undefined, undefined]);
  equal(layout.hoverdistance, -1);
  const plain = { data: [figure.data[0]], layout: {} };
  deepEqual(readable(plain), plain);
});
