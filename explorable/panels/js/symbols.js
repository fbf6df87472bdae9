// What a screen reader is told for a symbol; what is seen stays as it is.
import { element } from "./dom.js";

/** @type {[string, string][]} the longer one first where one begins with the other */
const SPOKEN = [
  ["α", "alpha"],
  ["γ", "gamma"],
  ["ε̃", "epsilon tilde"],
  ["ε", "epsilon"],
  ["δ", "delta"],
  ["Δ", "capital delta"],
  ["σ", "sigma"],
  ["η", "eta"],
  ["λ", "lambda"],
  ["μ", "mu"],
  ["ν", "nu"],
  ["τ", "tau"],
  ["ρ", "rho"],
  ["√", "square root of"],
  ["≤", "at most"],
  ["≥", "at least"],
  ["≈", "about"],
  ["×", "times"],
  ["−", "minus"],
  ["∞", "infinity"],
  ["→", "to"],
];
export const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
const FOUND = new RegExp(`[${RAISED}]+|${SPOKEN.map(([symbol]) => symbol).join("|")}`, "gu");

/** @param {string} symbol */
function wordOf(symbol) {
  const known = SPOKEN.find(([name]) => name === symbol);
  if (known) return known[1];
  const digits = Array.from(symbol, (c) => "-0123456789"[RAISED.indexOf(c)]).join("");
  return `to the power ${digits.replace("-", "minus ")}`;
}

/**
 * A number as a text has it: a power of ten where a program writes 1e-05, and 1,000 for 1000.
 * @param {string} text
 */
export function written(text) {
  if (/^\d{4,}$/.test(text)) return text.replace(/\B(?=(\d{3})+$)/g, ",");
  return powered(text);
}

/**
 * A number with a power of ten where a program writes 1e-05.
 * @param {string} text
 */
export function powered(text) {
  return text.replace(/^(-?[\d.]+)e([-+]?)0*(\d+)$/, (_, digits, sign, power) => {
    const raised = Array.from(power, (digit) => RAISED[Number(digit) + 1]).join("");
    return `${digits === "1" ? "" : `${digits} × `}10${sign === "-" ? "⁻" : ""}${raised}`;
  });
}

/**
 * A text as it is to be read aloud.
 * @param {string} text
 */
export function spoken(text) {
  if (text.search(FOUND) < 0) return text;
  return text
    .replace(FOUND, (symbol) => ` ${wordOf(symbol)} `)
    .replace(/ +/g, " ")
    .replace(/ ([,.;:)])/g, "$1")
    .trim();
}

/**
 * A text to be seen, each of whose symbols is also told as it is read aloud.
 * @param {string} text
 * @returns {(string | Node)[]}
 */
export function withSymbols(text) {
  /** @type {(string | Node)[]} */
  const parts = [];
  let at = 0;
  for (const { 0: symbol, index } of text.matchAll(FOUND)) {
    const named = { role: "img", "aria-label": wordOf(symbol) };
    parts.push(text.slice(at, index), element("span", named, symbol));
    at = index + symbol.length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== "");
}
