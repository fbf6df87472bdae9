// What a reader sees while a picture is computed: soon a word, later the time and a Cancel button.
/** @import { Link, Progress } from "./types" */
import { element, tool } from "./dom.js";

const SLOW = 150;
const LONG = 3000;
const BACK = "Cancelled. The controls are back where the picture is.";
const STILL = "Still computing; the picture is of other values.";

export class Waiting {
  /**
   * @param {Link | undefined} link
   * @param {() => void} onSlow what else to do where a picture does not come at once
   */
  constructor(link, onSlow) {
    this.link = link;
    this.onSlow = onSlow;
    this.node = element("div", { class: "mb-busy", role: "status", hidden: true });
    /** Since when somebody waits, and how far it is. */
    /** @type {{ began: number, progress: Progress | null } | null} */
    this.asked = null;
    /** Whether it takes so long that the reader was told. */
    this.told = false;
    /** @type {{ text: Element, time: Element, bar: HTMLProgressElement } | null} */
    this.notice = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.slow = undefined;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.long = undefined;
  }

  begin() {
    // A reader who drags on asks again and again, and has waited since the first time.
    if (this.asked) return;
    this.asked = { began: performance.now(), progress: null };
    this.node.hidden = true;
    this.slow = setTimeout(() => {
      this.onSlow();
      this.say("computing…");
      this.link?.waiting(true);
      this.told = true;
      this.long = setInterval(() => this.show(), 500);
    }, SLOW);
  }

  end() {
    clearTimeout(this.slow);
    clearInterval(this.long);
    if (this.told) this.link?.waiting(false);
    this.told = false;
    this.asked = null;
    this.notice = null;
    this.node.hidden = true;
    this.node.replaceChildren();
  }

  // After Cancel.
  sayBack() {
    this.say(BACK);
  }

  /** @param {string} words */
  say(words) {
    this.node.replaceChildren(words);
    this.node.hidden = false;
  }

  /** @param {Progress} now */
  hear(now) {
    if (!this.asked) return;
    this.asked.progress = now;
    this.show();
  }

  // Said anew each second; the time itself is not for the ears.
  show() {
    if (!this.asked) return;
    const { began, progress } = this.asked;
    const seconds = Math.floor((performance.now() - began) / 1000);
    if (seconds * 1000 < LONG) return;
    const { text, time, bar } = this.notice ?? this.longNotice();
    if (text.textContent !== STILL) text.textContent = STILL;
    time.textContent = ` ${seconds} s`;
    bar.hidden = !progress;
    if (progress) bar.value = progress.done / Math.max(progress.total, 1);
  }

  longNotice() {
    const text = element("span", {});
    const time = element("span", { "aria-hidden": "true" });
    const bar = element("progress", { max: 1, "aria-label": "progress", hidden: true });
    const cancel = this.link?.cancel ? tool("Cancel", () => this.cancel()) : "";
    this.node.replaceChildren(text, time, bar, cancel);
    this.notice = { text, time, bar };
    return this.notice;
  }

  async cancel() {
    try {
      await this.link?.cancel?.();
    } catch {
      this.node.replaceChildren("It could not be cancelled; it goes on.");
    }
  }
}
