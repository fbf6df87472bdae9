// What would give a guess away stays veiled until the guess is made, or the reader asks for it.
import { element } from "./dom.js";

/** @typedef {{ lifted: boolean, panels: string[], go: () => void, lift: () => void }} Veil */

/** The guesses of this page, by name. @type {Map<string, Veil>} */
const veils = new Map();

/** Whether the address asks for a panel, or for a state of it. @param {string} id */
export function isLinked(id, { search, hash } = location) {
  const keys = [...new URLSearchParams(search).keys()];
  return hash === `#${id}` || keys.some((key) => key.startsWith(`${id}.`));
}

/** @param {string} name */
function veiledBy(name) {
  const veil = veils.get(name);
  /** @type {HTMLElement[]} */
  const panels = (veil?.panels ?? []).flatMap((id) => [
    .../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`section#${id}`)),
  ]);
  /** @type {NodeListOf<HTMLElement>} */
  const words = document.querySelectorAll(`.mb-veiled[data-guess="${name}"]`);
  return [...panels, ...words];
}

/**
 * @param {HTMLElement} node
 * @param {Veil} veil
 */
function cover(node, veil) {
  if (node.parentElement?.classList.contains("mb-veil")) return;
  const show = () => {
    veil.lift();
    node.tabIndex = -1;
    node.focus({ preventScroll: true });
  };
  const anyway = { type: "button", class: "mb-tool", "data-veil": "show", onclick: show };
  const first = { type: "button", class: "mb-tool", "data-veil": "guess", onclick: veil.go };
  const box = element("div", { class: "mb-veil" });
  const notice = element(
    "div",
    { class: "mb-veil-notice" },
    element("button", first, "Guess first"),
    element("button", anyway, "Show anyway"),
  );
  node.before(box);
  node.inert = true;
  node.setAttribute("aria-hidden", "true");
  box.append(node, notice);
}

/** @param {HTMLElement} node */
function uncover(node) {
  const box = node.parentElement;
  if (!box?.classList.contains("mb-veil")) return;
  node.inert = false;
  node.removeAttribute("aria-hidden");
  box.replaceWith(node);
}

/** Cover or uncover what a guess veils. @param {string} name */
export function drawVeil(name) {
  const veil = veils.get(name);
  if (!veil) return;
  for (const node of veiledBy(name)) {
    uncover(node);
    // Two guesses may veil one panel; it stays covered until both are made.
    const others = [...veils.values()].filter(({ panels }) => panels.includes(node.id));
    const down = [veil, ...others].find(({ lifted }) => !lifted);
    if (down) cover(node, down);
  }
}

/**
 * A guess of this page; an address that asks for one of its panels lifts the veil.
 * @param {string} name
 * @param {string[]} panels
 * @param {() => void} go to the guess
 * @param {() => void} lift
 */
export function addVeil(name, panels, go, lift) {
  const veil = { lifted: panels.some((id) => isLinked(id)), panels, go, lift };
  veils.set(name, veil);
  return veil;
}

/**
 * Veil a panel that came after its guess; it may not stand in the page yet.
 * @param {HTMLElement} root
 */
export function veilPanel(root) {
  for (const veil of veils.values()) {
    if (veil.panels.includes(root.id) && !veil.lifted) cover(root, veil);
  }
}
