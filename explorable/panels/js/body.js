// The parts of a panel, in their places.
/** @import { Panel } from "./panel.js" */
import { addressIsOurs, copyLink } from "./address.js";
import { element, tool } from "./dom.js";
import { embedButton } from "./embed.js";
import { hereBar } from "./here-bar.js";
import { presentButton } from "./present.js";
import { toolbox } from "./toolbox.js";
import { questionsOf } from "./veil.js";

/** Where the guesses about a panel are made, beside its picture. @param {Panel} panel */
function seatOf({ root, spec }) {
  const seat = element("div", { class: "mb-seat" });
  if (root.dataset.face === "live") return seat;
  const own = questionsOf(spec.id).filter((question) => question.spec.panels[0] === spec.id);
  seat.append(...own.map((question) => question.root));
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
    ...words,
    hereBar(panel),
    panel.error,
    panel.lost,
    element("div", { class: "mb-tools" }, reset, toolbox(tools)),
  );
  stage.append(panel.waiting.node);
  const main = element("div", { class: "mb-main" }, stage, legend, table);
  const title = element("p", { class: "mb-title" }, spec.title);
  const kind = { class: played ? "mb-body mb-game" : "mb-body" };
  const alone = picture.alone ? { "data-alone": "" } : {};
  return element("div", { ...kind, ...alone }, title, side, main);
}
