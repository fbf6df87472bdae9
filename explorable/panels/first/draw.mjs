// A program of the build. Each line it reads has a panel's HTML; each line it writes is the panel
// as its own script leaves it, in a document without a browser, with the picture plotly draws.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInThisContext } from "node:vm";
import { parseHTML } from "./linkedom.mjs";
import { canvas } from "./canvas.mjs";
import { fluid } from "./fluid.mjs";
import { isHidden } from "./look.mjs";
import { measure } from "./measure.mjs";

const [plotly, script] = process.argv.slice(2);
// A picture beside its controls on a laptop, between two usual widths, and one on a phone.
const WIDTHS = { wide: 642, narrow: 350 };
// A game stands below its picture, which then has the whole width.
const OF_A_GAME = { ...WIDTHS, wide: 966 };

const { window, document } = parseHTML("<!doctype html><html><head></head><body></body></html>");
const here = { width: WIDTHS.wide };
const nothing = () => {};
const place = { href: "https://book.invalid/" };
class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
const style = () => ({
  width: `${here.width}px`,
  font: "",
  marginTop: "0",
  marginBottom: "0",
  getPropertyValue: () => "",
});
const known = ["Node", "Element", "DOMParser", "HTMLElement", "SVGElement", "Event", "CustomEvent"];
const world = {
  ...Object.fromEntries(known.map((name) => [name, window[name]])),
  window: globalThis,
  self: globalThis,
  document,
  navigator: { userAgent: "node", language: "en" },
  location: { ...place, hash: "", search: "", pathname: "/", protocol: "https:" },
  history: { replaceState: nothing },
  matchMedia: (/** @type {string} */ asked) => {
    return { matches: asked.includes("reduce"), addEventListener: nothing };
  },
  getComputedStyle: style,
  addEventListener: nothing,
  removeEventListener: nothing,
  innerHeight: 2000,
  innerWidth: 2000,
  MutationObserver: Observer,
  IntersectionObserver: Observer,
  ResizeObserver: Observer,
  requestAnimationFrame: (/** @type {() => void} */ act) => setTimeout(act, 0),
  mipbookFirst: true,
};
for (const [name, value] of Object.entries(world)) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
// So the script waits to be called.
Object.defineProperty(document, "readyState", { value: "loading" });
const fonts = { status: "loaded", ready: Promise.resolve(), load: async () => [] };
Object.defineProperty(document, "fonts", { value: fonts });
// Who knows where the script lies offers to embed a panel.
Object.defineProperty(document, "currentScript", { value: { src: place.href } });
measure(window.Element, here);
// What the document without a browser lacks: a menu that can be set, and a canvas.
Object.defineProperty(window.HTMLSelectElement.prototype, "value", { set: nothing });
const make = document.createElement.bind(document);
document.createElement = (/** @type {string} */ name) =>
  name === "canvas" ? canvas(make(name)) : make(name);
for (const path of [plotly, script]) runInThisContext(readFileSync(path, "utf8"));

/** A text that only keeps its place. @param {string} text */
function unseen(text) {
  const long = make("span");
  long.className = "mb-long";
  long.setAttribute("aria-hidden", "true");
  long.textContent = text;
  return long;
}

/** Write down what a browser keeps as properties. @param {any} root */
function keep(root) {
  const { spec, values } = root.panel;
  for (const input of root.querySelectorAll("input")) {
    // A browser that remembers what stood here would seem to be a reader.
    input.setAttribute("autocomplete", "off");
    if (input.checked) input.setAttribute("checked", "");
  }
  for (const menu of root.querySelectorAll("select")) {
    const { control } = menu.closest(".mb-control").dataset;
    const { stops } = spec.controls.find(({ name }) => name === control);
    menu.children[stops.indexOf(values[control])]?.setAttribute("selected", "");
  }
}

/**
 * Hold the place of the longest words, and give the legend the theme's colours.
 * @param {any} root
 * @param {Record<string, string>} colours
 */
function settle(root, colours) {
  const { longest } = root.panel.spec;
  const headline = root.panel.picture.headline.longest;
  for (const [name, texts] of Object.entries({ headline, sentence: longest })) {
    const words = root.querySelector(`.mb-${name}`);
    words.removeAttribute("style");
    if (words.hidden) continue;
    const said = make("span");
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
  root.querySelectorAll(".mb-legend, .mb-table").forEach((node) => node.removeAttribute("style"));
}

/**
 * Ask before the panel is drawn. What the questions look like then, what is missing from the
 * picture, and the marks that are to be put.
 * @param {any[]} guesses about the panel
 */
async function asking(guesses) {
  const root = document.body.firstElementChild;
  guesses.forEach((spec) => globalThis.mipbook.ask(document.body, spec));
  await globalThis.mipbook.mounted(root);
  const { values } = root.panel;
  const [seat, plot] = [root.querySelector(".mb-seat"), root.querySelector(".mb-plot")];
  const asked = [...seat.children].map((node) => {
    const copy = make("div");
    const told = { class: "mb-asked", "data-of": node.id, "data-guessed": "no", inert: "" };
    Object.entries(told).forEach(([name, value]) => copy.setAttribute(name, value));
    copy.append(...[...node.childNodes].map((child) => child.cloneNode(true)));
    return copy;
  });
  const missing = [...plot.querySelectorAll("*")].map(isHidden);
  const marks = [...root.querySelectorAll(".mb-mark-area, .mb-mark")];
  const places = marks.filter(({ hidden }) => !hidden).map((node) => node.cloneNode(true));
  const alt = plot.getAttribute("aria-label");
  // What the mark of a guess moves has no row until the guess is made.
  const bound = [...root.querySelectorAll(".mb-row")].filter((row) => row.hidden);
  if (!guesses.length) return { root, asked, bound, told: new Set(), places, alt };
  [...document.querySelectorAll("[data-veil=show]")].forEach((button) => button.click());
  // A second guess may ask about another case.
  root.panel.values = values;
  root.panel.picture.ghost.forget();
  await root.panel.update();
  const whole = [...plot.querySelectorAll("*")];
  if (whole.length !== missing.length) throw new Error("a guess takes parts out of the picture");
  return { root, asked, bound, told: new Set(whole.filter((node, i) => missing[i])), places, alt };
}

/**
 * @param {string} html
 * @param {Record<string, string>} colours
 * @param {any[]} guesses about the panel
 */
async function drawn(html, colours, guesses) {
  const pictures = [];
  const own = [];
  let root;
  let asked;
  let alt;
  let bound;
  const played = /"kind": ?"rounds"/.test(html);
  for (const [name, width] of Object.entries(played ? OF_A_GAME : WIDTHS)) {
    here.width = width;
    document.body.innerHTML = html;
    const found = await asking(guesses);
    ({ root, asked, alt, bound } = found);
    const { picture, error } = root.panel;
    const { plot } = picture;
    const said = `${error.textContent}${root.lastElementChild.textContent}`;
    if (!plot._fullLayout) throw new Error(said.slice(0, 200));
    own.push(picture.own());
    pictures.push(fluid(plot, name, `${root.id}-${name}`, colours, found));
    plot.replaceChildren();
  }
  const plot = root.querySelector(".mb-plot");
  plot.innerHTML = pictures.join("");
  plot.setAttribute("aria-label", alt);
  delete plot.dataset.alt;
  plot.parentNode.setAttribute("style", `--own: ${own[0]}px; --own-narrow: ${own[1]}px`);
  root.querySelector(".mb-overlay").replaceChildren();
  root.querySelector(".mb-seat").replaceChildren(...asked);
  bound.forEach((row) => row.classList.add("mb-bound"));
  const none = bound.length === root.panel.rows.length;
  root.querySelector(".mb-controls").classList.toggle("mb-bare", none);
  keep(root);
  settle(root, colours);
  // The page's own numbers begin anew where its script runs.
  const ids = new Map();
  const numbered = (/** @type {string} */ _, /** @type {string} */ id) =>
    `"${root.id}-${ids.get(id) ?? ids.set(id, ids.size + 1).size}`;
  return root.querySelector(".mb-body").outerHTML.replace(/"mb-(\d+)/g, numbered);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { html, colours, guesses } = JSON.parse(line);
  const failed = (/** @type {Error} */ problem) => ({ error: String(problem.stack).slice(0, 300) });
  const told = await drawn(html, colours, guesses).catch(failed);
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
