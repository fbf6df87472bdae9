// The words of a panel: what changed in them is seen, and their place is kept.
import { element } from "./dom.js";
import { withSymbols } from "./symbols.js";

// A number as prose writes it, with its sign, its marks and its power of ten.
const WRITTEN = /[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?: × 10)?[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*%?/g;

/** @type {[string, string][]} */
const KINDS = [
  ["exact", "exact: wrong by rounding at most"],
  ["bound", "a bound: proved to be no more, or no less; the truth may be better"],
  ["estimate", "an estimate: from trials, with the band that chance leaves"],
  ["approx", "an approximation: near the truth, with its error"],
];
const TAGGED = /( ?\((?:exact|bound|estimate|approx)[^()]*\))/;

/**
 * A sentence cut into what stands between numbers, and the numbers, in turn.
 * @param {string} text
 */
export function pieces(text) {
  /** @type {string[]} */
  const found = [];
  let at = 0;
  for (const match of text.matchAll(WRITTEN)) {
    found.push(text.slice(at, match.index), match[0]);
    at = match.index + match[0].length;
  }
  return [...found, text.slice(at)];
}

/**
 * Where the first sentence of a text ends, so that the rest may be folded; `static.py` knows too.
 * @param {string} text
 */
export function firstEnd(text) {
  const end = /[.!?)] (?=[A-Z(])/.exec(text);
  return end ? end.index + 1 : text.length;
}

/** A headline begins as a sentence does; a Greek letter stays as it is. @param {string} text */
export const begun = (text) => text.replace(/^[a-z](?=[a-z]* )/, (first) => first.toUpperCase());

/**
 * The tag of a number, such as `(bound)`, in smaller print, with what it means; what is exact needs
 * none, and its tag is for files and for ears only.
 * @param {string} text
 */
export function withTags(text) {
  const parts = text.split(TAGGED);
  return parts.flatMap((part, i) => {
    if (i % 2 === 0) return withSymbols(part);
    const kind = KINDS.find(([word]) => part.trimStart().slice(1).startsWith(word));
    const plain = part.trim() === "(exact)" ? "mb-tag mb-exact" : "mb-tag";
    return [element("span", { class: plain, title: kind?.[1] }, part)];
  });
}

export class Words {
  /**
   * @param {string[]} longest the longest texts that they may be
   * @param {Record<string, string>} attributes
   */
  constructor(longest, attributes) {
    this.longest = longest;
    this.attributes = attributes;
    this.node = element("p", attributes);
    const toggle = () => this.open(!this.node.classList.contains("mb-open"));
    this.more = element("button", { type: "button", class: "mb-more", onclick: toggle });
    this.more.hidden = true;
    this.folded = false;
    /** @type {string[]} */
    this.before = [];
    this.text = "";
    this.highest = 0;
    /** The place that was measured for a width and a type. @type {Map<string, number>} */
    this.heights = new Map();
    this.open(false);
  }

  /** @param {boolean} opened */
  open(opened) {
    this.node.classList.toggle("mb-open", opened);
    this.more.textContent = opened ? "Less" : "Read on";
    this.more.setAttribute("aria-expanded", String(opened));
  }

  /**
   * Show the first sentence only, or all.
   * @param {boolean} folded
   */
  fold(folded) {
    this.folded = folded;
    this.node.classList.toggle("mb-folded", folded);
    this.more.hidden = !folded;
    this.reserve(this.text);
  }

  /**
   * @param {string[]} now
   * @param {string} text
   */
  nodes(now, text) {
    const first = this.before.length < 2;
    // In a sentence that is built otherwise, a number that stood in the last one is not new.
    const other = now.length !== this.before.length;
    const end = firstEnd(text);
    const rest = element("span", { class: "mb-rest" });
    /** @type {(string | Node)[]} */
    const head = [];
    let at = 0;
    now.forEach((piece, i) => {
      const same = other ? this.before.includes(piece) : piece === this.before[i];
      const changed = !first && !same;
      const shown = (/** @type {string} */ part) => {
        if (i % 2 === 0) return withTags(part);
        return [element("b", { class: changed ? "mb-changed" : null }, ...withSymbols(part))];
      };
      const cut = Math.min(Math.max(end - at, 0), piece.length);
      if (cut) head.push(...shown(piece.slice(0, cut)));
      if (cut < piece.length) rest.append(...shown(piece.slice(cut)));
      at += piece.length;
    });
    return rest.childNodes.length ? [...head, rest] : head;
  }

  /** @param {string} text */
  say(text) {
    const now = pieces(text);
    this.text = text;
    this.node.hidden = !text && !this.longest.length;
    if (text !== this.node.textContent) this.node.replaceChildren(...this.nodes(now, text));
    this.before = now;
  }

  /** Take the words away; their place stays. */
  clear() {
    this.node.style.minHeight = `${this.node.offsetHeight}px`;
    this.node.replaceChildren();
  }

  /**
   * Keep the place of the longest text, so that nothing below moves; on paper nothing does.
   * @param {string} text what is to be said now
   */
  reserve(text) {
    if (this.node.closest(".mb-paper")) return;
    // To lay out all of them takes longer than to draw the picture.
    const { clientWidth, classList } = this.node;
    const { font } = getComputedStyle(this.node);
    const look = [clientWidth, classList, this.folded, font, document.fonts.status].join(" ");
    const known = this.longest.length ? this.heights.get(look) : undefined;
    const height = known ?? this.measure([...this.longest, text]);
    this.heights.set(look, height);
    this.node.style.minHeight = `${height}px`;
  }

  /**
   * How high the highest of these texts is; all are laid out at once.
   * @param {string[]} texts
   */
  measure(texts) {
    const style = `width: ${this.node.clientWidth}px`;
    const attributes = { class: `${this.attributes.class} mb-unseen`, "aria-hidden": "true" };
    const shown = texts.map((long) => (this.folded ? long.slice(0, firstEnd(long)) : long));
    const copies = shown.filter(Boolean).map((t) => element("p", { ...attributes, style }, t));
    this.node.after(...copies);
    // Without a list of the longest ones, the highest so far.
    const least = this.longest.length ? 0 : this.highest;
    this.highest = Math.max(least, ...copies.map((copy) => copy.getBoundingClientRect().height));
    copies.forEach((copy) => copy.remove());
    return this.highest;
  }
}

// The table beneath a picture, for who reads numbers: its first row names the columns, the first
// cell of each other row names the row. One of many rows is folded.
const MANY = 5;

/**
 * @param {HTMLElement} node
 * @param {string[][] | undefined} table
 */
export function showTable(node, table) {
  node.hidden = !table;
  if (!table) return;
  const [head, ...rows] = table;
  const named = (/** @type {string} */ text, /** @type {string} */ scope) =>
    element("th", { scope }, ...withSymbols(text));
  const cell = (/** @type {string} */ text) => element("td", {}, ...withSymbols(text));
  const body = rows.map(([name, ...cells]) =>
    element("tr", {}, named(name, "row"), ...cells.map(cell)),
  );
  const columns = head.map((text) => named(text, "col"));
  const thead = element("thead", {}, element("tr", {}, ...columns));
  const whole = element("table", {}, thead, element("tbody", {}, ...body));
  const open = node.querySelector("details")?.open;
  const folded = () => element("details", { open }, element("summary", {}, "All numbers"), whole);
  node.replaceChildren(rows.length > MANY ? folded() : whole);
  if (rows.length <= MANY) node.style.minHeight = `${node.offsetHeight}px`;
}
