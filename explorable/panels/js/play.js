// Playing a control: it goes from stop to stop by itself until the end, or until it is stopped.
/** @import { Control, Host } from "./types" */
import { element } from "./dom.js";
import { spoken } from "./symbols.js";
import { nearest } from "./values.js";

const STEP = 450;

/**
 * A button that plays; with reduced motion each press is one step.
 * @param {Control} control
 * @param {Host} panel
 */
export function playButton(control, panel) {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const last = control.stops.length - 1;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const attributes = { type: "button", class: "mb-play", onclick: press };
  const button = element("button", attributes);

  function say() {
    const word = timer !== undefined ? "Pause" : still.matches ? "Step" : "Play";
    button.textContent = timer !== undefined ? "\u275a\u275a" : "\u25b6\ufe0e";
    button.setAttribute("aria-label", `${word} ${spoken(control.label)}`);
  }

  function stop() {
    clearInterval(timer);
    timer = undefined;
    say();
  }

  function step() {
    const now = nearest(control, panel.values[control.name]);
    panel.glide();
    if (now < last) panel.set(control.name, control.stops[now + 1]);
    if (now + 1 >= last) stop();
  }

  function press() {
    if (timer !== undefined) {
      stop();
      return;
    }
    if (nearest(control, panel.values[control.name]) >= last) {
      panel.set(control.name, control.stops[0]);
    }
    if (still.matches) {
      step();
      return;
    }
    timer = setInterval(step, STEP);
    say();
  }

  say();
  return { button, stop };
}
