// All that a panel says of a reader's file, as one page without scripts, and as JSON.
/** @import { Figure, Spec, Values } from "./types" */
import { escaped, settings, titledSvg } from "./files.js";

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
