// The first picture of a panel, which the build drew, and what a reader did before the script came:
// the browser moves its own controls. And what of a page is opened or laid out only then.
/** @import { Panel } from "./panel.js" */
/** @import { Figure, Spec } from "./types" */
import { decoded } from "./dom.js";
import { startOf } from "./values.js";
import { openOn, questionsOf } from "./veil.js";

const CONTROLS = ".mb-control :is(input, select)";

/** @typedef {HTMLInputElement | HTMLSelectElement} Input */

/** @param {HTMLElement} root @returns {Input[]} */
const inputsIn = (root) => Array.from(root.querySelectorAll(CONTROLS));

/** Whether it stands elsewhere than the page says. @param {Input} input */
function isMoved(input) {
  if (input instanceof HTMLSelectElement) {
    return input.options[input.selectedIndex]?.defaultSelected === false;
  }
  if (input.type === "radio") return input.checked && !input.defaultChecked;
  if (input.type === "checkbox") return input.checked !== input.defaultChecked;
  return input.type !== "file" && input.value !== input.defaultValue;
}

/**
 * What the reader did; to be done again with the same controls of the panel's own.
 * @param {HTMLElement} root
 */
export function touchedIn(root) {
  const old = inputsIn(root);
  const moved = old.map(isMoved);
  const focused = old.findIndex((input) => input === document.activeElement);
  return () => {
    inputsIn(root).forEach((input, i) => {
      if (i === focused) input.focus({ preventScroll: true });
      if (!moved[i]) return;
      input.value = old[i].value;
      if ("checked" in input) input.checked = "checked" in old[i] && old[i].checked;
      input.dispatchEvent(new Event(input.type === "range" ? "input" : "change"));
    });
  };
}

/**
 * What the build drew: the start, or the case that a guess asks about.
 * @param {HTMLElement} root
 * @param {Spec} spec
 */
export const posedOf = (root, spec) => ({
  ...startOf(spec),
  ...JSON.parse(root.dataset.posed ?? "{}"),
});

/**
 * Take over what the build drew, without a move, unless the address asks for other values, or some
 * of several guesses were made.
 * @param {Panel} panel
 * @param {Figure} figure of what was drawn
 * @param {Iterable<Node>} drawn
 */
export function stand(panel, figure, drawn) {
  const { root, values, spec, picture } = panel;
  const alike = JSON.stringify(values) === JSON.stringify(posedOf(root, spec));
  const same = alike && picture.alone === spec.controls.some((control) => control.alone);
  const [open, all] = [openOn(spec.id).length, questionsOf(spec.id).length];
  if (same && (!open || open === all)) {
    picture.stand(figure, drawn, values);
    // A game can be answered before it is alive: the answer waits.
    panel.rows.forEach((row) => row.posed?.());
  }
  panel.showValues();
  panel.allowSaves(false);
}

/**
 * A press on what the build drew pulls the mark that is to be put, before there is more than the
 * picture; when the panel is alive, the mark stands where it was pulled to and is still held.
 * @param {Panel} panel
 * @param {() => Promise<void>} wake
 */
export function carry({ picture, marks }, wake) {
  const question = marks.open;
  const { plot } = picture;
  if (!picture.still || !question?.spec.mark) return;
  const upright = question.spec.mark.axis.startsWith("y");
  plot.classList.add(upright ? "mb-grab-y" : "mb-grab-x");
  plot.addEventListener("pointerdown", (press) => {
    /** @type {NodeListOf<SVGGElement>} */
    const drawn = plot.querySelectorAll(".mb-put-here");
    const dot = Array.from(drawn).find((each) => each.getClientRects().length);
    const knob = dot?.querySelector(".mb-knob")?.getBoundingClientRect();
    const room = dot?.ownerSVGElement?.getBoundingClientRect();
    if (!picture.still || !dot || !knob || !room || press.button > 0) return;
    let last = press;
    /** @param {PointerEvent} event */
    const move = (event) => {
      last = event;
      if (/** @type {any} */ (plot)._fullLayout) {
        marks.pull(question, event);
        return;
      }
      const x = Math.min(Math.max(event.clientX, room.left), room.right) - knob.x - knob.width / 2;
      const y = Math.min(Math.max(event.clientY, room.top), room.bottom) - knob.y - knob.height / 2;
      dot.style.transform = upright ? `translateY(${y}px)` : `translateX(${x}px)`;
    };
    plot.setPointerCapture(press.pointerId);
    plot.addEventListener("pointermove", move);
    const stop = () => plot.removeEventListener("pointermove", move);
    for (const end of ["pointerup", "pointercancel"]) {
      plot.addEventListener(end, stop, { once: true });
    }
    move(press);
    void wake().then(() => marks.pull(question, last));
  });
}

/** Draw what nobody asked for yet. @param {Panel} panel */
export async function begin(panel) {
  if (panel.ticket) return;
  panel.picture.ghost.forget();
  await panel.update();
}

/** @param {() => void} act when the processor has nothing else to do */
export function whenIdle(act) {
  if ("requestIdleCallback" in globalThis) requestIdleCallback(act, { timeout: 4000 });
  else setTimeout(act, 200);
}

// A link into something folded opens it: not every browser does by itself.

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

// What is far below the screen, which page.css leaves out of the first layout, comes part by part
// once the reader does something and the processor has nothing else to do: then the page keeps its
// height while it is scrolled. What a link or a search asks for, the browser itself lays out.

const FAR = ".bd-article :is(section > :is(p, .admonition), .mb-explorable)";
const MOVES = ["pointerdown", "keydown", "wheel", "scroll"];

export function layFar() {
  const lay = () => {
    MOVES.forEach((move) => removeEventListener(move, lay));
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
  MOVES.forEach((move) => addEventListener(move, lay, { passive: true }));
}
