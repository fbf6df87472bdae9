// What is far below the screen, which page.css leaves out of the first layout, comes part by part
// once the reader does something and the processor has nothing else to do: then the page keeps its
// height while it is scrolled. What a link or a search asks for, the browser itself lays out.
import { whenIdle } from "./first.js";

const FAR = ".bd-article :is(section > :is(p, .admonition), .mb-explorable)";
const MOVES = ["pointerdown", "keydown", "wheel", "scroll"];

export function layFar() {
  const begin = () => {
    MOVES.forEach((move) => removeEventListener(move, begin));
    /** @type {NodeListOf<HTMLElement>} */
    const found = document.querySelectorAll(FAR);
    const far = Array.from(found);
    const next = () => {
      far.splice(0, 2).forEach((part) => {
        part.style.contentVisibility = "visible";
      });
      if (far.length) whenIdle(next);
    };
    whenIdle(next);
  };
  MOVES.forEach((move) => addEventListener(move, begin, { passive: true }));
}
