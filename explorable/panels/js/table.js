// The table beneath a picture, for who reads numbers: its first row names the columns, the first
// cell of each other row names the row.
import { element } from "./dom.js";
import { withSymbols } from "./symbols.js";

/**
 * @param {HTMLElement} node
 * @param {string[][] | undefined} table
 */
export function showTable(node, table) {
  node.hidden = !table;
  if (!table) return;
  const [head, ...rows] = table;
  const named = (/** @type {string} */ text, /** @type {string} */ scope) =>
    element("th", { scope }, ...withSymbols(text));
  const cell = (/** @type {string} */ text) => element("td", {}, ...withSymbols(text));
  const body = rows.map(([name, ...cells]) =>
    element("tr", {}, named(name, "row"), ...cells.map(cell)),
  );
  const columns = head.map((text) => named(text, "col"));
  const thead = element("thead", {}, element("tr", {}, ...columns));
  node.replaceChildren(element("table", {}, thead, element("tbody", {}, ...body)));
  node.style.minHeight = `${node.offsetHeight}px`;
}
