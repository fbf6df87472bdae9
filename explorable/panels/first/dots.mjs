// Many dots are one line, and paths of one look share it, since each part of a picture takes
// time to lay out.
import { short } from "./look.mjs";

// So many units are the length of an axis, for whole numbers are short.
export const UNITS = 1e4;
const STRETCH = `<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none">`;
// Straight from corner to corner, or round.
const HEAD = /^M\d+ \d+((L|C\d+ \d+ \d+ \d+ )\d+ \d+){5,8}Z$/;

/**
 * Many small heads of some corners, as round dots, which take a twentieth of the place; or nothing,
 * where a path is something else.
 * @param {string} path
 * @param {string} look
 * @param {number} width of the frame, in pixels
 */
export function dotted(path, look, width) {
  const heads = path.match(/[^Z]+Z/g) ?? [];
  if (heads.length < 10 || !heads.every((head) => HEAD.test(head))) return null;
  const sides = [0, 1].map((side) =>
    heads.map((head) => {
      const all = (head.match(/\d+/g) ?? []).filter((_, i) => i % 2 === side).map(Number);
      return [Math.min(...all), Math.max(...all)];
    }),
  );
  const [first] = sides[0];
  const wide = short(((first[1] - first[0]) / UNITS) * width);
  const middle = (/** @type {number[]} */ [low, high]) => Math.round((low + high) / 2);
  const [across, down] = sides.map((ends) => ends.map(middle));
  const line = look.replace("fill:", `fill:none;stroke-linecap:round;stroke-width:${wide};stroke:`);
  return `<path d="${beads(across, down)}"${line}/>`;
}

/** Round dots as one line, lifted between them. @param {number[]} across @param {number[]} down */
function beads(across, down) {
  let [atX, atY] = [0, 0];
  const dots = across.map((x, i) => {
    const step = `m${x - atX} ${down[i] - atY}h0`;
    [atX, atY] = [x, down[i]];
    return step;
  });
  return dots.join("");
}

/**
 * Paths that follow each other share what stretches them, and what they look like.
 * @param {string} text
 */
export function gathered(text) {
  return text
    .replace(/(?:<path d="[^"]*"(?: style="[^"]*")?\/>)+/g, (run) => `${STRETCH}${run}</svg>`)
    .replace(
      /(?:<(circle|path) [^>]*? style="([^"]*)"\/>)(?:<\1 [^>]*? style="\2"\/>)+/g,
      (run, _, style) => `<g style="${style}">${run.replaceAll(` style="${style}"`, "")}</g>`,
    )
    .replace(
      /<g style="fill:([^;"]+)">((?:<circle [^>]*>){100,})<\/g>/g,
      (run, /** @type {string} */ colour, /** @type {string} */ dots) => {
        const all = [...dots.matchAll(/cx="([-\d.]+)%" cy="([-\d.]+)%" r="([\d.]+)"/g)];
        const sizes = new Set(all.map((dot) => dot[3]));
        if (sizes.size > 1) return run;
        const [across, down] = [1, 2].map((side) =>
          all.map((dot) => Math.round((Number(dot[side]) / 100) * UNITS)),
        );
        const wide = 2 * Number(all[0][3]);
        const look = `fill:none;stroke-linecap:round;stroke-width:${wide};stroke:${colour}`;
        return `${STRETCH}<path d="${beads(across, down)}" style="${look}"/></svg>`;
      },
    );
}
