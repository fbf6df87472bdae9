// Cards: what a word of the glossary means, and what a statement says, beside the link to it.
// A card comes by hover, by focus and by a first tap; it stays while the pointer is on it, and
// goes by Escape.
import { decoded, element } from "./dom.js";

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
