// Every kind of control.
/** @import { Control, Host, Row } from "./types" */
import { choiceRow, switchRow } from "./control-choice.js";
import { fileRow } from "./control-file.js";
import { roundsRow } from "./control-rounds.js";
import { sliderRow } from "./control-slider.js";

/** @type {Record<Control["kind"], (control: Control, panel: Host) => Row>} */
export const ROWS = {
  slider: sliderRow,
  choice: choiceRow,
  file: fileRow,
  switch: switchRow,
  rounds: roundsRow,
};
