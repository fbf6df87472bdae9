// What is missing from a picture until its reader has guessed, or asks to see it.
/** @import { Root } from "./faces.js" */
/** @import { Asked, Control, Figure, Trace, Values } from "./types" */
import { nearest } from "./values.js";

/**
 * A guess of this page: its box, whether its answer may be seen, and how to show it unasked.
 * @typedef {{ spec: Asked, root: HTMLElement, lifted: boolean, linked: boolean,
 *   place: number | null, put: (place: number) => void, lift: () => void }} Question
 */

/** The guesses of this page, by name. @type {Map<string, Question>} */
const questions = new Map();

/** Whether the address asks for a panel, or for a state of it. @param {string} id */
export function isLinked(id, { search, hash } = location) {
  const keys = [...new URLSearchParams(search).keys()];
  return hash === `#${id}` || keys.some((key) => key.startsWith(`${id}.`));
}

/** The guesses about a panel. @param {string} id */
export const questionsOf = (id) =>
  [...questions.values()].filter(({ spec }) => spec.panels.includes(id));

/** Those of them that are still to be made. @param {string} id */
export const openOn = (id) => questionsOf(id).filter(({ lifted }) => !lifted);

/**
 * The case that a panel goes to when a guess is made, at stops that it has.
 * @param {Asked} spec
 * @param {Control[]} controls
 * @returns {Values}
 */
function caseOf({ state, then }, controls) {
  const all = { ...state, ...then };
  const own = controls.filter(({ name }) => name in all);
  return Object.fromEntries(own.map((c) => [c.name, c.stops[nearest(c, all[c.name])]]));
}

/**
 * Whether a panel shows it.
 * @param {Asked} spec
 * @param {Control[]} controls
 * @param {Values | null} values
 * @param {string} [besides] a control that does not count
 */
export const isCase = (spec, controls, values, besides) =>
  Object.entries(caseOf(spec, controls)).every(
    ([name, value]) => name === besides || values?.[name] === value,
  );

/** How a picture names what was asked for. @param {Asked} spec */
export const truly = ({ tag, truly: own }) =>
  own || (tag?.startsWith("bound") ? "proved:" : "in truth:");

/**
 * What was said of one case is not said beside another.
 * @param {{ id: string, controls: Control[] }} panel
 * @param {Values | null} values
 */
export function putBy({ id, controls }, values) {
  for (const { spec, root, lifted } of questionsOf(id)) {
    const here = isCase(spec, controls, values, spec.mark?.bind);
    if (spec.panels[0] === id) root.toggleAttribute("data-past", lifted && !here);
  }
}

/**
 * Where a panel begins: at what is asked of it, or at what was asked last.
 * @param {string} id
 * @param {Control[]} controls
 * @returns {Values}
 */
export function beginsAt(id, controls) {
  if (openOn(id).length) return askedOn(id);
  const made = questionsOf(id).filter(({ linked }) => !linked);
  return made.length ? caseOf(made[made.length - 1].spec, controls) : {};
}

/** The case that is asked about now. @param {string} id @returns {Values} */
export const askedOn = (id) => ({ ...openOn(id)[0]?.spec.state });

/**
 * The controls of a panel that stay until it is guessed: the asked case, and what the marks move.
 * @param {string} id
 */
export const boundOn = (id) => [
  ...openOn(id).map(({ spec }) => spec.mark?.bind),
  ...Object.keys(askedOn(id)),
];

/**
 * Ask for the guess that a panel waits for.
 * @param {string} id
 * @param {ScrollBehavior} behavior
 */
export function guessFirst(id, behavior) {
  const { root } = openOn(id)[0];
  root.dataset.first = "";
  root.tabIndex = -1;
  root.focus({ preventScroll: true });
  root.scrollIntoView({ block: "center", behavior });
}

/** What the guesses about a panel have it say. @param {string} id */
export const headlinesOn = (id) =>
  questionsOf(id).flatMap(({ spec }) => (spec.panels[0] === id && spec.headline) || []);

/**
 * A figure that says first what was asked for, in the case that was asked about.
 * @param {Figure} figure
 * @param {{ id: string, controls: Control[] }} spec
 * @param {Values | null} values
 * @returns {Figure}
 */
export function headed(figure, { id, controls }, values) {
  const own = questionsOf(id).find(
    ({ spec, lifted }) =>
      lifted && spec.headline && spec.panels[0] === id && isCase(spec, controls, values),
  );
  if (!own) return figure;
  const meta = { ...figure.layout.meta, headline: own.spec.headline };
  return { ...figure, layout: { ...figure.layout, meta } };
}

/**
 * A picture without what is asked for: its axes, its names and its other marks stay.
 * @param {Figure} figure
 * @param {Question[]} open
 * @returns {Figure}
 */
export function withheld(figure, open) {
  // Unseen, not absent: an axis of categories takes its names from what is drawn.
  const silent = { hoverinfo: "skip", hovertemplate: undefined };
  // What fills down to an axis is drawn whatever its opacity.
  const unseen = { opacity: 0, fillcolor: "transparent", ...silent };
  if (!open.length) {
    // The build draws what is seen before and what is seen after, in one picture.
    const both = globalThis.mipbookFirst;
    if (both || !figure.data.some((t) => t.meta === "asked")) return figure;
    const past = { ...unseen, showlegend: false };
    const data = figure.data.map((t) => (t.meta === "asked" ? { ...t, ...past } : t));
    return { ...figure, data };
  }
  // A guess that names no marks asks for all of them, unless it moves them.
  const all = open.some(({ spec }) => !spec.hides?.length && !spec.mark?.bind);
  const names = open.flatMap(({ spec }) => spec.hides ?? []);
  const asked = (/** @type {string} */ text) => all || names.some((name) => text.startsWith(name));
  const data = figure.data.map((t) => (asked(t.name ?? "") ? { ...t, ...unseen } : t));
  const { annotations = [], shapes = [], meta } = /** @type {any} */ (figure.layout);
  const notes = annotations.map((/** @type {any} */ note) =>
    asked(note.text ?? "") ? { ...note, opacity: 0 } : note,
  );
  const drawn = shapes.map((/** @type {any} */ s) => (all ? { ...s, opacity: 0 } : s));
  const alt = "What is asked for is missing from this picture until you guess.";
  const words = { headline: "", sentence: "", table: undefined, alt };
  const told = { ...meta, ...words, grab: [], ghost: [], probe: undefined };
  return { data, layout: { ...figure.layout, annotations: notes, shapes: drawn, meta: told } };
}

/** Whether a trace is one that `withheld` took away. @param {Trace} trace */
export const isUnseen = ({ opacity, hoverinfo }) => opacity === 0 && hoverinfo === "skip";

/**
 * Keep the text back that tells what is asked, or played for.
 * @param {string} name of a guess, or of the panel of a game
 * @param {boolean} back
 */
export function keepBack(name, back) {
  /** @type {NodeListOf<HTMLElement>} */
  const words = document.querySelectorAll(`.mb-veiled[data-guess="${name}"]`);
  words.forEach((node) => {
    node.hidden = back;
  });
}

/**
 * Show or take away what a guess is about, in the case that it asks about.
 * @param {string} name
 */
export function drawVeil(name) {
  const question = questions.get(name);
  if (!question) return;
  const { spec, lifted } = question;
  keepBack(name, !lifted);
  for (const id of spec.panels) {
    const roots = document.querySelectorAll(`section#${id}`);
    roots.forEach((root) => root.toggleAttribute("data-waits", openOn(id).length > 0));
    // All of them are shown by one button, below the last.
    const here = openOn(id).filter((open) => open.spec.panels[0] === id);
    here.forEach(({ root }, i) => {
      root.querySelector(".mb-skip")?.toggleAttribute("hidden", i + 1 < here.length);
    });
  }
  for (const panel of panelsOf(question)) {
    const { id, controls } = panel.spec;
    const next = askedOn(id);
    const own = lifted && !Object.keys(next).length ? caseOf(spec, controls) : next;
    panel.glide();
    panel.pose({ ...panel.start, ...own });
  }
}

/** The panels of a guess that have come to life. @param {Question} question */
function panelsOf({ spec }) {
  return spec.panels.flatMap((id) => {
    /** @type {NodeListOf<Root>} */
    const roots = document.querySelectorAll(`section#${id}`);
    return [...roots].flatMap(({ panel }) => panel ?? []);
  });
}

/** The reader's mark stands elsewhere. @param {Question} question @param {number} place */
export function putMark(question, place) {
  question.place = place;
  const { bind, places } = question.spec.mark ?? {};
  const stop = places?.[place].stop ?? 0;
  panelsOf(question).forEach((panel) => {
    const control = panel.spec.controls.find(({ name }) => name === bind);
    if (control) {
      panel.pose({ ...panel.values, [control.name]: control.stops[nearest(control, stop)] });
    }
    panel.marks.drawn();
  });
}

/**
 * A guess of this page; an address that asks for one of its panels shows it.
 * @param {Omit<Question, "lifted" | "linked" | "place">} asked
 * @returns {Question}
 */
export function addVeil(asked) {
  const linked = asked.spec.panels.some((id) => isLinked(id));
  const question = { ...asked, lifted: linked, linked, place: null };
  questions.set(asked.spec.name, question);
  return question;
}

/** Show a panel, whatever is asked about it. @param {Question} question */
export function showAnyway({ spec, lift }) {
  const same = spec.panels.flatMap(openOn);
  [...new Set([lift, ...same.map((other) => other.lift)])].forEach((each) => each());
}
