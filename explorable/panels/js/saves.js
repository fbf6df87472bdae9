// Saving what a panel shows: the numbers as CSV, the picture as SVG; of a reader's file, a report.
/** @import { Host } from "./types" */
/** @import { Picture } from "./picture.js" */
import { download, tool } from "./dom.js";
import { csvOf, oneLine, settings, titledSvg } from "./files.js";
import { jsonOf, reportOf } from "./report.js";

/**
 * The buttons: two, and two more where a reader's own file may be shown.
 * @param {Host} panel
 * @param {Picture} picture
 */
export function saveButtons(panel, picture) {
  const { spec } = panel;
  function saveCsv() {
    const { shown, shownValues } = panel;
    if (!shown || !shownValues) return;
    const text = csvOf(spec, shownValues, shown, picture.revealed);
    download(`${spec.id}.csv`, new Blob([text], { type: "text/csv" }));
  }
  async function saveSvg() {
    const { shown, shownValues } = panel;
    if (!shown || !shownValues) return;
    const svg = await picture.svg();
    const sentence = shown.layout.meta?.sentence ?? "";
    const words = [...settings(spec, shownValues), sentence].map(oneLine).join("; ");
    const text = titledSvg(svg, spec.title, words);
    download(`${spec.id}.svg`, new Blob([text], { type: "image/svg+xml" }));
  }
  async function saveReport() {
    const { shown, shownValues } = panel;
    if (!shown || !shownValues) return;
    const text = reportOf(spec, shownValues, shown, await picture.svg());
    download(`${spec.id}.html`, new Blob([text], { type: "text/html" }));
  }
  function saveJson() {
    const { shown, shownValues } = panel;
    if (!shown || !shownValues) return;
    const text = jsonOf(spec, shownValues, shown);
    download(`${spec.id}.json`, new Blob([text], { type: "application/json" }));
  }
  const buttons = [tool("CSV", saveCsv), tool("SVG", saveSvg)];
  if (!spec.controls.some((control) => control.kind === "file")) return buttons;
  return [...buttons, tool("JSON", saveJson), tool("Report", saveReport)];
}
