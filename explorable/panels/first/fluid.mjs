// Plotly's picture, drawn at one width, as one that fits any: what lies inside the axes is given in
// shares of their length, what lies outside keeps its distance to them, and no letter, dot or line
// is stretched.

const SKIPPED = "defs,.draglayer,.hoverlayer,.zoomlayer,.bglayer,.bg";
// A path that keeps its size: it stands at a place, and does not reach over one.
const PLACED = /\b(point|ticks|textpoint|bartext)\b/;
// So many units are the length of an axis, for whole numbers are short.
const UNITS = 1e4;
const KEPT = ["d", "x", "y", "dx", "dy", "width", "height", "r", "cx", "cy", "transform", "text-anchor"];
const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity", "stroke-linejoin", "font-size", "font-weight", "font-style", "text-anchor"];
const IDLE = { opacity: "1", "fill-opacity": "1", "stroke-opacity": "1", "font-weight": "400", "font-style": "normal", "stroke-dasharray": "" };

/** @typedef {{ l: number, t: number, w: number, h: number }} Frame the rectangle that all shares are of */

const short = (/** @type {number} */ value) => String(Math.round(value * 10) / 10);
const share = (/** @type {number} */ value) => `${Math.round(value * 1e4) / 100}%`;

/** @param {string} transform @returns {[number, number, string]} how far it moves, and what else it does */
function moved(transform) {
  const [all, x, y] = /translate\(([-\d.e]+)(?:[ ,]+([-\d.e]+))?\)/.exec(transform ?? "") ?? ["", "0", "0"];
  return [Number(x), Number(y ?? 0), (transform ?? "").replace(all, "").trim()];
}

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

class Fluid {
  /**
   * @param {Record<string, string>} colours the variable of each colour, by what plotly writes
   * @param {string} size of usual letters
   * @param {string} name that no other picture of the page has
   */
  constructor(colours, size, name) {
    this.colours = colours;
    this.size = size;
    this.name = name;
    /** The hatches that are used. @type {any[]} */
    this.hatches = [];
  }

  /** A hatch of plotly's by its own name here. @param {any} node @param {string} fill */
  hatch(node, fill) {
    const of = node.ownerDocument.getElementById(/#([^"')]*)/.exec(fill)?.[1]);
    if (!this.hatches.includes(of)) this.hatches.push(of);
    return `url(#${this.name}-${this.hatches.indexOf(of)})`;
  }

  /** The hatches, as wide as they were in a picture of this size. @param {Frame} frame */
  hatched({ w, h }) {
    const scale = `scale(${(UNITS / w).toFixed(2)} ${(UNITS / h).toFixed(2)})`;
    return this.hatches
      .map((node, i) => {
        const [width, height] = ["width", "height"].map((key) => parseFloat(node.getAttribute(key)).toFixed(2));
        const inner = [...node.children].map((child) => this.clean(child)).join("");
        const size = `width="${width}" height="${height}" patternUnits="userSpaceOnUse"`;
        return `<pattern id="${this.name}-${i}" ${size} patternTransform="${scale}">${inner}</pattern>`;
      })
      .join("");
  }

  /** A colour as the page's theme has it. @param {string} value @param {string} [opacity] */
  colour(value, opacity) {
    const numbers = value.match(/[\d.]+/g) ?? [];
    if (!value.startsWith("rgb")) return [this.colours[value] ?? value, opacity];
    const hex = `#${numbers.slice(0, 3).map((n) => Number(n).toString(16).padStart(2, "0")).join("")}`;
    const whole = opacity ? this.colours[`${hex}/${opacity}`] : undefined;
    return whole ? [whole, undefined] : [this.colours[hex] ?? hex, opacity];
  }

  /** What an element looks like, without what goes without saying. @param {any} node */
  look(node) {
    /** @type {Record<string, string | undefined>} */
    const found = {};
    for (const name of STYLES) {
      const value = node.style?.getPropertyValue(name) || node.getAttribute(name);
      if (value && String(value) !== IDLE[/** @type {keyof typeof IDLE} */ (name)]) found[name] = String(value).replace(/(\d)px/g, "$1");
    }
    if (parseFloat(found["stroke-width"] ?? "1") === 0 || found["stroke-opacity"] === "0") delete found.stroke;
    if (!found.stroke || found.stroke === "none") {
      for (const name of STYLES.filter((s) => s.startsWith("stroke"))) delete found[name];
    }
    if (found["fill-opacity"] === "0") found.fill = "none";
    if (found.fill?.startsWith("url")) found.fill = this.hatch(node, found.fill);
    for (const part of ["fill", "stroke"]) {
      const of = found[part];
      if (of) [found[part], found[`${part}-opacity`]] = this.colour(of, found[`${part}-opacity`]);
    }
    if (found.fill === "none") delete found["fill-opacity"];
    if (found["font-size"] === this.size) delete found["font-size"];
    const style = Object.entries(found).filter(([, value]) => value).map(([name, value]) => `${name}:${value}`);
    return style.length ? ` style="${style.join(";")}"` : "";
  }

  /** @param {any} node */
  hidden(node) {
    const style = (/** @type {string} */ name) => node.style?.getPropertyValue(name);
    return node.matches(SKIPPED) || style("display") === "none" || style("opacity") === "0" || style("visibility") === "hidden";
  }

  /** An element as it is, without what nobody needs. @param {any} node @returns {string} */
  clean(node) {
    if (node.nodeType === 3) return escaped(node.textContent);
    if (node.nodeType !== 1 || this.hidden(node)) return "";
    const name = node.localName;
    const inner = [...node.childNodes].map((child) => this.clean(child)).join("");
    const attributes = KEPT.filter((key) => key !== "text-anchor" && node.getAttribute(key))
      .map((key) => ` ${key}="${node.getAttribute(key).replace(/-?\d+\.\d+/g, (/** @type {string} */ n) => short(Number(n)))}"`)
      .join("");
    if (name === "g" || name === "a" || name === "tspan") {
      const own = `${attributes.replace(/ transform="(translate\(0,0\)|rotate\(0[^)]*\))"/, "")}${this.look(node)}`;
      if (!inner) return "";
      return own && name !== "a" ? `<${name}${own}>${inner}</${name}>` : inner;
    }
    const look = this.look(node);
    if (name !== "text" && (!node.attributes.length || (look.includes("fill:none") && !look.includes("stroke:")))) return "";
    return `<${name}${attributes}${look}>${inner}</${name}>`;
  }

  /** Where a place is: a share of the frame, and how far beside it. @param {number} at @param {number} start @param {number} length */
  place(at, start, length) {
    const part = (at - start) / length;
    if (part <= 0) return { part: 0, beside: at - start };
    return part >= 1 ? { part: 1, beside: at - start - length } : { part, beside: 0 };
  }

  /**
   * An element that keeps its size, where its anchor is.
   * @param {any} node @param {number} dx @param {number} dy @param {Frame} frame
   * @param {[number, number]} anchor in the node's own coordinates
   */
  placed(node, dx, dy, { l, t, w, h }, [ax, ay]) {
    const [x, y] = [this.place(ax + dx, l, w), this.place(ay + dy, t, h)];
    let inner = this.clean(node);
    if (!inner) return "";
    const at = `x="${share(x.part)}" y="${share(y.part)}"`;
    let [left, top] = [short(x.beside - ax), short(y.beside - ay)];
    const mark = /^<path d="[^"]*" transform="translate\([^)]*\)"/.exec(inner);
    if (mark) {
      inner = inner.replace(/ transform="[^"]*"/, "");
      [left, top] = [short(x.beside), short(y.beside)];
    }
    const dot = /^<path d="M([\d.]+),0A\1,\1 0 1,1 0,-\1A\1,\1 0 0,1 \1,0Z"(.*)><\/path>$/.exec(inner);
    if (dot && !x.beside && !y.beside) {
      return `<circle cx="${share(x.part)}" cy="${share(y.part)}" r="${dot[1]}"${dot[2]}/>`;
    }
    const plain = left === "0" && top === "0";
    return `<svg ${at}>${plain ? inner : `<g transform="translate(${left},${top})">${inner}</g>`}</svg>`;
  }

  /** A path that reaches from place to place, in units of the frame. @param {any} node @param {number} dx @param {number} dy @param {Frame} frame */
  stretched(node, dx, dy, { l, t, w, h }) {
    const d = node.getAttribute("d");
    const look = this.look(node);
    if (!d || !look || (look.includes("fill:none") && !look.includes("stroke:"))) return "";
    const X = (/** @type {number} */ x) => Math.round(((x + dx - l) / w) * UNITS);
    const Y = (/** @type {number} */ y) => Math.round(((y + dy - t) / h) * UNITS);
    const path = d.replace(/([a-zA-Z])([^a-zA-Z]*)/g, (/** @type {string} */ _, /** @type {string} */ letter, /** @type {string} */ rest) => {
      const numbers = (rest.match(/-?\d*\.?\d+(?:e[-+]?\d+)?/g) ?? []).map(Number);
      if (letter === "H") return `H${numbers.map(X).join(" ")}`;
      if (letter === "V") return `V${numbers.map(Y).join(" ")}`;
      if (letter === "h") return `h${numbers.map((x) => Math.round((x / w) * UNITS))}`;
      if (letter === "v") return `v${numbers.map((y) => Math.round((y / h) * UNITS))}`;
      if (letter === "Z" || letter === "z") return "Z";
      if (letter === "A") throw new Error(`an arc that is stretched: ${d.slice(0, 80)}`);
      const relative = letter === letter.toLowerCase();
      return letter + numbers.map((n, i) => (relative ? Math.round((n / (i % 2 ? h : w)) * UNITS) : i % 2 ? Y(n) : X(n))).join(" ");
    });
    return `<path d="${path}"${look}/>`;
  }

  /** @param {any} node @param {number} dx @param {number} dy @param {Frame} frame @returns {string} */
  drawn(node, dx, dy, frame) {
    if (node.nodeType !== 1 || this.hidden(node)) return "";
    const named = node.getAttribute("class") ?? "";
    const [x, y, rest] = moved(node.getAttribute("transform"));
    const name = node.localName;
    if (name === "text") {
      const [ax, ay] = ["x", "y"].map((key) => parseFloat(node.getAttribute(key)) || 0);
      return this.placed(node, dx, dy, frame, [ax + x, ay + y]);
    }
    if (/\bannotation\b/.test(named)) return this.annotation(node, dx, dy, frame);
    if (name === "path") {
      if (!PLACED.test(named)) return this.stretched(node, dx + x, dy + y, frame);
      const [, mx, my] = /ticks/.test(named) ? (/^M([-\d.]+),([-\d.]+)/.exec(node.getAttribute("d") ?? "") ?? []) : [];
      return this.placed(node, dx, dy, frame, [x + Number(mx ?? 0), y + Number(my ?? 0)]);
    }
    if (name === "image") return this.image(node, dx + x, dy + y, frame);
    if (name !== "g" && name !== "svg") return "";
    if (rest && !/^rotate\(0/.test(rest)) return this.placed(node, dx, dy, frame, [x, y]);
    const cut = node.getAttribute("clip-path");
    const clip = cut && node.ownerDocument.querySelector(cut.replace(/url\('?(#[^')]*)'?\)/, "$1"))?.querySelector("rect");
    const inner = (/** @type {Frame} */ of) => this.all(node.childNodes, dx + x, dy + y, of);
    if (!clip) return this.grouped(node, inner(frame));
    const size = (/** @type {string} */ key) => parseFloat(clip.getAttribute(key)) || 0;
    const cutFrame = { l: dx + x + size("x"), t: dy + y + size("y"), w: size("width"), h: size("height") };
    const body = inner(cutFrame);
    const { l, t, w, h } = frame;
    const box = [(cutFrame.l - l) / w, (cutFrame.t - t) / h, cutFrame.w / w, cutFrame.h / h].map(share);
    const [px, py] = [box[0] === "0%" ? "" : ` x="${box[0]}"`, box[1] === "0%" ? "" : ` y="${box[1]}"`];
    return body && `<svg class="mb-cut"${px}${py} width="${box[2]}" height="${box[3]}">${body}</svg>`;
  }

  /** A heat map. @param {any} node @param {number} dx @param {number} dy @param {Frame} frame */
  image(node, dx, dy, { l, t, w, h }) {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((key) => Number(node.getAttribute(key)) || 0);
    const places = { x: (x + dx - l) / w, y: (y + dy - t) / h, width: width / w, height: height / h };
    const box = Object.entries(places).map(([key, part]) => ` ${key}="${share(part)}"`);
    return `<image href="${[...node.attributes].find(({ name }) => name.endsWith("href")).value}" preserveAspectRatio="none" class="mb-cells"${box.join("")}/>`;
  }

  /** A group keeps nothing but how faint it is. @param {any} node @param {string} inner */
  grouped(node, inner) {
    const faint = node.style?.getPropertyValue("opacity");
    return inner && faint && faint !== "1" ? `<g opacity="${faint}">${inner}</g>` : inner;
  }

  /** Words at a point of the picture, with their arrow: all of it keeps its distance to the point. @param {any} node @param {number} dx @param {number} dy @param {Frame} frame */
  annotation(node, dx, dy, frame) {
    const text = node.querySelector(".cursor-pointer") ?? node.querySelector("text");
    const [x, y] = moved(text?.getAttribute("transform"));
    const head = node.querySelector("[data-at]")?.getAttribute("data-at");
    const at = head ? head.split(" ").map(Number) : [x, y];
    return this.placed(node, dx, dy, frame, /** @type {[number, number]} */ (at));
  }

  /** What the reader can drag. @param {any} node @param {Frame} frame */
  handle(node, { l, t, w, h }) {
    const [x, y] = (node.style.getPropertyValue("translate").match(/-?[\d.]+/g) ?? []).map(Number);
    if (node.hidden || y === undefined) return "";
    const at = `cx="${share((x - l) / w)}" cy="${share((y - t) / h)}"`;
    return `<circle class="mb-ring" ${at} r="11.75"/><circle class="mb-knob" ${at} r="9.5"/>`;
  }

  /** All of these, with stretched paths that follow each other in one frame. @param {Iterable<any>} nodes @param {number} dx @param {number} dy @param {Frame} frame */
  all(nodes, dx, dy, frame) {
    return [...nodes].map((node) => this.drawn(node, dx, dy, frame)).join("");
  }
}

// Where paths follow each other, they share what stretches them, and what they look like.
const STRETCH = `<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none">`;

/** @param {string} text */
function gathered(text) {
  return text
    .replace(/(?:<path d="[^"]*"(?: style="[^"]*")?\/>)+/g, (run) => `${STRETCH}${run}</svg>`)
    .replace(/(?:<(circle|path) [^>]*? style="([^"]*)"\/>)(?:<\1 [^>]*? style="\2"\/>)+/g, (run, _, style) =>
      `<g style="${style}">${run.replaceAll(` style="${style}"`, "")}</g>`);
}

/**
 * @param {any} plot what plotly drew into
 * @param {string} kind of the picture, for its class
 * @param {string} name that no other of the page has
 * @param {Record<string, string>} colours
 */
export function fluid(plot, kind, name, colours) {
  const { _size: size, font } = plot._fullLayout;
  const frame = { l: size.l, t: size.t, w: size.w, h: size.h };
  const picture = new Fluid(colours, String(font.size), name);
  const body = [...plot.querySelectorAll(".main-svg")]
    .filter((svg) => !svg.parentNode.closest(".main-svg"))
    .map((svg) => picture.all(svg.childNodes, 0, 0, frame))
    .join("");
  const hatches = picture.hatched(frame);
  const inset = [size.t, size.r, size.b, size.l].map((side) => `${short(side)}px`).join(" ");
  const held = [...plot.parentNode.querySelectorAll(".mb-handle")].map((node) => picture.handle(node, frame)).join("");
  return `<div class="mb-first mb-${kind}" style="inset:${inset};font-size:${font.size}px"><svg aria-hidden="true">${hatches}${gathered(body)}${held}</svg></div>`;
}
