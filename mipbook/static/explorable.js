// The one script behind every panel: it draws controls, asks a source for the figure that
// belongs to their values, and shows it.  No mathematics here: a static panel looks figures up,
// a live panel asks the kernel.
(() => {
  "use strict";
  if (globalThis.mipbook) return;

  const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
  const own = document.currentScript && document.currentScript.src;
  const NARROW = 520;

  // ---------------------------------------------------------------- small helpers

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    // JupyterLab would take the arrow keys for its own shortcuts.
    if (tag === "input" || tag === "button") node.setAttribute("data-lm-suppress-shortcuts", "true");
    for (const [key, value] of Object.entries(attributes)) {
      if (value === false || value === null || value === undefined) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((c) => c !== null && c !== undefined));
    return node;
  }

  function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }

  const ARRAYS = {
    f4: Float32Array, f8: Float64Array, i1: Int8Array, u1: Uint8Array, i2: Int16Array,
    u2: Uint16Array, i4: Int32Array, u4: Uint32Array,
  };

  function shaped(flat, shape) {
    if (shape.length < 2) return flat;
    const size = shape.slice(1).reduce((a, b) => a * b, 1);
    return Array.from({ length: shape[0] }, (_, i) =>
      shaped(flat.subarray(i * size, (i + 1) * size), shape.slice(1)));
  }

  // ---------------------------------------------------------------- plotly, loaded once

  let plotlyPromise = null;

  function runScript(setUp) {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      setUp(script, resolve, reject);
      document.head.append(script);
    });
  }

  function plotly(loadSource) {
    if (globalThis.Plotly) return Promise.resolve(globalThis.Plotly);
    plotlyPromise ??= (async () => {
      if (loadSource) {
        const text = new TextDecoder().decode(await inflate(await loadSource()));
        await runScript((script, resolve) => { script.textContent = text; queueMicrotask(resolve); });
      } else {
        const url = new URL("vendor/plotly.min.js", own).href;
        await runScript((script, resolve, reject) => {
          script.src = url;
          script.onload = resolve;
          script.onerror = () => reject(new Error("the plotting script vendor/plotly.min.js is missing"));
        });
      }
      return globalThis.Plotly;
    })();
    return plotlyPromise;
  }

  // ---------------------------------------------------------------- theme

  function isDark() {
    const root = document.documentElement;
    if (root.dataset.theme) return root.dataset.theme === "dark";
    const jupyter = document.body.dataset.jpThemeLight;
    if (jupyter) return jupyter === "false";
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  const themeWatchers = new Set();

  function watchTheme(callback) {
    if (!themeWatchers.size) {
      const notify = () => themeWatchers.forEach((f) => f());
      const observer = new MutationObserver(notify);
      observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
      observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", notify);
    }
    themeWatchers.add(callback);
    return () => themeWatchers.delete(callback);
  }

  function template(dark, width, height) {
    const ink = dark ? "#e6edf3" : "#1c2530";
    const grid = dark ? "#2f3843" : "#e3e7ec";
    const line = dark ? "#7d8894" : "#6b7682";
    const axis = {
      gridcolor: grid, linecolor: line, tickcolor: line, zerolinecolor: line, zeroline: false,
      showline: true, ticks: "outside", ticklen: 4, fixedrange: true,
      title: { standoff: 8 },
    };
    return {
      layout: {
        font: { family: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif", size: width < NARROW ? 12 : 13, color: ink },
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
        xaxis: axis, yaxis: axis, dragmode: false, hovermode: "closest",
        // Fixed margins: measuring the labels anew would double the time of a redraw.
        margin: width < NARROW ? { l: 58, r: 10, t: 16, b: 46 } : { l: 74, r: 18, t: 20, b: 52 },
        hoverlabel: { bgcolor: dark ? "#222b35" : "#ffffff", bordercolor: line, font: { color: ink } },
        // Below the axis title, whatever the height: plotly counts in heights of the plot's inside.
        legend: { orientation: "h", x: 0, xanchor: "left", y: -64 / (height - 130), yanchor: "top", bgcolor: "rgba(0,0,0,0)" },
        annotationdefaults: { font: { color: ink }, arrowcolor: line },
      },
    };
  }

  // Swap each palette colour for its dark twin; arrays of numbers are passed through untouched.
  function recolour(value, twins) {
    if (typeof value === "string") return twins[value] ?? value;
    if (Array.isArray(value)) return value.map((v) => recolour(v, twins));
    if (value && typeof value === "object" && !ArrayBuffer.isView(value)) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, recolour(v, twins)]));
    }
    return value;
  }

  function dressed(figure, spec, { dark, width, revealed }) {
    // Plotly writes into what it draws, so it gets a copy; recolouring makes one as it goes.
    const painted = recolour(figure, dark ? spec.dark : {});
    const data = (painted.data ?? []).map((trace) =>
      trace.meta === "reveal" && !revealed ? { ...trace, visible: false } : trace);
    const height = painted.layout.height ?? 380;
    const layout = { ...painted.layout, height, template: template(dark, width, height), width: undefined, autosize: true };
    return { data, layout };
  }

  // ---------------------------------------------------------------- sources of figures

  // A static source looks the state up in the packed table; see mipbook/explore/pack.py.
  async function staticSource(spec, blob) {
    const buffer = await inflate(bytesOf(blob));
    const [jsonSize, rowsSize] = new Uint32Array(buffer, 0, 2);
    const pack = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, jsonSize)));
    const table = new Uint32Array(buffer, 8 + jsonSize, pack.states * pack.paths.length);
    const arraysAt = 8 + jsonSize + rowsSize;
    const made = new Map();

    function valueOf(number) {
      const value = pack.values[number];
      if (value === null || typeof value !== "object" || !("$array" in value)) return value;
      if (!made.has(number)) {
        const [type, offset, shape] = pack.arrays[value.$array];
        const size = shape.reduce((a, b) => a * b, 1);
        made.set(number, shaped(new ARRAYS[type](buffer, arraysAt + offset, size), shape));
      }
      return made.get(number);
    }

    function put(tree, path, value) {
      for (let i = 0; i < path.length - 1; i++) {
        tree[path[i]] ??= typeof path[i + 1] === "number" ? [] : {};
        tree = tree[path[i]];
      }
      tree[path[path.length - 1]] = value;
    }

    return {
      settle: (control, value) => control.stops[nearest(control, value)],
      async figure(values) {
        let state = 0;
        for (const control of spec.controls) {
          state = state * control.stops.length + control.stops.indexOf(values[control.name]);
        }
        const tree = {};
        for (const [path, number] of pack.base) put(tree, path, valueOf(number));
        pack.paths.forEach((path, row) => {
          const number = table[row * pack.states + state];
          if (number) put(tree, path, valueOf(number - 1));
        });
        if (tree.error) throw new Error(tree.error);
        return tree;
      },
    };
  }

  // A live source asks the kernel; only the reply to the newest request counts.
  function liveSource(model) {
    const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    const answer = () => JSON.parse(model.get("answer"));

    function revive(value) {
      if (Array.isArray(value)) return value.map(revive);
      if (!value || typeof value !== "object") return value;
      if ("bdata" in value && "dtype" in value) {
        const flat = new ARRAYS[value.dtype](bytesOf(value.bdata).buffer);
        return value.shape ? shaped(flat, String(value.shape).split(",").map(Number)) : flat;
      }
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, revive(v)]));
    }

    function reply(number) {
      return new Promise((resolve) => {
        const look = () => {
          const now = answer();
          if (now.number < number) return false;
          model.off("change:answer", look);
          resolve(now);
          return true;
        };
        if (!look()) model.on("change:answer", look);
      });
    }

    return {
      settle: (control, value) => value,
      // The file goes out with the next request, and only with that one.
      upload(name, text) {
        const number = (model.get("upload").number ?? 0) + 1;
        model.set("upload", { number, name, text });
        return { upload: number, name };
      },
      async figure(values) {
        // Two views of one model share their values, so a request may already be under way.
        let { number, values: asked } = model.get("request");
        if (!same(values, asked)) {
          number += 1;
          model.set("request", { number, values: { ...values } });
          model.save_changes();
        }
        const result = await reply(number);
        if (result.error) throw new Error(result.error);
        return revive(result.figure);
      },
    };
  }

  // ---------------------------------------------------------------- values and stops

  function nearest(control, value) {
    let best = 0;
    control.stops.forEach((stop, i) => {
      if (stop === value) best = i;
      else if (typeof value === "number" && typeof stop === "number" &&
        control.stops[best] !== value && Math.abs(stop - value) < Math.abs(control.stops[best] - value)) best = i;
    });
    return best;
  }

  // Where a value stands between the stops, so that the thumb of a typed value is in the right place.
  function position(control, value) {
    const i = control.stops.findIndex((stop) => stop >= value);
    if (i <= 0) return Math.max(i, 0);
    const [a, b] = [control.stops[i - 1], control.stops[i]];
    return i - (b - value) / (b - a);
  }

  function labelOf(control, value) {
    if (value !== null && typeof value === "object") return value.name;
    const i = control.stops.indexOf(value);
    return i >= 0 ? control.labels[i] : String(Number(value.toPrecision(6)));
  }

  // Read what a reader typed; returns the value or a message that says what is allowed.
  function readTyped(control, text, source) {
    const value = Number(text.replace(",", ".").trim());
    const [low, high] = [control.stops[0], control.stops[control.stops.length - 1]];
    const range = `${control.label}: type a ${control.whole ? "whole " : ""}number from ${labelOf(control, low)} to ${labelOf(control, high)}`;
    if (text.trim() === "" || !Number.isFinite(value) || (control.whole && !control.stepped && value !== Math.round(value)) || value < low || value > high) return { message: range };
    // A control with fixed stops only, or a page without kernel, goes to the nearest stop.
    if (control.low === null || control.stepped) return { value: control.stops[nearest(control, value)] };
    return { value: source.settle(control, value) };
  }

  // ---------------------------------------------------------------- the state in the address

  function addressIsOurs() {
    const d = document.body.dataset;
    return d.voila === "voila" || !("jpThemeLight" in d) && !document.getElementById("jupyter-config-data");
  }

  function readAddress(spec) {
    if (!addressIsOurs()) return {};
    const query = new URLSearchParams(location.search);
    const values = {};
    for (const control of spec.controls) {
      const text = query.get(`${spec.id}.${control.name}`);
      if (text === null) continue;
      const i = control.labels.indexOf(text);
      const number = Number(text);
      if (i >= 0) values[control.name] = control.stops[i];
      else if (control.kind === "slider" && Number.isFinite(number) && text.trim() !== "" &&
        number >= control.stops[0] && number <= control.stops[control.stops.length - 1]) values[control.name] = control.whole ? Math.round(number) : number;
    }
    return values;
  }

  function writeAddress(spec, values) {
    if (!addressIsOurs()) return;
    const url = new URL(location.href);
    for (const control of spec.controls) {
      const key = `${spec.id}.${control.name}`;
      const value = values[control.name];
      // A reader's file is nobody else's: the address leaves it out.
      if (value === control.stops[control.start] || typeof value === "object") url.searchParams.delete(key);
      else {
        const i = control.stops.indexOf(value);
        url.searchParams.set(key, i >= 0 ? control.labels[i] : String(value));
      }
    }
    history.replaceState(history.state, "", url);
  }

  // ---------------------------------------------------------------- files

  function download(name, blob) {
    const link = element("a", { href: URL.createObjectURL(blob), download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  const quoted = (cell) => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  function csvOf(spec, values, figure, revealed) {
    const lines = [`# ${spec.title}`];
    for (const c of spec.controls) lines.push(`# ${c.name} = ${labelOf(c, values[c.name])}`);
    const words = figure.layout.meta && figure.layout.meta.sentence;
    if (words) lines.push(`# ${words}`);
    const table = figure.layout.meta && figure.layout.meta.table;
    if (table) for (const row of table) lines.push(`# ${row.map(quoted).join(",")}`);
    lines.push("trace,x,y,z,text");
    for (const trace of figure.data) {
      if (trace.meta === "reveal" && !revealed) continue;
      const name = trace.name ?? "";
      if (trace.z) {
        Array.from(trace.z).forEach((row, i) => Array.from(row).forEach((z, j) =>
          lines.push([name, trace.x ? trace.x[j] : j, trace.y ? trace.y[i] : i, z, ""].map(quoted).join(","))));
        continue;
      }
      const length = Math.max((trace.x ?? []).length ?? 0, (trace.y ?? []).length ?? 0);
      for (let i = 0; i < length; i++) {
        const text = Array.isArray(trace.text) ? trace.text[i] : "";
        lines.push([name, trace.x ? trace.x[i] : i, trace.y ? trace.y[i] : i, "", text].map(quoted).join(","));
      }
    }
    return lines.join("\n") + "\n";
  }

  // ---------------------------------------------------------------- the controls

  let serial = 0;

  function sliderRow(control, panel) {
    const id = `mb-${++serial}`;
    const last = control.stops.length - 1;
    const range = element("input", { type: "range", id, min: 0, max: last, step: 1, class: "mb-range" });
    const typed = element("input", {
      type: "text", inputmode: "decimal", class: "mb-typed", autocomplete: "off", spellcheck: "false",
      "aria-label": `${control.label}, type a value`,
    });
    const note = element("span", { class: "mb-invalid", role: "alert", hidden: true });
    range.addEventListener("input", () => {
      // A typed value may stand between two stops; a drag or a key goes back to the stops.
      const index = Math.round(Number(range.value));
      range.step = 1;
      panel.set(control.name, control.stops[index]);
    });
    const accept = () => {
      const read = readTyped(control, typed.value, panel.source);
      note.hidden = !read.message;
      note.textContent = read.message ?? "";
      typed.toggleAttribute("aria-invalid", Boolean(read.message));
      if (!read.message) panel.set(control.name, read.value);
    };
    typed.addEventListener("change", accept);
    const show = (value) => {
      const index = control.stops.indexOf(value);
      range.step = index >= 0 ? 1 : "any";
      range.value = index >= 0 ? index : position(control, value);
      const text = labelOf(control, value);
      range.setAttribute("aria-valuetext", control.unit ? `${text} ${control.unit}` : text);
      typed.value = text;
      typed.removeAttribute("aria-invalid");
      note.hidden = true;
    };
    const row = element("div", { class: "mb-row mb-control", "data-control": control.name },
      element("label", { for: id }, control.label), range,
      element("span", { class: "mb-value" }, typed, control.unit ? element("span", { class: "mb-unit" }, control.unit) : null),
      note);
    return { row, show };
  }

  function choiceRow(control, panel) {
    const name = `mb-${++serial}`;
    const inputs = control.stops.map((stop, i) => element("input", {
      type: "radio", name, id: `${name}-${i}`, value: i, onchange: () => panel.set(control.name, stop),
    }));
    const row = element("fieldset", { class: "mb-row mb-control mb-choice", "data-control": control.name },
      element("legend", {}, control.label),
      element("span", { class: "mb-options" }, ...inputs.map((input, i) => element("span", { class: "mb-option" },
        input, element("label", { for: input.id }, control.labels[i])))));
    const show = (value) => { inputs[control.stops.indexOf(value)].checked = true; };
    return { row, show };
  }

  // Examples to choose from and, where a kernel listens, a file of the reader's own.
  function fileRow(control, panel) {
    const { row, show } = choiceRow(control, panel);
    const options = row.querySelector(".mb-options");
    if (!panel.source.upload) {
      options.append(element("span", { class: "mb-note" }, "A file of your own needs the app or a notebook: a page without a kernel cannot compute on it."));
      return { row, show };
    }
    const id = `mb-${++serial}`;
    const note = element("span", { class: "mb-invalid", role: "alert", hidden: true });
    const chosen = element("span", { class: "mb-file-name", role: "status" });
    const input = element("input", { type: "file", id, accept: ".csv,.tsv,.txt,text/csv,text/plain", class: "mb-file" });
    const complain = (message) => { note.textContent = message; note.hidden = !message; };
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      // The same file may be chosen again after it has been mended.
      input.value = "";
      if (file.size > control.limit) {
        complain(`${file.name} has ${file.size} bytes, more than the ${control.limit} that fit.`);
        return;
      }
      complain("");
      panel.set(control.name, panel.source.upload(file.name, await file.text()));
    });
    options.append(element("span", { class: "mb-option" }, element("label", { for: id }, "or a file of your own"), input), chosen);
    row.append(note);
    return {
      row,
      show: (value) => {
        const own = typeof value === "object";
        chosen.textContent = own ? `shown: ${value.name}` : "";
        if (own) row.querySelectorAll("input[type=radio]").forEach((radio) => { radio.checked = false; });
        else show(value);
      },
      reset: () => complain(""),
    };
  }

  function switchRow(control, panel) {
    const id = `mb-${++serial}`;
    const box = element("input", {
      type: "checkbox", role: "switch", id, class: "mb-switch",
      onchange: () => panel.set(control.name, box.checked),
    });
    const row = element("div", { class: "mb-row mb-control", "data-control": control.name },
      element("label", { for: id }, control.label), box);
    return { row, show: (value) => { box.checked = value; } };
  }

  // The guessing game: answer, see the truth, next round; the score is plain counting.
  function roundsRow(control, panel) {
    const score = { played: 0, reader: 0, optimal: 0 };
    const question = element("p", { class: "mb-question", id: `mb-${++serial}` }, control.label);
    const buttons = element("span", { class: "mb-options", role: "group", "aria-labelledby": question.id });
    const verdict = element("p", { class: "mb-verdict", role: "status" });
    const table = element("p", { class: "mb-score", role: "status" });
    const row = element("div", { class: "mb-control mb-rounds", "data-control": control.name }, question, buttons, verdict, table);
    let asked = null;

    const meta = () => (panel.shown && panel.shown.layout.meta) || {};
    const sayScore = () => {
      const { played, reader, optimal } = score;
      row.dataset.score = JSON.stringify(score);
      table.textContent = `${played === 1 ? "1 round" : `${played} rounds`}: you ${reader} right, the optimal attacker ${optimal} right. ${meta().benchmark ?? ""}`;
    };
    function next() {
      const following = (control.stops.indexOf(panel.values[control.name]) + 1) % control.stops.length;
      panel.set(control.name, control.stops[following]);
      panel.afterDraw = () => buttons.querySelector("button")?.focus({ preventScroll: true });
    }
    function guess(key) {
      const { answer, optimal, reveal } = meta();
      score.played += 1;
      score.reader += key === answer ? 1 : 0;
      score.optimal += optimal === answer ? 1 : 0;
      verdict.textContent = `${key === answer ? "Right." : "Wrong."} ${reveal ?? ""}`;
      const button = element("button", { type: "button", class: "mb-guess", "data-guess": "next", onclick: next }, "Next round");
      buttons.replaceChildren(button);
      button.focus({ preventScroll: true });
      sayScore();
      panel.reveal(true);
    }
    function ask() {
      const state = JSON.stringify(panel.values);
      if (state === asked) return;
      // Another setting is another game: its score starts anew.
      const others = JSON.stringify({ ...panel.values, [control.name]: null });
      if (asked !== null && others !== JSON.stringify({ ...JSON.parse(asked), [control.name]: null })) {
        Object.assign(score, { played: 0, reader: 0, optimal: 0 });
      }
      asked = state;
      verdict.textContent = "";
      buttons.replaceChildren(...(meta().options ?? []).map(([key, text]) =>
        element("button", { type: "button", class: "mb-guess", "data-guess": key, onclick: () => guess(key) }, text)));
      sayScore();
    }
    return {
      row, show: () => {}, drawn: ask,
      reset: () => { Object.assign(score, { played: 0, reader: 0, optimal: 0 }); asked = null; },
    };
  }

  const ROWS = { slider: sliderRow, choice: choiceRow, file: fileRow, switch: switchRow, rounds: roundsRow };

  // ---------------------------------------------------------------- the panel

  class Panel {
    constructor(root, spec, source, loadSource) {
      Object.assign(this, { root, spec, source, loadSource, shown: null, revealed: false, ticket: 0 });
      this.start = Object.fromEntries(spec.controls.map((c) => [c.name, c.stops[c.start]]));
      this.values = { ...this.start };
      for (const [name, value] of Object.entries(readAddress(spec))) {
        this.values[name] = source.settle(spec.controls.find((c) => c.name === name), value);
      }
      this.rows = spec.controls.map((control) => ROWS[control.kind](control, this));
      this.plot = element("div", { class: "mb-plot", role: "img" });
      this.sentence = element("p", { class: "mb-sentence", role: "status" });
      this.table = element("div", { class: "mb-table", role: "region", tabindex: 0, "aria-label": `numbers of: ${spec.title}`, hidden: true });
      this.error = element("p", { class: "mb-error", role: "alert", hidden: true });
      this.busy = element("span", { class: "mb-busy", role: "status" });
      const button = (text, action) => element("button", { type: "button", class: "mb-tool", "data-tool": text, onclick: action }, text);
      const tools = element("div", { class: "mb-tools" }, button("Reset", () => this.reset()),
        addressIsOurs() ? button("Copy link", (event) => this.copyLink(event.target)) : null,
        button("CSV", () => this.saveCsv()), button("SVG", () => this.saveSvg()), this.busy);
      const controls = element("div", { class: "mb-controls" }, ...this.rows.map((r) => r.row));
      const between = spec.face === "static" && spec.controls.some((c) => c.kind === "slider");
      root.classList.add("mb-ready");
      root.replaceChildren(
        element("p", { class: "mb-title" }, spec.title), controls, this.error, this.plot, this.sentence, this.table, tools,
        between ? element("p", { class: "mb-note" }, "A typed value moves to the nearest stop of its slider.") : "");
      this.unwatch = watchTheme(() => this.draw());
      this.observer = new ResizeObserver(([entry]) => {
        const width = Math.round(entry.contentRect.width);
        if (this.drawnWidth && width && (width < NARROW) !== (this.drawnWidth < NARROW)) this.draw();
        else if (this.drawnWidth && width && width !== this.drawnWidth) this.fit(width);
      });
      this.observer.observe(this.plot);
    }

    fit(width) {
      this.drawnWidth = width;
      if (globalThis.Plotly && this.shown) globalThis.Plotly.Plots.resize(this.plot);
    }

    set(name, value) {
      if (this.values[name] === value) { this.showValues(); return; }
      this.values = { ...this.values, [name]: value };
      this.update();
    }

    follow(values) {
      if (JSON.stringify(values) === JSON.stringify(this.values)) return;
      this.values = { ...values };
      this.update();
    }

    reset() {
      this.values = { ...this.start };
      this.rows.forEach((r) => r.reset && r.reset());
      this.update();
    }

    showValues() {
      this.spec.controls.forEach((control, i) => this.rows[i].show(this.values[control.name]));
    }

    async update() {
      const ticket = ++this.ticket;
      const started = performance.now();
      this.showValues();
      this.root.dataset.settled = "no";
      const slow = setTimeout(() => { this.busy.textContent = "computing…"; this.root.setAttribute("aria-busy", "true"); }, 300);
      try {
        const figure = await this.source.figure(this.values);
        if (ticket !== this.ticket) return;
        this.shown = figure;
        this.revealed = false;
        this.error.hidden = true;
        this.error.textContent = "";
        this.root.classList.remove("mb-failed");
        await this.draw();
        this.rows.forEach((r) => r.drawn && r.drawn());
        this.afterDraw?.();
        this.afterDraw = null;
      } catch (problem) {
        if (ticket !== this.ticket) return;
        this.error.textContent = `No picture for these values. ${problem.message}`;
        this.error.hidden = false;
        this.sentence.textContent = "";
        this.table.hidden = true;
        this.root.classList.add("mb-failed");
      } finally {
        clearTimeout(slow);
        if (ticket === this.ticket) {
          this.busy.textContent = "";
          this.root.removeAttribute("aria-busy");
          writeAddress(this.spec, this.values);
          this.root.dataset.redraw = (performance.now() - started).toFixed(1);
          this.root.dataset.settled = JSON.stringify(this.values);
        }
      }
    }

    async draw() {
      if (!this.shown) return;
      const Plotly = await plotly(this.loadSource);
      const width = Math.round(this.plot.getBoundingClientRect().width);
      this.drawnWidth = width;
      const { data, layout } = dressed(this.shown, this.spec, { dark: isDark(), width, revealed: this.revealed });
      await Plotly.react(this.plot, data, layout, CONFIG);
      const meta = this.shown.layout.meta || {};
      this.plot.setAttribute("aria-label", meta.alt || this.spec.title);
      this.sentence.textContent = meta.sentence || "";
      this.showTable(meta.table);
    }

    // The first row names the columns, the first cell of each other row names the row.
    showTable(table) {
      this.table.hidden = !table;
      if (!table) return;
      const [head, ...rows] = table;
      const cells = (row, tag, scope) => row.map((text, i) =>
        i === 0 || tag === "th" ? element("th", { scope }, text) : element("td", {}, text));
      this.table.replaceChildren(element("table", {},
        element("thead", {}, element("tr", {}, ...cells(head, "th", "col"))),
        element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row, "td", "row"))))));
    }

    async reveal(shown) {
      this.revealed = shown;
      await this.draw();
    }

    async copyLink(button) {
      writeAddress(this.spec, this.values);
      const link = new URL(location.href);
      link.hash = this.spec.id;
      try {
        await navigator.clipboard.writeText(link.href);
        button.textContent = "Link copied";
      } catch {
        button.textContent = "Link is in the address bar";
      }
      setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    }

    saveCsv() {
      if (!this.shown) return;
      const text = csvOf(this.spec, this.values, this.shown, this.revealed);
      download(`${this.spec.id}.csv`, new Blob([text], { type: "text/csv" }));
    }

    // The saved picture is always the light one, on white, wherever it was saved.
    async saveSvg() {
      if (!this.shown) return;
      const Plotly = await plotly(this.loadSource);
      const figure = dressed(this.shown, this.spec, { dark: false, width: 800, revealed: this.revealed });
      figure.layout.paper_bgcolor = "#ffffff";
      const height = figure.layout.height;
      const url = await Plotly.toImage(figure, { format: "svg", width: 800, height });
      const text = decodeURIComponent(url.slice(url.indexOf(",") + 1));
      download(`${this.spec.id}.svg`, new Blob([text], { type: "image/svg+xml" }));
    }

    remove() {
      this.unwatch();
      this.observer.disconnect();
      globalThis.Plotly?.purge(this.plot);
    }
  }

  // ---------------------------------------------------------------- both faces

  async function mountStatic(root) {
    const spec = JSON.parse(root.querySelector(".mb-spec").textContent);
    const source = await staticSource(spec, root.querySelector(".mb-blob").textContent);
    root.panel = new Panel(root, spec, source, null);
    await root.panel.update();
    // A shared link names the panel; the picture above it may have moved the page.
    if (location.hash === `#${spec.id}`) root.scrollIntoView();
  }

  function mountAll() {
    const nearby = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        nearby.unobserve(target);
        mountStatic(target).catch((problem) => {
          target.append(element("p", { class: "mb-error", role: "alert" }, `This panel could not start. ${problem.message}`));
        });
      }
    }, { rootMargin: "100% 0px" });
    document.querySelectorAll(".mb-explorable[data-face=static]").forEach((root) => nearby.observe(root));
  }

  function live(model, el) {
    const spec = model.get("spec");
    const root = element("section", { class: "mb-explorable", id: spec.id, "data-face": "live", "aria-label": spec.title });
    el.append(root);
    const loadSource = async () => {
      const other = await model.widget_manager.get_model(model.get("plotly").replace("IPY_MODEL_", ""));
      return other.get("source");
    };
    const source = liveSource(model);
    const panel = new Panel(root, spec, source, loadSource);
    root.panel = panel;
    const follow = () => panel.follow(model.get("request").values);
    if (model.get("request").number > 0) follow();
    else panel.update();
    model.on("change:request", follow);
    return () => {
      model.off("change:request", follow);
      panel.remove();
    };
  }

  globalThis.mipbook = { live, mountAll };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mountAll);
  else mountAll();
})();
