// How a statement is cited: the lines that its link holds, shown below its title and copied.
// The link leads to the page that says how, wherever this does not run.
import { element, tool } from "./dom.js";

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
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } catch {
      // A browser that lets no page copy: the lines are marked, one press of keys is left.
      getSelection()?.selectAllChildren(lines);
      copy.textContent = "Marked: press Ctrl+C";
    }
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
  link.addEventListener("click", (event) => {
    event.preventDefault();
    show(Boolean(cited.hidden));
  });
  link.addEventListener("keydown", (event) => {
    // A button is pressed by the space bar, too.
    if (event.key !== " ") return;
    event.preventDefault();
    show(Boolean(cited.hidden));
  });
}

/** Let the words *cite* of the page show what they stand for. */
export function mountCite() {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("a.mb-cite[data-bibtex]");
  links.forEach(mountOne);
}
