// Where a reader answers: a box for a number, buttons for one choice, boxes to tick for several.
/** @import { Asked, Field } from "./types" */
import { element, newId } from "./dom.js";
import { spoken, withSymbols } from "./symbols.js";
import { readNumber } from "./values.js";

const NO_NUMBER = "Type a number, such as 0.25 or 1/4.";
const NO_PLACE = "Move the slider first, or the dot in the picture.";
const NO_CHOICE = "Choose at least one.";

/**
 * What a typed text says, or why it says nothing.
 * @param {string} text
 * @param {string} unit
 */
export function typedNumber(text, unit) {
  // Where the unit is a percent, its sign repeats the unit.
  const bare = unit === "%" ? text.replace(/\s*%\s*$/, "") : text;
  const { value, readings } = readNumber(bare, false);
  if (readings) return { problem: `Type ${readings.join(" or ")}; this may be either.` };
  return value === undefined ? { problem: NO_NUMBER } : { value };
}

/**
 * @param {Asked} spec
 * @returns {Field}
 */
function numberField(spec) {
  const [id, help] = [newId(), newId()];
  const box = element("input", {
    id,
    class: "mb-typed",
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    "aria-describedby": help,
  });
  const note = element("span", { id: help, class: "mb-note" }, spec.within || null);
  const unit = spec.unit ? element("span", { class: "mb-unit" }, spec.unit) : null;
  const label = element("label", { for: id }, ...withSymbols(spec.label));
  return {
    node: element("p", { class: "mb-field" }, label, " ", box, " ", unit, " ", note),
    focus: () => box.focus(),
    read() {
      const { value, problem } = typedNumber(box.value, spec.unit);
      box.setAttribute("aria-invalid", String(Boolean(problem)));
      return problem ? { problem } : { given: value, text: box.value.trim() };
    },
    show: ({ text }) => {
      box.value = text;
    },
    clear() {
      box.value = "";
    },
  };
}

/**
 * Each button answers at once.
 * @param {Asked} spec
 * @param {() => void} answer
 * @returns {Field}
 */
function oneField(spec, answer) {
  let picked = "";
  const pick = (/** @type {string} */ text) => {
    picked = text;
    buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.textContent === picked)));
  };
  const buttons = spec.choices.map((text) => {
    const press = () => {
      pick(text);
      answer();
    };
    const attributes = { type: "button", class: "mb-tool mb-pick", onclick: press };
    return element("button", attributes, ...withSymbols(text));
  });
  const legend = element("legend", {}, ...withSymbols(spec.label));
  return {
    node: element("fieldset", { class: "mb-field" }, legend, ...buttons),
    instant: true,
    focus: () => buttons[0].focus(),
    read: () => (picked ? { given: [picked], text: picked } : { problem: NO_CHOICE }),
    show: ({ text }) => pick(text),
    clear: () => pick(""),
  };
}

/**
 * A number that is put in the picture; the slider does the same.
 * @param {Asked} spec
 * @returns {Field}
 */
function markField(spec) {
  const { places, start } = /** @type {NonNullable<Asked["mark"]>} */ (spec.mark);
  const id = newId();
  let place = -1;
  const said = element("output", { for: id });
  const range = element("input", {
    id,
    class: "mb-range",
    type: "range",
    min: 0,
    max: places.length - 1,
    oninput: () => field.put?.(Number(range.value)),
  });
  const show = (/** @type {number} */ at) => {
    place = at;
    range.value = String(at < 0 ? start : at);
    said.textContent = at < 0 ? "?" : places[at].text;
    range.setAttribute("aria-valuetext", at < 0 ? "not put yet" : spoken(places[at].text));
  };
  const label = element("label", { for: id }, ...withSymbols(spec.label), " ");
  /** @type {Field} */
  const field = {
    node: element("div", { class: "mb-field mb-put" }, label, said, range),
    focus: () => range.focus(),
    put: show,
    read() {
      if (place < 0) return { problem: NO_PLACE };
      return { given: place, ...places[place] };
    },
    show: ({ given }) => show(given),
    clear: () => show(-1),
  };
  show(-1);
  return field;
}

/**
 * @param {Asked} spec
 * @returns {Field}
 */
function manyField(spec) {
  const boxes = spec.choices.map((value) =>
    element("input", { type: "checkbox", id: newId(), value }),
  );
  const check = (/** @type {string[]} */ given) =>
    boxes.forEach((box) => {
      box.checked = given.includes(box.value);
    });
  const options = boxes.map((box) => {
    const label = element("label", { for: box.id }, ...withSymbols(box.value));
    return element("span", { class: "mb-option" }, box, label);
  });
  const legend = element("legend", {}, ...withSymbols(spec.label));
  return {
    node: element("fieldset", { class: "mb-field" }, legend, ...options),
    focus: () => boxes[0].focus(),
    read() {
      const given = boxes.filter((box) => box.checked).map((box) => box.value);
      return given.length ? { given, text: given.join(", ") } : { problem: NO_CHOICE };
    },
    show: ({ given }) => check(given),
    clear: () => check([]),
  };
}

/**
 * @param {Asked} spec
 * @param {() => void} answer what a choice that answers at once calls
 * @returns {Field}
 */
export function fieldOf(spec, answer) {
  if (spec.input === "number") return numberField(spec);
  if (spec.input === "mark") return markField(spec);
  return spec.input === "one" ? oneField(spec, answer) : manyField(spec);
}

// What a reader answered, kept in this browser and nowhere else.

const PREFIX = "mipbook:";

/**
 * A place for the answer to one question of this page; without storage it lasts as the page does.
 * @param {string} name
 */
export function kept(name) {
  const key = `${PREFIX}${location.pathname}:${name}`;
  /** @type {string | null} */
  let own = null;
  return {
    /** @returns {any} */
    load() {
      try {
        return JSON.parse(localStorage.getItem(key) ?? own ?? "null");
      } catch {
        return null;
      }
    },
    /** @param {unknown} value */
    save(value) {
      own = JSON.stringify(value);
      try {
        localStorage.setItem(key, own);
      } catch {
        // A browser that keeps nothing; the page does.
      }
    },
    clear() {
      own = null;
      try {
        localStorage.removeItem(key);
      } catch {
        // As above.
      }
    },
  };
}
