// What an element of plotly's looks like, without what goes without saying, in the theme's colours.

import { styled } from "./measure.mjs";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "fill-opacity",
  "stroke-opacity",
  "stroke-linejoin",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
];
const IDLE = {
  opacity: "1",
  "fill-opacity": "1",
  "stroke-opacity": "1",
  "font-weight": "400",
  "font-style": "normal",
  "stroke-dasharray": "",
};
const HIDDEN = [
  ["display", "none"],
  ["opacity", "0"],
  ["visibility", "hidden"],
];
const SKIPPED = "defs,.draglayer,.hoverlayer,.zoomlayer,.bglayer,.bg";
const KEPT = ["d", "x", "y", "dx", "dy", "width", "height", "r", "cx", "cy", "transform"];
const STILL = / transform="(translate\(0,0\)|rotate\(0[^)]*\))"/;

export const short = (/** @type {number} */ value) => String(Math.round(value * 10) / 10);

/** @param {any} node */
export const isHidden = (node) =>
  node.matches(SKIPPED) ||
  HIDDEN.some(([name, value]) => String(node.style?.getPropertyValue(name)) === value);

/** Whether nothing is seen of a shape. @param {string} look */
export const isEmpty = (look) => look.includes("fill:none") && !look.includes("stroke:");

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

export class Look {
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

  /** The hatches, as wide as they were in a picture of this size. @param {string} scale */
  hatched(scale) {
    const size = (/** @type {any} */ node, /** @type {string} */ key) =>
      `${key}="${parseFloat(node.getAttribute(key)).toFixed(2)}"`;
    return this.hatches
      .map((node, i) => {
        const inner = [...node.children].map((child) => this.clean(child)).join("");
        const units = `patternUnits="userSpaceOnUse" patternTransform="${scale}"`;
        const box = `${size(node, "width")} ${size(node, "height")}`;
        return `<pattern id="${this.name}-${i}" ${box} ${units}>${inner}</pattern>`;
      })
      .join("");
  }

  /**
   * A colour as the page's theme has it, and how opaque it still is.
   * @param {string} value
   * @param {string} [opacity]
   */
  colour(value, opacity) {
    if (!value.startsWith("rgb")) return [this.colours[value] ?? value, opacity];
    const parts = (value.match(/[\d.]+/g) ?? []).slice(0, 3);
    const hex = `#${parts.map((n) => Number(n).toString(16).padStart(2, "0")).join("")}`;
    const whole = opacity ? this.colours[`${hex}/${opacity}`] : undefined;
    return whole ? [whole, undefined] : [this.colours[hex] ?? hex, opacity];
  }

  /** Its style attribute. @param {any} node */
  of(node) {
    /** @type {Record<string, string | undefined>} */
    const found = {};
    for (const name of STYLES) {
      const value = String(node.style?.getPropertyValue(name) || node.getAttribute(name) || "");
      if (value && value !== IDLE[name]) found[name] = value.replace(/(\d)px/g, "$1");
    }
    const thin = parseFloat(found["stroke-width"] ?? "1") === 0;
    if (thin || found["stroke-opacity"] === "0") delete found.stroke;
    if (!found.stroke || found.stroke === "none") {
      for (const name of STYLES.filter((s) => s.startsWith("stroke"))) delete found[name];
    }
    if (found["fill-opacity"] === "0") found.fill = "none";
    if (found.fill?.startsWith("url")) found.fill = this.hatch(node, found.fill);
    for (const part of ["fill", "stroke"]) {
      const of = `${part}-opacity`;
      if (found[part]) [found[part], found[of]] = this.colour(found[part], found[of]);
    }
    if (found.fill === "none") delete found["fill-opacity"];
    if (found["font-size"] === this.size) delete found["font-size"];
    const told = Object.entries(found).filter(([, value]) => value);
    const style = told.map(([name, value]) => `${name}:${value}`).join(";");
    return style && ` style="${style}"`;
  }

  /** An element as it is, without what nobody needs. @param {any} node @returns {string} */
  clean(node) {
    if (node.nodeType === 3) return escaped(node.textContent);
    if (node.nodeType !== 1 || isHidden(node)) return "";
    const name = node.localName;
    const inner = [...node.childNodes].map((child) => this.clean(child)).join("");
    const round = (/** @type {string} */ value) =>
      value.replace(/-?\d+\.\d+/g, (digits) => short(Number(digits)));
    // Each line begins where its text does.
    const begins = node.classList?.contains("line") ? ["x", "y"] : [];
    begins.forEach((key) => node.setAttribute(key, styled(node, key)));
    const attributes = KEPT.filter((key) => node.getAttribute(key))
      .map((key) => ` ${key}="${round(node.getAttribute(key))}"`)
      .join("");
    const look = this.of(node);
    if (["g", "a", "tspan"].includes(name)) {
      const own = `${attributes.replace(STILL, "")}${look}`;
      return inner && own && name !== "a" ? `<${name}${own}>${inner}</${name}>` : inner;
    }
    if (name !== "text" && (!node.attributes.length || isEmpty(look))) return "";
    return `<${name}${attributes}${look}>${inner}</${name}>`;
  }
}
