// A program of the build: each line it reads is a panel's HTML, each line it writes the panel as its
// own script leaves it, in a document without a browser, with the picture plotly draws there.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";
import { parseHTML } from "./linkedom.mjs";
import { canvas } from "./canvas.mjs";
import { fluid } from "./fluid.mjs";
import { measure } from "./measure.mjs";

const [plotly, script] = process.argv.slice(2);
// A picture beside its controls, and one on a phone.
const WIDTHS = { wide: 642, narrow: 350 };

const { window, document } = parseHTML("<!doctype html><html><head></head><body></body></html>");
const here = { width: WIDTHS.wide };
const nothing = () => {};
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
const known = "Node Element DOMParser HTMLElement SVGElement Event CustomEvent HTMLInputElement HTMLButtonElement";
const settled = () => ({ width: `${here.width}px`, font: "", marginTop: "0", marginBottom: "0", getPropertyValue: () => "" });
const world = {
  ...Object.fromEntries(known.split(" ").map((name) => [name, window[name]])),
  window: globalThis,
  self: globalThis,
  document,
  navigator: { userAgent: "node", language: "en" },
  location: { href: "https://book.invalid/", hash: "", search: "", pathname: "/", protocol: "https:" },
  history: { replaceState: nothing },
  matchMedia: () => ({ matches: false, addEventListener: nothing }),
  getComputedStyle: settled,
  addEventListener: nothing,
  removeEventListener: nothing,
  innerHeight: 2000,
  innerWidth: 2000,
  MutationObserver: Observer,
  IntersectionObserver: Observer,
  ResizeObserver: Observer,
  requestAnimationFrame: (/** @type {() => void} */ act) => setTimeout(act, 0),
};
for (const [name, value] of Object.entries(world)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
// So the script waits to be called.
Object.defineProperty(document, "readyState", { value: "loading" });
const fonts = { status: "loaded", ready: Promise.resolve(), load: async () => [] };
Object.defineProperty(document, "fonts", { value: fonts });
measure(window.Element, here);
// What the document without a browser lacks: a menu that can be set, and a canvas.
Object.defineProperty(window.HTMLSelectElement.prototype, "value", { set: nothing });
const make = document.createElement.bind(document);
document.createElement = (/** @type {string} */ name) => (name === "canvas" ? canvas(make(name)) : make(name));
for (const path of [plotly, script]) runInThisContext(readFileSync(path, "utf8"));

/** Write down what a browser keeps as properties, and hold the place of the longest words. */
function settle(root, colours) {
  const { controls, longest, headline } = root.panel.spec;
  for (const input of root.querySelectorAll("input")) {
    // A browser that remembers what stood here would seem to be a reader.
    input.setAttribute("autocomplete", "off");
    if (input.checked) input.setAttribute("checked", "");
  }
  for (const menu of root.querySelectorAll("select")) {
    const { stops, start } = controls.find((c) => c.name === menu.closest(".mb-control").dataset.control);
    menu.children[start]?.setAttribute("selected", "");
  }
  for (const [name, texts] of [["headline", headline], ["sentence", longest]]) {
    const words = root.querySelector(`.mb-${name}`);
    words.removeAttribute("style");
    if (words.hidden) continue;
    const said = document.createElement("span");
    said.append(...words.childNodes);
    words.classList.add("mb-held");
    words.append(said, ...texts.map(unseen));
  }
  for (const node of root.querySelectorAll(".mb-legend path")) {
    for (const part of ["fill", "stroke"]) {
      const variable = colours[node.getAttribute(part)];
      if (variable) node.setAttribute("style", `${part}:${variable}`);
    }
  }
  for (const node of root.querySelectorAll(".mb-legend, .mb-table")) node.removeAttribute("style");
}

/** @param {string} text */
function unseen(text) {
  const long = document.createElement("span");
  long.className = "mb-long";
  long.setAttribute("aria-hidden", "true");
  long.textContent = text;
  return long;
}

/** @param {string} html @param {Record<string, string>} colours */
async function drawn(html, colours) {
  const pictures = [];
  let root;
  for (const [name, width] of Object.entries(WIDTHS)) {
    here.width = width;
    document.body.innerHTML = html;
    root = document.body.firstElementChild;
    await globalThis.mipbook.mounted(root);
    const { picture, error } = root.panel;
    const { plot } = picture;
    if (!plot._fullLayout) throw new Error(`${error.textContent}${root.lastElementChild.textContent}`);
    pictures.push(fluid(plot, name, `${root.id}-${name}`, colours));
    plot.replaceChildren();
  }
  root.querySelector(".mb-overlay").replaceChildren();
  root.querySelector(".mb-plot").innerHTML = pictures.join("");
  root.querySelector(".mb-plot").setAttribute("style", `--own: ${root.panel.picture.shown.layout.height ?? 380}px`);
  settle(root, colours);
  // The page's own numbers begin anew where its script runs.
  let count = 0;
  const ids = {};
  return root
    .querySelector(".mb-body")
    .outerHTML.replace(/"mb-(\d+)/g, (_, id) => `"${root.id}-${(ids[id] ??= ++count)}`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { html, colours } = JSON.parse(line);
  const told = await drawn(html, colours).catch((problem) => ({ error: String(problem.stack).slice(0, 300) }));
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
