// What a panel can do besides: one menu, which any press outside closes.
import { element } from "./dom.js";

const SIGNS =
  "≤ at most, ≥ at least, ≈ about, ± within a band. " +
  "A number without a sign or a word is exact.";

/** @param {(HTMLElement | null)[]} tools */
export function toolbox(tools) {
  const summary = element("summary", { class: "mb-tool" }, "More");
  const list = element("div", {}, ...tools, element("p", { class: "mb-note" }, SIGNS));
  const box = element("details", { class: "mb-toolbox" }, summary, list);
  const close = () => {
    box.open = false;
  };
  document.addEventListener("pointerdown", ({ target }) => {
    if (box.open && target instanceof Node && !box.contains(target)) close();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    close();
    summary.focus();
    event.stopPropagation();
  });
  return box;
}
