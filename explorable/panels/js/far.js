// What is far below the screen, which page.css leaves out of the first layout, comes part by part
// when the processor has nothing else to do: so a link within the page, or a search, finds it.
import { whenIdle } from "./first.js";

const FAR = ".bd-article :is(section > :is(p, .admonition), .mb-explorable)";

export function layFar() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll(FAR);
  const far = Array.from(found);
  const next = () => {
    far.splice(0, 4).forEach((part) => {
      part.style.contentVisibility = "visible";
    });
    if (far.length) whenIdle(next);
  };
  addEventListener("load", () => whenIdle(next));
}
