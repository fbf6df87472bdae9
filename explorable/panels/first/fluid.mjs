// Plotly's picture, drawn at one width, as one that fits any: what lies inside the axes is given in
// shares of their length, what lies outside or between them keeps its distance to them, and no
// letter, dot or line is stretched.
import { UNITS, dotted, gathered } from "./dots.mjs";
import { Look, isEmpty, isHidden, short } from "./look.mjs";

// A path that keeps its size: it stands at a place, and does not reach over one.
const PLACED = /\b(point|ticks|textpoint|bartext)\b/;
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

/**
 * The points that annotations speak of.
 * @param {any} layout as plotly completed it
 * @returns {Place[]}
 */
const spotsOf = ({ annotations, _size: { l, t, w, h }, ...axes }) =>
  annotations.map((/** @type {any} */ { visible, x, y, xref, yref }) => {
    if (!visible) return [0, 0];
    const [right, down] = [xref, yref].map((/** @type {string} */ ref, side) => {
      const at = [x, y][side];
      const axis = axes[ref.replace(/^([xy])(\d*)( domain)?$/, "$1axis$2")];
      if (axis && !ref.includes(" ")) return axis._offset + axis.r2p(at);
      const [begin, long] = axis ? [axis._offset, axis._length] : side ? [t, h] : [l, w];
      return begin + long * (side ? 1 - at : at);
    });
    return [right, down];
  });

class Fluid {
  /**
   * @param {Look} look
   * @param {Set<any>} told what is seen when a guess is made
   * @param {Place[]} spots of the annotations
   */
  constructor(look, told, spots) {
    this.look = look;
    this.told = told;
    this.spots = spots;
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
    if (node.classList.contains("mb-mark-area")) {
      const [wide, high] = [node.style.width, node.style.height].map(parseFloat);
      return `<rect x="${x}" y="${y}" width="${share(wide / w)}" height="${share(high / h)}"/>`;
    }
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
      return this.placed(node, from, frame, this.spots[node.getAttribute("data-index")]);
    }
    // Words beside a point keep their distance to it.
    if (name === "g" && /\btextpoint\b/.test(named)) {
      const [words] = node.children;
      const [[ax, ay], [mx, my]] = [numbers(words, "x", "y"), moved(words)];
      return this.placed(node, from, frame, [ax + mx, ay + my]);
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
 * @param {any} plot what plotly drew into
 * @param {string} kind of the picture, for its class
 * @param {string} name that no other of the page has
 * @param {Record<string, string>} colours
 * @param {{ told: Set<any>, places: any[] }} asked by the guesses about it
 */
export function fluid(plot, kind, name, colours, asked) {
  const { _size: size, font } = plot._fullLayout;
  const look = new Look(colours, String(font.size), name);
  const picture = new Fluid(look, asked.told, spotsOf(plot._fullLayout));
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
