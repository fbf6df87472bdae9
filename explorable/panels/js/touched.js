// What a reader did with a panel before its script was there: the browser moves its own controls.

const CONTROLS = ".mb-control :is(input, select)";

/** @typedef {HTMLInputElement | HTMLSelectElement} Input */

/** @param {HTMLElement} root */
const inputsIn = (root) => Array.from(/** @type {NodeListOf<Input>} */ (root.querySelectorAll(CONTROLS)));

/** Whether it stands elsewhere than the page says. @param {Input} input */
function isMoved(input) {
  if (input instanceof HTMLSelectElement) return !input.options[input.selectedIndex]?.defaultSelected;
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
      if (input instanceof HTMLInputElement) input.checked = /** @type {HTMLInputElement} */ (old[i]).checked;
      input.dispatchEvent(new Event(input.type === "range" ? "input" : "change"));
    });
  };
}

/** @param {() => void} act when the processor has nothing else to do */
export function whenIdle(act) {
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: 4000 });
  else setTimeout(act, 200);
}
