// Cards: what a word of the glossary means, and what a statement says, beside the link to it.
// A card comes by hover, by focus and by a first tap; it stays while the pointer is on it, and
// goes by Escape. Then how a statement is cited, and the words that move a panel.
/** @import { Panel } from "./panel.js" */
/** @import { Values } from "./types" */
import { copied, decoded, element, tool } from "./dom.js";
import { isStill } from "./motion.js";
import { withSymbols } from "./symbols.js";
import { askedOn, boundOn, guessFirst } from "./veil.js";

// Long enough that a pointer on its way elsewhere brings up nothing, or may reach the card.
const WAIT = 250;
const MARGIN = 8;

/**
 * Where a card stands: below its link, or above where below is no room, and within the window.
 * @param {{ left: number, top: number, bottom: number }} link
 * @param {{ width: number, height: number }} card
 * @param {{ width: number, height: number }} view
 */
export function placeOfCard(link, card, view) {
  const left = Math.max(MARGIN, Math.min(link.left, view.width - card.width - MARGIN));
  const below = link.bottom + 4;
  const above = link.top - 4 - card.height;
  const fits = below + card.height <= view.height - MARGIN || above < MARGIN;
  return { left, top: fits ? below : above };
}

/**
 * The box on this page that a link leads to from outside of it.
 * @param {HTMLAnchorElement} link
 * @param {string} name
 */
function boxOf(link, name) {
  const here = link.pathname === location.pathname ? document.getElementById(name) : null;
  const box = here?.closest(".proof");
  return box?.contains(link) ? null : box;
}

/**
 * What the card of a link says, or nothing: from the page's end, or a box on this page.
 * @param {HTMLAnchorElement} link
 * @returns {Node[] | null}
 */
function saidOf(link) {
  const name = decoded(link.hash.slice(1));
  if (!name) return null;
  /** @type {HTMLTemplateElement | null} */
  const told = document.querySelector(`template.mb-card-text[data-for="${CSS.escape(name)}"]`);
  if (told) return [told.content.cloneNode(true)];
  const box = boxOf(link, name);
  if (!box) return null;
  const copy = /** @type {HTMLElement} */ (box.cloneNode(true));
  // A copy must not answer to the names of what it copies, nor be reached by Tab.
  for (const part of [copy, ...copy.querySelectorAll("[id]")]) part.removeAttribute("id");
  const tools = "a.headerlink, .mb-cite, .mb-fold, .mb-cited, button";
  for (const part of copy.querySelectorAll(tools)) part.remove();
  for (const part of copy.querySelectorAll("a")) part.replaceWith(...part.childNodes);
  for (const part of copy.querySelectorAll("[tabindex]")) part.removeAttribute("tabindex");
  return [...copy.childNodes];
}

class Cards {
  constructor() {
    this.card = element("div", { class: "mb-card", id: "mb-card", role: "tooltip", hidden: true });
    /** @type {HTMLAnchorElement | null} */
    this.link = null;
    this.timer = 0;
    document.body.append(this.card);
    // What is laid out above a link moves it.
    new ResizeObserver(() => this.place()).observe(document.body);
    this.card.addEventListener("pointerenter", () => clearTimeout(this.timer));
    this.card.addEventListener("pointerleave", () => this.later(() => this.hide()));
  }

  /** @param {() => void} action */
  later(action) {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(action, WAIT);
  }

  hide() {
    clearTimeout(this.timer);
    this.link?.removeAttribute("aria-describedby");
    this.link = null;
    this.card.hidden = true;
  }

  /** @param {HTMLAnchorElement} link */
  show(link) {
    clearTimeout(this.timer);
    if (this.link === link) return;
    const said = saidOf(link);
    this.hide();
    if (!said) return;
    this.link = link;
    this.card.replaceChildren(...said);
    this.card.hidden = false;
    link.setAttribute("aria-describedby", this.card.id);
    this.place();
  }

  place() {
    if (!this.link) return;
    // A link that is broken over two lines is where its first part is.
    const [at] = this.link.getClientRects();
    const view = { width: document.documentElement.clientWidth, height: innerHeight };
    const { left, top } = placeOfCard(at, this.card.getBoundingClientRect(), view);
    this.card.style.left = `${left + scrollX}px`;
    this.card.style.top = `${top + scrollY}px`;
  }

  /** @param {HTMLAnchorElement} link */
  follow(link) {
    let touched = false;
    let open = false;
    link.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType !== "touch") this.later(() => this.show(link));
    });
    link.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch") this.later(() => this.hide());
    });
    link.addEventListener("pointerdown", ({ pointerType }) => {
      touched = pointerType === "touch";
      open = this.link === link;
    });
    link.addEventListener("focus", () => this.show(link));
    link.addEventListener("blur", () => this.later(() => this.hide()));
    link.addEventListener("click", (event) => {
      // The first tap shows the card, the second one follows the link.
      if (touched && !open) {
        this.show(link);
        if (this.link === link) event.preventDefault();
      }
      touched = false;
    });
  }
}

/** Give the links of the page's text to words and statements their cards. */
export function mountCards() {
  const near = document.querySelector(".bd-article") ?? document.body;
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = near.querySelectorAll("a.reference.internal[href*='#']");
  /** @type {NodeListOf<HTMLElement>} */
  const texts = document.querySelectorAll("template.mb-card-text");
  const told = new Set(Array.from(texts, ({ dataset }) => dataset.for));
  const described = [...links].filter((link) => {
    const name = decoded(link.hash.slice(1));
    return told.has(name) || Boolean(boxOf(link, name));
  });
  if (!described.length) return;
  const cards = new Cards();
  for (const link of described) cards.follow(link);
  document.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") cards.hide();
  });
  document.addEventListener("pointerdown", ({ target }) => {
    const on = /** @type {Node} */ (target);
    if (cards.link && !cards.link.contains(on) && !cards.card.contains(on)) cards.hide();
  });
}

// How a statement is cited: the lines that its link holds, shown below its title and copied.
// The link leads to the page that says how, wherever this does not run.

/**
 * The lines of a statement, with the address of its page where that has one.
 * @param {string} bibtex
 * @param {{ protocol: string, origin: string, pathname: string }} at
 * @param {string} name
 */
export function citedAs(bibtex, at, name) {
  if (!at.protocol.startsWith("http") || bibtex.includes("  url ")) return bibtex;
  return bibtex.replace(/\n\}$/, `,\n  url     = {${at.origin}${at.pathname}#${name}}\n}`);
}

/** @param {HTMLAnchorElement} link */
function mountOne(link) {
  const box = link.closest(".mb-statement");
  const text = citedAs(link.dataset.bibtex ?? "", location, box?.id ?? "");
  const lines = element("pre", { tabindex: "0", "aria-label": "BibTeX" }, text);
  const copy = tool("Copy", async () => {
    const done = await copied(text);
    // Where it cannot, the lines are marked, and one press of keys is left.
    if (!done) getSelection()?.selectAllChildren(lines);
    copy.textContent = done ? "Copied" : "Marked: press Ctrl+C";
  });
  const how = element("a", { href: link.href }, "How to cite");
  const cited = element("div", { class: "mb-cited", hidden: true }, lines, copy, " ", how);
  link.closest(".admonition-title")?.after(cited);
  link.setAttribute("role", "button");
  const show = (/** @type {boolean} */ open) => {
    cited.hidden = !open;
    link.setAttribute("aria-expanded", String(open));
  };
  show(false);
  /** @param {Event} event */
  const toggle = (event) => {
    event.preventDefault();
    show(Boolean(cited.hidden));
  };
  link.addEventListener("click", toggle);
  // A button is pressed by the space bar, too.
  link.addEventListener("keydown", (event) => event.key === " " && toggle(event));
}

/** Let the words *cite* of the page show what they stand for. */
export function mountCite() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a.mb-cite[data-bibtex]");
  links.forEach(mountOne);
}

// Words in the text that move a panel.

const FLASH = 800;

/**
 * @param {Panel} panel
 * @param {Values} wanted
 */
function moveTo(panel, wanted) {
  /** @type {ScrollBehavior} */
  const behavior = isStill() ? "auto" : "smooth";
  const { id, controls } = panel.spec;
  // Words tell of a whole case: what they leave out is as it starts; a file and a game go on.
  const whole = { ...panel.values, ...panel.start, ...askedOn(id), ...wanted };
  for (const { kind, name } of controls) {
    if (kind === "file" || kind === "rounds") whole[name] = panel.values[name];
  }
  const changed = Object.keys(whole).filter((name) => panel.values[name] !== whole[name]);
  const waits = changed.some((name) => boundOn(id).includes(name));
  panel.playAlone(false);
  if (waits) {
    guessFirst(id, behavior);
    return;
  }
  panel.glide();
  panel.follow(whole);
  const { top, bottom } = panel.picture.plot.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) {
    panel.root.scrollIntoView({ block: "start", behavior });
  }
  for (const name of changed) {
    const row = panel.root.querySelector(`[data-control="${name}"]`);
    row?.classList.add("mb-changed");
    setTimeout(() => row?.classList.remove("mb-changed"), FLASH);
  }
}

/**
 * Make buttons of the words that the page marked.
 * @param {(id: string) => Promise<Panel | null>} panelOf brings a panel to life
 */
export function mountProse(panelOf) {
  /** @type {NodeListOf<HTMLElement>} */
  const marked = document.querySelectorAll("span.mb-set");
  for (const words of marked) {
    const { panel: id = "", values = "{}" } = words.dataset;
    const press = async () => {
      const panel = await panelOf(id);
      if (panel) moveTo(panel, JSON.parse(values));
    };
    const named = { "data-panel": id, "data-values": values };
    const attributes = { type: "button", class: "mb-set", ...named, onclick: press };
    const button = element("button", attributes, ...withSymbols(words.textContent ?? ""));
    // No line begins with the stop behind a button.
    const after = words.nextSibling instanceof Text ? words.nextSibling : null;
    const stop = after?.data.match(/^[.,:;!?)]+/)?.[0] ?? "";
    after?.deleteData(0, stop.length);
    words.replaceWith(stop ? element("span", { class: "mb-tied" }, button, stop) : button);
  }
}
