// A canvas that knows rectangles only, which is what plotly draws of a heat map: its picture has
// one pixel for each, and is shown as large as the map.
import { crc32, deflateSync } from "node:zlib";

/** @param {string} kind @param {Uint8Array} content */
function chunk(kind, content) {
  const body = Buffer.concat([Buffer.from(kind), content]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, sum]);
}

/** @param {number} width @param {number} height @param {Buffer} rgba rows, each behind a zero */
function png(width, height, rgba) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  head.set([8, 6], 8);
  const start = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const pixels = chunk("IDAT", deflateSync(rgba, { level: 9 }));
  const file = Buffer.concat([start, chunk("IHDR", head), pixels, chunk("IEND", Buffer.alloc(0))]);
  return `data:image/png;base64,${file.toString("base64")}`;
}

/** Make a canvas of an element. @param {any} node */
export function canvas(node) {
  /** @type {[number, number, string][]} */
  const cells = [];
  const places = (/** @type {0 | 1} */ side) =>
    [...new Set(cells.map((cell) => cell[side]))].sort((a, b) => a - b);
  const context = {
    fillStyle: "",
    fillRect(/** @type {number} */ x, /** @type {number} */ y) {
      cells.push([x, y, this.fillStyle]);
    },
  };
  const toDataURL = () => {
    const [xs, ys] = [places(0), places(1)];
    const row = 4 * xs.length + 1;
    const rgba = Buffer.alloc(row * ys.length);
    for (const [x, y, colour] of cells) {
      const [red, green, blue, opacity = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
      rgba.set([red, green, blue, 255 * opacity], ys.indexOf(y) * row + 4 * xs.indexOf(x) + 1);
    }
    return png(xs.length, ys.length, rgba);
  };
  return Object.assign(node, { getContext: () => context, toDataURL });
}
