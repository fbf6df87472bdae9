// An exercise answered in the page: right, wrong and, for the known mistakes, why.
/** @import { Asked } from "./types" */
import { element, tool } from "./dom.js";
import { fieldOf, kept } from "./fields.js";
import { withSymbols } from "./symbols.js";

/**
 * What to say of an answer; the bounds of what is right were computed while the page was built.
 * @param {Asked} spec
 * @param {any} given a number, or the choices
 */
export function judged(spec, given) {
  const { truth, mistakes } = spec;
  const tag = spec.tag ? ` (${spec.tag})` : "";
  const unit = spec.unit ? ` ${spec.unit}` : "";
  const right = `Right: ${truth.text}${unit}${tag}. ${spec.because}`.trim();
  if (spec.input === "number") {
    const within = (/** @type {any} */ range) => given >= range.low && given <= range.high;
    if (within(truth)) return { right: true, words: right };
    const known = mistakes.find(within);
    const side = given < Number(truth.low) ? "small" : "large";
    return { right: false, words: known ? `Not yet. ${known.why}` : `Not yet: too ${side}.` };
  }
  const picked = truth.picked ?? [];
  const wrong = given.filter((/** @type {string} */ pick) => !picked.includes(pick));
  if (!wrong.length && given.length === picked.length) return { right: true, words: right };
  const known = mistakes.find(({ pick }) => wrong.includes(pick));
  if (known) return { right: false, words: `Not yet. ${known.why}` };
  const missing = "Not yet: what you chose is right, and something is missing.";
  return { right: false, words: wrong.length ? "Not yet. Try again." : missing };
}

/**
 * @param {HTMLElement} root
 * @param {Asked} spec
 */
export function mountAnswer(root, spec) {
  const memory = kept(spec.name);
  const field = fieldOf(spec, check);
  const verdict = element("p", { class: "mb-verdict", role: "status" });
  const clear = tool("Clear", () => {
    memory.clear();
    field.clear();
    say(null, "");
    field.focus();
  });
  const submit = field.instant
    ? null
    : element("button", { class: "mb-tool mb-check-answer" }, "Check");

  /**
   * @param {boolean | null} right
   * @param {string} words
   */
  function say(right, words) {
    root.dataset.verdict = right === null ? "none" : right ? "right" : "wrong";
    verdict.replaceChildren(...withSymbols(words));
    clear.hidden = words === "";
  }

  function check() {
    const read = field.read();
    if (read.problem) {
      say(null, read.problem);
      return;
    }
    memory.save(read);
    const { right, words } = judged(spec, read.given);
    say(right, words);
  }

  const buttons = element("div", { class: "mb-tools" }, submit, clear);
  const form = element("form", { novalidate: true }, field.node, buttons);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  root.replaceChildren(form, verdict);
  say(null, "");
  const before = memory.load();
  if (before?.text === undefined) return;
  field.show(before);
  const { right, words } = judged(spec, before.given);
  say(right, words);
}
