// How large things are where nothing is laid out: texts by the widths of their letters in the
// book's own face, all else by what plotly wrote.
import { readFileSync } from "node:fs";

const WIDTHS = JSON.parse(readFileSync(new URL("widths.json", import.meta.url), "utf8"));
// Of the face, in thousandths of its size.
const [ASCENT, DESCENT, OTHER] = [1024, 400, 550];
const NONE = { x: 0, y: 0, width: 0, height: 0, left: 0, right: 0, top: 0, bottom: 0 };

/** @param {any} node @param {string} name a style that comes from the nearest that has it */
export function styled(node, name) {
  for (let at = node; at?.getAttribute; at = at.parentNode) {
    const found = at.style?.getPropertyValue(name) || at.getAttribute(name);
    if (found) return found;
  }
  return "";
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
const box = (x, y, width, height) =>
  ({ x, y, width, height, left: x, top: y, right: x + width, bottom: y + height });

/** @param {any[]} boxes */
function around(boxes) {
  const seen = boxes.filter((b) => b.width || b.height);
  if (!seen.length) return NONE;
  const [left, top] = [Math.min(...seen.map((b) => b.left)), Math.min(...seen.map((b) => b.top))];
  const right = Math.max(...seen.map((b) => b.right));
  const bottom = Math.max(...seen.map((b) => b.bottom));
  return box(left, top, right - left, bottom - top);
}

/** How long a text is, of which some words may be bold. @param {any} node @returns {number} */
export function lengthOf(node) {
  return [...node.childNodes].reduce((all, part) => {
    const inner = part.nodeType === 1;
    return all + (inner ? lengthOf(part) : lettersOf(part.textContent, node));
  }, 0);
}

/** @param {string} text @param {any} node whose style it has */
function lettersOf(text, node) {
  const size = parseFloat(styled(node, "font-size")) || 14;
  const weight = styled(node, "font-weight");
  const widths = WIDTHS[weight === "bold" || Number(weight) >= 600 ? 700 : 400];
  const sum = [...text].reduce((all, letter) => all + (widths[letter] ?? OTHER), 0);
  return (sum * size) / 1000;
}

/** @param {any} node a text, or a line of one */
function textBox(node, x0 = 0, y0 = 0) {
  const lines = [...node.children].filter((c) => c.classList.contains("line"));
  const x = parseFloat(node.getAttribute("x") ?? x0) || 0;
  const y = parseFloat(node.getAttribute("y") ?? y0) || 0;
  if (lines.length) return around(lines.map((line) => textBox(line, x, y)));
  if (!node.textContent) return NONE;
  const size = parseFloat(styled(node, "font-size")) || 14;
  const width = lengthOf(node);
  const anchor = styled(node, "text-anchor");
  const left = x - (anchor === "middle" ? width / 2 : anchor === "end" ? width : 0);
  const down = parseFloat(node.getAttribute("dy") ?? "0") * size || 0;
  return box(left, y + down - (ASCENT / 1000) * size, width, ((ASCENT + DESCENT) / 1000) * size);
}

/** A box that is moved and turned. @param {any} inner @param {string} transform */
function turned(inner, transform) {
  if (inner === NONE) return NONE;
  const sides = { x: [inner.left, inner.right], y: [inner.top, inner.bottom] };
  let corners = sides.x.flatMap((x) => sides.y.map((y) => [x, y]));
  const steps = [...transform.matchAll(/(translate|rotate)\(([^)]*)\)/g)];
  for (const [, kind, told] of steps.reverse()) {
    const [a = 0, b = 0, c = 0] = told.split(/[ ,]+/).map(Number);
    const [cos, sin] = [Math.cos((a * Math.PI) / 180), Math.sin((a * Math.PI) / 180)];
    corners = corners.map(([x, y]) => {
      if (kind === "translate") return [x + a, y + b];
      const [right, down] = [x - b, y - c];
      return [b + right * cos - down * sin, c + right * sin + down * cos];
    });
  }
  const [xs, ys] = [0, 1].map((side) => corners.map((corner) => corner[side]));
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return box(left, top, Math.max(...xs) - left, Math.max(...ys) - top);
}

/** @param {any} node @returns {any} */
function boxOf(node) {
  const number = (/** @type {string} */ name) => parseFloat(node.getAttribute(name)) || 0;
  const name = node.localName;
  if (name === "text" || name === "tspan") return textBox(node);
  if (name === "rect") return box(number("x"), number("y"), number("width"), number("height"));
  if (name !== "g" && name !== "svg") return NONE;
  const inside = (/** @type {any} */ child) =>
    turned(boxOf(child), child.getAttribute("transform") ?? "");
  return around([...node.children].map(inside));
}

/**
 * Give elements their sizes.
 * @param {any} Element
 * @param {{ width: number }} here how wide a plot is now
 */
export function measure({ prototype }, here) {
  prototype.getBBox = function () {
    return boxOf(this);
  };
  prototype.getComputedTextLength = function () {
    return lengthOf(this);
  };
  prototype.getBoundingClientRect = function () {
    return this.namespaceURI?.endsWith("svg") || this.ownerSVGElement
      ? boxOf(this)
      : box(0, 0, here.width, 0);
  };
  for (const name of ["offsetHeight", "offsetWidth", "clientWidth"]) {
    Object.defineProperty(prototype, name, { value: 0, configurable: true });
  }
}
