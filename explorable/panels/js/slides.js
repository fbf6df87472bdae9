// A lesson as slides: each step fills the window, first with its question, then with its panel in
// the state to show, then with what to expect. The arrow keys turn the pages, Escape leaves.
import { element, tool } from "./dom.js";
import { own } from "./plotly.js";

/** @type {Record<string, number>} */
const TURNS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/**
 * The address of the panel alone that a link to a page shows; "" where it shows none.
 * @param {string} href
 * @param {string} script the address of this script, beside which the book's panels lie
 */
export function embedOf(href, script) {
  const { search, hash } = new URL(href, script);
  return hash ? new URL(`../embed/${hash.slice(1)}.html${search}`, script).href : "";
}

/**
 * What stands in a step under a name, such as *Ask*.
 * @param {Element} step
 * @param {string} name
 */
function part(step, name) {
  const term = [...step.querySelectorAll("dt")].find((dt) => dt.textContent?.trim() === name);
  const said = term?.nextElementSibling;
  return said ? [...said.cloneNode(true).childNodes] : [];
}

/** @param {Element} step @param {HTMLElement} frameRoom */
function choices(step, frameRoom) {
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = step.querySelectorAll("a.mb-show");
  const buttons = [...links].map((link) => {
    const show = () => {
      const title = link.textContent ?? "";
      frameRoom.replaceChildren(element("iframe", { src: embedOf(link.href, own ?? ""), title }));
      buttons.forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
    };
    const button = tool(link.textContent ?? "", show);
    return button;
  });
  buttons[0]?.click();
  return buttons.length > 1 ? buttons : [];
}

/**
 * What a step shows one after another: its question, its panel, what to expect.
 * @param {Element} step
 */
const stagesOf = (step) => [
  "question",
  ...(step.querySelector("a.mb-show") ? ["panel"] : []),
  ...(part(step, "Expect").length ? ["answer"] : []),
];

/**
 * What a question is about, while nothing is on the wall: the words of the links.
 * @param {Element} step
 */
function seen(step) {
  const words = [...step.querySelectorAll("a.mb-show")].map((link) => link.textContent?.trim());
  if (!words.length) return [];
  return [element("p", { class: "mb-note" }, `To see next: ${words.join("; ")}.`)];
}

/** @param {Element[]} steps */
function slidesOf(steps) {
  let [at, stage] = [0, 0];
  const title = element("h2", { tabindex: -1 });
  const place = element("p", { class: "mb-note" });
  const room = element("div", { class: "mb-slide-panel" });
  const shown = element("div", { class: "mb-tools" });
  const ask = element("div", { class: "mb-slide-ask" });
  const answer = element("div", { class: "mb-slide-answer", role: "status" });
  const back = tool("Back", () => turn(-1));
  const next = tool("Next", () => turn(1));
  const leave = tool("Leave (Esc)", () => dialog.close());
  const foot = element("div", { class: "mb-tools" }, back, next, leave);
  const head = element("header", {}, title, place, foot);
  const body = element("div", { class: "mb-slide-words" }, ask, shown, answer);
  const dialog = element("dialog", { class: "mb-slides" }, head, body, room);

  function open() {
    const line = steps[at].querySelector("p");
    title.textContent = line?.querySelector("strong")?.textContent ?? "";
    const time = line?.querySelector(".mb-step-time")?.textContent ?? "";
    place.textContent = `${at + 1} of ${steps.length}: ${time.trim()}`;
    ask.replaceChildren(...part(steps[at], "Ask"));
    [room, shown, answer].forEach((node) => node.replaceChildren());
    title.focus();
  }

  function show() {
    const now = stagesOf(steps[at])[stage];
    dialog.dataset.stage = now;
    if (now === "question") shown.replaceChildren(...seen(steps[at]));
    if (now === "panel") shown.replaceChildren(...choices(steps[at], room));
    const said = [...part(steps[at], "Expect"), " ", ...part(steps[at], "Watch")];
    answer.replaceChildren(...(now === "answer" ? said : []));
    back.disabled = at === 0 && stage === 0;
    next.disabled = at === steps.length - 1 && stage === stagesOf(steps[at]).length - 1;
  }

  /**
   * To the next of a step, or to the next step; backwards to the step's question.
   * @param {number} by
   */
  function turn(by) {
    const within = by > 0 ? stage + 1 < stagesOf(steps[at]).length : stage > 0;
    if (within && by > 0) stage += 1;
    else {
      if (!within && !steps[at + by]) return;
      at += within ? 0 : by;
      stage = 0;
      open();
    }
    show();
  }

  dialog.addEventListener("keydown", (event) => {
    const by = TURNS[event.key];
    if (event.key === "Escape") dialog.close();
    else if (by) turn(by);
    else return;
    event.preventDefault();
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  open();
  show();
}

/** Give each lesson of the page a button that shows it as slides. */
export function mountSlides() {
  for (const lesson of document.querySelectorAll("ol.mb-lesson")) {
    const steps = [...lesson.querySelectorAll(":scope > .mb-step")];
    const button = tool("Slides", () => slidesOf(steps));
    lesson.before(element("p", { class: "mb-slides-open" }, button));
  }
}
