// Saving what a panel shows: the numbers as CSV, the picture as SVG.
/** @import { Host } from "./types" */
/** @import { Picture } from "./picture.js" */
import { download, tool } from "./dom.js";
import { csvOf, oneLine, settings, titledSvg } from "./files.js";

/**
 * The two buttons.
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
  return [tool("CSV", saveCsv), tool("SVG", saveSvg)];
}
