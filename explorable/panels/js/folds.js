// A link into something folded opens it: not every browser does by itself.
import { decoded } from "./dom.js";

function openTarget() {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  let opened = false;
  for (let at = target; at; at = at.parentElement) {
    if (at.classList.contains("toggle-hidden")) {
      /** @type {HTMLElement | null} */
      const title = at.querySelector(":scope > .admonition-title");
      title?.click();
      opened = true;
    }
    if (!(at instanceof HTMLDetailsElement) || at.open) continue;
    at.open = opened = true;
  }
  if (opened) target?.scrollIntoView();
}

/** Open what the address names, now, once the book has folded it, and whenever it changes. */
export function openFolds() {
  addEventListener("hashchange", openTarget);
  addEventListener("load", openTarget);
  openTarget();
}
