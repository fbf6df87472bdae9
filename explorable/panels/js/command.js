// The line of a terminal that computes what a panel shows, for its numbers as they stand.
/** @import { Spec, Values } from "./types" */
import { copied, element, tool } from "./dom.js";

const SMALL = 1e-3;

/** The line, and a button that copies it; nothing where a panel has none. @param {Spec} spec */
export function commandOf({ command }) {
  if (!command) return null;
  const code = element("code", {}, command);
  const copy = tool("Copy", async () => {
    const done = await copied(code.textContent);
    if (!done) getSelection()?.selectAllChildren(code);
    copy.textContent = done ? "Copied" : "Selected";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2000);
  });
  const words = element("p", { class: "mb-note" }, "The same in a terminal:");
  return element("div", { class: "mb-command" }, words, element("pre", {}, code), copy);
}

/** @param {Values[string]} value */
function spelt(value) {
  const small = typeof value === "number" && value > 0 && value < SMALL;
  return small ? value.toExponential() : String(value);
}

/** @param {Element} code @param {string} line */
function lay(code, line) {
  // An option and its number stay together.
  const options = line.split(/ (?=--)/).flatMap((option) => [" ", element("span", {}, option)]);
  code.replaceChildren(...options.slice(1));
}

/**
 * Also where a page has no answer to its numbers, the line does. It has room for its longest.
 * @param {HTMLElement} root
 * @param {Spec} spec
 * @param {Values} values
 */
export function showCommand(root, { command, controls }, values) {
  const code = root.querySelector(".mb-command code");
  const box = /** @type {HTMLElement | null | undefined} */ (code?.parentElement);
  if (!command || !code || !box) return;
  const filled = (/** @type {(name: string) => string} */ of) =>
    command.replace(/\{(\w+)\}/g, (_, name) => of(name));
  const width = String(box.clientWidth);
  if (box.dataset.width !== width) {
    const stops = (/** @type {string} */ name) =>
      (controls.find((each) => each.name === name)?.stops ?? []).map(spelt);
    lay(code, filled((name) => stops(name).reduce((a, b) => (b.length > a.length ? b : a), "")));
    box.style.minHeight = "";
    box.style.minHeight = `${box.offsetHeight}px`;
    box.dataset.width = width;
  }
  lay(code, filled((name) => spelt(values[name])));
}
