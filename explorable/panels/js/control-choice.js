// One of a few as buttons, one of more as a menu, and on or off.
/** @import { Control, Host, Row, Value } from "./types" */
import { element, newId } from "./dom.js";
import { noticeOf } from "./notice.js";
import { withSymbols, written } from "./symbols.js";

// More buttons than these take more of a phone than the picture.
const MOST_BUTTONS = 5;

/**
 * @param {Host} panel
 * @param {Control} control
 * @param {Value} value
 * @param {boolean} [keyed]
 */
function pick(panel, control, value, keyed = false) {
  if (!keyed) panel.glide();
  panel.set(control.name, value);
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function choiceRow(control, panel) {
  return (control.stops.length > MOST_BUTTONS ? menuRow : buttonsRow)(control, panel);
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
function menuRow(control, panel) {
  const id = newId();
  const menu = element(
    "select",
    { id, class: "mb-menu", onchange: () => pick(panel, control, control.stops[+menu.value]) },
    ...control.stops.map((_, i) => element("option", { value: i }, written(control.labels[i]))),
  );
  const notice = noticeOf(control, panel);
  const row = element(
    "div",
    { class: "mb-row mb-control", "data-control": control.name },
    element("label", { for: id }, ...withSymbols(control.label)),
    menu,
    notice.node,
  );
  return {
    row,
    show(value) {
      menu.value = String(control.stops.indexOf(/** @type {any} */ (value)));
      notice.show(value);
    },
    remark: (found) => notice.say([found.note ?? found.message ?? ""], found.wanted, !found.note),
  };
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function buttonsRow(control, panel) {
  const name = newId();
  // A step by a key is there at once.
  let keyed = false;
  const inputs = control.stops.map((stop, i) =>
    element("input", {
      type: "radio",
      name,
      id: `${name}-${i}`,
      value: i,
      onkeydown: () => {
        keyed = true;
      },
      onchange: () => pick(panel, control, stop, keyed),
    }),
  );
  const options = inputs.map((input, i) => {
    const label = element("label", { for: input.id }, ...withSymbols(written(control.labels[i])));
    return element("span", { class: "mb-option mb-segment" }, input, label);
  });
  const notice = noticeOf(control, panel);
  const row = element(
    "fieldset",
    {
      class: "mb-row mb-control mb-choice",
      "data-control": control.name,
      onpointerdown: () => {
        keyed = false;
      },
    },
    element("legend", {}, ...withSymbols(control.label)),
    element("span", { class: "mb-options" }, ...options),
    notice.node,
  );
  return {
    row,
    show(value) {
      inputs[control.stops.indexOf(/** @type {any} */ (value))].checked = true;
      notice.show(value);
    },
    remark: (found) => notice.say([found.note ?? found.message ?? ""], found.wanted, !found.note),
  };
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function switchRow(control, panel) {
  const id = newId();
  const box = element("input", {
    type: "checkbox",
    role: "switch",
    id,
    class: "mb-switch",
    onchange: () => pick(panel, control, box.checked),
  });
  const row = element(
    "div",
    { class: "mb-row mb-control", "data-control": control.name },
    element("label", { for: id }, ...withSymbols(control.label)),
    box,
  );
  const show = (/** @type {Value} */ value) => {
    box.checked = Boolean(value);
  };
  return { row, show, remark: () => {} };
}
