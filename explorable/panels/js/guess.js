// A guess that a reader commits to; what gives it away is veiled until then.
/** @import { Asked, Read } from "./types" */
import { curveField } from "./curve.js";
import { element, tool } from "./dom.js";
import { fieldOf } from "./fields.js";
import { kept } from "./kept.js";
import { pollOf } from "./poll.js";
import { withSymbols } from "./symbols.js";
import { addVeil, drawVeil } from "./veil.js";

const OWN = "Your guess stays in this browser.";
const SKIPPED = "Shown without a guess.";

/**
 * What a guess is compared with, in words.
 * @param {Asked} spec
 * @param {Read} read
 */
export function compared(spec, read) {
  const tag = spec.tag ? ` (${spec.tag})` : "";
  const unit = spec.unit ? ` ${spec.unit}` : "";
  if (spec.input === "curve") {
    return `Your curve is dashed; the true one is solid${tag}. ${spec.because}`.trim();
  }
  const truth = `${spec.truth.text}${unit}${tag}`;
  const same = read.text === spec.truth.text;
  const words = same ? `You said ${truth}: right.` : `You said ${read.text}; it is ${truth}.`;
  return `${words} ${spec.because}`.trim();
}

/**
 * The drawn curve and the true one, point by point.
 * @param {Asked} spec
 * @param {any} given
 */
function curveTable(spec, given) {
  const cell = (/** @type {"th" | "td"} */ tag, /** @type {string} */ text) =>
    element(tag, tag === "th" ? { scope: "col" } : {}, text);
  const head = [spec.axes[0], "you", "true"].map((text) => cell("th", text));
  const rows = spec.handles.map(({ label, truth }, i) =>
    element("tr", {}, cell("td", label), cell("td", spec.levels[given[i]]), cell("td", truth)),
  );
  const body = element("tbody", {}, ...rows);
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...head)), body);
  return element("details", {}, element("summary", {}, "In numbers"), table);
}

/**
 * @param {HTMLElement} root
 * @param {Asked} spec
 */
export function mountGuess(root, spec) {
  const memory = kept(spec.name);
  const curve = spec.input === "curve" ? curveField(spec) : null;
  const field = curve ?? fieldOf(spec, commit);
  const problem = element("p", { class: "mb-invalid", role: "alert", hidden: true });
  const result = element("p", { class: "mb-verdict", role: "status", tabindex: -1 });
  const numbers = element("div");
  const poll = element("div");
  const again = tool("Guess again", () => {
    memory.clear();
    field.clear();
    veil.lifted = false;
    show(null);
    field.focus();
  });
  const submit = field.instant ? null : element("button", { class: "mb-tool" }, "Commit");
  const own = element("span", { class: "mb-note" }, OWN);
  const foot = element("div", { class: "mb-tools" }, submit, own);
  const form = element("form", { novalidate: true }, field.node, problem, foot);
  const veil = addVeil(
    spec.name,
    spec.panels,
    () => {
      root.scrollIntoView({ block: "center" });
      field.focus();
    },
    () => {
      memory.save({ skipped: true });
      veil.lifted = true;
      show(null);
      result.textContent = SKIPPED;
    },
  );

  /** @param {Read | null} read */
  function show(read) {
    if (read) veil.lifted = true;
    root.dataset.guessed = read ? "yes" : "no";
    form.hidden = read !== null && !curve;
    foot.hidden = read !== null;
    curve?.reveal?.(read !== null);
    problem.hidden = true;
    again.hidden = read === null;
    result.replaceChildren(...(read ? withSymbols(compared(spec, read)) : []));
    numbers.replaceChildren(...(curve && read ? [curveTable(spec, read.given)] : []));
    const asked = read ? pollOf(spec, read) : null;
    poll.replaceChildren(...(asked ? [asked] : []));
    drawVeil(spec.name);
  }

  function commit() {
    const read = field.read();
    problem.hidden = !read.problem;
    problem.textContent = read.problem ?? "";
    if (read.problem) return;
    memory.save(read);
    show(read);
    result.focus({ preventScroll: true });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    commit();
  });
  root.replaceChildren(form, result, numbers, poll, again);
  const before = memory.load();
  if (before?.text !== undefined) field.show(before);
  if (before?.skipped) veil.lifted = true;
  show(before?.text === undefined ? null : before);
}
