// The words of a panel: what changed in them is seen, and their place is kept.
import { element } from "./dom.js";
import { withSymbols } from "./symbols.js";

// A number as prose writes it, with its sign, its marks and its power of ten.
const WRITTEN = /[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?: × 10)?[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*%?/g;

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

export class Words {
  /**
   * @param {string} longest the longest text that they may be
   * @param {Record<string, string>} attributes
   */
  constructor(longest, attributes) {
    this.longest = longest;
    this.attributes = attributes;
    this.node = element("p", attributes);
    /** @type {string[]} */
    this.before = [];
  }

  /** @param {string} text */
  say(text) {
    const now = pieces(text);
    const first = this.before.length === 0;
    // Of a sentence that is built otherwise all numbers are new.
    const other = now.length !== this.before.length;
    const nodes = now.flatMap((piece, i) => {
      const shown = withSymbols(piece);
      if (i % 2 === 0) return shown;
      const changed = !first && (other || piece !== this.before[i]);
      return [element("b", { class: changed ? "mb-changed" : null }, ...shown)];
    });
    this.node.hidden = !text && !this.longest;
    if (text !== this.node.textContent) this.node.replaceChildren(...nodes);
    this.before = now;
  }

  /** Take the words away; their place stays. */
  clear() {
    this.node.style.minHeight = `${this.node.offsetHeight}px`;
    this.node.replaceChildren();
  }

  /** Keep the place of the longest text, so that nothing below moves. */
  reserve() {
    if (!this.longest) {
      this.node.style.minHeight = "";
      return;
    }
    const copy = element("p", { class: this.attributes.class, "aria-hidden": "true" });
    copy.textContent = this.longest;
    copy.classList.add("mb-unseen");
    copy.style.width = `${this.node.clientWidth}px`;
    this.node.after(copy);
    this.node.style.minHeight = `${copy.offsetHeight}px`;
    copy.remove();
  }
}
