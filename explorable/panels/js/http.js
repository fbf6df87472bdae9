// The face of a server without kernels: each move is one request, and nothing of it is kept.
/** @import { Reply, Sent, Source } from "./types" */
import { pause } from "./dom.js";
import { POLL, watchedLink } from "./link.js";
import { askingSource } from "./sources.js";

const BUSY = [429, 502, 503, 504];
const TRIES = 5;
// Waits grow from one try to the next, and differ, so that a class does not come back as one.
const FIRST_WAIT = 250;
const NO_ROOM =
  "The server has more to compute than it has time for. Wait a moment, then move a control.";

/** One page's own number, so that its newest move takes the place of its last; kept nowhere. */
let visit = "";

function visitor() {
  visit ||= Array.from(crypto.getRandomValues(new Uint32Array(3)), (n) => n.toString(36)).join("");
  return visit;
}

/**
 * Wait, but not for somebody who has moved on.
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 */
async function patience(milliseconds, signal) {
  await pause(milliseconds);
  if (signal.aborted) throw signal.reason;
}

/**
 * @param {string} address where the panel's figures are computed
 * @returns {Source}
 */
export function httpSource(address) {
  const { link, become } = watchedLink();

  /**
   * @param {Sent} values
   * @param {AbortSignal} signal
   * @returns {Promise<Response | null>} none while the server cannot be reached
   */
  async function asked(values, signal) {
    try {
      return await fetch(address, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Mipbook-Visit": visitor() },
        body: JSON.stringify(values),
        cache: "no-store",
        credentials: "omit",
        signal,
      });
    } catch {
      if (signal.aborted) throw signal.reason;
      return null;
    }
  }

  const source = askingSource(async (values, signal) => {
    let tries = 0;
    for (;;) {
      const reply = await asked(values, signal);
      if (reply && !BUSY.includes(reply.status)) {
        become("here");
        return answerOf(reply);
      }
      if (reply) {
        tries += 1;
        become("here");
        if (tries === TRIES) throw new Error(NO_ROOM);
        const least = 1000 * Math.min(Number(reply.headers.get("Retry-After")) || 0, 10);
        const wait = Math.max(least, FIRST_WAIT * 2 ** tries);
        await patience(wait * (0.75 + Math.random() / 2), signal);
      } else {
        become("away");
        await patience(POLL, signal);
      }
    }
  }, link);
  link.cancel = async () => {
    become("here");
    source.cancel();
  };
  return source;
}

/**
 * @param {Response} reply
 * @returns {Promise<Reply>}
 */
async function answerOf(reply) {
  const isJson = reply.headers.get("Content-Type")?.startsWith("application/json");
  if (isJson) return reply.json();
  throw new Error(`The server answered ${reply.status}; load this page again.`);
}
