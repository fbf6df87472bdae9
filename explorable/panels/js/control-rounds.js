// The guessing game: answer, see the truth, next round; the score is plain counting.
/** @import { Control, Host, Row } from "./types" */
import { element, newId } from "./dom.js";

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function roundsRow(control, panel) {
  const score = { played: 0, reader: 0, optimal: 0 };
  const question = element("p", { class: "mb-question", id: newId() }, control.label);
  const grouped = { class: "mb-options", role: "group", "aria-labelledby": question.id };
  const buttons = element("span", grouped);
  const verdict = element("p", { class: "mb-verdict", role: "status" });
  const table = element("p", { class: "mb-score", role: "status" });
  // These lie under them, unseen, and keep their room: nothing moves when the words come.
  const rooms = ["verdict", "score"].map((name) =>
    element("p", { class: `mb-room mb-room-${name}`, "aria-hidden": "true" }),
  );
  const attributes = { class: "mb-control mb-rounds", "data-control": control.name };
  const row = element("div", attributes, question, buttons, verdict, table, ...rooms);
  /** @type {string | null} */
  let asked = null;

  const meta = () => panel.shown?.layout.meta ?? {};

  /**
   * @param {string} key
   * @param {string} text
   * @param {() => void} onclick
   */
  function answerButton(key, text, onclick) {
    const own = { type: "button", class: "mb-guess", "data-guess": key, onclick };
    return element("button", own, text);
  }

  /** @param {typeof score} score */
  function told({ played, reader, optimal }) {
    if (!played) return "";
    const of = `of ${played}`;
    const both = `You: ${reader} ${of} right. The optimal attacker: ${optimal} ${of}.`;
    return `${both} ${meta().benchmark ?? ""}`;
  }

  function sayScore() {
    row.dataset.score = JSON.stringify(score);
    table.textContent = told(score);
  }

  function keepRoom() {
    // Numbers of other rounds may have two digits more.
    const most = { played: 99, reader: 99, optimal: 99 };
    const words = [`Wrong. ${meta().reveal ?? ""} 000`, told(most)];
    rooms.forEach((room, i) => {
      if (words[i].length > (room.textContent ?? "").length) room.textContent = words[i];
    });
  }

  function startAnew() {
    Object.assign(score, { played: 0, reader: 0, optimal: 0 });
  }

  function next() {
    const now = control.stops.indexOf(/** @type {any} */ (panel.values[control.name]));
    panel.set(control.name, control.stops[(now + 1) % control.stops.length]);
    panel.afterDraw = () => buttons.querySelector("button")?.focus({ preventScroll: true });
  }

  /** @param {string} key */
  function guess(key) {
    const { answer, optimal, reveal } = meta();
    score.played += 1;
    score.reader += key === answer ? 1 : 0;
    score.optimal += optimal === answer ? 1 : 0;
    verdict.textContent = `${key === answer ? "Right." : "Wrong."} ${reveal ?? ""}`;
    const button = answerButton("next", "Next round", next);
    buttons.replaceChildren(button);
    button.focus({ preventScroll: true });
    sayScore();
    panel.reveal(true);
  }

  /** The state without the round. */
  const others = (/** @type {string} */ state) =>
    JSON.stringify({ ...JSON.parse(state), [control.name]: null });

  function ask() {
    const state = JSON.stringify(panel.values);
    if (state === asked) return;
    // Another setting is another game: its score starts anew.
    if (asked !== null && others(state) !== others(asked)) startAnew();
    asked = state;
    verdict.textContent = "";
    keepRoom();
    const options = meta().options ?? [];
    buttons.replaceChildren(
      ...options.map(([key, text]) => answerButton(key, text, () => guess(key))),
    );
    sayScore();
  }

  return {
    row,
    show: () => {},
    remark: () => {},
    drawn: ask,
    reset() {
      startAnew();
      asked = null;
    },
  };
}
