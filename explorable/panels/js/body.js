// The parts of a panel, in their places, and what it can do besides.
/** @import { Panel } from "./panel.js" */
/** @import { Picture } from "./picture.js" */
/** @import { Control, Figure, Host, Row, Values } from "./types" */
import { addressIsOurs, addressOf, copyLink } from "./address.js";
import { commandOf } from "./command.js";
import { choiceRow, switchRow } from "./control-choice.js";
import { fileRow } from "./control-file.js";
import { roundsRow } from "./control-rounds.js";
import { sliderRow } from "./control-slider.js";
import { copied, download, element, tool } from "./dom.js";
import { csvOf, jsonOf, oneLine, reportOf, settings, titledSvg } from "./files.js";
import { typable } from "./here.js";
import { hereBar } from "./here-bar.js";
import { own } from "./plotly.js";
import { nearest } from "./values.js";
import { questionsOf } from "./veil.js";

/** Where the guesses about a panel are made, beside its picture. @param {Panel} panel */
function seatOf({ root, spec }) {
  const seat = element("div", { class: "mb-seat" });
  if (root.dataset.face === "live") return seat;
  const asked = questionsOf(spec.id).filter((question) => question.spec.panels[0] === spec.id);
  seat.append(...asked.map((question) => question.root));
  return seat;
}

/** Title, controls and words beside the picture. @param {Panel} panel */
export function bodyOf(panel) {
  const { spec, picture } = panel;
  const link = tool("Copy link", () => copyLink(spec, panel.values, link));
  const reset = tool("Reset", () => panel.reset());
  const present = presentButton(panel, picture, panel.root);
  const others = [addressIsOurs() ? link : null, embedButton(panel, panel.root)];
  const tools = [panel.last, present, ...others, ...panel.saves];
  const { stage, legend, headline, sentence, table } = picture;
  const words = [headline.node, sentence.node, sentence.more];
  // A game stands below its picture.
  const played = spec.controls.some(({ kind }) => kind === "rounds");
  const side = element(
    "div",
    { class: "mb-side" },
    // What is asked, and what is replied, stands first.
    seatOf(panel),
    element("div", { class: "mb-controls" }, ...panel.rows.map((r) => r.row)),
    panel.error,
    ...words,
    hereBar(panel),
    panel.lost,
    element("div", { class: "mb-tools" }, reset, toolbox(tools)),
  );
  stage.append(panel.waiting.node);
  const main = element("div", { class: "mb-main" }, stage, legend, table, commandOf(spec));
  const title = element("p", { class: "mb-title" }, spec.title);
  // On a phone two controls stay together, and more stand beneath the headline.
  const { length } = panel.rows;
  const many = length > 2 ? " mb-many" : length === 2 ? " mb-two" : "";
  const kind = `mb-body${played ? " mb-game" : ""}${many}`;
  const alone = picture.alone ? { "data-alone": "" } : {};
  return element("div", { class: kind, ...alone }, title, side, main);
}

// Every kind of control.

/** @type {Record<Control["kind"], (control: Control, panel: Host) => Row>} */
const ROWS = {
  slider: sliderRow,
  choice: choiceRow,
  file: fileRow,
  switch: switchRow,
  rounds: roundsRow,
};

/**
 * A control's row. Few stops are buttons, unless numbers between them can be computed: then it is
 * another row, in the old one's place.
 * @param {Control} control
 * @param {Host} panel
 * @param {Row} [old]
 * @returns {Row}
 */
export function rowOf(control, panel, old) {
  const typed = control.kind === "choice" && typable(control) && panel.source.here?.on;
  const kind = typed ? "slider" : control.kind;
  if (old?.row.dataset.kind === kind) return old;
  const row = ROWS[kind](control, panel);
  row.row.dataset.kind = kind;
  old?.row.replaceWith(row.row);
  return row;
}

// What a panel can do besides: one menu, which any press outside closes.

const SIGNS =
  "≤ at most, ≥ at least, ≈ about, ± within a band. " +
  "A number without a sign or a word is exact.";

/** @param {(HTMLElement | null)[]} tools */
function toolbox(tools) {
  const summary = element("summary", { class: "mb-tool" }, "More");
  const list = element("div", {}, ...tools, element("p", { class: "mb-note" }, SIGNS));
  const box = element("details", { class: "mb-toolbox" }, summary, list);
  const close = () => {
    box.open = false;
  };
  document.addEventListener("pointerdown", ({ target }) => {
    if (box.open && target instanceof Node && !box.contains(target)) close();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !box.open) return;
    close();
    summary.focus();
    event.stopPropagation();
  });
  return box;
}

// Saving what a panel shows: the numbers as CSV, the picture as SVG; of a reader's file, a report.

/**
 * The buttons: two, and two more where a reader's own file may be shown.
 * @param {Host} panel
 * @param {Picture} picture
 */
export function saveButtons(panel, picture) {
  const { spec } = panel;
  /**
   * @param {string} name
   * @param {string} ending
   * @param {string} type
   * @param {(shown: Figure, values: Values) => string | Promise<string>} textOf
   */
  function button(name, ending, type, textOf) {
    return tool(name, async () => {
      const { shown, shownValues } = panel;
      if (!shown || !shownValues) return;
      const text = await textOf(shown, shownValues);
      download(`${spec.id}.${ending}`, new Blob([text], { type }));
    });
  }
  /** @param {Figure} shown @param {Values} values */
  async function svgOf(shown, values) {
    const svg = await picture.svg();
    const words = [...settings(spec, values), shown.layout.meta?.sentence ?? ""];
    return titledSvg(svg, spec.title, words.map(oneLine).join("; "));
  }
  const buttons = [
    button("CSV", "csv", "text/csv", (now, values) => csvOf(spec, values, now, picture.revealed)),
    button("SVG", "svg", "image/svg+xml", svgOf),
  ];
  if (!spec.controls.some((control) => control.kind === "file")) return buttons;
  return [
    ...buttons,
    button("JSON", "json", "application/json", (now, values) => jsonOf(spec, values, now)),
    button("Report", "html", "text/html", async (now, values) =>
      reportOf(spec, values, now, await picture.svg()),
    ),
  ];
}

// Presenting a panel: it fills the window in large type, the arrow keys move its first control, and
// Escape leaves.

/** @type {Record<string, number>} */
const KEY_STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
// What has a use of its own for the arrow keys.
const OWN_KEYS = "input, select, textarea, [role=slider]";

/**
 * The question in bold print that leads to a panel which waits for a guess.
 * @param {HTMLElement} root
 */
function posed(root) {
  let before = root.closest(".cell");
  while (before?.matches(".cell")) before = before.previousElementSibling;
  const bold = root.hasAttribute("data-waits") && before?.querySelector("strong:last-child");
  return bold ? [element("p", { class: "mb-posed" }, bold.cloneNode(true))] : [];
}

/**
 * @param {Host} panel
 * @param {Picture} picture
 * @param {HTMLElement} root
 */
function presentButton(panel, picture, root) {
  const first = panel.spec.controls.find((c) => c.kind === "slider" || c.kind === "choice");

  /** @param {KeyboardEvent} event */
  function key(event) {
    if (event.key === "Escape") {
      show(false);
      event.preventDefault();
      return;
    }
    const theirs = event.target instanceof Element && event.target.closest(OWN_KEYS);
    const step = KEY_STEPS[event.key];
    if (!first || theirs || step === undefined) return;
    event.preventDefault();
    const now = nearest(first, panel.values[first.name]) + step;
    if (now >= 0 && now < first.stops.length) panel.set(first.name, first.stops[now]);
  }

  /** @param {boolean} on */
  function show(on) {
    root.classList.toggle("mb-present", on);
    // Above all else on the page, wherever the panel stands.
    root.popover = on ? "manual" : null;
    if (on) root.showPopover();
    if (on) document.addEventListener("keydown", key);
    else document.removeEventListener("keydown", key);
    button.textContent = on ? "Leave (Esc)" : "Present";
    button.setAttribute("aria-pressed", String(on));
    // The way out stands in sight, not in the menu, and so does what the text asks.
    root.querySelector(on ? ".mb-side > .mb-tools" : ".mb-toolbox > div")?.append(button);
    if (on) root.querySelector(".mb-seat")?.prepend(...posed(root));
    else root.querySelector(".mb-posed")?.remove();
    root.querySelector(".mb-toolbox")?.removeAttribute("open");
    picture.present(on);
    if (!on) root.scrollIntoView({ block: "nearest" });
    if (on) button.focus();
    else /** @type {HTMLElement | null} */ (root.querySelector(".mb-toolbox > summary"))?.focus();
  }

  const button = tool("Present", () => show(!root.classList.contains("mb-present")));
  button.setAttribute("aria-pressed", "false");
  return button;
}

// A panel in another page: the lines that put it there, and its height, told to that page.

/**
 * The lines of HTML that show a panel, as it is now, in another page.
 * @param {Host} panel
 * @param {string} script the address of this script, beside which the book's panels lie
 * @param {number} height
 */
export function embedCode({ spec, values }, script, height) {
  const page = new URL(`../embed/${spec.id}.html`, script).href;
  const source = addressOf(spec, values, page).replaceAll("&", "&amp;");
  const title = spec.title.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  const look = `width="100%" height="${height}" style="border: 0" loading="lazy"`;
  return `<iframe src="${source}" title="${title}" ${look}></iframe>
<script>
  addEventListener("message", ({ data, source }) => {
    for (const frame of document.querySelectorAll("iframe")) {
      if (data?.mipbook && frame.contentWindow === source) frame.height = data.height;
    }
  });
</script>
`;
}

/**
 * The button that copies them; none where the book is not, or the panel is already elsewhere.
 * @param {Host} panel
 * @param {HTMLElement} root
 */
function embedButton(panel, root) {
  if (!own || panel.spec.face !== "static" || document.body.classList.contains("mb-embed")) {
    return null;
  }
  const button = tool("Embed", async () => {
    const code = embedCode(panel, own, root.offsetHeight);
    button.dataset.code = code;
    if (await copied(code)) button.textContent = "Lines copied";
    else prompt("These lines show the panel in another page:", code);
    setTimeout(() => {
      button.textContent = "Embed";
    }, 2000);
  });
  button.title = "Copy the lines of HTML that show this panel in another page";
  return button;
}

/** Tell the page around how high this one is, now and whenever it changes. */
export function tellHeight() {
  if (!document.body.classList.contains("mb-embed") || parent === window) return;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    parent.postMessage({ mipbook: true, height }, "*");
  };
  new ResizeObserver(tell).observe(document.body);
}
