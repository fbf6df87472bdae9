// What a panel says, in plain sight, of a value that it cannot show: what it shows instead, and
// where the reader gets the value's own picture.
/** @import { Control, Host, Value } from "./types" */
import { copied, element, tool } from "./dom.js";
import { hereButton } from "./here-bar.js";
import { powered } from "./symbols.js";
import { labelOf, named } from "./values.js";

/** @param {Value} value */
const python = (value) => {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
};

/**
 * The line of Python that draws the figure of these values, or nothing where a file is among them.
 * @param {Host["spec"]} spec
 * @param {Host["values"]} values
 */
export function lineOfPython(spec, values) {
  if (!spec.call || Object.values(values).some((value) => typeof value === "object")) return "";
  const [module, name] = spec.call.split(":");
  const given = spec.controls.map((c) => `${c.name}=${python(values[c.name])}`).join(", ");
  return `from ${module} import ${name}; ${name}(${given})`;
}

/** @param {string} text */
function copyButton(text) {
  const button = tool("Copy the line of Python for it", async () => {
    if (await copied(text)) button.textContent = "Copied";
    else button.replaceWith(element("code", { class: "mb-line" }, text));
  });
  button.title = text;
  button.dataset.python = text;
  return button;
}

/** The page where a kernel answers, if the book knows one. */
function livePage() {
  const link = document.querySelector(".dropdown-launch-buttons a[href]");
  if (!(link instanceof HTMLAnchorElement)) return "";
  return element("a", { href: link.href, target: "_blank" }, "Open it live");
}

/**
 * The place of a control's notices, below it.
 * @param {Control} control
 * @param {Host} panel
 */
export function noticeOf(control, panel) {
  const node = element("div", { class: "mb-notice", role: "status", hidden: true });
  /** @type {Value | undefined} the value that the notice explains */
  let about;
  // The headline is of what is shown, so it says of which values where others were typed.
  /** @param {string} [told] */
  const mark = (told) => {
    if (told) node.dataset.of = told;
    else delete node.dataset.of;
    const others = [...panel.root.querySelectorAll(".mb-notice[data-of]")];
    const line = panel.root.querySelector(".mb-headline");
    const all = others.map((each) => /** @type {HTMLElement} */ (each).dataset.of).join("; ");
    if (line instanceof HTMLElement && all) line.dataset.of = all;
    else line?.removeAttribute("data-of");
  };
  const hide = () => {
    about = undefined;
    node.hidden = true;
    mark();
  };
  return {
    node,
    hide,
    /**
     * Of a number that is not taken, of one that the page does not hold, or of two readings.
     * @param {(string | Node)[]} parts
     * @param {number} [wanted] the value that can be had elsewhere
     * @param {boolean} [refused] whether what is shown has nothing to do with what was typed
     */
    say(parts, wanted, refused = false) {
      about = panel.values[control.name];
      const line =
        wanted === undefined
          ? ""
          : lineOfPython(panel.spec, { ...panel.values, [control.name]: wanted });
      const shown = labelOf(named(control, panel.values), about);
      const safe = control.safe && !refused ? ", the safe side" : "";
      const said = parts.concat(` ${refused ? "Still shown" : "Shown"} is ${shown}${safe}.`);
      mark(wanted === undefined ? "" : `${powered(shown)}, not ${powered(String(wanted))}`);
      const here = wanted === undefined ? null : hereButton(panel, control.name, wanted);
      const elsewhere = line ? [copyButton(line), livePage()] : [];
      node.replaceChildren(element("span", {}, ...said), here ?? "", ...elsewhere);
      node.toggleAttribute("data-refused", refused);
      node.hidden = false;
    },
    /** A notice stays as long as what it explains. @param {Value} value */
    show(value) {
      if (value !== about) hide();
    },
  };
}
