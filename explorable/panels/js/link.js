// Is the kernel still there? One link a kernel: it is "here", "away" (no way to reach it) or "gone"
// (stopped for good). The kernel's own signals come late or, while it computes, never; so an
// overdue answer, a lost socket and a woken page make the link ask the server over HTTP.
/** @import { Kernel, Link, LinkState, Model } from "./types" */
import { pause } from "./dom.js";

export const POLL = 2000;
const PATIENCE = 4000;
// So many looks at an idle kernel that owes an answer, and it does not know of this page.
const IDLE = 4;
/** What a reader is told of a link that broke. */
export const LOST = {
  away:
    "The connection to the app is lost. " +
    "Your settings are kept; it is tried again every two seconds.",
  gone:
    "The program behind this panel has stopped. " +
    "Your settings are kept; it starts again when the server answers.",
  notebook: "The kernel behind this panel has stopped. Run this cell again.",
};
const STOPPED = ["dead", "restarting", "autorestarting"];

/** @type {WeakMap<Kernel, Link>} */
const links = new WeakMap();

/** @type {Link} where no kernel can be asked */
export const NO_LINK = {
  state: "here",
  sending: false,
  watch: () => () => {},
  onReturn: () => {},
  waiting: () => {},
  cancel: null,
  reachable: async () => true,
};

/** A link, and how who watches it is told of another state. */
export function watchedLink() {
  /** @type {Set<(state: LinkState) => void>} */
  const watchers = new Set();
  /** @type {Link} */
  const link = {
    ...NO_LINK,
    watch(callback) {
      watchers.add(callback);
      return () => watchers.delete(callback);
    },
  };
  /** @param {LinkState} state */
  const become = (state) => {
    if (link.state === state) return;
    link.state = state;
    watchers.forEach((f) => f(state));
  };
  return { link, become };
}

/**
 * @param {Model} model
 * @returns {Link}
 */
export function linkOf(model) {
  const kernel = model.widget_manager?.kernel;
  if (!kernel) return { ...NO_LINK };
  const known = links.get(kernel);
  // A cell that is run again has a restarted kernel behind it.
  if (known?.state === "here") return known;
  const link = kernelLink(kernel);
  links.set(kernel, link);
  return link;
}

/** @param {Kernel} kernel */
function kernelLink(kernel) {
  const { link, become: tell } = watchedLink();
  /** @type {Set<() => void>} */
  const returns = new Set();
  const { baseUrl, token } = kernel.serverSettings;
  const address = `${baseUrl}api/kernels/${encodeURIComponent(kernel.id)}`;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let waiting = 0;
  let asking = false;
  let idle = 0;

  link.onReturn = (callback) => {
    returns.add(callback);
  };
  // Somebody waits for an answer: look after the kernel until it has come.
  link.waiting = (on) => {
    waiting += on ? 1 : -1;
    idle = 0;
    if (on) schedule();
  };
  link.cancel = async () => {
    await kernel.interrupt();
  };
  link.reachable = async () => (await found()) !== "away";

  /** @returns {Promise<LinkState>} */
  async function found() {
    try {
      const reply = await fetch(address, {
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE),
        headers: token ? { Authorization: `token ${token}` } : {},
      });
      if (reply.status === 404 || reply.status === 403) return "gone";
      if (!reply.ok) return "away";
      const { execution_state: state } = await reply.json();
      if (STOPPED.includes(state)) return "gone";
      // A file on its way through a slow line leaves the kernel idle, too.
      idle = state === "idle" && waiting > 0 && !link.sending ? idle + 1 : 0;
      return idle < IDLE ? "here" : "gone";
    } catch {
      return "away";
    }
  }

  /** @param {LinkState} state */
  function become(state) {
    if (link.state === state || link.state === "gone") return;
    if (state === "here") returns.forEach((f) => f());
    tell(state);
  }

  async function check() {
    if (asking || link.state === "gone") return;
    asking = true;
    let state = await found();
    if (state === "here" && kernel.connectionStatus !== "connected") {
      // The library waits ever longer between its attempts; a reader does not.
      await Promise.race([kernel.reconnect().catch(() => {}), pause(PATIENCE)]);
      if (kernel.connectionStatus !== "connected") state = "away";
    }
    asking = false;
    become(state);
    schedule();
  }

  function schedule() {
    clearTimeout(timer);
    if (link.state === "gone") return;
    if (link.state === "away" || waiting > 0) timer = setTimeout(check, POLL);
  }

  kernel.connectionStatusChanged.connect((_, status) => {
    if (status !== "connected") setTimeout(check, 500);
    else check();
  });
  // A restarted kernel answers, but knows nothing of this page.
  kernel.statusChanged.connect((_, status) => {
    if ([...STOPPED, "terminating"].includes(status)) become("gone");
  });
  kernel.disposed.connect(() => become("gone"));
  globalThis.addEventListener("online", check);
  globalThis.addEventListener("offline", check);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) check();
  });
  return link;
}
