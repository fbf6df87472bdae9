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
        const url = globalThis.mipbookPlotly ?? new URL("vendor/plotly.min.js", own).href;
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
  function liveSource(model, link) {
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

    // What was asked on a connection that broke may never have arrived.
    link.onReturn(() => {
      const request = model.get("request");
      if (answer().number < request.number) model.send({ again: request });
    });

    return {
      link,
      settle: (control, value) => value,
      // The file goes out with the next request, and only with that one.
      upload(name, text) {
        const number = (model.get("upload").number ?? 0) + 1;
        model.set("upload", { number, name, text });
        link.sending = true;
        return { upload: number, name };
      },
      // What the kernel says of the reader's file, also when no figure came of it.
      found: () => answer().file ?? null,
      textOf: (value) => (model.get("upload").number === value.upload ? model.get("upload").text : null),
      progress(callback) {
        const tell = () => {
          const now = model.get("progress");
          if (now.number === model.get("request").number) callback(now);
        };
        model.on("change:progress", tell);
        return () => model.off("change:progress", tell);
      },
      async figure(values) {
        // Two views of one model share their values, so a request may already be under way; one
        // that was cancelled or failed is asked anew.
        let { number, values: asked } = model.get("request");
        const last = answer();
        if (!same(values, asked) || (last.number === number && !last.figure)) {
          number += 1;
          model.set("request", { number, values: { ...values } });
          model.save_changes();
        }
        const result = await reply(number);
        link.sending = false;
        if (result.cancelled) throw Object.assign(new Error("cancelled"), { cancelled: true });
        if (result.error) throw new Error(result.error);
        return revive(result.figure);
      },
    };
  }

  // ---------------------------------------------------------------- is the kernel still there?

  const POLL = 2000;
  const PATIENCE = 4000;
  // So many looks at an idle kernel that owes an answer, and it does not know of this page.
  const IDLE = 4;
  const links = new WeakMap();

  // One link a kernel. It is "here", "away" (no way to reach it) or "gone" (stopped for good).
  // The kernel's own signals come late or, while it computes, never; so an overdue answer, a lost
  // socket and a woken page make it ask the server over HTTP.
  function linkOf(model) {
    const kernel = model.widget_manager?.kernel;
    if (!kernel) return { state: "here", watch: () => () => {}, onReturn: () => {}, waiting: () => {}, cancel: null };
    // A cell that is run again has a restarted kernel behind it.
    if (links.get(kernel)?.state !== "here") links.set(kernel, kernelLink(kernel));
    return links.get(kernel);
  }

  function kernelLink(kernel) {
    const watchers = new Set();
    const returns = new Set();
    const { baseUrl, token } = kernel.serverSettings;
    const address = `${baseUrl}api/kernels/${encodeURIComponent(kernel.id)}`;
    let timer = null;
    let waiting = 0;
    let asking = false;
    let idle = 0;

    const link = {
      state: "here",
      // A file on its way through a slow line leaves the kernel idle, too.
      sending: false,
      watch(callback) { watchers.add(callback); return () => watchers.delete(callback); },
      onReturn(callback) { returns.add(callback); },
      // Somebody waits for an answer: look after the kernel until it has come.
      waiting(on) { waiting += on ? 1 : -1; idle = 0; if (on) schedule(); },
      async cancel() { await kernel.interrupt(); },
      async reachable() { return (await found()) !== "away"; },
    };

    async function found() {
      try {
        const reply = await fetch(address, {
          cache: "no-store", signal: AbortSignal.timeout(PATIENCE),
          headers: token ? { Authorization: `token ${token}` } : {},
        });
        if (reply.status === 404 || reply.status === 403) return "gone";
        if (!reply.ok) return "away";
        const { execution_state: state } = await reply.json();
        if (["dead", "restarting", "autorestarting"].includes(state)) return "gone";
        idle = state === "idle" && waiting > 0 && !link.sending ? idle + 1 : 0;
        return idle < IDLE ? "here" : "gone";
      } catch {
        return "away";
      }
    }

    function become(state) {
      if (link.state === state || link.state === "gone") return;
      link.state = state;
      if (state === "here") returns.forEach((f) => f());
      watchers.forEach((f) => f(state));
    }

    async function check() {
      if (asking || link.state === "gone") return;
      asking = true;
      let state = await found();
      if (state === "here" && kernel.connectionStatus !== "connected") {
        // The library waits ever longer between its attempts; a reader does not.
        const patience = new Promise((resolve) => { setTimeout(resolve, PATIENCE); });
        await Promise.race([kernel.reconnect().catch(() => {}), patience]);
        if (kernel.connectionStatus !== "connected") state = "away";
      }
      asking = false;
      become(state);
      schedule();
    }

    function schedule() {
      clearTimeout(timer);
      if (link.state === "gone") return;
      if (link.state === "away" || waiting > 0) timer = setTimeout(check, POLL);
    }

    kernel.connectionStatusChanged.connect((_, status) => {
      if (status !== "connected") setTimeout(check, 500);
      else check();
    });
    // A restarted kernel answers, but knows nothing of this page.
    kernel.statusChanged.connect((_, status) => {
      if (["dead", "restarting", "autorestarting", "terminating"].includes(status)) become("gone");
    });
    kernel.disposed.connect(() => become("gone"));
    globalThis.addEventListener("online", check);
    globalThis.addEventListener("offline", check);
    document.addEventListener("visibilitychange", () => { if (!document.hidden) check(); });
    return link;
  }

  // Start the page again: its address holds the settings, the tab's own store a reader's file.
  const RESTARTS = "mipbook-restarts";
  const KEPT = "mipbook-kept-file";

  function mayRestart() {
    const recent = JSON.parse(sessionStorage.getItem(RESTARTS) ?? "[]").filter((at) => Date.now() - at < 120_000);
    if (recent.length >= 3) return false;
    sessionStorage.setItem(RESTARTS, JSON.stringify([...recent, Date.now()]));
    return true;
  }

  let restarting = false;

  // A page that is loaded while its server is down is lost for good, so that is asked first. There
  // is time to read why, and a page that nobody looks at waits until somebody does.
  async function restart(link) {
    if (restarting || !mayRestart()) return;
    restarting = true;
    do await new Promise((resolve) => { setTimeout(resolve, POLL); });
    while (document.hidden || !(await link.reachable()));
    location.reload();
  }

  function keepFile(panel) {
    for (const control of panel.spec.controls.filter((c) => c.kind === "file")) {
      const value = panel.values[control.name];
      const text = typeof value === "object" ? panel.source.textOf?.(value) : null;
      if (text === null || text === undefined) continue;
      try {
        sessionStorage.setItem(`${KEPT}.${panel.spec.id}.${control.name}`, JSON.stringify({ name: value.name, columns: value.columns, text }));
      } catch {
        // A file too large for the tab's store has to be chosen again.
      }
    }
  }

  function keptFile(panel, control) {
    const key = `${KEPT}.${panel.spec.id}.${control.name}`;
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
    sessionStorage.removeItem(key);
    return kept;
  }

  // ---------------------------------------------------------------- values and stops

  // The nearest stop: by ratio where the stops grow by factors, by difference elsewhere.
  function nearest(control, value) {
    const exact = control.stops.indexOf(value);
    if (exact >= 0 || typeof value !== "number") return Math.max(exact, 0);
    const far = (stop) => (control.log && stop > 0 && value > 0 ? Math.abs(Math.log(stop / value)) : Math.abs(stop - value));
    let best = 0;
    control.stops.forEach((stop, i) => { if (far(stop) < far(control.stops[best])) best = i; });
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

  // Read a number as the person meant it. Returns {value}, {readings} where a comma or a point
  // may mean two things, or {} for what is no number.
  function readNumber(text, whole) {
    const typed = text.trim().replace(/[\u2212\u2013]/g, "-").replace(/^\+/, "");
    const share = /^(.*[^\s%])\s*%$/.exec(typed);
    if (share) {
      const { value, readings } = readNumber(share[1], false);
      return { value: value === undefined ? undefined : value / 100, readings: readings?.map((v) => v / 100) };
    }
    const fraction = /^(\d+)\s*\/\s*(\d+)$/.exec(typed);
    if (fraction && Number(fraction[2]) > 0) return { value: Number(fraction[1]) / Number(fraction[2]) };
    // Blanks, apostrophes and underscores only ever group digits.
    const grouped = /^(-?)(\d{1,3}(?:[ \u00a0\u2009\u202f'\u2019_]\d{3})+)([.,]\d+)?$/.exec(typed);
    if (grouped) return { value: Number(grouped[1] + grouped[2].replace(/\D/g, "") + (grouped[3] ?? "").replace(",", ".")) };
    // Two kinds of marks, or the same mark twice, leave no doubt which one groups.
    if (/^-?\d{1,3}(,\d{3})+\.\d+$/.test(typed) || /^-?\d{1,3}(,\d{3}){2,}$/.test(typed)) return { value: Number(typed.replaceAll(",", "")) };
    if (/^-?\d{1,3}(\.\d{3})+,\d+$/.test(typed) || /^-?\d{1,3}(\.\d{3}){2,}$/.test(typed)) return { value: Number(typed.replaceAll(".", "").replace(",", ".")) };
    // One comma before exactly three digits: a thousand to some, one to others. A point is
    // doubtful only where a whole number is asked for.
    const doubtful = whole ? /^-?[1-9]\d{0,2}[.,]\d{3}$/ : /^-?[1-9]\d{0,2},\d{3}$/;
    if (doubtful.test(typed)) return { readings: [Number(typed.replace(/[.,]/, "")), Number(typed.replace(",", "."))] };
    if (/^-?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$/i.test(typed)) {
      const value = Number(typed.replace(",", "."));
      if (Number.isFinite(value)) return { value };
    }
    return {};
  }

  // What a control makes of a number: the value it takes, with a note where that is another one,
  // or the message that says what is allowed. The box and the address obey this one rule.
  function accepted(control, value, source) {
    const [low, high] = [control.stops[0], control.stops[control.stops.length - 1]];
    const message = `${control.label}: type a ${control.whole ? "whole " : ""}number from ${labelOf(control, low)} to ${labelOf(control, high)}.`;
    if (value === undefined || value < low || value > high || (control.whole && value !== Math.round(value))) return { message };
    // A control with fixed stops only, or a page without kernel, goes to the nearest stop.
    const fixed = control.low === null || control.stepped;
    const taken = fixed ? control.stops[nearest(control, value)] : source.settle(control, value);
    if (taken === value) return { value };
    return { value: taken, note: `${String(value)} has no picture ${fixed ? "" : "on this page "}: the nearest stop, ${labelOf(control, taken)}, is shown.`.replace(" :", ":") };
  }

  // ---------------------------------------------------------------- the state in the address

  function addressIsOurs() {
    const d = document.body.dataset;
    return d.voila === "voila" || !("jpThemeLight" in d) && !document.getElementById("jupyter-config-data");
  }

  // Returns the values that the address asks for, and notes on those that it cannot have.
  function readAddress(spec, source) {
    const [values, notes] = [{}, {}];
    if (!addressIsOurs()) return { values, notes };
    const query = new URLSearchParams(location.search);
    for (const control of spec.controls) {
      const text = query.get(`${spec.id}.${control.name}`);
      if (text === null) continue;
      const i = control.labels.indexOf(text);
      if (i >= 0) values[control.name] = control.stops[i];
      else if (control.kind === "slider") {
        const found = accepted(control, readNumber(text, control.whole).value, source);
        if (found.message) notes[control.name] = `The address asks for ${text.slice(0, 40)}. ${found.message}`;
        else {
          values[control.name] = found.value;
          if (found.note) notes[control.name] = found.note;
        }
      } else if (control.kind !== "rounds") notes[control.name] = `The address asks for ${text.slice(0, 40)}, which is no choice here.`;
    }
    return { values, notes };
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

  // A spreadsheet would compute a cell that starts like a formula; an apostrophe makes it text.
  const harmless = (text) => (/^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text);
  const oneLine = (text) => String(text).replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ")
    .replace(/([,;]\s*"?)([=+@-])(?![\d.])/g, "$1'$2");
  // A file's name is a stranger's, so not even what looks like a number is left alone there.
  const foreign = (text) => oneLine(text).replace(/([,;]\s*"?)([+-])/g, "$1'$2");

  const quoted = (cell) => {
    const text = harmless(cell === null || cell === undefined ? "" : String(cell));
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

  function settings(spec, values) {
    return spec.controls.map((c) => `${c.name} = ${(c.kind === "file" ? foreign : String)(labelOf(c, values[c.name]))}`);
  }

  function csvOf(spec, values, figure, revealed) {
    const lines = [spec.title, ...settings(spec, values)].map((text) => `# ${oneLine(text)}`);
    const words = figure.layout.meta && figure.layout.meta.sentence;
    if (words) lines.push(`# ${oneLine(words)}`);
    const table = figure.layout.meta && figure.layout.meta.table;
    if (table) for (const row of table) lines.push(`# ${oneLine(row.map(quoted).join(","))}`);
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
    const refuse = (...parts) => {
      typed.setAttribute("aria-invalid", "true");
      note.classList.remove("mb-moved");
      note.replaceChildren(...parts);
      note.hidden = false;
    };
    const remark = (text) => {
      note.classList.add("mb-moved");
      note.textContent = text;
      note.hidden = false;
    };
    const take = (found) => {
      if (found.message) { refuse(found.message); return; }
      panel.set(control.name, found.value);
      if (found.note) remark(found.note);
    };
    const accept = () => {
      const read = readNumber(typed.value, control.whole);
      if (!read.readings) { take(accepted(control, read.value, panel.source)); return; }
      // Thousands or decimals? Only the reader knows.
      const buttons = read.readings.map((value) => element("button", {
        type: "button", class: "mb-tool", "data-reading": value,
        onclick: () => { typed.focus(); take(accepted(control, value, panel.source)); },
      }, String(value)));
      refuse(`Does ${typed.value.trim()} mean `, buttons[0], " or ", buttons[1], "?");
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
    return { row, show, remark };
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
    const note = element("span", { class: "mb-moved", role: "alert", hidden: true });
    row.append(note);
    const show = (value) => { inputs[control.stops.indexOf(value)].checked = true; note.hidden = true; };
    const remark = (text) => { note.textContent = text; note.hidden = false; };
    return { row, show, remark };
  }

  const LOCAL = ["localhost", "127.0.0.1", "[::1]", ""];

  // Where a file goes, said before it is chosen.
  function whereTo() {
    if (LOCAL.includes(location.hostname)) return "Your file is read by the program on this computer that serves this page; it is sent to no other.";
    const plainly = location.protocol === "https:" ? "" : ", unencrypted,";
    const until = addressIsOurs() ? "until you leave this page, or do nothing for 30 minutes" : "until its kernel is shut down";
    return `Your file is sent${plainly} to the server ${location.host} and kept in its memory ${until}; it is not stored.`;
  }

  // Examples to choose from and, where a kernel listens, a file of the reader's own.
  function fileRow(control, panel) {
    const { row, show, remark } = choiceRow(control, panel);
    const options = row.querySelector(".mb-options");
    if (!panel.source.upload) {
      options.append(element("span", { class: "mb-note" }, "A file of your own needs the app or a notebook: a page without a kernel cannot compute on it."));
      return { row, show, remark };
    }
    const id = `mb-${++serial}`;
    const note = element("span", { class: "mb-invalid", role: "alert", hidden: true });
    const state = element("span", { class: "mb-file-name", role: "status" });
    const columns = element("div", { class: "mb-columns", role: "group", "aria-label": "Columns of your file", hidden: true });
    const input = element("input", { type: "file", id, accept: ".csv,.tsv,.txt,text/csv,text/plain", class: "mb-file" });
    const complain = (message) => { note.textContent = message; note.hidden = !message; };
    const own = () => typeof panel.values[control.name] === "object";
    const opened = new Set();
    const send = (name, text, chosen) => {
      complain("");
      const value = panel.source.upload(name, text);
      panel.set(control.name, chosen ? { ...value, columns: chosen } : value);
    };
    input.addEventListener("change", async () => {
      const [file] = input.files;
      if (!file) return;
      // The same file may be chosen again after it has been mended.
      input.value = "";
      if (file.size > control.limit) {
        complain(`${file.name.slice(0, 60)} has ${file.size.toLocaleString("en")} bytes, more than the ${control.limit.toLocaleString("en")} that fit. What is shown has not changed.`);
        return;
      }
      send(file.name, await file.text());
    });
    options.append(element("span", { class: "mb-option mb-own" }, element("label", { for: id }, "or a file of your own"), input), state);
    row.append(element("span", { class: "mb-note mb-where" }, whereTo()), columns, note);
    const kept = keptFile(panel, control);
    if (kept) panel.afterStart = () => send(kept.name, kept.text, kept.columns);

    // One list a role of the file's columns. What the reader chose travels with the file's number;
    // what he left alone stays the kernel's to decide.
    function offer(found) {
      columns.hidden = !found?.columns?.length || !control.roles.length;
      if (columns.hidden) { columns.replaceChildren(); return; }
      const choose = (role, names) => {
        const value = panel.values[control.name];
        const others = Object.entries(value.columns ?? {}).filter(([key]) => key !== role.name)
          .map(([key, list]) => [key, list.filter((name) => !names.includes(name))]);
        panel.set(control.name, { ...value, columns: { ...Object.fromEntries(others), [role.name]: names } });
      };
      // Made anew at every answer, the lists must not lose the keyboard's place.
      const at = columns.contains(document.activeElement) ? document.activeElement.dataset.place : null;
      columns.replaceChildren(...control.roles.map((role) => {
        const chosen = found.roles[role.name] ?? [];
        const box = `mb-${++serial}`;
        if (!role.many) {
          const select = element("select", { id: box, "data-place": role.name, onchange: () => choose(role, select.value ? [select.value] : []) },
            ...(role.optional || !chosen.length ? [element("option", { value: "" }, role.optional ? "none" : "choose")] : []),
            ...found.columns.map((name) => element("option", { value: name }, name)));
          select.value = chosen[0] ?? "";
          return element("span", { class: "mb-option", "data-role": role.name }, element("label", { for: box }, role.label), select);
        }
        const boxes = found.columns.map((name, i) => element("input", { type: "checkbox", id: `${box}-${i}`, value: name, "data-place": `${role.name} ${name}`, onchange: () =>
          choose(role, boxes.filter((b) => b.checked).map((b) => b.value)) }));
        boxes.forEach((b) => { b.checked = chosen.includes(b.value); });
        return element("details", { "data-role": role.name, open: opened.has(role.name), ontoggle: (event) => { opened[event.target.open ? "add" : "delete"](role.name); } },
          element("summary", { "data-place": `${role.name} summary` }, `${role.label}: ${chosen.length} of ${found.columns.length} columns`),
          ...boxes.map((b) => element("span", { class: "mb-option" }, b, element("label", { for: b.id }, b.value))));
      }));
      if (at) [...columns.querySelectorAll("[data-place]")].find((node) => node.dataset.place === at)?.focus({ preventScroll: true });
    }

    return {
      row,
      remark,
      show: (value) => {
        if (own()) row.querySelectorAll("input[type=radio]").forEach((radio) => { radio.checked = false; });
        else { show(value); complain(""); offer(null); }
        state.textContent = own() ? `reading ${value.name} …` : "";
      },
      // Also after a failure: what was read helps to mend it.
      drawn: (figure, found) => {
        if (!own()) return;
        const { name } = panel.values[control.name];
        const read = figure?.layout?.meta?.read ?? found?.read ?? "";
        state.textContent = figure ? `${name}. ${read}` : `${name} could not be used. ${read}`;
        offer(found);
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
    return { row, show: (value) => { box.checked = value; }, remark: () => {} };
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

  const SLOW = 150;
  const LONG = 3000;
  const LOST = {
    away: "The connection to the app is lost. Your settings are kept; it is tried again every two seconds.",
    gone: "The program behind this panel has stopped. Your settings are kept; it starts again when the server answers.",
  };

  class Panel {
    constructor(root, spec, source, loadSource) {
      Object.assign(this, { root, spec, source, loadSource, shown: null, shownValues: null, revealed: false, ticket: 0 });
      this.start = Object.fromEntries(spec.controls.map((c) => [c.name, c.stops[c.start]]));
      const asked = readAddress(spec, source);
      this.values = { ...this.start, ...asked.values };
      this.plot = element("div", { class: "mb-plot", role: "img" });
      this.sentence = element("p", { class: "mb-sentence", role: "status" });
      this.table = element("div", { class: "mb-table", role: "region", tabindex: 0, "aria-label": `numbers of: ${spec.title}`, hidden: true });
      this.error = element("p", { class: "mb-error", role: "alert", hidden: true });
      this.lost = element("p", { class: "mb-lost", role: "alert", hidden: true });
      this.busy = element("div", { class: "mb-busy", role: "status", hidden: true });
      const button = (text, action) => element("button", { type: "button", class: "mb-tool", "data-tool": text, onclick: action }, text);
      this.saves = [button("CSV", () => this.saveCsv()), button("SVG", () => this.saveSvg())];
      const tools = element("div", { class: "mb-tools" }, button("Reset", () => this.reset()),
        addressIsOurs() ? button("Copy link", (event) => this.copyLink(event.target)) : null, ...this.saves);
      this.rows = spec.controls.map((control) => ROWS[control.kind](control, this));
      const controls = element("div", { class: "mb-controls" }, ...this.rows.map((r) => r.row));
      const between = spec.face === "static" && spec.controls.some((c) => c.kind === "slider");
      root.classList.add("mb-ready");
      root.replaceChildren(
        element("p", { class: "mb-title" }, spec.title), controls, this.error, this.lost,
        element("div", { class: "mb-stage" }, this.plot, this.busy), this.sentence, this.table, tools,
        between ? element("p", { class: "mb-note" }, "A typed value moves to the nearest stop of its slider.") : "");
      this.notes = asked.notes;
      this.unwatch = watchTheme(() => this.draw());
      this.unlink = source.link?.watch((state) => this.showLink(state));
      this.unlisten = source.progress?.((now) => this.showProgress(now));
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

    // Nothing may be taken for the answer while there is none: neither picture, words nor files.
    pend() {
      this.root.dataset.settled = "no";
      this.saves.forEach((b) => { b.disabled = true; });
      // A reader who drags on asks again and again, and has waited since the first time.
      if (this.asked) return;
      this.asked = { began: performance.now(), progress: null };
      this.busy.hidden = true;
      this.slow = setTimeout(() => {
        this.root.classList.add("mb-pending");
        this.root.setAttribute("aria-busy", "true");
        this.sentence.style.minHeight = `${this.sentence.offsetHeight}px`;
        this.sentence.textContent = "";
        this.plot.setAttribute("aria-label", "A new picture is being computed.");
        this.busy.replaceChildren("computing…");
        this.busy.hidden = false;
        this.source.link?.waiting(true);
        this.watching = true;
        this.long = setInterval(() => this.showWait(), 500);
      }, SLOW);
    }

    // Said anew each second; the time itself is not for the ears.
    showWait() {
      const seconds = Math.floor((performance.now() - this.asked.began) / 1000);
      if (seconds * 1000 < LONG) return;
      const { progress } = this.asked;
      if (!this.wait) {
        const cancel = element("button", { type: "button", class: "mb-tool", "data-tool": "Cancel", onclick: () => this.cancel() }, "Cancel");
        this.wait = { text: element("span", {}), time: element("span", { "aria-hidden": "true" }), bar: element("progress", { max: 1, "aria-label": "progress", hidden: true }) };
        this.busy.replaceChildren(this.wait.text, this.wait.time, this.wait.bar, this.source.link?.cancel ? cancel : "");
      }
      const words = "Still computing; the picture is of other values.";
      if (this.wait.text.textContent !== words) this.wait.text.textContent = words;
      this.wait.time.textContent = ` ${seconds} s`;
      this.wait.bar.hidden = !progress;
      if (progress) this.wait.bar.value = progress.done / Math.max(progress.total, 1);
    }

    showProgress(now) {
      if (!this.asked) return;
      this.asked.progress = now;
      this.showWait();
    }

    async cancel() {
      try {
        await this.source.link.cancel();
      } catch {
        this.busy.replaceChildren("It could not be cancelled; it goes on.");
      }
    }

    rest() {
      clearTimeout(this.slow);
      clearInterval(this.long);
      if (this.watching) this.source.link?.waiting(false);
      this.watching = false;
      this.asked = null;
      this.wait = null;
      this.busy.hidden = true;
      this.busy.replaceChildren();
      this.root.classList.remove("mb-pending");
      this.root.removeAttribute("aria-busy");
      this.sentence.style.minHeight = "";
    }

    async update() {
      const ticket = ++this.ticket;
      const started = performance.now();
      this.showValues();
      this.pend();
      if (this.source.link && this.source.link.state !== "here") this.keep();
      const values = this.values;
      let found = null;
      try {
        const figure = await this.source.figure(values);
        if (ticket !== this.ticket) return;
        this.shown = figure;
        this.shownValues = values;
        this.revealed = false;
        this.rest();
        this.fail(null);
        found = this.source.found?.() ?? null;
        await this.draw();
        this.rows.forEach((r) => r.drawn && r.drawn(figure, found));
        this.afterDraw?.();
        this.afterDraw = null;
        this.saves.forEach((b) => { b.disabled = false; });
      } catch (problem) {
        if (ticket !== this.ticket) return;
        this.rest();
        if (problem.cancelled && this.shownValues) this.goBack();
        else {
          this.fail(problem.cancelled ? "The computation was cancelled." : problem.message);
          found = this.source.found?.() ?? null;
          this.rows.forEach((r) => r.drawn && this.rowsFile(r) && r.drawn(null, found));
        }
      } finally {
        if (ticket === this.ticket) {
          for (const [name, note] of Object.entries(this.notes)) {
            this.rows[this.spec.controls.findIndex((c) => c.name === name)].remark(note);
          }
          this.notes = {};
          writeAddress(this.spec, this.values);
          this.root.dataset.redraw = (performance.now() - started).toFixed(1);
          this.root.dataset.settled = JSON.stringify(this.values);
        }
      }
      const begin = this.afterStart;
      this.afterStart = null;
      begin?.();
    }

    rowsFile(row) {
      return this.spec.controls[this.rows.indexOf(row)].kind === "file";
    }

    // After Cancel the controls go back to what the picture shows, and say so.
    goBack() {
      this.values = { ...this.shownValues };
      this.showValues();
      this.fail(null);
      this.draw();
      this.rows.forEach((r) => r.drawn && r.drawn(this.shown, this.source.found?.() ?? null));
      this.saves.forEach((b) => { b.disabled = false; });
      this.busy.replaceChildren("Cancelled. The controls are back where the picture is.");
      this.busy.hidden = false;
    }

    fail(message) {
      this.error.hidden = message === null;
      this.error.textContent = message === null ? "" : `No picture for these values. ${message}`;
      this.root.classList.toggle("mb-failed", message !== null);
      if (message === null) return;
      this.sentence.textContent = "";
      this.table.hidden = true;
      this.plot.setAttribute("aria-label", "No picture for these values.");
    }

    // For a page that starts again.
    keep() {
      keepFile(this);
      writeAddress(this.spec, this.values);
    }

    showLink(state) {
      this.root.classList.toggle("mb-pending", state !== "here" || this.watching === true);
      this.lost.hidden = state === "here";
      if (state === "here") {
        this.lost.replaceChildren();
        if (this.asked) return;
        this.draw();
        this.saves.forEach((b) => { b.disabled = !this.error.hidden; });
        return;
      }
      this.sentence.textContent = "";
      this.saves.forEach((b) => { b.disabled = true; });
      if (state === "away") { this.lost.replaceChildren(LOST.away); return; }
      if (!addressIsOurs()) { this.lost.replaceChildren("The kernel behind this panel has stopped. Run this cell again."); return; }
      const again = () => { this.keep(); location.reload(); };
      this.lost.replaceChildren(LOST.gone, " ", element("button", { type: "button", class: "mb-tool", "data-tool": "Start again", onclick: again }, "Start again"));
      this.keep();
      restart(this.source.link);
    }

    async draw() {
      if (!this.shown) return;
      const Plotly = await plotly(this.loadSource);
      const width = Math.round(this.plot.getBoundingClientRect().width);
      this.drawnWidth = width;
      const { data, layout } = dressed(this.shown, this.spec, { dark: isDark(), width, revealed: this.revealed });
      await Plotly.react(this.plot, data, layout, CONFIG);
      const meta = this.shown.layout.meta || {};
      // A change of theme may draw the old picture while the new one is under way.
      if (!this.error.hidden || this.root.classList.contains("mb-pending")) return;
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
      const text = csvOf(this.spec, this.shownValues, this.shown, this.revealed);
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
      const meta = this.shown.layout.meta || {};
      const words = [...settings(this.spec, this.shownValues), meta.sentence ?? ""].map(oneLine).join("; ");
      const text = decodeURIComponent(url.slice(url.indexOf(",") + 1))
        .replace(/<svg[^>]*>/, (tag) => `${tag}<title>${escaped(this.spec.title)}</title><desc>${escaped(words)}</desc>`);
      download(`${this.spec.id}.svg`, new Blob([text], { type: "image/svg+xml" }));
    }

    remove() {
      this.unwatch();
      this.unlink?.();
      this.unlisten?.();
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
    // Our own server has the plotting script at an address; elsewhere the kernel sends it when asked.
    const loadSource = globalThis.mipbookPlotly ? null : async () => {
      const other = await model.widget_manager.get_model(model.get("plotly").replace("IPY_MODEL_", ""));
      if (!other.get("source").byteLength) {
        await new Promise((resolve) => { other.once("change:source", resolve); other.send({}); });
      }
      return other.get("source");
    };
    const source = liveSource(model, linkOf(model));
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
