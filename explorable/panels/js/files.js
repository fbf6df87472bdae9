// What a saved file says: a picture's numbers as CSV, its settings in words, a file's report.
/** @import { Figure, Spec, Trace, Values } from "./types" */
import { labelOf, named } from "./values.js";

// A spreadsheet would compute a cell that starts like a formula; an apostrophe makes it text.
/** @param {string} text */
const harmless = (text) =>
  /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;

/**
 * Without line breaks, and harmless where a comma inside starts a new cell.
 * @param {unknown} text
 */
export const oneLine = (text) =>
  String(text)
    // eslint-disable-next-line no-control-regex -- they are what must go
    .replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, " ")
    .replace(/([,;]\s*"?)([=@]|[+-](?![\d.]))/g, "$1'$2");

// A file's name is a stranger's, so not even what looks like a number is left alone there.
/** @param {unknown} text */
const foreign = (text) => oneLine(text).replace(/([,;]\s*"?)([+-])/g, "$1'$2");

/**
 * One cell, in quotation marks where it needs them.
 * @param {unknown} cell
 */
export const quoted = (cell) => {
  const text = harmless(cell === null || cell === undefined ? "" : String(cell));
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Safe inside HTML and SVG.
 * @param {string} text
 */
export const escaped = (text) => text.replace(/[&<>"]/g, (c) => ENTITIES[c]);

/**
 * One line for each control.
 * @param {Spec} spec
 * @param {Values} values
 */
export function settings(spec, values) {
  return spec.controls.map((each) => {
    const value = values[each.name];
    const control = named(each, values);
    // A typed number stands there with all its digits.
    const typed = typeof value === "number" && !control.stops.includes(value);
    const label = typed ? String(value) : labelOf(control, value);
    return `${control.name} = ${control.kind === "file" ? foreign(label) : label}`;
  });
}

/**
 * @param {Trace} trace
 * @returns {unknown[][]}
 */
function rowsOf(trace) {
  const { x, y, z, text } = trace;
  const name = trace.name ?? "";
  if (z) {
    return Array.from(z).flatMap((row, i) =>
      Array.from(row).map((value, j) => [name, x ? x[j] : j, y ? y[i] : i, value, ""]),
    );
  }
  const length = Math.max(x?.length ?? 0, y?.length ?? 0);
  return Array.from({ length }, (_, i) => [
    name,
    x ? x[i] : i,
    y ? y[i] : i,
    "",
    Array.isArray(text) ? text[i] : "",
  ]);
}

/**
 * The numbers of every trace, under comments with the settings, the sentence and the table.
 * @param {Spec} spec
 * @param {Values} values
 * @param {Figure} figure
 * @param {boolean} revealed whether the game's truth is on show
 */
export function csvOf(spec, values, figure, revealed) {
  const comments = [spec.title, ...settings(spec, values)];
  const { sentence, table } = figure.layout.meta ?? {};
  if (sentence) comments.push(sentence);
  for (const row of table ?? []) comments.push(row.map(quoted).join(","));
  const traces = figure.data.filter((trace) => trace.meta !== "reveal" || revealed);
  const rows = traces.flatMap(rowsOf).map((row) => row.map(quoted).join(","));
  const lines = [...comments.map((text) => `# ${oneLine(text)}`), "trace,x,y,z,text", ...rows];
  return `${lines.join("\n")}\n`;
}

/**
 * A picture that says what it shows.
 * @param {string} svg
 * @param {string} title
 * @param {string} words
 */
export function titledSvg(svg, title, words) {
  const said = `<title>${escaped(title)}</title><desc>${escaped(words)}</desc>`;
  return svg.replace(/<svg[^>]*>/, (tag) => `${tag}${said}`);
}

// All that a panel says of a reader's file, as one page without scripts, and as JSON.

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:1rem auto;padding:0 1rem;" +
  "color-scheme:light;color:CanvasText;background:Canvas}" +
  "svg{max-width:100%;height:auto}h2{margin:.5rem 0}" +
  "table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;" +
  "padding:.2rem 1rem .2rem 0;border-bottom:1px solid GrayText}";

/**
 * @param {Spec} spec
 * @param {Values} values
 * @param {Figure} figure
 */
export function jsonOf(spec, values, figure) {
  const { headline, sentence, read, table } = figure.layout.meta ?? {};
  const curves = figure.data
    .filter((trace) => trace.x && trace.y)
    .map(({ name, x, y }) => ({
      name: name ?? "",
      x: Array.from(x ?? []),
      y: Array.from(y ?? []),
    }));
  const told = { title: spec.title, settings: settings(spec, values), headline, sentence, read };
  return `${JSON.stringify({ ...told, table, curves }, null, 1)}\n`;
}

/**
 * @param {string[][]} table
 */
function tableOf(table) {
  const rows = table.map((row, at) => {
    const tag = at ? "td" : "th";
    return `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`;
  });
  return `<table>${rows.join("\n")}</table>`;
}

/**
 * @param {Spec} spec
 * @param {Values} values
 * @param {Figure} figure
 * @param {string} svg
 */
export function reportOf(spec, values, figure, svg) {
  const { headline = "", sentence = "", alt = "", read = "", table } = figure.layout.meta ?? {};
  const title = escaped(spec.title);
  return [
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>`,
    // It runs nothing and asks nobody, whatever a file's name or a column's brings into it.
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; " +
      "style-src 'unsafe-inline'; img-src data:\">",
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<style>${STYLE}</style></head><body><h1>${title}</h1>`,
    `<p>${settings(spec, values).map(escaped).join("<br>")}</p>`,
    read ? `<p>${escaped(read)}</p>` : "",
    // Letters may be wider here than where the legend was measured.
    titledSvg(svg.replace(/clip-path="url\(#legend\w*\)"/g, ""), spec.title, alt),
    `<h2>${escaped(headline)}</h2><p>${escaped(sentence)}</p>`,
    table ? tableOf(table) : "",
    "</body></html>\n",
  ].join("\n");
}
