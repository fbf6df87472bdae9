// A guess that a reader makes; what gives it away is missing until then.
/** @import { Asked, Read } from "./types" */
import { element, tool } from "./dom.js";
import { fieldOf, kept } from "./fields.js";
import { isStill } from "./motion.js";
import { pollOf } from "./poll.js";
import { withSymbols } from "./symbols.js";
import { addVeil, drawVeil, putMark, showAnyway } from "./veil.js";

const SKIPPED = "Shown without a guess.";

/**
 * What a guess is compared with, in words.
 * @param {Asked} spec
 * @param {Read} read
 */
export function compared(spec, read) {
  const tag = spec.tag ? ` (${spec.tag})` : "";
  const written = spec.replies?.[read.reply ?? read.text ?? ""];
  const own = written?.replaceAll("{guess}", read.text ?? "");
  if (own) return own.replaceAll("{told}", read.told ?? "");
  const unit = spec.unit ? `${spec.unit.startsWith("%") ? "" : " "}${spec.unit}` : "";
  const truth = `${spec.truth.text}${unit}${tag}`;
  const same = read.text === spec.truth.text;
  const words = same ? `Right: ${truth}.` : `You said ${read.text}. It is ${truth}.`;
  return `${words} ${spec.because}`.trim();
}

/**
 * On a phone the picture stays in sight: the answer comes below it, not behind.
 * @param {HTMLElement} root
 */
function uncover(root) {
  const panel = root.closest(".mb-explorable");
  const stage = panel?.querySelector(".mb-stage");
  if (!panel || !stage || getComputedStyle(stage).position !== "sticky") return;
  if (root.getBoundingClientRect().top >= stage.getBoundingClientRect().bottom) return;
  panel.scrollIntoView({ block: "start", behavior: isStill() ? "auto" : "smooth" });
}

/**
 * @param {HTMLElement} root
 * @param {Asked} spec
 */
export function mountGuess(root, spec) {
  const memory = kept(spec.name);
  const field = fieldOf(spec, commit);
  const problem = element("p", { class: "mb-invalid", role: "alert", hidden: true });
  const result = element("p", { class: "mb-verdict", role: "status", tabindex: -1 });
  const poll = element("div");
  const again = tool("Guess again", () => {
    memory.clear();
    field.clear();
    Object.assign(question, { lifted: false, linked: false, place: null });
    show(null);
    field.focus();
  });
  const submit = field.instant
    ? null
    : element("button", { class: "mb-guess" }, "That is my guess");
  const quiet = { type: "button", class: "mb-skip", "data-veil": "show" };
  const skip = element("button", quiet, "Show anyway");
  skip.addEventListener("click", () => showAnyway(question));
  const foot = element("div", { class: "mb-tools" }, submit, skip);
  const form = element("form", { novalidate: true }, field.node, problem, foot);
  form.addEventListener("input", () => { problem.hidden = true; });
  const question = addVeil({
    spec,
    root,
    put: (place) => field.put?.(place),
    lift() {
      if (question.lifted) return;
      memory.save({ skipped: true });
      question.lifted = true;
      show(null);
      root.tabIndex = -1;
      root.focus({ preventScroll: true });
      uncover(root);
    },
  });
  const { put } = field;
  if (put) {
    field.put = (place) => {
      put(place);
      problem.hidden = true;
      putMark(question, place);
    };
  }

  /** @param {Read | null} read */
  function show(read) {
    if (read) question.lifted = true;
    if (question.lifted) delete root.dataset.first;
    const skipped = question.lifted && !read;
    root.dataset.guessed = read ? "yes" : "no";
    form.hidden = question.lifted;
    foot.hidden = question.lifted;
    if (!question.lifted) foot.append(skip);
    else skip.remove();
    problem.hidden = true;
    again.hidden = !question.lifted;
    const words = read ? compared(spec, read) : skipped ? SKIPPED : "";
    result.replaceChildren(...withSymbols(words));
    const asked = read ? pollOf(spec, read) : null;
    poll.replaceChildren(...(asked ? [asked] : []));
    drawVeil(spec.name);
  }

  function commit() {
    const read = field.read();
    problem.hidden = !read.problem;
    problem.textContent = read.problem ?? "";
    delete root.dataset.first;
    if (read.problem) return;
    memory.save(read);
    show(read);
    result.focus({ preventScroll: true });
    uncover(root);
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    commit();
  });
  root.replaceChildren(form, result, poll, again);
  // A guess stands where its picture is, and in it when that comes to life.
  const at = spec.panels[0] && `section#${spec.panels[0]}:not([data-face=live])`;
  const panel = at ? document.querySelector(at) : null;
  const cell = root.closest(".cell");
  // The build has drawn it there, for nobody to touch before.
  const seen = panel?.querySelector(`.mb-seat > [data-of="${spec.name}"]`);
  if (seen) seen.replaceWith(root);
  else panel?.before(root);
  if (panel && !cell?.textContent?.trim()) cell?.remove();
  const before = memory.load();
  // What was typed before the guess became a mark is forgotten.
  const fits = before?.text !== undefined && (!spec.mark || before.given in spec.mark.places);
  if (fits) {
    field.show(before);
    question.place = before.given;
  }
  if (before?.skipped) question.lifted = true;
  show(fits ? before : null);
}
