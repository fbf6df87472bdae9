// Printing a page: a choice of what is printed, and all panels drawn before the browser prints.
/** @import { Choice } from "./types" */
import { element } from "./dom.js";
import { USUAL_CHOICE, isLaid, layOut, putBack } from "./paper.js";

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
  const named = { class: "mb-print", "aria-label": "Print this page" };
  const dialog = element("dialog", named, head, ...rows, tools);
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
