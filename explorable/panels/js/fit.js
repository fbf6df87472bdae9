// Fitting a panel into the window: how high its picture is, and whether its sentence is folded.
/** @import { Words } from "./words.js" */
import { NARROW } from "./theme.js";

// What the window shows besides: the book's bar, and a little air.
const AROUND = 84;
const AROUND_NARROW = 100;
// A picture is as high as its figure asks, up to this; less where the window is small.
const MOST = 460;
// Where words and controls stand beside it, they need no more.
const MOST_BESIDE = 390;
// On a phone it stays in sight while the controls move: this share of the screen.
const SHARE = 0.42;
const MOST_NARROW = 320;
// Below this the sentence is folded first, and no picture is lower than the last two.
const COMFORT = 400;
const COMFORT_NARROW = 280;
const LEAST = 240;
const LEAST_NARROW = 180;

/**
 * The height that a picture would like to have.
 * @param {number} own what the figure asks for
 * @param {number} width
 * @param {number} screen
 * @param {boolean} [large] whether it fills the window
 */
export function wantedHeight(own, width, screen, large = false) {
  if (large) return screen;
  if (width >= NARROW) return Math.min(own, MOST);
  return Math.min(own, MOST_NARROW, Math.max(LEAST, Math.round(SHARE * screen)));
}

/**
 * The height that a picture gets, and whether the sentence is folded for it.
 * @param {Asked} asked
 * @param {number} others the height of all else, with the whole sentence
 * @param {number} spared how much less that is with a folded one
 */
export function fitted({ own, width, screen, large }, others, spared) {
  const narrow = width < NARROW;
  const wanted = wantedHeight(own, width, screen, large);
  const room = screen - (narrow ? AROUND_NARROW : AROUND) - others;
  const folded = spared > 0 && room < Math.min(wanted, narrow ? COMFORT_NARROW : COMFORT);
  const least = Math.min(wanted, narrow ? LEAST_NARROW : LEAST);
  const height = Math.max(least, Math.min(wanted, room + (folded ? spared : 0)));
  return { height, folded };
}

/** @typedef {{ own: number, width: number, screen: number, large?: boolean }} Asked */

/** @param {HTMLElement} node */
function outer(node) {
  const { marginTop, marginBottom, position } = getComputedStyle(node);
  // What stands outside of the flow takes no room.
  if (!node.offsetParent || position === "absolute") return 0;
  return node.offsetHeight + parseFloat(marginTop) + parseFloat(marginBottom);
}

/**
 * Measure what stands between the first control and the end of the sentence, and fit it.
 * @param {HTMLElement} stage what holds the plot
 * @param {Words} sentence
 * @param {Asked} asked
 */
export function fitPanel(stage, sentence, asked) {
  /** @type {HTMLElement | null} */
  const body = stage.closest(".mb-body");
  if (!body) return wantedHeight(asked.own, asked.width, asked.screen);
  const all = (/** @type {string} */ name) =>
    Array.from(body.querySelectorAll(name), (node) => outer(/** @type {HTMLElement} */ (node)));
  const beside = getComputedStyle(body).display === "grid";
  const phone = getComputedStyle(stage).position === "sticky";
  const said = [".mb-headline", ".mb-sentence", ".mb-more"];
  // With many controls the sentence follows them on a phone.
  if (phone && body.classList.contains("mb-many")) said.length = 1;
  const names = beside ? said.map((name) => `.mb-main > ${name}`) : said;
  if (!beside) names.push(phone ? ".mb-controls > :first-child" : ".mb-controls");
  if (!phone) names.push(".mb-legend");
  const total = () => names.flatMap(all).reduce((sum, height) => sum + height, 0);
  sentence.fold(false);
  if (beside && !asked.large) {
    // The words stand beside the picture: they fold only where no screen would hold them.
    const side = Math.max(...all(".mb-side"));
    sentence.fold(side > asked.screen - AROUND);
    const own = Math.min(asked.own, Math.max(MOST_BESIDE, side - total()));
    return fitted({ ...asked, own }, total(), 0).height;
  }
  const whole = total();
  sentence.fold(true);
  const { height, folded } = fitted(asked, whole, whole - total());
  if (!folded) sentence.fold(false);
  // There the headline stands, while the reader moves a control further down.
  body.style.setProperty("--high", `${height}px`);
  return height;
}
