// A panel: it draws the controls, asks its source for the figure of their values, and shows it.
/** @import { LoadSource } from "./plotly.js" */
/** @import { Figure, Host, LinkState, Row, Source, Spec, Taken, Value, Values } from "./types" */
import { addressIsOurs, keepAll, noteAddress, readAddress, startAgain } from "./address.js";
import { bodyOf, rowOf, saveButtons } from "./body.js";
import { showCommand } from "./command.js";
import { element, messageOf } from "./dom.js";
import { ghostButton } from "./ghost.js";
import { Grabs } from "./grab.js";
import { LOST } from "./link.js";
import { Marks } from "./marks.js";
import { setAlone } from "./motion.js";
import { Picture } from "./picture.js";
import { Cancelled } from "./sources.js";
import { moved, startOf } from "./values.js";
import { askedOn, beginsAt, boundOn } from "./veil.js";
import { Waiting } from "./waiting.js";

/** @implements {Host} */
export class Panel {
  /**
   * @param {HTMLElement} root
   * @param {Spec} spec
   * @param {Source} source
   * @param {LoadSource | null} loadSource
   */
  constructor(root, spec, source, loadSource) {
    this.root = root;
    this.spec = spec;
    this.source = source;
    this.ticket = 0;
    /** @type {Values | null} */
    this.shownValues = null;
    /** @type {(() => void) | null} */
    this.afterDraw = null;
    /** @type {(() => void) | null} */
    this.afterStart = null;
    /** @type {Values} */
    this.start = startOf(spec);
    const asked = readAddress(spec, source);
    /** @type {Values} */
    this.values = { ...this.start, ...beginsAt(spec.id, spec.controls), ...asked.values };
    /** The case that a guess asks about; nobody chose it, so it has no place in the address. */
    this.posed = Object.keys(asked.values).length ? null : this.values;
    /** What to say of the address, once, after the first picture. */
    this.notes = asked.notes;
    this.error = element("p", { class: "mb-error", role: "alert", hidden: true });
    this.lost = element("p", { class: "mb-lost", role: "alert", hidden: true });
    this.waiting = new Waiting(source.link, () => this.pale());
    this.picture = new Picture(spec, loadSource, () => this.isAnswer());
    this.grabs = new Grabs(this, this.picture.plot, this.picture.overlay);
    this.marks = new Marks(this, this.picture.plot, this.picture.overlay);
    this.picture.onDrawn = (ahead) => this.drawn(ahead);
    this.picture.say = (text) => this.rows.forEach((r) => r.say?.(text));
    this.saves = saveButtons(this, this.picture);
    this.last = ghostButton(this.picture);
    /** @type {Row[]} */
    this.rows = spec.controls.map((control) => rowOf(control, this));
    this.bind();
    root.classList.add("mb-ready");
    root.replaceChildren(bodyOf(this));
    this.unlink = source.link?.watch((state) => this.showLink(state));
    this.unlisten = source.progress?.((now) => this.waiting.hear(now));
  }

  /**
   * Show the case that a guess asks about, with what may be seen of it.
   * @param {Values} values
   */
  pose(values) {
    this.posed = values;
    this.values = values;
    this.bind();
    this.picture.refold();
    this.update();
  }

  /** What is asked about stays, and what is the guess is moved by its mark alone. */
  bind() {
    const bound = boundOn(this.spec.id);
    this.spec.controls.forEach(({ name }, i) => {
      this.rows[i].row.hidden = bound.includes(name);
    });
    this.root.classList.toggle("mb-bare", this.rows.every(({ row }) => row.hidden));
  }

  /** The figure that is drawn, which may be of other values. */
  get shown() {
    return this.picture.shown;
  }

  /**
   * @param {string} name
   * @param {Value} value
   */
  set(name, value) {
    if (this.values[name] === value) return this.showValues();
    this.values = moved(this.spec.controls, this.values, name, value);
    return this.update();
  }

  /** @param {Values} values */
  follow(values) {
    if (JSON.stringify(values) === JSON.stringify(this.values)) return;
    this.values = { ...values };
    this.update();
  }

  /**
   * Take all values anew, with controls as the source has them now.
   * @param {Values} values
   * @param {Record<string, Taken>} notes
   */
  retake(values, notes) {
    this.rows = this.rows.map((old, i) => rowOf(this.spec.controls[i], this, old));
    Object.assign(this, { values, notes });
    this.update();
  }

  /** What a press changes is moved to. @param {boolean} [playing] by itself, stop after stop */
  glide(playing = false) {
    Object.assign(this.picture, { gliding: true, playing });
  }

  reset() {
    this.values = { ...this.start, ...askedOn(this.spec.id) };
    this.picture.ghost.forget();
    this.glide();
    this.rows.forEach((r) => r.reset?.());
    this.update();
  }

  showValues() {
    this.spec.controls.forEach((control, i) => this.rows[i].show(this.values[control.name]));
    showCommand(this.root, this.spec, this.values);
  }

  /** @param {boolean} allowed */
  allowSaves(allowed) {
    this.saves.forEach((b) => {
      b.disabled = !allowed;
    });
  }

  isAnswer() {
    return this.error.hidden && !this.root.classList.contains("mb-pending");
  }

  // Nothing may be taken for the answer while there is none: neither picture, words nor files.
  pend() {
    this.root.dataset.settled = "no";
    this.allowSaves(false);
    this.waiting.begin();
  }

  pale() {
    this.root.classList.add("mb-pending");
    this.root.setAttribute("aria-busy", "true");
    this.picture.pale();
  }

  rest() {
    this.waiting.end();
    this.root.classList.remove("mb-pending");
    this.root.removeAttribute("aria-busy");
  }

  async update() {
    const ticket = ++this.ticket;
    const started = performance.now();
    this.showValues();
    this.pend();
    if (this.source.link && this.source.link.state !== "here") keepAll(this);
    const values = this.values;
    try {
      const figure = await this.source.figure(values);
      if (ticket !== this.ticket) return;
      await this.answered(figure, values);
    } catch (problem) {
      if (ticket !== this.ticket) return;
      this.failed(problem);
    } finally {
      if (ticket === this.ticket) this.settled(started);
    }
    const begin = this.afterStart;
    this.afterStart = null;
    begin?.();
  }

  /**
   * @param {Figure} figure
   * @param {Values} values
   */
  async answered(figure, values) {
    this.picture.take(figure, values);
    const first = this.shownValues === null;
    this.shownValues = values;
    this.rest();
    this.fail(null);
    const found = this.source.found?.() ?? null;
    await this.picture.draw();
    this.rows.forEach((r) => r.drawn?.(figure, found));
    // A game has its words only now, and they take place too.
    if (first && this.spec.controls.some((c) => c.kind === "rounds")) await this.picture.refit();
    this.afterDraw?.();
    this.afterDraw = null;
    this.allowSaves(true);
  }

  /** At any drawing anew things have other places. @param {boolean} [ahead] of one to come */
  drawn(ahead) {
    this.grabs.drawn();
    if (!ahead) this.marks.drawn();
    this.last.disabled = !this.picture.ghost.old;
  }

  /** @param {unknown} problem */
  failed(problem) {
    this.rest();
    if (problem instanceof Cancelled && this.shownValues) {
      this.goBack(this.shownValues);
      return;
    }
    const cancelled = problem instanceof Cancelled;
    this.fail(cancelled ? "The computation was cancelled." : messageOf(problem), problem);
    const found = this.source.found?.() ?? null;
    this.rows.forEach((r, i) => {
      if (this.spec.controls[i].kind === "file") r.drawn?.(null, found);
    });
  }

  /** @param {number} started */
  settled(started) {
    for (const [name, note] of Object.entries(this.notes)) {
      this.rows[this.spec.controls.findIndex((c) => c.name === name)].remark(note);
    }
    this.notes = {};
    noteAddress(this.spec, this.values === this.posed ? this.start : this.values);
    this.root.dataset.redraw = (performance.now() - started).toFixed(1);
    this.root.dataset.settled = JSON.stringify(this.values);
  }

  // After Cancel the controls go back to what the picture shows, and say so.
  /** @param {Values} values */
  goBack(values) {
    this.values = { ...values };
    this.showValues();
    this.fail(null);
    this.picture.draw();
    const found = this.source.found?.() ?? null;
    this.rows.forEach((r) => r.drawn?.(this.shown, found));
    this.allowSaves(true);
    this.waiting.sayBack();
  }

  /** @param {string | null} message @param {unknown} [problem] whether a terminal has an answer */
  fail(message, problem) {
    this.error.hidden = message === null;
    this.error.textContent = message === null ? "" : `No picture for these values. ${message}`;
    this.root.classList.toggle("mb-failed", message !== null);
    this.root.classList.toggle("mb-nowhere", message !== null && !Object(problem).elsewhere);
    if (message !== null) this.picture.blank();
  }

  /** @param {LinkState} state */
  showLink(state) {
    this.root.classList.toggle("mb-pending", state !== "here" || this.waiting.told);
    this.lost.hidden = state === "here";
    if (state === "here") {
      this.lost.replaceChildren();
      if (this.waiting.asked) return;
      this.picture.draw();
      this.allowSaves(this.error.hidden === true);
      return;
    }
    this.picture.clear();
    this.allowSaves(false);
    if (state === "away") this.lost.replaceChildren(LOST.away);
    else if (!addressIsOurs()) this.lost.replaceChildren(LOST.notebook);
    else startAgain(this);
  }

  /** @param {boolean} alone @param {number | null} [come] so many of the other controls */
  playAlone(alone, come = null) {
    setAlone(this, alone, come);
  }

  /** @param {boolean} shown */
  async reveal(shown) {
    this.picture.revealed = shown;
    this.glide();
    await this.picture.draw();
  }

  remove() {
    this.unlink?.();
    this.unlisten?.();
    this.picture.remove();
  }
}
