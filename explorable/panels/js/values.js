// The stops of a control, what stands for a value that is none of them, and a typed number.
/** @import { Control, Reading, Source, Spec, Taken, Value, Values } from "./types" */
import { RAISED } from "./symbols.js";

/**
 * A control as it stands: of one that another names, the stops that the other's choice has.
 * @param {Control} control
 * @param {Values} values
 * @returns {Control}
 */
export function named(control, values) {
  const found = control.along?.[String(values[control.by ?? ""])];
  if (!found) return control;
  return { ...control, ...found, stops: control.stops.slice(0, found.labels.length) };
}

/**
 * The values after a move; what the moved control names goes to its new start.
 * @param {Control[]} controls
 * @param {Values} values
 * @param {string} name
 * @param {Value} value
 * @returns {Values}
 */
export function moved(controls, values, name, value) {
  const next = { ...values, [name]: value };
  for (const each of controls) if (each.by === name) next[each.name] = named(each, next).start;
  return next;
}

/**
 * Whether the stops are rising numbers, as a slider or as a few buttons.
 * @param {Control} control
 */
export function isScale({ kind, stops }) {
  const rising = stops.every(
    (stop, i) => typeof stop === "number" && (i === 0 || stop > Number(stops[i - 1])),
  );
  return kind !== "rounds" && rising;
}

/**
 * The number of the nearest stop: by ratio where the stops grow by factors, else by difference.
 * @param {Control} control
 * @param {Value} value
 */
export function nearest(control, value) {
  const exact = control.stops.indexOf(/** @type {any} */ (value));
  if (exact >= 0 || typeof value !== "number") return Math.max(exact, 0);
  const stops = /** @type {number[]} */ (control.stops);
  const far = (/** @type {number} */ stop) =>
    control.log && stop > 0 && value > 0
      ? Math.abs(Math.log(stop / value))
      : Math.abs(stop - value);
  let best = 0;
  stops.forEach((stop, i) => {
    if (far(stop) < far(stops[best])) best = i;
  });
  return best;
}

/**
 * The place of the stop that answers a typed value: on the side where what is said holds for the
 * value too, if the control has one; else, and beyond the last stop, the nearest.
 * @param {Control} control
 * @param {number} value
 */
function answering(control, value) {
  const stops = /** @type {number[]} */ (control.stops);
  const above = stops.findIndex((stop) => stop >= value);
  const below = stops.filter((stop) => stop <= value).length - 1;
  const side = { up: above, down: below }[control.safe ?? ""] ?? -1;
  return side < 0 ? nearest(control, value) : side;
}

/**
 * Where a value stands between the stops, so that the thumb of a typed value is in the right place.
 * @param {Control} control
 * @param {number} value
 */
export function position(control, value) {
  const stops = /** @type {number[]} */ (control.stops);
  const i = stops.findIndex((stop) => stop >= value);
  if (i <= 0) return Math.max(i, 0);
  const [a, b] = [stops[i - 1], stops[i]];
  return i - (b - value) / (b - a);
}

/**
 * How a value is written on the page, in the address and in files.
 * @param {Control} control
 * @param {Value} value
 */
export function labelOf(control, value) {
  if (value !== null && typeof value === "object") return value.name;
  const i = control.stops.indexOf(value);
  if (i >= 0) return control.labels[i];
  return String(Number(Number(value).toPrecision(control.whole ? 15 : 6)));
}

/**
 * What a control makes of a number. The box and the address obey this one rule.
 * @param {Control} control
 * @param {number | undefined} value
 * @param {Pick<Source, "settle">} source
 * @returns {Taken}
 */
export function accepted(control, value, source) {
  const stops = /** @type {number[]} */ (control.stops);
  const [low, high] = [stops[0], stops[stops.length - 1]];
  const kind = control.whole ? "whole number" : "number";
  const ends = `from ${labelOf(control, low)} to ${labelOf(control, high)}`;
  const message = `${control.label}: type a ${kind} ${ends}.`;
  if (value === undefined || value < low || value > high) return { message };
  if (control.whole && value !== Math.round(value)) return { message };
  // A control with fixed stops only, or a page without kernel, goes to the nearest stop.
  const fixed = control.low === null || control.stepped;
  const settled = fixed ? stops[nearest(control, value)] : source.settle(control, value);
  if (settled === value) return { value };
  const taken = stops.includes(settled) ? stops[answering(control, value)] : settled;
  const above = stops.findIndex((stop) => stop > value);
  const [a, b] = [stops[above - 1], stops[above]].map((stop) => labelOf(control, stop));
  const note = `${String(value)} lies between two stops, ${a} and ${b}.`;
  // What lies between fixed stops has no meaning, so no line of Python would draw it.
  return fixed ? { value: taken, note } : { value: taken, note, wanted: value };
}

/** What the controls stand at when a reader comes. @param {Spec} spec @returns {Values} */
export const startOf = (spec) =>
  Object.fromEntries(spec.controls.map((c) => [c.name, c.stops[c.start]]));

// Reading a typed number as the person meant it.

// Blanks, apostrophes and underscores only ever group digits.
const GROUPED = /^(-?)(\d{1,3}(?:[ \u00a0\u2009\u202f'\u2019_]\d{3})+)([.,]\d+)?$/;
// Two kinds of marks, or the same mark twice, leave no doubt which one groups.
const COMMAS_GROUP = [/^-?\d{1,3}(,\d{3})+\.\d+$/, /^-?\d{1,3}(,\d{3}){2,}$/];
const POINTS_GROUP = [/^-?\d{1,3}(\.\d{3})+,\d+$/, /^-?\d{1,3}(\.\d{3}){2,}$/];
// One mark before exactly three digits. A comma is a thousand to some, and one to others; where a
// whole number is asked for it groups, and there it is a point that is doubtful.
const DOUBTFUL = /^-?[1-9]\d{0,2},\d{3}$/;
const DOUBTFUL_WHOLE = /^-?[1-9]\d{0,2}\.\d{3}$/;
const POWER = /^(?:(.+?)\s*[×x*·]\s*)?10(?:\^([-+]?\d+)|([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))$/i;
const NUMBER = /^-?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$/i;

/**
 * Returns one value, or two readings where a comma or a point may mean two things, or neither for
 * what is no number.
 * @param {string} text
 * @param {boolean} whole whether a whole number is asked for
 * @returns {Reading}
 */
export function readNumber(text, whole) {
  const typed = text
    .trim()
    .replace(/[\u2212\u2013]/g, "-")
    .replace(/^\+/, "");
  const share = /^(.*[^\s%])\s*%$/.exec(typed);
  if (share) {
    const { value, readings } = readNumber(share[1], false);
    return {
      value: value === undefined ? undefined : value / 100,
      readings: readings?.map((v) => v / 100),
    };
  }
  const fraction = /^(\d+)\s*\/\s*(\d+)$/.exec(typed);
  if (fraction && Number(fraction[2]) > 0) {
    return { value: Number(fraction[1]) / Number(fraction[2]) };
  }
  const power = POWER.exec(typed);
  if (power) {
    const [, digits = "1", plain, raised = ""] = power;
    const exponent = plain ?? Array.from(raised, (c) => "-0123456789"[RAISED.indexOf(c)]).join("");
    return NUMBER.test(digits) ? readNumber(`${digits}e${exponent}`, whole) : {};
  }
  const grouped = GROUPED.exec(typed);
  if (grouped) {
    const [, sign, digits, rest = ""] = grouped;
    return { value: Number(sign + digits.replace(/\D/g, "") + rest.replace(",", ".")) };
  }
  if (COMMAS_GROUP.some((form) => form.test(typed))) {
    return { value: Number(typed.replaceAll(",", "")) };
  }
  if (POINTS_GROUP.some((form) => form.test(typed))) {
    return { value: Number(typed.replaceAll(".", "").replace(",", ".")) };
  }
  if (whole && DOUBTFUL.test(typed)) return { value: Number(typed.replace(",", "")) };
  if ((whole ? DOUBTFUL_WHOLE : DOUBTFUL).test(typed)) {
    return { readings: [Number(typed.replace(/[.,]/, "")), Number(typed.replace(",", "."))] };
  }
  if (NUMBER.test(typed)) {
    const value = Number(typed.replace(",", "."));
    if (Number.isFinite(value)) return { value };
  }
  return {};
}
