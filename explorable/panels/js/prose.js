// Words in the text that move a panel.
/** @import { Panel } from "./panel.js" */
/** @import { Values } from "./types" */
import { element } from "./dom.js";
import { isStill } from "./motion.js";
import { withSymbols } from "./symbols.js";
import { boundOn, guessFirst } from "./veil.js";

const FLASH = 800;

/**
 * @param {Panel} panel
 * @param {Values} wanted
 */
function moveTo(panel, wanted) {
  /** @type {ScrollBehavior} */
  const behavior = isStill() ? "auto" : "smooth";
  const changed = Object.keys(wanted).filter((name) => panel.values[name] !== wanted[name]);
  const { id } = panel.spec;
  const waits = changed.some((name) => boundOn(id).includes(name));
  panel.playAlone(false);
  if (waits) {
    guessFirst(id, behavior);
    return;
  }
  panel.glide();
  panel.follow({ ...panel.values, ...wanted });
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
    words.replaceWith(element("button", attributes, ...withSymbols(words.textContent ?? "")));
  }
}
