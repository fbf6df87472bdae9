// The guessing game: answer, see the truth, next round; the score is plain counting.
/** @import { Control, Figure, Host, Row, Values } from "./types" */
import { element, newId } from "./dom.js";
import { kept } from "./fields.js";
import { isLinked, keepBack } from "./veil.js";

// So many fit beside the score, on a phone too.
const DOTS = 8;
/** @type {Record<string, string>} */
const DOT = { true: "mb-hit", false: "mb-miss" };

/**
 * Whether a solved round still is: its words stay, and only what is dragged beside it moved.
 * @param {Figure | null} was
 * @param {Figure} now
 * @param {Values | null} old
 * @param {Values} values
 */
export function isSolved(was, now, old, values) {
  const [before, after] = [was, now].map((figure) => figure?.layout.meta ?? {});
  const words = [before, after].map(({ question, replies }) => JSON.stringify([question, replies]));
  const beside = (after.grab ?? []).map(({ control }) => control);
  const moved = Object.keys(values).filter((name) => values[name] !== old?.[name]);
  return words[0] === words[1] && moved.every((name) => beside.includes(name));
}

/**
 * @param {Control} control
 * @param {Host} panel
 * @returns {Row}
 */
export function roundsRow(control, panel) {
  const { alone = 0 } = control;
  const places = Math.min(DOTS, control.stops.length);
  const score = { played: 0, reader: 0, optimal: 0 };
  /** @type {boolean[]} whether the reader was right, the last rounds of this score */
  let hits = [];
  const question = element("p", { class: "mb-question", id: newId() }, control.label);
  const grouped = { class: "mb-options", role: "group", "aria-labelledby": question.id };
  const buttons = element("span", grouped);
  const verdict = element("p", { class: "mb-verdict", role: "status" });
  const table = element("p", { class: "mb-score", role: "status" });
  // These lie under them, unseen, and keep their room: nothing moves when the words come.
  const rooms = ["verdict", "score"].map((name) =>
    element("p", { class: `mb-room mb-room-${name}`, "aria-hidden": "true" }),
  );
  const after = element("p", { class: "mb-afterwards", role: "status" });
  const whole = { type: "button", class: "mb-more mb-all", onclick: showAll };
  // A game that is all of its panel has nothing else to show.
  const all =
    alone && panel.spec.controls.length > 1 ? element("button", whole, "Show all controls") : null;
  const attributes = { class: "mb-control mb-rounds", "data-control": control.name };
  const row = element("div", attributes, question, buttons, verdict, table, ...rooms, after, all);
  /** @type {string | null} */
  let asked = null;

  // Whoever has played, or comes for a state of the panel, has all of it at once.
  const memory = kept(`${panel.spec.id}.all`);
  if (alone && !memory.load() && !isLinked(panel.spec.id)) {
    panel.playAlone(true);
    keepBack(panel.spec.id, true);
  }
  let answers = 0;
  // How many of the other controls have come: two, and all with the next round.
  let come = 0;

  /** @param {boolean} [now] all of them */
  function showMore(now = false) {
    const others = panel.spec.controls.length - 1;
    come = now || come || others < 3 ? others : 2;
    if (come === others) memory.save(true);
    keepBack(panel.spec.id, false);
    panel.playAlone(false, come < others ? come : null);
  }

  function showAll() {
    showMore(true);
    buttons.querySelector("button")?.focus({ preventScroll: true });
  }

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
    const own = `You: ${reader} of ${played} right.`;
    const best = `${meta().rival ?? "The best player"}: ${optimal}.`;
    return played < alone || !meta().optimal ? own : `${own} ${best}`;
  }

  function sayScore() {
    row.dataset.score = JSON.stringify(score);
    const slots = score.played ? Array.from({ length: places }, (_, i) => hits[i]) : [];
    const dots = slots.map((hit) => element("i", { class: DOT[`${hit}`] }));
    dots[hits.length - 1]?.classList.add("mb-last");
    const seen = element("span", { class: "mb-dots", "aria-hidden": "true" }, ...dots);
    table.replaceChildren(seen, told(score));
    // Once said it stays, or what is below would hop.
    if (after.textContent || score.played >= alone) after.textContent = meta().afterwards ?? "";
  }

  function keepRoom() {
    // Numbers of other rounds may have two digits more.
    const most = { played: 99, reader: 99, optimal: 99 };
    const said = [...Object.values(meta().replies ?? {}), question.textContent ?? ""];
    const longest = said.reduce((a, b) => (b.length > a.length ? b : a));
    const words = [`${longest} 000`, told(score.played < alone ? { ...most, played: 1 } : most)];
    rooms.forEach((room, i) => {
      if (words[i].length > (room.textContent ?? "").length) room.textContent = words[i];
    });
  }

  function startAnew() {
    Object.assign(score, { played: 0, reader: 0, optimal: 0 });
    hits = [];
  }

  function following() {
    const now = control.stops.indexOf(/** @type {any} */ (panel.values[control.name]));
    return control.stops[(now + 1) % control.stops.length];
  }

  function next() {
    buttons.replaceChildren();
    panel.glide();
    panel.set(control.name, following());
    panel.afterDraw = () => buttons.querySelector("button")?.focus({ preventScroll: true });
  }

  /** @param {string} key */
  async function guess(key) {
    const { answer, optimal, replies } = meta();
    score.played += 1;
    // Also of several games, whose scores begin anew.
    if (++answers === alone) keepBack(panel.spec.id, false);
    score.reader += key === answer ? 1 : 0;
    hits = [...hits, key === answer].slice(-places);
    score.optimal += optimal === answer ? 1 : 0;
    say("");
    const said = [key, answer, optimal].filter((each) => each !== undefined).join("/");
    verdict.textContent = replies?.[said] ?? "";
    const button = answerButton("next", "Next round", next);
    buttons.replaceChildren(button);
    button.focus({ preventScroll: true });
    sayScore();
    await panel.root.begun;
    await panel.reveal(true);
    if (alone && (come || score.played >= alone) && !memory.load()) showMore();
  }

  /** @param {string} text in the place of the question, which is its last sentence */
  function say(text) {
    const lead = text.match(/^(?:.*\. )?/)?.[0] ?? "";
    verdict.textContent = "";
    question.replaceChildren(lead, element("strong", {}, text.slice(lead.length)));
  }

  /** The state but for the round, and for what is dragged beside the game. @param {string} state */
  function rest(state) {
    const free = [control.name, ...(meta().grab ?? []).map((each) => each.control)];
    return JSON.stringify(JSON.parse(state), (key, value) => (free.includes(key) ? null : value));
  }

  function ask() {
    const state = JSON.stringify(panel.values);
    if (state === asked) return;
    if (asked !== null && panel.picture.revealed) {
      asked = state;
      return;
    }
    // Another setting is another game: its score starts anew.
    if (asked !== null && rest(state) !== rest(asked)) startAnew();
    asked = state;
    say(meta().question ?? control.label);
    keepRoom();
    const options = meta().options ?? [];
    buttons.replaceChildren(
      ...options.map(([key, text]) => answerButton(key, text, () => guess(key))),
    );
    sayScore();
  }

  return {
    row,
    // While a round is dealt nobody is asked about the last one; another setting deals the next.
    show() {
      const state = JSON.stringify(panel.values);
      if (state === asked) return;
      if (!panel.picture.revealed) {
        buttons.querySelectorAll("button").forEach((button) => (button.disabled = true));
      } else if (asked && rest(state) !== rest(asked)) {
        const dealt = JSON.parse(asked)[control.name] !== panel.values[control.name];
        if (!dealt) panel.values = { ...panel.values, [control.name]: following() };
      }
    },
    remark: () => {},
    posed: ask,
    drawn: ask,
    say,
    reset() {
      startAnew();
      panel.picture.revealed = false;
      asked = null;
    },
  };
}
