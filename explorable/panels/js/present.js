// Presenting a panel: it fills the window in large type, the arrow keys move its first control, and
// Escape leaves.
/** @import { Picture } from "./picture.js" */
/** @import { Host } from "./types" */
import { tool } from "./dom.js";
import { nearest } from "./values.js";

/** @type {Record<string, number>} */
const KEY_STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
// What has a use of its own for the arrow keys.
const OWN_KEYS = "input, select, textarea, [role=slider]";

/**
 * @param {Host} panel
 * @param {Picture} picture
 * @param {HTMLElement} root
 */
export function presentButton(panel, picture, root) {
  const first = panel.spec.controls.find((c) => c.kind === "slider" || c.kind === "choice");

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key === "Escape") {
      show(false);
      event.preventDefault();
      return;
    }
    const own = event.target instanceof Element && event.target.closest(OWN_KEYS);
    const step = KEY_STEPS[event.key];
    if (!first || own || step === undefined) return;
    event.preventDefault();
    const now = nearest(first, panel.values[first.name]) + step;
    if (now >= 0 && now < first.stops.length) panel.set(first.name, first.stops[now]);
  }

  /** @param {boolean} on */
  function show(on) {
    root.classList.toggle("mb-present", on);
    // Above all else on the page, wherever the panel stands.
    root.popover = on ? "manual" : null;
    if (on) root.showPopover();
    if (on) document.addEventListener("keydown", key);
    else document.removeEventListener("keydown", key);
    button.textContent = on ? "Leave (Esc)" : "Present";
    button.setAttribute("aria-pressed", String(on));
    // The way out stands in sight, not in the menu.
    root.querySelector(on ? ".mb-tools" : ".mb-toolbox > div")?.append(button);
    root.querySelector(".mb-toolbox")?.removeAttribute("open");
    picture.present(on);
    if (!on) root.scrollIntoView({ block: "nearest" });
    if (on) button.focus();
    else /** @type {HTMLElement | null} */ (root.querySelector(".mb-toolbox > summary"))?.focus();
  }

  const button = tool("Present", () => show(!root.classList.contains("mb-present")));
  button.setAttribute("aria-pressed", "false");
  return button;
}
