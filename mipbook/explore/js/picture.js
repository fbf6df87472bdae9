// The picture of a panel: the plot, its sentence and its table.
/** @import { Figure, Spec } from "./types" */
/** @import { LoadSource } from "./plotly.js" */
import { element } from "./dom.js";
import { legendOf } from "./legend.js";
import { plotly } from "./plotly.js";
import { NARROW, dressed, isDark, watchTheme } from "./theme.js";
import { Words } from "./words.js";

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
const SAVED_WIDTH = 800;

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
    this.shown = null;
    this.revealed = false;
    this.drawnWidth = 0;
    this.plot = element("div", { class: "mb-plot", role: "img" });
    this.words = new Words(spec.longest ?? "");
    this.sentence = this.words.node;
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
    if (width < NARROW !== this.drawnWidth < NARROW) {
      this.draw();
      return;
    }
    this.drawnWidth = width;
    this.words.reserve();
    if (this.shown) globalThis.Plotly?.Plots.resize(this.plot);
  }

  /** @param {Figure} figure */
  take(figure) {
    this.shown = figure;
    this.revealed = false;
  }

  async draw() {
    if (!this.shown) return;
    const Plotly = await plotly(this.loadSource);
    const width = Math.round(this.plot.getBoundingClientRect().width);
    this.drawnWidth = width;
    this.words.reserve();
    const how = { dark: isDark(), width, revealed: this.revealed, screen: innerHeight };
    const { data, layout } = dressed(this.shown, this.spec, how);
    // The legend stands beside the plot, where its rows cannot push the axes.
    await Plotly.react(this.plot, data, { ...layout, showlegend: false }, CONFIG);
    // A change of theme may draw the old picture while the new one is under way.
    if (!this.isAnswer()) return;
    const meta = this.shown.layout.meta ?? {};
    this.plot.setAttribute("aria-label", meta.alt || this.spec.title);
    this.words.say(meta.sentence || "");
    this.legend.replaceChildren(...legendOf(data, layout));
    this.showTable(meta.table);
  }

  // The first row names the columns, the first cell of each other row names the row.
  /** @param {string[][] | undefined} table */
  showTable(table) {
    this.table.hidden = !table;
    if (!table) return;
    const [head, ...rows] = table;
    const named = (/** @type {string} */ text, /** @type {string} */ scope) =>
      element("th", { scope }, text);
    const body = rows.map(([name, ...cells]) =>
      element("tr", {}, named(name, "row"), ...cells.map((text) => element("td", {}, text))),
    );
    const columns = head.map((text) => named(text, "col"));
    const thead = element("thead", {}, element("tr", {}, ...columns));
    this.table.replaceChildren(element("table", {}, thead, element("tbody", {}, ...body)));
  }

  /** Take the words away, in place, while a new picture is computed. */
  pale() {
    this.words.clear();
    this.plot.setAttribute("aria-label", "A new picture is being computed.");
  }

  /** Take the words away, where there is no picture. */
  blank() {
    this.words.clear();
    this.legend.replaceChildren();
    this.table.hidden = true;
    this.plot.setAttribute("aria-label", "No picture for these values.");
  }

  /** The saved picture is always the light one, on white, wherever it was saved. */
  async svg() {
    if (!this.shown) return "";
    const Plotly = await plotly(this.loadSource);
    const how = { dark: false, width: SAVED_WIDTH, revealed: this.revealed, screen: 0 };
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
