// Reading a typed number as the person meant it.
/** @import { Reading } from "./types" */
import { RAISED } from "./symbols.js";

// Blanks, apostrophes and underscores only ever group digits.
const GROUPED = /^(-?)(\d{1,3}(?:[ \u00a0\u2009\u202f'\u2019_]\d{3})+)([.,]\d+)?$/;
// Two kinds of marks, or the same mark twice, leave no doubt which one groups.
const COMMAS_GROUP = [/^-?\d{1,3}(,\d{3})+\.\d+$/, /^-?\d{1,3}(,\d{3}){2,}$/];
const POINTS_GROUP = [/^-?\d{1,3}(\.\d{3})+,\d+$/, /^-?\d{1,3}(\.\d{3}){2,}$/];
// One comma before exactly three digits: a thousand to some, one to others. A point is doubtful
// only where a whole number is asked for.
const DOUBTFUL = /^-?[1-9]\d{0,2},\d{3}$/;
const DOUBTFUL_WHOLE = /^-?[1-9]\d{0,2}[.,]\d{3}$/;
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
  if ((whole ? DOUBTFUL_WHOLE : DOUBTFUL).test(typed)) {
    return { readings: [Number(typed.replace(/[.,]/, "")), Number(typed.replace(",", "."))] };
  }
  if (NUMBER.test(typed)) {
    const value = Number(typed.replace(",", "."));
    if (Number.isFinite(value)) return { value };
  }
  return {};
}
