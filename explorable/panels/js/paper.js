// On paper: every panel a picture of its state with its words, on white, as wide as a page; what
// the screen folds is open, what is too wide is smaller. Afterwards all is as it was.
/** @import { Root } from "./faces.js" */
/** @import { Choice } from "./types" */
import { element } from "./dom.js";
import { written } from "./symbols.js";
import { named, nearest } from "./values.js";

const PARTS = /** @type {const} */ (["solutions", "code", "pictures"]);
/** What a page prints, unless its reader asks for more. @type {Choice} */
const USUAL_CHOICE = { solutions: false, code: false, pictures: true };

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
function layOut(choice) {
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
function putBack() {
  for (let back = undo.pop(); back; back = undo.pop()) back();
}

// Printing a page: a choice of what is printed, and all panels drawn before the browser prints.

const LABELS = /** @type {const} */ ([
  ["solutions", "Solutions"],
  ["code", "Code and checks"],
  ["pictures", "Pictures"],
]);

/** @type {Choice} */
const choice = { ...USUAL_CHOICE };

/** The address of a PDF that was made of this book, if there is one. @param {string} name */
function fileOf(name) {
  if (!globalThis.mipbookPdfs?.includes(name)) return "";
  return new URL(`pdf/${name}.pdf`, base()).href;
}

const base = () => new URL(document.documentElement.dataset.content_root ?? "./", location.href);

/** This page's name, as the book's contents have it. */
function ownName() {
  const path = location.pathname.slice(base().pathname.length);
  return decodeURIComponent(path).replace(/\.html$/, "");
}

/** @param {() => void} print */
function dialogOf(print) {
  const rows = LABELS.map(([part, text]) => {
    const box = element("input", { type: "checkbox" });
    box.checked = choice[part];
    box.addEventListener("change", () => {
      choice[part] = box.checked;
    });
    return element("label", {}, box, ` ${text}`);
  });
  const close = () => dialog.close();
  const go = () => {
    close();
    print();
  };
  const cancel = element("button", { type: "button", class: "mb-tool", onclick: close }, "Cancel");
  const ok = element("button", { type: "button", class: "mb-tool", onclick: go }, "Print");
  const head = element("p", { class: "mb-title" }, "Print this page with");
  const tools = element("div", { class: "mb-tools" }, ok, cancel);
  const attributes = { class: "mb-print", "aria-label": "Print this page" };
  const dialog = element("dialog", attributes, head, ...rows, tools);
  document.body.append(dialog);
  return dialog;
}

/** Put the files that were made above the theme's own entry. @param {Element} entry */
function linkFiles(entry) {
  const made = /** @type {const} */ ([
    [ownName(), "This page (PDF)"],
    ["mipbook", "The whole book (PDF)"],
  ]);
  for (const [name, text] of made) {
    const href = fileOf(name);
    const link = { href, class: "btn btn-sm dropdown-item mb-pdf" };
    if (href) entry.before(element("li", {}, element("a", link, text)));
  }
}

/** @param {() => Promise<unknown>} mountEvery draws every panel of the page */
export function mountPrint(mountEvery) {
  if (!document.querySelector(".bd-article")) return;
  const print = async () => {
    await mountEvery();
    window.print();
  };
  /** Lay out for paper and wait until all is drawn. @param {Partial<Choice>} asked */
  const lay = async (asked) => {
    await Promise.all([mountEvery(), document.fonts.ready]);
    await layOut({ ...USUAL_CHOICE, ...asked });
  };
  if (globalThis.mipbook) globalThis.mipbook.paper = { lay, putBack };
  addEventListener("beforeprint", () => {
    // The browser waits for nothing: what is not drawn by now is there the next time.
    void mountEvery();
    if (!isLaid()) void layOut(choice);
  });
  addEventListener("afterprint", putBack);
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (key !== "p" || !(ctrlKey || metaKey) || altKey || shiftKey) return;
    event.preventDefault();
    void print();
  });
  const button = document.querySelector("button.btn-download-pdf-button");
  if (!(button instanceof HTMLButtonElement)) return;
  const dialog = dialogOf(() => void print());
  button.onclick = () => dialog.showModal();
  button.title = "Print this page";
  const text = button.querySelector(".btn__text-container");
  if (text) text.textContent = "Print …";
  linkFiles(button.closest("li") ?? button);
}
