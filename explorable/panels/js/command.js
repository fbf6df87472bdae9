// The line of a terminal that computes what a panel shows, for its numbers as they stand.
/** @import { Spec, Values } from "./types" */
import { element, tool } from "./dom.js";

const SMALL = 1e-3;

/** The line, and a button that copies it; nothing where a panel has none. @param {Spec} spec */
export function commandOf({ command }) {
  if (!command) return null;
  const code = element("code", {}, command);
  const copy = tool("Copy", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      copy.textContent = "Selected";
    }
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2000);
  });
  const words = element("p", { class: "mb-note" }, "The same in a terminal:");
  return element("div", { class: "mb-command" }, words, element("pre", {}, code), copy);
}

/**
 * Also where a page has no answer to its numbers, the line does.
 * @param {HTMLElement} root
 * @param {Spec} spec
 * @param {Values} values
 */
export function showCommand(root, { command }, values) {
  const code = root.querySelector(".mb-command code");
  if (!command || !code) return;
  const line = command.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    const small = typeof value === "number" && value > 0 && value < SMALL;
    return small ? value.toExponential() : String(value);
  });
  // An option and its number stay together.
  const options = line.split(/ (?=--)/).flatMap((option) => [" ", element("span", {}, option)]);
  code.replaceChildren(...options.slice(1));
}
