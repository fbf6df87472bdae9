// A poll of a class on a guess, without a server: each page shows a short code, and the teacher's
// page counts the codes that are read out or pasted. `?poll` asks for a code, `?poll=count` counts.
/** @import { Asked, Read } from "./types" */
import { addressIsOurs } from "./address.js";
import { copied, element, newId, tool } from "./dom.js";
import { withSymbols } from "./symbols.js";
import { readNumber } from "./values.js";

// No I, O, 0 or 1, which are misread.
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ";

const FELL = { low: "too low", near: "near the truth", high: "too high" };

/** Two letters that tell the codes of one question from another's. @param {string} name */
export function markOf(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.charCodeAt(0)) % LETTERS.length ** 2;
  return LETTERS[Math.floor(sum / LETTERS.length)] + LETTERS[sum % LETTERS.length];
}

/** What tells a question: two pages may have guesses of one name. @param {Asked} spec */
const question = ({ name, label }) => `${name} ${label}`;

/**
 * The code of an answer: two letters, and a number, the letter of a choice or a mark's place.
 * @param {Asked} spec
 * @param {Read} read
 */
export function codeOf(spec, read) {
  const choice = LETTERS[spec.choices.indexOf(read.text ?? "")];
  return `${markOf(question(spec))}-${spec.input === "one" ? choice : read.given}`;
}

/**
 * The answers in a text with codes; `lost` are the words that are none of this question.
 * @param {Asked} spec
 * @param {string} text
 */
export function codesIn(spec, text) {
  /** @type {(number | string)[]} */
  const found = [];
  let lost = 0;
  const mark = `${markOf(question(spec))}-`;
  for (const word of text.toUpperCase().split(/[\s,;]+/).filter(Boolean)) {
    const told = word.startsWith(mark) ? word.slice(mark.length) : "";
    const value = Number(told || NaN);
    const choice = told.length === 1 ? spec.choices[LETTERS.indexOf(told)] : undefined;
    if (spec.input === "number" && Number.isFinite(value)) found.push(value);
    else if (spec.input === "one" && choice !== undefined) found.push(choice);
    else if (spec.mark?.places[value]) found.push(value);
    else lost += 1;
  }
  return { found, lost };
}

/**
 * How many said what, and where the truth lies.
 * @param {Asked} spec
 * @param {(number | string)[]} found
 * @returns {{ label: string, count: number, right: boolean }[]}
 */
export function counted(spec, found) {
  /**
   * @param {string} label
   * @param {boolean} right
   * @param {(said: number | string) => boolean} fits
   */
  const bar = (label, right, fits) => ({ label, count: found.filter(fits).length, right });
  if (spec.input === "one") {
    return spec.choices.map((choice) =>
      bar(choice, choice === spec.truth.text, (said) => said === choice),
    );
  }
  const places = spec.mark?.places;
  if (places) {
    return Object.entries(FELL).map(([side, label]) =>
      bar(label, side === "near", (said) => places[Number(said)].reply === side),
    );
  }
  const truth = readNumber(spec.truth.text, false).value;
  if (truth === undefined || truth <= 0) {
    const all = [...new Set(found)].sort((a, b) => Number(a) - Number(b));
    return all.map((said) => bar(String(said), said === truth, (other) => other === said));
  }
  /** Shares of the truth between which an answer lies. @type {[string, number, number][]} */
  const parts = [
    ["less than half of it", -Infinity, 0.5],
    ["too small", 0.5, 0.9],
    ["within a tenth of it", 0.9, 1.1],
    ["too large", 1.1, 2],
    ["more than twice as much", 2, Infinity],
  ];
  return parts.map(([label, low, high]) =>
    bar(label, low === 0.9, (said) => Number(said) / truth >= low && Number(said) / truth < high),
  );
}

/**
 * The bars, each with its numbers in words.
 * @param {Asked} spec
 * @param {(number | string)[]} found
 */
function bars(spec, found) {
  const rows = counted(spec, found).map(({ label, count, right }) => {
    const share = found.length ? count / found.length : 0;
    const words = `${count} of ${found.length} (${Math.round(100 * share)}%)`;
    const bar = element("span", { class: "mb-poll-bar", style: `width: ${100 * share}%` });
    const name = element("span", { class: "mb-poll-name" }, ...withSymbols(label));
    if (right) name.append(element("strong", {}, " ← the truth"));
    const line = element("span", { class: "mb-poll-line", "aria-hidden": "true" }, bar);
    return element("li", { "data-count": count }, name, line, element("span", {}, words));
  });
  const tag = spec.tag ? ` (${spec.tag})` : "";
  const truth = `The truth: ${spec.truth.text}${spec.unit ? ` ${spec.unit}` : ""}${tag}.`;
  const list = element("ul", { class: "mb-poll-bars" }, ...rows);
  return [list, element("p", {}, ...withSymbols(truth))];
}

/** @param {Asked} spec */
function counter(spec) {
  const [id, told] = [newId(), element("p", { class: "mb-note", role: "status" })];
  const drawn = element("div");
  const box = element("textarea", { id, rows: 3, spellcheck: "false", oninput: count });
  function count() {
    const { found, lost } = codesIn(spec, box.value);
    const words = lost ? `; ${lost} more not understood` : "";
    told.textContent = box.value.trim() ? `${found.length} codes of this question${words}.` : "";
    drawn.replaceChildren(...(found.length ? bars(spec, found) : []));
  }
  const link = new URL(location.href);
  link.search = "?poll";
  link.hash = spec.name;
  const copy = tool("Copy the link for the class", async () => {
    if (await copied(link.href)) copy.textContent = "Link copied";
    else prompt("This link is for the class:", link.href);
  });
  const label = element("label", { for: id }, "Codes of the class, pasted or typed");
  return element("div", { class: "mb-poll" }, copy, label, box, told, drawn);
}

/**
 * What a poll adds below a guess that was made; nothing where the address asks for none.
 * @param {Asked} spec
 * @param {Read} read
 * @param {string} search the address from its question mark on
 */
export function pollOf(spec, read, search = addressIsOurs() ? location.search : "") {
  const asked = new URLSearchParams(search).get("poll");
  if (asked === null) return null;
  if (asked === "count") return counter(spec);
  const code = element("strong", { class: "mb-poll-code" }, codeOf(spec, read));
  return element("p", {}, "Your code for the poll of your class: ", code);
}
