// The picture of a panel: the plot, its sentence and its table.
/** @import { Drawn } from "./motion.js" */
/** @import { LoadSource } from "./plotly.js" */
/** @import { DressedFigure, Figure, Scene, Spec, Told, Values } from "./types" */
import { isSolved } from "./control-rounds.js";
import { element } from "./dom.js";
import { fitPanel } from "./fit.js";
import { Ghost } from "./ghost.js";
import { putFirstLabels } from "./labels.js";
import { legendOf } from "./legend.js";
import { beginning, inScenes, isStill, play, sayFirst, scenesOf, skippable } from "./motion.js";
import { plotly } from "./plotly.js";
import { Probe, readable } from "./probe.js";
import { spoken } from "./symbols.js";
import { NARROW, dressed, isDark, ownHeight, watchTheme } from "./theme.js";
import { headed, headlinesOn, openOn, withheld } from "./veil.js";
import { Words, begun, showTable } from "./words.js";

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
const SAVED_WIDTH = 800;
// No picture on paper is higher, so that a few stand on a page.
const MOST_ON_PAPER = 360;

export class Picture {
  /**
   * @param {Spec} spec
   * @param {LoadSource | null} loadSource
   * @param {() => boolean} isAnswer whether the picture is of the panel's values
   */
  constructor(spec, loadSource, isAnswer) {
    this.spec = spec;
    this.loadSource = loadSource;
    this.isAnswer = isAnswer;
    /** @type {Figure | null} */
    this.whole = null;
    /** What it is of. @type {Values | null} */
    this.values = null;
    /** The figure without what a guess still asks for. @type {Figure | null} */
    this.shown = null;
    this.revealed = false;
    /** Whether the next drawing is moved to: not what a hand drags, or a key steps. */
    this.gliding = this.playing = false;
    /** Which drawing is the last. */
    this.turn = 0;
    /** Whether a game begins, and shows nothing but itself. */
    this.alone = this.played = false;
    /** Where a scene says what is seen. @type {(text: string) => void} */
    this.say = () => {};
    this.drawnWidth = 0;
    this.large = false;
    this.paper = false;
    /** Whether the picture that the build drew stands here, and nothing was asked yet. */
    this.still = false;
    /** What to do after each drawing, and ahead of one. @type {(ahead?: boolean) => void} */
    this.onDrawn = () => {};
    this.plot = element("div", { class: "mb-plot", role: "img" });
    this.overlay = element("div", { class: "mb-overlay" });
    this.probe = new Probe(this.plot, this.overlay);
    this.ghost = new Ghost();
    this.stage = element("div", { class: "mb-stage" }, this.plot, this.overlay);
    const said = { class: "mb-sentence", role: "status" };
    this.sentence = new Words(spec.longest ?? [], said);
    const headlines = [...(spec.headline ?? []), ...headlinesOn(spec.id)];
    this.headline = new Words(headlines, { class: "mb-headline" });
    this.words = [this.headline, this.sentence];
    /** For which window it was fitted, and how high the plot became. */
    this.fitted = { to: "", height: 0 };
    this.legend = element("ul", { class: "mb-legend", "aria-label": "lines and points" });
    this.table = element("div", {
      class: "mb-table",
      role: "region",
      tabindex: 0,
      "aria-label": `numbers of: ${spec.title}`,
      hidden: true,
    });
    this.unwatch = watchTheme(() => this.draw());
    this.observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.observer.observe(this.plot);
  }

  /** @param {number} exact */
  resized(exact) {
    const width = Math.round(exact);
    if (!this.drawnWidth || !width || width === this.drawnWidth) return;
    this.drawnWidth = width;
    this.draw();
  }

  /** What the figure asks for. */
  own() {
    return ownHeight(this.shown?.layout ?? {}, this.drawnWidth);
  }

  /** How high the plot is; the same for all states, so that nothing moves. */
  height() {
    const { drawnWidth: width, shown, large } = this;
    if (this.paper) return Math.min(this.own(), MOST_ON_PAPER);
    // The bars of a phone's browser come and go; what they leave is not followed.
    const to = width < NARROW ? `${width}` : `${width} ${innerHeight} ${large}`;
    if (this.fitted.to !== to) {
      this.legend.style.minHeight = this.table.style.minHeight = "";
      // The legend is measured too, so it comes before the first picture.
      const first = shown && !this.fitted.to ? legendOf(shown.data, shown.layout) : [];
      if (first.length) this.legend.replaceChildren(...first);
      const asked = { own: this.own(), width, screen: innerHeight, large };
      this.fitted = { to, height: fitPanel(this.stage, this.sentence, asked) };
    }
    return this.fitted.height;
  }

  /** Words that a guess kept back come, and fold where they must; the picture keeps its height. */
  refold() {
    if (!this.fitted.to) return;
    const { drawnWidth: width, large } = this;
    fitPanel(this.stage, this.sentence, { own: this.own(), width, screen: innerHeight, large });
  }

  /** Measure anew what stands around the plot. */
  async refit() {
    this.fitted.to = "";
    await this.draw();
  }

  /** Fill the window, in large type. @param {boolean} on */
  present(on) {
    this.large = on;
    this.draw();
  }

  /** Draw for paper: light, whole, without what was there before. @param {boolean} on */
  print(on) {
    this.paper = on;
    this.sentence.fold(false);
    return this.refit();
  }

  /** @param {Figure} figure @param {Values} values */
  take(figure, values) {
    this.revealed &&= isSolved(this.shown, figure, this.values, values);
    this.values = values;
    this.ghost.turn(this.shown, performance.now());
    this.whole = figure;
    this.still = false;
    this.withhold();
  }

  /**
   * Let the picture that the build drew of a figure stand until another is asked for, or this one
   * is to be read and dragged.
   * @param {Figure} figure
   * @param {Iterable<Node>} drawn
   * @param {Values} values
   */
  stand(figure, drawn, values) {
    this.whole = figure;
    this.values = values;
    this.withhold();
    this.still = true;
    this.plot.replaceChildren(...drawn);
    this.hold();
  }

  hold() {
    if (!this.shown) return;
    const how = this.room(this.shown);
    this.plot.style.height = `${how.height}px`;
    this.tell(dressed(this.shown, this.spec, how), this.shown.layout.meta ?? {});
    putFirstLabels(this.plot);
  }

  /**
   * How a figure is drawn where it stands; its words have their place from here.
   * @param {Figure} figure
   */
  room({ layout: { meta = {} } }) {
    const width = Math.round(this.plot.getBoundingClientRect().width);
    this.drawnWidth = width;
    this.headline.reserve(begun(meta.headline ?? ""));
    this.sentence.reserve(meta.sentence ?? "");
    const { large, paper, revealed } = this;
    return { dark: isDark() && !paper, width, revealed, height: this.height(), large };
  }

  // Paper is read, not played: there nothing is missing.
  withhold() {
    const { whole, values, spec } = this;
    const said = whole && headed(whole, spec, values);
    const asked = said && withheld(said, this.paper ? [] : openOn(spec.id));
    this.shown = asked && this.alone && !this.paper ? beginning(asked) : asked;
  }

  async draw() {
    this.withhold();
    if (!this.shown) return;
    if (this.still) {
      this.hold();
      return;
    }
    const turn = ++this.turn;
    const moves = this.gliding && !this.paper && !isStill();
    this.gliding = false;
    const Plotly = await plotly(this.loadSource);
    const meta = this.shown.layout.meta ?? {};
    const scenes = scenesOf(this.shown, this.revealed);
    const isOn = () => turn === this.turn;
    /** @param {Drawn} frame */
    const show = (frame) => Plotly.react(this.plot, frame.data, frame.layout, CONFIG);
    if (moves && /** @type {any} */ (this.plot).data) {
      this.overlay.classList.add(this.playing ? "mb-playing" : "mb-gliding");
      if (this.playing) sayFirst(this, meta);
      const over = skippable(this);
      await play(this, scenes, show, isOn).finally(over);
      // What came meanwhile goes on from here.
      if (!isOn()) return;
    }
    const { data, layout, all } = this.staged(this.revealed ? scenes : []);
    this.overlay.classList.remove("mb-gliding", "mb-playing");
    await show(all);
    this.plot.querySelectorAll(".mb-first").forEach((first) => first.remove());
    this.plot.style.height = "";
    // A change of theme may draw the old picture while the new one is under way.
    if (!this.isAnswer()) return;
    this.probe.drawn({ data, layout });
    this.tell({ data, layout }, meta);
    this.onDrawn();
  }

  /**
   * The figure as some scenes leave it, and all that plotly gets: a ghost of the last state too,
   * and no legend, which stands beside the plot, where its rows cannot push the axes.
   * @param {Scene[]} scenes
   */
  staged(scenes) {
    const figure = /** @type {Figure} */ (this.shown);
    const how = this.room(figure);
    const { data, layout } = readable(dressed(inScenes(figure, scenes), this.spec, how));
    const before = this.paper ? [] : this.ghost.traces(figure);
    const ghosts = dressed({ data: before, layout: {} }, this.spec, how);
    const all = { data: [...data, ...ghosts.data], layout: { ...layout, showlegend: false } };
    return { data, layout, all };
  }

  /**
   * Say what the picture shows: its words, its legend, its table.
   * @param {DressedFigure} figure
   * @param {Told} meta
   */
  tell({ data, layout }, meta) {
    this.plot.dataset.alt = meta.alt || this.spec.title;
    this.plot.setAttribute("aria-label", spoken(this.plot.dataset.alt));
    this.headline.say(begun(meta.headline || ""));
    this.sentence.say(meta.sentence || "");
    this.legend.replaceChildren(...legendOf(data, layout));
    // Shorter names leave the place of the longer ones, so that nothing below moves.
    this.legend.style.minHeight = `${this.legend.getBoundingClientRect().height}px`;
    showTable(this.table, meta.table);
  }

  clear() {
    this.words.forEach((words) => words.clear());
  }

  /** Take the words away, in place, while a new picture is computed. */
  pale() {
    this.clear();
    this.plot.setAttribute("aria-label", "A new picture is being computed.");
  }

  /** Take the words away, where there is no picture. */
  blank() {
    this.clear();
    this.legend.replaceChildren();
    this.table.hidden = true;
    this.plot.setAttribute("aria-label", "No picture for these values.");
  }

  /** The saved picture is always the light one, on white, wherever it was saved. */
  async svg() {
    if (!this.shown) return "";
    const Plotly = await plotly(this.loadSource);
    const how = { dark: false, width: SAVED_WIDTH, revealed: this.revealed };
    const figure = dressed(this.shown, this.spec, how);
    figure.layout.paper_bgcolor = TONES.light.ground;
    const size = { width: SAVED_WIDTH, height: figure.layout.height };
    const url = await Plotly.toImage(figure, { format: "svg", ...size });
    return decodeURIComponent(url.slice(url.indexOf(",") + 1));
  }

  remove() {
    this.unwatch();
    this.observer.disconnect();
    globalThis.Plotly?.purge(this.plot);
  }
}
