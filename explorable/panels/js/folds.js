// A link into something folded opens it: not every browser does by itself.
import { decoded } from "./dom.js";

function openTarget() {
  const target = document.getElementById(decoded(location.hash.slice(1)));
  let opened = false;
  for (let at = target; at; at = at.parentElement) {
    if (!(at instanceof HTMLDetailsElement) || at.open) continue;
    at.open = opened = true;
  }
  if (opened) target?.scrollIntoView();
}

/** Open what the address names, now and whenever it changes. */
export function openFolds() {
  addEventListener("hashchange", openTarget);
  openTarget();
}
