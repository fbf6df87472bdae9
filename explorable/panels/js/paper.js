// On paper: every panel a picture of its state with its words, on white, as wide as a page; what
// the screen folds is open, what is too wide is smaller. Afterwards all is as it was.
/** @import { Root } from "./faces.js" */
/** @import { Choice } from "./types" */
import { element } from "./dom.js";
import { written } from "./symbols.js";
import { named, nearest } from "./values.js";

const PARTS = /** @type {const} */ (["solutions", "code", "pictures"]);
/** What a page prints, unless its reader asks for more. @type {Choice} */
export const USUAL_CHOICE = { solutions: false, code: false, pictures: true };

/** What puts the page back, last first. @type {(() => void)[]} */
const undo = [];

/** Whether the page is laid out for paper. */
export const isLaid = () => undo.length > 0;

/** @template {Element} T @param {string} names @param {(node: T) => void} each */
function everywhere(names, each) {
  const found = /** @type {NodeListOf<T>} */ (document.querySelectorAll(names));
  found.forEach(each);
}

/** @param {() => void} back */
const later = (back) => undo.push(back);

/** What the controls of a panel are set to, in words. @param {Root} root */
function settingsOf({ panel }) {
  if (!panel) return "";
  const { spec, values } = panel;
  const told = spec.controls.filter((c) => c.kind === "slider" || c.kind === "choice");
  const words = told.map((each) => {
    const value = values[each.name];
    const control = named(each, values);
    const at = nearest(control, value);
    const text = written(control.stops[at] === value ? control.labels[at] : String(value));
    return `${control.label}: ${text}${control.unit ? ` ${control.unit}` : ""}`;
  });
  return words.join("; ");
}

/** @param {Root} root */
function layPanel(root) {
  const { panel } = root;
  if (!panel) return undefined;
  const said = settingsOf(root);
  if (said) {
    const line = element("p", { class: "mb-settings" }, said);
    root.querySelector(".mb-title")?.after(line);
    later(() => line.remove());
  }
  later(() => panel.picture.print(false));
  return panel.picture.print(true);
}

/** How much smaller what does not fit has to be; 1 where it fits. @param {HTMLElement} node */
function share(node) {
  const block = node.classList.contains("katex-display");
  const around = block ? node : node.parentElement?.closest(":not(span, a, em, strong)");
  const room = around?.clientWidth;
  const wide = block ? node.scrollWidth : node.offsetWidth;
  return room && wide > room ? room / wide : 1;
}

function shrink() {
  /** @type {[HTMLElement, number][]} */
  const found = [];
  const wide = ".bd-article :is(.katex-display, :not(.katex-display) > .katex, table)";
  everywhere(wide, (/** @type {HTMLElement} */ node) => {
    const part = share(node);
    if (part < 1) found.push([node, part]);
  });
  for (const [node, part] of found) {
    node.style.zoom = String(Math.floor(part * 99) / 100);
    later(() => node.style.removeProperty("zoom"));
  }
}

/** @param {Choice} choice */
function dress(choice) {
  const { classList, dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = "light";
  later(() => {
    dataset.theme = theme;
  });
  const names = ["mb-paper", ...PARTS.filter((part) => choice[part]).map((p) => `mb-with-${p}`)];
  if (choice.sheet) names.push("mb-sheet");
  classList.add(...names);
  later(() => classList.remove(...names));
  const style = element("style", {}, margins(choice.first ?? 1));
  document.head.append(style);
  later(() => style.remove());
}

/** What stands at the top of each page: its chapter. @param {number} first */
function margins(first) {
  const title = document.querySelector(".bd-article h1")?.firstChild?.textContent ?? "";
  const start = first > 1 ? `html { counter-reset: page ${first - 1}; }` : "";
  return `@page { @top-left { content: ${JSON.stringify(title)}; } } ${start}`;
}

/** Open what the screen folds, and show what a guess keeps back. */
function unfold() {
  everywhere(".bd-article details:not([open])", (/** @type {HTMLDetailsElement} */ node) => {
    node.open = true;
    later(() => {
      node.open = false;
    });
  });
  everywhere(".toggle-hidden", ({ classList }) => {
    classList.remove("toggle-hidden");
    later(() => classList.add("toggle-hidden"));
  });
  everywhere(".mb-veiled[hidden]", (/** @type {HTMLElement} */ node) => {
    node.hidden = false;
    later(() => {
      node.hidden = true;
    });
  });
}

/**
 * Lay the page out for paper; what is drawn already is drawn anew before this gives way.
 * @param {Choice} choice
 */
export function layOut(choice) {
  if (isLaid()) return Promise.resolve();
  dress(choice);
  unfold();
  /** @type {Promise<void>[]} */
  const drawn = [];
  everywhere("section.mb-explorable", (/** @type {Root} */ root) => {
    const picture = layPanel(root);
    if (picture) drawn.push(picture);
  });
  shrink();
  return Promise.all(drawn).then(() => {});
}

/** Put all back as it was on the screen. */
export function putBack() {
  for (let back = undo.pop(); back; back = undo.pop()) back();
}
