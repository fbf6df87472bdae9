// Every kind of control.
/** @import { Control, Host, Row } from "./types" */
import { choiceRow, switchRow } from "./control-choice.js";
import { fileRow } from "./control-file.js";
import { roundsRow } from "./control-rounds.js";
import { sliderRow } from "./control-slider.js";
import { typable } from "./here.js";

/** @type {Record<Control["kind"], (control: Control, panel: Host) => Row>} */
const ROWS = {
  slider: sliderRow,
  choice: choiceRow,
  file: fileRow,
  switch: switchRow,
  rounds: roundsRow,
};

/**
 * A control's row. Few stops are buttons, unless numbers between them can be computed: then it is
 * another row, in the old one's place.
 * @param {Control} control
 * @param {Host} panel
 * @param {Row} [old]
 * @returns {Row}
 */
export function rowOf(control, panel, old) {
  const typed = control.kind === "choice" && typable(control) && panel.source.here?.on;
  const kind = typed ? "slider" : control.kind;
  if (old?.row.dataset.kind === kind) return old;
  const row = ROWS[kind](control, panel);
  row.row.dataset.kind = kind;
  old?.row.replaceWith(row.row);
  return row;
}
