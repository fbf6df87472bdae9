// Plotly's picture, drawn at one width, as one that fits any: what lies inside the axes is given in
// shares of their length, what lies outside or between them keeps its distance to them, and no
// letter, dot or line is stretched.
import { Look, isEmpty, isHidden, short } from "./look.mjs";

// A path that keeps its size: it stands at a place, and does not reach over one.
const PLACED = /\b(point|ticks|textpoint|bartext)\b/;
// So many units are the length of an axis, for whole numbers are short.
const UNITS = 1e4;
const STRETCH = `<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none">`;
const HEAD = /^M\d+ \d+(L\d+ \d+){5,8}Z$/;
const DOT = /^<path d="M([\d.]+),0A\1,\1 0 1,1 0,-\1A\1,\1 0 0,1 \1,0Z"(.*)><\/path>$/;

/** @typedef {[number, number][]} Axes where each begins and ends */
/**
 * What all shares are of.
 * @typedef {{ l: number, t: number, w: number, h: number, columns?: Axes, rows?: Axes }} Frame
 */
/** @typedef {[number, number]} Place how far right, and how far down */

const share = (/** @type {number} */ value) => `${Math.round(value * 1e4) / 100}%`;

/** @param {any} node @param {...string} keys */
const numbers = (node, ...keys) => keys.map((key) => parseFloat(node.getAttribute(key)) || 0);

/**
 * How far it moves, and what else it does.
 * @param {any} node
 * @returns {[number, number, string]}
 */
function moved(node) {
  const transform = node?.getAttribute("transform") ?? "";
  const move = /translate\(([-\d.e]+)(?:[ ,]+([-\d.e]+))?\)/.exec(transform) ?? ["", "0", "0"];
  return [Number(move[1]), Number(move[2] ?? 0), transform.replace(move[0], "").trim()];
}

/**
 * Many small heads of some corners, as round dots, which take a twentieth of the place; or nothing,
 * where a path is something else.
 * @param {string} path
 * @param {string} look
 * @param {number} width of the frame, in pixels
 */
function dotted(path, look, width) {
  const heads = path.match(/[^Z]+Z/g) ?? [];
  if (heads.length < 100 || !heads.every((head) => HEAD.test(head))) return null;
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
 * Where a place is along a frame: a share of it, and how far beside the axis that it belongs to,
 * as a title does between two of them: below its own, or on the left.
 * @param {number} at
 * @param {number} length
 * @param {Axes} axes
 * @param {number} side that has the titles: 0 where an axis begins, 1 where it ends
 */
function along(at, length, axes = [], side = 1) {
  if (at <= 0) return { part: 0, beside: at };
  if (at >= length) return { part: 1, beside: at - length };
  const within = axes.some(([begin, end]) => begin <= at && at <= end);
  const ends = axes.map((axis) => axis[side]).filter((end) => (side ? end <= at : end >= at));
  const end = within || !ends.length ? at : side ? Math.max(...ends) : Math.min(...ends);
  return { part: end / length, beside: at - end };
}

/** What is not seen before a guess is made. @param {string} inner */
const unseen = (inner) => `<g class="mb-told">${inner}</g>`;

class Fluid {
  /** @param {Look} look @param {Set<any>} told what is seen when a guess is made */
  constructor(look, told) {
    this.look = look;
    this.told = told;
  }

  /**
   * An element that keeps its size, where its anchor is.
   * @param {any} node
   * @param {Place} from where its coordinates begin
   * @param {Frame} frame
   * @param {Place} anchor in the node's own coordinates
   */
  placed(node, [dx, dy], { l, t, w, h, columns, rows }, [ax, ay]) {
    const [x, y] = [along(ax + dx - l, w, columns, 0), along(ay + dy - t, h, rows)];
    let inner = this.look.clean(node);
    if (!inner) return "";
    let [left, top] = [short(x.beside - ax), short(y.beside - ay)];
    if (/^<path d="[^"]*" transform="translate\([^)]*\)"/.test(inner)) {
      inner = inner.replace(/ transform="[^"]*"/, "");
      const [mx, my] = moved(node);
      [left, top] = [short(x.beside - ax + mx), short(y.beside - ay + my)];
    }
    const dot = DOT.exec(inner);
    if (dot && !x.beside && !y.beside) {
      return `<circle cx="${share(x.part)}" cy="${share(y.part)}" r="${dot[1]}"${dot[2]}/>`;
    }
    const still = left === "0" && top === "0";
    const shown = still ? inner : `<g transform="translate(${left},${top})">${inner}</g>`;
    return `<svg x="${share(x.part)}" y="${share(y.part)}">${shown}</svg>`;
  }

  /**
   * A path that reaches from place to place, in units of the frame.
   * @param {any} node
   * @param {Place} from
   * @param {Frame} frame
   */
  stretched(node, [dx, dy], { l, t, w, h }) {
    const d = node.getAttribute("d");
    const look = this.look.of(node);
    if (!d || !look || isEmpty(look)) return "";
    const sides = [
      { start: dx - l, length: w },
      { start: dy - t, length: h },
    ];
    const unit = (/** @type {string} */ digits, /** @type {number} */ side, far = false) =>
      Math.round(((Number(digits) + (far ? 0 : sides[side].start)) / sides[side].length) * UNITS);
    const path = d.replace(
      /([a-zA-Z])([^a-zA-Z]*)/g,
      (/** @type {string} */ _, /** @type {string} */ letter, /** @type {string} */ rest) => {
        if (letter === "A") throw new Error(`an arc that is stretched: ${d.slice(0, 80)}`);
        const told = rest.match(/-?\d*\.?\d+(?:e[-+]?\d+)?/g) ?? [];
        const sideOf = (/** @type {number} */ i) => ({ h: 0, v: 1 })[letter.toLowerCase()] ?? i % 2;
        const far = letter === letter.toLowerCase();
        return letter + told.map((digits, i) => unit(digits, sideOf(i), far)).join(" ");
      },
    );
    return dotted(path, look, w) ?? `<path d="${path}"${look}/>`;
  }

  /** A heat map. @param {any} node @param {Place} from @param {Frame} frame */
  image(node, [dx, dy], { l, t, w, h }) {
    const [x, y, width, height] = numbers(node, "x", "y", "width", "height");
    const box = { x: (x + dx - l) / w, y: (y + dy - t) / h, width: width / w, height: height / h };
    const places = Object.entries(box).map(([key, part]) => ` ${key}="${share(part)}"`);
    const { value } = [...node.attributes].find(({ name }) => name.endsWith("href"));
    return `<image class="mb-cells" href="${value}" preserveAspectRatio="none"${places.join("")}/>`;
  }

  /** What the reader can drag, with what it says. @param {any} node @param {Frame} frame */
  handle(node, { l, t, w, h }) {
    const at = (node.style.getPropertyValue("translate").match(/-?[\d.]+/g) ?? []).map(Number);
    if (node.hidden || at.length < 2) return "";
    const [x, y] = [share((at[0] - l) / w), share((at[1] - t) / h)];
    const centre = `cx="${x}" cy="${y}"`;
    const { said } = node.dataset;
    const left = node.classList.contains("mb-words-left");
    const side = left ? 'dx="-23" text-anchor="end"' : 'dx="23"';
    const words = said ? `<text x="${x}" y="${y}" dy="2" ${side}>${said}</text>` : "";
    const ring = `<circle class="mb-ring" ${centre} r="11.75"/>`;
    return `${ring}<circle class="mb-knob" ${centre} r="9.5"/>${words}`;
  }

  /**
   * What is cut off at its frame, in shares of that.
   * @param {any} node
   * @param {any} clip
   * @param {Place} from
   * @param {Frame} frame
   */
  cut(node, clip, from, { l, t, w, h }) {
    const [x, y, width, height] = numbers(clip, "x", "y", "width", "height");
    const own = { l: from[0] + x, t: from[1] + y, w: width, h: height };
    const body = this.all(node.childNodes, from, own);
    const box = { x: (own.l - l) / w, y: (own.t - t) / h, width: own.w / w, height: own.h / h };
    const places = Object.entries(box).map(([key, part]) => ` ${key}="${share(part)}"`);
    return body && `<svg class="mb-cut"${places.join("")}>${body}</svg>`;
  }

  /** @param {any} node @param {Place} from @param {Frame} frame @returns {string} */
  drawn(node, from, frame) {
    if (node.nodeType !== 1 || isHidden(node)) return "";
    const named = node.getAttribute("class") ?? "";
    const [x, y, rest] = moved(node);
    /** @type {Place} */
    const inside = [from[0] + x, from[1] + y];
    const name = node.localName;
    if (name === "text") {
      const [ax, ay] = numbers(node, "x", "y");
      return this.placed(node, from, frame, [ax + x, ay + y]);
    }
    if (/\bannotation\b/.test(named)) {
      const words = node.querySelector(".cursor-pointer") ?? node.querySelector("text");
      const [ax, ay] = moved(words);
      return this.placed(node, from, frame, [ax, ay]);
    }
    if (name === "path") {
      if (!PLACED.test(named)) return this.stretched(node, inside, frame);
      const start = /ticks/.test(named) && /^M([-\d.]+),([-\d.]+)/.exec(node.getAttribute("d"));
      const [mx, my] = start ? [Number(start[1]), Number(start[2])] : [0, 0];
      return this.placed(node, from, frame, [x + mx, y + my]);
    }
    if (name === "image") return this.image(node, inside, frame);
    if (name !== "g" && name !== "svg") return "";
    if (rest && !/^rotate\(0/.test(rest)) return this.placed(node, from, frame, [x, y]);
    const id = /#([^')"]*)/.exec(node.getAttribute("clip-path") ?? "")?.[1];
    const clip = id && node.ownerDocument.getElementById(id)?.querySelector("rect");
    if (clip) return this.cut(node, clip, inside, frame);
    const inner = this.all(node.childNodes, inside, frame);
    const faint = node.style?.getPropertyValue("opacity");
    return inner && faint && String(faint) !== "1" ? `<g opacity="${faint}">${inner}</g>` : inner;
  }

  /** @param {Iterable<any>} nodes @param {Place} from @param {Frame} frame */
  all(nodes, from, frame) {
    const one = (/** @type {any} */ node) => {
      const inner = this.drawn(node, from, frame);
      if (inner && this.told.has(node)) return unseen(inner);
      const [datum] = [node.__data__].flat();
      const past = node.classList?.contains("trace") && datum?.trace?.meta === "asked";
      return inner && past ? `<g class="mb-until">${inner}</g>` : inner;
    };
    return [...nodes].map(one).join("");
  }
}

/**
 * Paths that follow each other share what stretches them, and what they look like; a hundred dots
 * are one line, since each part of a picture takes time to lay out.
 * @param {string} text
 */
function gathered(text) {
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

/**
 * @param {any} plot what plotly drew into
 * @param {string} kind of the picture, for its class
 * @param {string} name that no other of the page has
 * @param {Record<string, string>} colours
 * @param {{ told: Set<any>, places: any[] }} asked by the guesses about it
 */
export function fluid(plot, kind, name, colours, asked) {
  const { _size: size, font } = plot._fullLayout;
  const look = new Look(colours, String(font.size), name);
  const picture = new Fluid(look, asked.told);
  const layers = [...plot.querySelectorAll(".main-svg")];
  const axes = (/** @type {RegExp} */ named, /** @type {number} */ from) =>
    Object.entries(plot._fullLayout)
      .filter(([key]) => named.test(key))
      .map(([, { _offset: begin, _length: long }]) => [begin - from, begin - from + long]);
  const frame = { ...size, columns: axes(/^xaxis/, size.l), rows: axes(/^yaxis/, size.t) };
  const body = layers
    .filter((svg) => !svg.parentNode.closest(".main-svg"))
    .map((svg) => picture.all(svg.childNodes, [0, 0], frame))
    .join("");
  const all = (/** @type {any[]} */ nodes) =>
    nodes.map((node) => picture.handle(node, size)).join("");
  const handles = all([...plot.parentNode.querySelectorAll(".mb-handle")]);
  const marks = asked.places.length ? `<g class="mb-put-here">${all(asked.places)}</g>` : "";
  const held = `${asked.told.size && handles ? unseen(handles) : handles}${marks}`;
  const hatches = look.hatched(`scale(${short(UNITS / size.w)} ${short(UNITS / size.h)})`);
  const inset = [size.t, size.r, size.b, size.l].map((side) => `${short(side)}px`).join(" ");
  const style = `inset:${inset};font-size:${font.size}px`;
  const svg = `<svg aria-hidden="true">${hatches}${gathered(body)}${held}</svg>`;
  return `<div class="mb-first mb-${kind}" style="${style}">${svg}</div>`;
}
