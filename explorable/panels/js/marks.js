// A guess in the picture: a dot that the reader puts where the mark should be, by hand or by keys;
// then the truth moves from there to its place, and both stay.
/** @import { Pixel } from "./grab.js" */
/** @import { Host, PlotNode } from "./types" */
/** @import { Question } from "./veil.js" */
import { cover, layWay, spotOf } from "./area.js";
import { element } from "./dom.js";
import { axesOf, pixelOf } from "./grab.js";
import { boxesIn, putLabel } from "./labels.js";
import { isStill } from "./motion.js";
import { spoken } from "./symbols.js";
import { isCase, isUnseen, putBy, questionsOf, truly } from "./veil.js";

/** How long a truth takes to come, in milliseconds; `prefers-reduced-motion` has it at once. */
const [COMING, EASE] = [450, "cubic-bezier(.3, .8, .3, 1)"];
const [STRIDE, RING] = [0.1, { w: 22, h: 22, cost: 500 }];
// Where the picture has a mark of its own, the truth only names it.
const OWN = 6;

/** @param {Element} node @param {Keyframe[]} frames */
function ease(node, frames) {
  return isStill() ? null : node.animate(frames, { duration: COMING, easing: EASE });
}

/** The words of a mark, which its own name says to who does not see them. */
const said = () => element("span", { class: "mb-said", "aria-hidden": "true" });

/**
 * A line over the picture, as what a label keeps off.
 * @param {HTMLElement} rail
 * @param {Pixel} spot on it
 */
function barred({ style }, { x, y }) {
  const [w, h] = [parseFloat(style.width) || 2, parseFloat(style.height) || 2];
  const [left, top] = w > h ? [0, y] : [x, 0];
  return [{ x: left, y: top, w: w > h ? 1e4 : 2, h: w > h ? 2 : 1e4, cost: 30 }];
}

/**
 * What a dot says to who does not see it: a slider, and once the guess is made a mark.
 * @param {HTMLElement} node
 * @param {Question} question
 * @param {string} text
 */
function tell(node, { spec, lifted, place }, text) {
  const { places = [], start = 0 } = spec.mark ?? {};
  const slider = {
    tabindex: "0",
    "aria-valuemin": "0",
    "aria-valuemax": `${places.length - 1}`,
    "aria-valuenow": `${place ?? start}`,
    "aria-valuetext": place === null ? "not put yet" : spoken(text),
  };
  for (const [key, value] of Object.entries(slider)) {
    if (lifted) node.removeAttribute(key);
    else node.setAttribute(key, value);
  }
  node.setAttribute("role", lifted ? "img" : "slider");
  const asked = `Your guess, in the picture: ${spoken(spec.label)}`;
  node.setAttribute("aria-label", lifted ? `Your guess: ${spoken(text)}` : asked);
}

/** The marks that the guesses about a panel ask for. */
export class Marks {
  /**
   * @param {Host} panel
   * @param {HTMLElement} node
   * @param {HTMLElement} overlay what lies over the plot
   */
  constructor(panel, node, overlay) {
    this.panel = panel;
    this.plot = /** @type {PlotNode} */ (node);
    this.overlay = overlay;
    /** @type {Map<string, HTMLElement>} the dots, by guess */
    this.dots = new Map();
    /** The truths, by guess. @type {Map<string, HTMLElement>} */
    this.truths = new Map();
    this.rail = element("div", { class: "mb-mark-rail", hidden: true });
    this.way = element("div", { class: "mb-mark-rail mb-mark-way", hidden: true });
    this.area = element("div", { class: "mb-mark-area", hidden: true });
    overlay.append(this.area, this.rail, this.way);
    /** Which traces were unseen in the last drawing. @type {Set<number>} */
    this.unseen = new Set();
    node.addEventListener("pointerdown", (event) => {
      const inside = event.target instanceof Element && event.target.closest(".draglayer");
      const question = this.open;
      const dot = question && this.dots.get(question.spec.name);
      if (!inside || !question || !dot || event.button > 0) return;
      this.hold(question, dot, event);
    });
  }

  get all() {
    const { id } = this.panel.spec;
    return questionsOf(id).filter(({ spec }) => spec.mark?.axis && spec.panels[0] === id);
  }

  /** The guess that is to be put now. */
  get open() {
    return this.all.find(({ lifted }) => !lifted);
  }

  /**
   * @param {Question} question
   * @param {HTMLElement} node
   * @param {PointerEvent} event
   */
  hold(question, node, event) {
    event.preventDefault();
    node.focus({ preventScroll: true });
    node.setPointerCapture(event.pointerId);
    node.dataset.held = "yes";
    this.pull(question, event);
  }

  /** The place nearest to the pointer. @param {Question} question @param {PointerEvent} event */
  pull(question, event) {
    const mark = question.spec.mark;
    if (!mark) return;
    const side = axesOf(this.plot, mark.axis).upright ? "y" : "x";
    const here = pixelOf(this.plot, event)[side];
    const spots = mark.places.map(({ value }) => spotOf(this.plot, mark, value)[side]);
    const far = spots.map((spot) => Math.abs(spot - here));
    question.put(far.indexOf(Math.min(...far)));
  }

  /** @param {Question} question */
  dot(question) {
    const node = element("div", {
      class: "mb-handle mb-mark",
      "data-mark": question.spec.name,
      "data-lm-suppress-shortcuts": "true",
      onpointerdown: (/** @type {PointerEvent} */ event) => this.hold(question, node, event),
      onpointermove: (/** @type {PointerEvent} */ event) => {
        if (node.dataset.held) this.pull(question, event);
      },
      onpointerup: () => delete node.dataset.held,
      onpointercancel: () => delete node.dataset.held,
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(question, event),
    });
    node.append(said());
    this.overlay.append(node);
    return node;
  }

  /** @param {Question} question @param {KeyboardEvent} event */
  key(question, event) {
    const last = (question.spec.mark?.places.length ?? 1) - 1;
    const now = question.place ?? question.spec.mark?.start ?? 0;
    const leap = Math.max(1, Math.round(STRIDE * last));
    /** @type {Record<string, number>} */
    const steps = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: leap,
      PageDown: -leap,
    };
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    question.put(Math.min(Math.max(now + steps[event.key], 0), last));
  }

  /** Put each dot where its guess is, and the truth beside it; their words where there is room. */
  drawn() {
    if (!this.plot.data) return;
    const { shownValues, picture, spec: panel } = /** @type {any} */ (this.panel);
    const { clientWidth: width, clientHeight: height } = this.overlay;
    /** @type {ReturnType<typeof boxesIn> | null} */
    let taken = null;
    this.rail.hidden = this.way.hidden = this.area.hidden = true;
    putBy(panel, shownValues);
    for (const question of this.all) {
      const { spec, lifted, linked, place } = question;
      const mark = spec.mark;
      if (!mark) continue;
      const node = this.dots.get(spec.name) ?? this.dot(question);
      const truth = this.truths.get(spec.name) ?? this.truth();
      this.dots.set(spec.name, node);
      this.truths.set(spec.name, truth);
      // What was guessed of one case says nothing of another.
      const here = isCase(spec, panel.controls, shownValues, mark.bind);
      const asking = question === this.open;
      node.hidden = picture.paper || (lifted ? !here || place === null : !asking);
      truth.hidden = picture.paper || !lifted || linked || !here;
      if (node.hidden && truth.hidden) continue;
      const at = mark.places[place ?? mark.start];
      const [spot, goal] = [at.value, mark.truth].map((v) => spotOf(this.plot, mark, v));
      // The unit is said beside the picture.
      const bare = at.text.replace(` ${spec.unit}`, "");
      const words = lifted ? `your guess: ${bare}` : place === null ? "drag me" : bare;
      taken ??= boxesIn(this.plot);
      const marked = taken.some(({ x, y, w, h }) => {
        const near = Math.hypot(x + w / 2 - goal.x, y + h / 2 - goal.y) < OWN;
        return near && Math.max(w, h) > 6 && Math.max(w, h) < 30;
      });
      // A level has no place on the other axis: its line says where it is.
      truth.classList.toggle("mb-own", marked || mark.at === null);
      node.classList.toggle("mb-marked", lifted);
      if (!node.hidden) cover(this.area, this.plot, mark, at.value);
      this.area.classList.toggle("mb-marked", lifted);
      if (!lifted) layWay(this.rail, this.plot, mark, spot);
      else if (mark.at === null && !marked) layWay(this.way, this.plot, mark, goal);
      if (!this.rail.hidden) taken.push(...barred(this.rail, spot));
      if (!this.way.hidden) taken.push(...barred(this.way, goal));
      const told = /** @type {const} */ ([
        [node, spot, words],
        [truth, goal, `${truly(spec)} ${spec.truth.text}`],
      ]);
      const shown = told.filter(([dot]) => !dot.hidden);
      const rivals = shown.map(([, where]) => where);
      for (const [, { x, y }] of shown) taken.push({ x: x - 11, y: y - 11, ...RING });
      for (const [dot, where, text] of shown) {
        dot.style.translate = `${where.x}px ${where.y}px`;
        dot.dataset.said = text;
        const label = /** @type {HTMLElement} */ (dot.firstElementChild);
        label.textContent = text;
        const others = lifted ? this.alike(mark, where) : [];
        putLabel(label, where, others, taken, { width, height }, rivals);
      }
      node.dataset.turn = mark.axis[0];
      // The build's picture knows two sides.
      node.classList.toggle("mb-words-left", spot.x > 0.7 * width);
      truth.setAttribute("aria-label", spoken(`${truly(spec)} ${spec.truth.text} ${spec.unit}`));
      tell(node, question, at.text);
    }
    this.appear();
  }

  /**
   * Other places on the line of a level.
   * @param {NonNullable<Question["spec"]["mark"]>} mark
   * @param {Pixel} spot
   */
  alike({ axis, at }, spot) {
    if (at !== null) return [];
    const { x, y, upright } = axesOf(this.plot, axis);
    const across = upright ? x : y;
    return [0.06, 0.2, 0.35, 0.65, 0.8, 0.94].map((part) => ({
      ...spot,
      [upright ? "x" : "y"]: across._offset + part * across._length,
    }));
  }

  truth() {
    const node = element("div", { class: "mb-mark-truth", role: "img" }, said());
    this.overlay.append(node);
    return node;
  }

  /** What was missing has glided in with its picture; then the truth moves to its place. */
  appear() {
    const { data } = /** @type {any} */ (this.plot);
    const now = new Set([...data.keys()].filter((i) => isUnseen(data[i])));
    const fresh = [...this.unseen].filter((i) => !now.has(i));
    this.unseen = now;
    if (!fresh.length || isStill()) return;
    for (const { spec, place } of this.all) {
      const node = this.truths.get(spec.name);
      if (!spec.mark || place === null || !node || node.hidden) continue;
      const { x, y } = spotOf(this.plot, spec.mark, spec.mark.places[place].value);
      ease(node, [{ translate: `${x}px ${y}px` }, { translate: node.style.translate }]);
    }
  }
}
